/* dax.c -- reads DAX, the XML of Pegasus (versions 2.1 to 3.6), through expat.
 *
 *   <job id= name= runtime=> <uses file= (or name=) link=input|output|inout size=/> </job>
 *   <child ref=ID> <parent ref=ID/> </child>
 *
 * runtime is seconds, size bytes.  A dependency may stand before its jobs, so that names are looked
 * up at the end.  num_procs (also as a Pegasus profile: key="cores") says that a job takes several
 * processors. */
#include <errno.h>
#include <expat.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "core.h"

typedef struct pending { /* a name of a child or parent, in names */
    int64_t child, parent, line;
} pending;

typedef struct reading {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    XML_Parser parser;
    tgs_status status; /* the first failure: what comes after it is not looked at */
    tgs_i_workflow *flow;
    char *names;
    pending *pair;
    int64_t names_size, names_room, pairs, pair_room;
    int64_t child; /* of the <child> that is open; -1 none */
    int32_t job;   /* of the <job> that is open; -1 none */
    int32_t depth;
    int64_t wide; /* jobs of more than one core */
} reading;

static void fail(reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fail(reading *r, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->status = tgs_source_fail(r->s, r->err, "%s", text);
    XML_StopParser(r->parser, XML_FALSE);
}

/* status is a failure that has been told */
static void stop(reading *r, tgs_status status)
{
    if (!status)
        return;
    r->status = status;
    XML_StopParser(r->parser, XML_FALSE);
}

static const char *attribute(const XML_Char **atts, const char *key)
{
    for (; *atts; atts += 2)
        if (!strcmp(*atts, key))
            return atts[1];
    return NULL;
}

/* absent is NaN */
static bool amount(const XML_Char **atts, const char *key, double *out)
{
    const char *text = attribute(atts, key);

    *out = NAN;
    return !text || (tgs_parse_real(text, out) && *out >= 0);
}

/* ---- elements ----------------------------------------------------------------------------------
 */

static void note_cores(reading *r, double cores)
{
    char attrs[40];

    if (!(cores > 1))
        return;
    snprintf(attrs, sizeof attrs, "cores=%.15g", cores);
    tgs_builder_task_attrs(r->b, r->job, attrs);
    r->wide++;
}

static void open_job(reading *r, const XML_Char **atts)
{
    const char *id = attribute(atts, "id"), *name = attribute(atts, "name");
    double runtime, cores;

    if (r->job >= 0) {
        fail(r, "a job within a job");
        return;
    }
    if (!id || !*id) {
        fail(r, "a job has no id");
        return;
    }
    if (!amount(atts, "runtime", &runtime) || !amount(atts, "num_procs", &cores)) {
        fail(r, "job '%.80s': its runtime or num_procs is not a finite number >= 0", id);
        return;
    }
    r->job = tgs_builder_task(r->b, id, name, runtime);
    tgs_builder_line(r->b, r->job, r->s->line);
    note_cores(r, cores);
    stop(r, tgs_source_built(r->s, r->b, r->err));
}

static void add_use(reading *r, const XML_Char **atts)
{
    const char *file = attribute(atts, "file"), *link = attribute(atts, "link");
    double bytes;
    tgs_mode mode;

    file = file ? file : attribute(atts, "name");
    if (r->job < 0)
        return; /* <uses> of a transformation: no file of a job */
    if (!file || !link) {
        fail(r, "<uses> needs a file and a link");
        return;
    }
    mode = !strcmp(link, "input")    ? TGS_R
           : !strcmp(link, "output") ? TGS_W
           : !strcmp(link, "inout")  ? TGS_RW
                                     : 0;
    if (!mode && strcmp(link, "none") && strcmp(link, "checkpoint")) {
        fail(r, "link=\"%.40s\": there are input, output, inout, checkpoint and none", link);
        return;
    }
    if (!amount(atts, "size", &bytes)) {
        fail(r, "file '%.80s': its size is not a finite number >= 0", file);
        return;
    }
    if (mode)
        stop(r, tgs_i_workflow_use(r->flow, r->job, file, mode, bytes));
}

/* the place of a copy of name; -1 when there is no memory */
static int64_t keep(reading *r, const char *name)
{
    const int64_t at = r->names_size, size = (int64_t)strlen(name) + 1;

    if (tgs_mem_grow(&r->names, &r->names_room, at + size, 1)) {
        stop(r, tgs_i_read_no_memory(r->s, r->err));
        return -1;
    }
    memcpy(r->names + at, name, (size_t)size);
    r->names_size += size;
    return at;
}

static void open_child(reading *r, const XML_Char **atts)
{
    const char *ref = attribute(atts, "ref");

    if (!ref || r->child >= 0) {
        fail(r, ref ? "a child within a child" : "<child> needs a ref");
        return;
    }
    r->child = keep(r, ref);
}

static void add_parent(reading *r, const XML_Char **atts)
{
    const char *ref = attribute(atts, "ref");
    pending p = {.child = r->child, .line = r->s->line};

    if (!ref || r->child < 0) {
        fail(r, ref ? "a <parent> outside a <child>" : "<parent> needs a ref");
        return;
    }
    p.parent = keep(r, ref);
    if (p.parent < 0)
        return;
    if (tgs_mem_grow(&r->pair, &r->pair_room, r->pairs + 1, sizeof p)) {
        stop(r, tgs_i_read_no_memory(r->s, r->err));
        return;
    }
    r->pair[r->pairs++] = p;
}

static void XMLCALL open_element(void *user, const XML_Char *name, const XML_Char **atts)
{
    reading *r = user;

    if (r->status)
        return;
    r->s->line = (int64_t)XML_GetCurrentLineNumber(r->parser);
    if (!r->depth++ && strcmp(name, "adag"))
        fail(r, "the file begins with <%.40s>, not with <adag>", name);
    else if (!strcmp(name, "job") || !strcmp(name, "dag") || !strcmp(name, "dax"))
        open_job(r, atts);
    else if (!strcmp(name, "uses"))
        add_use(r, atts);
    else if (!strcmp(name, "child"))
        open_child(r, atts);
    else if (!strcmp(name, "parent"))
        add_parent(r, atts);
}

static void XMLCALL close_element(void *user, const XML_Char *name)
{
    reading *r = user;

    r->depth--;
    if (!strcmp(name, "job") || !strcmp(name, "dag") || !strcmp(name, "dax"))
        r->job = -1;
    else if (!strcmp(name, "child"))
        r->child = -1;
}

/* entities of a document's own can grow without bound, and no DAX has any */
static void XMLCALL refuse_entity(void *user, const XML_Char *name, int parameter,
                                  const XML_Char *value, int size, const XML_Char *base,
                                  const XML_Char *system, const XML_Char *public_id,
                                  const XML_Char *notation)
{
    reading *r = user;

    (void)parameter, (void)value, (void)size, (void)base;
    (void)system, (void)public_id, (void)notation;
    r->s->line = (int64_t)XML_GetCurrentLineNumber(r->parser);
    fail(r, "the entity '%.40s' is declared, which is not allowed here", name);
}

/* ---- the file ----------------------------------------------------------------------------------
 */

static tgs_status parse(reading *r)
{
    enum { BLOCK = 65536 };
    bool more = true;

    while (more && !r->status) {
        void *block = XML_GetBuffer(r->parser, BLOCK);
        const size_t size = block ? fread(block, 1, BLOCK, r->s->file) : 0;

        if (!block)
            return tgs_i_read_no_memory(r->s, r->err);
        if (ferror(r->s->file))
            return tgs_fail_system(r->err, errno, r->s->path);
        more = !feof(r->s->file);
        if (XML_ParseBuffer(r->parser, (int)size, !more) == XML_STATUS_ERROR && !r->status) {
            const enum XML_Error error = XML_GetErrorCode(r->parser);

            r->s->line = (int64_t)XML_GetCurrentLineNumber(r->parser);
            return error == XML_ERROR_NO_MEMORY
                       ? tgs_i_read_no_memory(r->s, r->err)
                       : tgs_source_fail(r->s, r->err, "%s", XML_ErrorString(error));
        }
    }
    return r->status;
}

static tgs_status connect(reading *r)
{
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < r->pairs && !status; i++) {
        const char *name[] = {r->names + r->pair[i].parent, r->names + r->pair[i].child};
        int32_t job[2];

        r->s->line = r->pair[i].line;
        for (int32_t k = 0; k < 2; k++) {
            job[k] = tgs_builder_find_task(r->b, name[k]);
            if (job[k] < 0)
                return tgs_source_fail(r->s, r->err, "%s '%.80s': there is no such job",
                                       k ? "child" : "parent", name[k]);
        }
        status = tgs_i_workflow_after(r->flow, job[0], job[1]);
    }
    return status;
}

