/* cmd_view.c -- tgsched view: a report of a trace. */
#include "commands.h"
#include "common.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"output", 'o', OPT_TEXT, "FILE", "write the report to FILE (default: -, standard output)",
     AT(output)},
    {"to", 0, OPT_TEXT, "FORMAT", "a report of 'tgsched list report' (default: text)", AT(to)},
    {"text", 0, OPT_CHOICE, NULL, "figures, and a Gantt chart in characters", AT(to)},
    {"html", 0, OPT_CHOICE, NULL, "a page with a Gantt chart to explore in a browser", AT(to)},
    {"svg", 0, OPT_CHOICE, NULL, "the Gantt chart as a picture", AT(to)},
    {"json", 0, OPT_CHOICE, NULL, "everything, as JSON", AT(to)},
    {"csv", 0, OPT_CHOICE, NULL, "everything, a line an event", AT(to)},
    {"perfetto", 0, OPT_CHOICE, NULL, "a trace for ui.perfetto.dev and chrome://tracing", AT(to)},
    {"paje", 0, OPT_CHOICE, NULL, "a trace for ViTE and pj_dump", AT(to)},
    {"dot", 0, OPT_CHOICE, NULL, "the graph as it ran, for Graphviz", AT(to)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

static int run(const command *self, const options *o)
{
    const char *path = o->output ? o->output : "-";
    tgs_error err = {TGS_OK, ""};
    tgs_trace *t = NULL, *other = NULL;
    tgs_status status = tgs_trace_read(&t, o->operand[0], &err);
    int code = EXIT_OK;

    (void)self;
    if (!status && o->operands > 1)
        status = tgs_trace_read(&other, o->operand[1], &err);
    if (status)
        code = fail(status, &err);
    if (!code) {
        status = tgs_report(t, other, o->to ? o->to : "text", path, &err);
        if (status)
            code =
                status == TGS_ENOTFOUND ? fail_spec(status, &err) : fail_write(status, &err, path);
    }
    tgs_trace_free(other);
    tgs_trace_free(t);
    return code;
}

const command cmd_view = {
    "view",
    "TRACE [PLAN]",
    "show a trace, beside a second one if given",
    "Show TRACE, of a simulation or a run, in one of several forms; a second trace, as the plan of "
    "a run, is shown beside it.",
    1,
    2,
    {&own},
    run,
};
