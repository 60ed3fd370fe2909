/* cmd_calibrate.c -- tgsched calibrate: measure codelets and links into a costs file. */
#include <string.h>
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
    {"platform", 'm', OPT_TEXT, "PLATFORM", "the machine (default: host)", AT(platform)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

static int run(const command *self, const options *o)
{
    const char *path = o->output ? o->output : "-";
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g = NULL;
    tgs_platform *p = NULL;
    tgs_costs *costs = NULL;
    tgs_status status;
    table t = {0};
    result r;
    int code = open_graph(&g, o->operand[0], self, o);

    if (!code)
        code = open_platform(&p, o->platform ? o->platform : "host");
    if (!code) {
        progress("measuring ...");
        status = tgs_calibrate(&costs, g, p, NULL, o->backend ? o->backend : "starpu",
                               o->repeat ? (int32_t)o->repeat : 11, &err);
        progress(NULL);
        code = status ? fail_spec(status, &err) : EXIT_OK;
    }
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
    tgs_platform_free(p);
    tgs_graph_free(g);
    return code;
}

const command cmd_calibrate = {
    "calibrate",
    "GRAPH",
    "measure task times and links on this machine",
    "Measure every codelet of GRAPH on every processor that may run it, and every link; the file "
    "that results is what --costs takes. Each time is kept as minimum, median and spread.",
    1,
    1,
    {&own, &graph_options},
    run,
};