static tgs_status read_dax(tgs_source *s, const tgs_args *a, tgs_builder *b, tgs_error *err)
{
    reading r = {.s = s, .b = b, .err = err, .child = -1, .job = -1};
    tgs_i_workflow_files files;
    tgs_status status = tgs_i_workflow_mode(a, &files, err);

    if (!status)
        status = tgs_i_workflow_new(&r.flow, s, b, err);
    if (!status && !(r.parser = XML_ParserCreate(NULL)))
        status = tgs_i_read_no_memory(s, err);
    if (!status) {
        XML_SetUserData(r.parser, &r);
        XML_SetElementHandler(r.parser, open_element, close_element);
        XML_SetEntityDeclHandler(r.parser, refuse_entity);
        status = parse(&r);
    }
    if (!status)
        status = connect(&r);
    if (!status)
        status = tgs_i_workflow_finish(r.flow, files);
    if (r.wide)
        tgs_builder_note(b,
                         "%" PRId64 " jobs take several processors: each is one task of its time "
                         "there, on one processor",
                         r.wide);
    if (r.parser)
        XML_ParserFree(r.parser);
    tgs_i_workflow_free(r.flow);
    tgs_mem_free(r.names);
    tgs_mem_free(r.pair);
    return status;
}

static int sniff(const char *head, size_t size)
{
    const char *s = tgs_i_read_skip(head, size, false);

    if (s == head + size || *s != '<')
        return 0;
    return memmem(head, size, "<adag", 5) ? 2 : 0;
}

static const tgs_param params[] = {
    TGS_I_WORKFLOW_PARAMS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_reader tgs_reader_dax = {
    .base = {TGS_PLUGIN_ABI, "dax", "workflows of Pegasus, DAX 2.1 to 3.6, XML",
             "Deelman, Vahi, Juve et al. (2015), Pegasus, a workflow management system for science "
             "automation, Future Generation Computer Systems 46",
             params},
    .yields = TGS_YIELD_GRAPH,
    .suffixes = ".dax .xml",
    .sniff = sniff,
    .read = read_dax,
};
