/* cmd_calibrate.c -- tgsched calibrate: measure codelets and links into a costs file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commands.h"
#include "records.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"output", 'o', OPT_TEXT, "FILE",
     "write the measured times to FILE (.tgc; default: -, standard "
     "output)",
     AT(output)},
    {"repeat", 0, OPT_COUNT, "N", "measure everything N times (default: 11)", AT(repeat)},
    {"backend", 0, OPT_TEXT, "NAME", "measure through this backend (default: starpu)", AT(backend)},
    {"platform", 'm', OPT_INPUT, "PLATFORM", "the machine (default: host)", AT(platform)},
    {"from-starpu", 0, OPT_TEXT, "[=DIR/HOST]",
     "measure nothing: take what StarPU has measured, from its performance models and bus files of "
     "HOST in DIR (default: of this machine, where StarPU keeps them)",
     AT(from_starpu)},
    {"export-platform", 0, OPT_TEXT, "FILE",
     "with --from-starpu, write the machine with its links to FILE (.tgp)", AT(export)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

static int measure(tgs_costs **out, const command *self, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g = NULL;
    tgs_platform *p = NULL;
    tgs_status status;
    int code = open_graph(&g, o->operand[0], self, o);

    if (!code)
        code = open_platform(&p, o->platform ? o->platform : "host");
    if (!code) {
        progress("measuring ...");
        status = tgs_calibrate(out, g, p, NULL, o->backend ? o->backend : "starpu",
                               o->repeat ? (int32_t)o->repeat : 11, &err);
        progress(NULL);
        code = status ? fail_spec(status, &err) : EXIT_OK;
    }
    tgs_platform_free(p);
    tgs_graph_free(g);
    return code;
}

/* where StarPU keeps what it has measured here: "starpu:DIR/HOST" */
static int name_files(char *text, size_t size)
{
    const char *models = getenv("STARPU_PERF_MODEL_DIR"), *home = getenv("STARPU_HOME");
    const char *name = getenv("STARPU_HOSTNAME");
    char host[256] = "";

    if (!name || !*name) { /* as StarPU does: without the domain */
        gethostname(host, sizeof host - 1);
        host[strcspn(host, ".")] = 0;
        name = host;
    }
    if (!home || !*home)
        home = getenv("HOME");
    if (models && *models)
        snprintf(text, size, "starpu:%s/%s", models, name);
    else if (home && *home)
        snprintf(text, size, "starpu:%s/.starpu/sampling/%s", home, name);
    else {
        warn("neither STARPU_HOME nor HOME says where StarPU keeps its files: "
             "--from-starpu=DIR/HOST");
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

static int import(tgs_costs **out, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_platform *p = NULL;
    tgs_status status;
    char text[4096];
    int code = EXIT_OK;

    if (!*o->from_starpu)
        code = name_files(text, sizeof text);
    else
        snprintf(text, sizeof text, "starpu:%s", o->from_starpu);
    if (code)
        return code;
    status = tgs_costs_open(out, text, &err);
    if (!status && o->export)
        status = tgs_platform_open(&p, text, &err);
    if (!status && o->export) {
        status = tgs_platform_write(p, o->export, &err);
        tgs_platform_free(p);
        return status ? fail_write(status, &err, o->export) : EXIT_OK;
    }
    return status ? fail(status, &err) : EXIT_OK;
}

static int check(const command *self, const options *o)
{
    if (!o->from_starpu && !o->operands)
        return misuse(self, "calibrate needs GRAPH, or --from-starpu");
    if (!o->from_starpu && o->export)
        return misuse(self, "--export-platform goes with --from-starpu");
    if (o->from_starpu && (o->operands || o->platform || o->backend || o->repeat))
        return misuse(self, "--from-starpu measures nothing: no GRAPH, --platform, --backend or "
                            "--repeat");
    return EXIT_OK;
}

static int run(const command *self, const options *o)
{
    const char *path = o->output ? o->output : "-";
    tgs_error err = {TGS_OK, ""};
    tgs_costs *costs = NULL;
    tgs_status status;
    table t = {0};
    result r;
    int code = check(self, o);

    if (!code)
        code = o->from_starpu ? import(&costs, o) : measure(&costs, self, o);
    if (!code && tgs_costs_remark(costs))
        warn("%s", tgs_costs_remark(costs));
    if (!code) {
        status = tgs_costs_write(costs, path, &err);
        code = status ? fail_write(status, &err, path) : EXIT_OK;
    }
    if (!code && strcmp(path, "-")) {
        code = costs_record(&t, path, costs);
        if (!code)
            code = result_open(&r, "-");
        if (!code)
            code = result_close(&r, record_print(&t, "calibrate", o, r.file));
    }
    table_free(&t);
    tgs_costs_free(costs);
    return code;
}

const command cmd_calibrate = {
    "calibrate",
    "[GRAPH]",
    "measure task times and links on this machine",
    "Measure every codelet of GRAPH on every processor that may run it, and every link; the file "
    "that results is what --costs takes. Each time is kept as minimum, median and spread, of what "
    "is left when outliers are rejected; links are fitted over sizes; and what the runtime takes "
    "beside the kernels is measured too. Then GRAPH is run on all processors, where it can be, and "
    "what its tasks take there, with all of them busy, counts instead of what they take alone; a "
    "trial run then compares, and all of this is measured again when the machine has changed its "
    "speed meanwhile. "
    "'tgsched costs' shows it. Or take what StarPU has measured (--from-starpu).",
    0,
    1,
    {&own, &graph_options},
    run,
};
