/* hwlocxml.c -- another machine as a platform, from the XML that hwloc exports (lstopo
 * machine.xml), versions 1 and 2: its cores, its main memory, and the accelerators that hwloc knew,
 * with links of usual speed, as nothing was measured.
 *
 * The file is read through expat: hwloc 2.9 itself crashes on files that lack what it expects. */
#include <expat.h>
#include <string.h>
#include "foreign.h"
#include "probe.h"

#define KIBI 1024.0

enum { MOST_DEPTH = 256, MOST_CORES = TGS_I_PROCS_MAX };

typedef struct parsing {
    tgs_source *s;
    tgs_error *err;
    XML_Parser parser;
    tgs_status status;
    tgs_i_probe *cuda, *opencl; /* a card may be seen by both */
    int32_t cores, threads, depth;
    double memory;
    bool begun, coprocessor; /* within an <object type="OSDev"> that computes */
    tgs_i_probe_device device;
    char backend[16];
} parsing;

static void fail(parsing *p, const char *what, const char *text)
{
    p->status = tgs_source_fail(p->s, p->err, "%s%.60s", what, text);
    XML_StopParser(p->parser, XML_FALSE);
}

static const char *attribute(const XML_Char **atts, const char *key)
{
    for (; *atts; atts += 2)
        if (!strcmp(*atts, key))
            return atts[1];
    return "";
}

static void open_object(parsing *p, const XML_Char **atts)
{
    const char *type = attribute(atts, "type"), *memory = attribute(atts, "local_memory");
    double bytes;

    p->coprocessor = !strcmp(type, "OSDev")
                     && (!strcmp(attribute(atts, "osdev_type"), "5")
                         || !strcmp(attribute(atts, "osdev_type"), "CoProc"));
    p->device = (tgs_i_probe_device){.memory = 0};
    p->backend[0] = 0;
    p->cores += !strcmp(type, "Core");
    p->threads += !strcmp(type, "PU");
    if (p->threads > MOST_CORES)
        fail(p, "there are more cores than a platform may have", "");
    if (!*memory)
        return;
    if (!tgs_parse_real(memory, &bytes) || bytes < 0)
        fail(p, "this is no size of a memory: ", memory);
    p->memory += bytes;
}

static void take_info(parsing *p, const XML_Char **atts)
{
    const char *name = attribute(atts, "name"), *value = attribute(atts, "value");
    double x;

    if (!strcmp(name, "Backend"))
        snprintf(p->backend, sizeof p->backend, "%s", value);
    else if (!strcmp(name, "GPUModel"))
        snprintf(p->device.name, sizeof p->device.name, "%s", value);
    else if (!strcmp(name, "CUDAGlobalMemorySize") || !strcmp(name, "OpenCLGlobalMemorySize")) {
        if (!tgs_parse_real(value, &x) || x < 0)
            fail(p, "this is no size of a memory: ", value);
        else
            p->device.memory = x * KIBI;
    }
}

static void add_device(parsing *p)
{
    const bool cuda = !strcmp(p->backend, "CUDA");
    tgs_i_probe *probe = cuda ? p->cuda : p->opencl;

    if (!cuda && strcmp(p->backend, "OpenCL"))
        return;
    if (probe->devices == TGS_I_PROBE_DEVICES) {
        fail(p, "there are more accelerators than a host may have", "");
        return;
    }
    snprintf(p->device.arch, sizeof p->device.arch, "%s", cuda ? "cuda" : "opencl");
    probe->device[probe->devices++] = p->device;
}

static void XMLCALL open_element(void *user, const XML_Char *name, const XML_Char **atts)
{
    parsing *p = user;

    if (p->status)
        return;
    p->s->line = (int64_t)XML_GetCurrentLineNumber(p->parser);
    if (!p->begun && strcmp(name, "topology"))
        fail(p, "the file does not begin with <topology>, but with ", name);
    p->begun = true;
    if (++p->depth > MOST_DEPTH)
        fail(p, "elements within too many elements", "");
    else if (!strcmp(name, "object"))
        open_object(p, atts);
    else if (!strcmp(name, "info") && p->coprocessor)
        take_info(p, atts);
}

static void XMLCALL close_element(void *user, const XML_Char *name)
{
    parsing *p = user;

    p->depth--;
    if (p->status || strcmp(name, "object"))
        return;
    if (p->coprocessor)
        add_device(p);
    p->coprocessor = false;
}

static tgs_status parse(parsing *p, const char *text, size_t size)
{
    XML_SetUserData(p->parser, p);
    XML_SetElementHandler(p->parser, open_element, close_element);
    if (XML_Parse(p->parser, text, (int)size, 1) == XML_STATUS_ERROR && !p->status) {
        const enum XML_Error error = XML_GetErrorCode(p->parser);

        p->s->line = (int64_t)XML_GetCurrentLineNumber(p->parser);
        return error == XML_ERROR_NO_MEMORY
                   ? tgs_fail(p->err, TGS_ENOMEM, "%s: out of memory", p->s->path)
                   : tgs_source_fail(p->s, p->err, "%s", XML_ErrorString(error));
    }
    if (!p->status && !p->cores && !p->threads) /* some machines tell threads only */
        p->status = tgs_source_fail(p->s, p->err, "there are neither cores nor threads");
    return p->status;
}

tgs_status tgs_i_hwloc_load(tgs_platform **out, tgs_source *s, tgs_error *err)
{
    tgs_i_probe *probe = tgs_mem_alloc(2, sizeof *probe);
    parsing p = {.s = s, .err = err, .cuda = probe, .opencl = probe + 1};
    char *text = NULL;
    size_t size;
    tgs_status status = tgs_source_all(s, &text, &size, err);

    *out = NULL;
    s->line = 1;
    if (!status && (!probe || !(p.parser = XML_ParserCreate(NULL))))
        status = tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path);
    if (!status)
        status = parse(&p, text, size);
    if (!status) {
        const int32_t cores = p.cores ? p.cores : p.threads;

        probe = p.cuda->devices ? p.cuda : p.opencl;
        probe->cpus = cores;
        status = tgs_i_host_build(out, cores, p.memory, probe, err);
    }
    if (p.parser)
        XML_ParserFree(p.parser);
    tgs_mem_free(p.cuda);
    tgs_mem_free(text);
    return status;
}
