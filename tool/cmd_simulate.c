/* cmd_simulate.c -- tgsched simulate: play a schedule under one or more link models. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "common.h"
#include "table.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"play", 0, OPT_TEXT, "MODEL,...",
     "the link models to play the schedule under (default: the one "
     "it was planned for)",
     AT(play)},
    {"output", 'o', OPT_TEXT, "FILE",
     "write the trace of the last model to FILE (.tgt); with - it "
     "takes the place of the figures on standard output",
     AT(output)},
    {"json", 0, OPT_FLAG, NULL, "print the figures as JSON", AT(json)},
    {"csv", 0, OPT_FLAG, NULL, "print the figures as CSV", AT(csv)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

static const column columns[] = {
    {"link_model", "link model", CELL_TEXT},    {"makespan_s", "makespan", CELL_SECONDS},
    {"planned_s", "planned", CELL_SECONDS},     {"ratio", "ratio to planned", CELL_REAL},
    {"bytes_moved", "bytes moved", CELL_BYTES}, {"transfers", "transfers", CELL_COUNT},
    {"busy", "mean busy", CELL_REAL},
};

static double mean_busy(const tgs_trace *t)
{
    const int32_t processors = tgs_trace_processors(t);
    double sum = 0;

    for (int32_t p = 0; p < processors; p++)
        sum += tgs_trace_busy(t, p);
    return sum / processors / tgs_trace_makespan(t);
}

static int play(tgs_trace **out, table *t, const input *in, const tgs_schedule *s,
                const char *model)
{
    tgs_error err = {TGS_OK, ""};
    tgs_problem *pb;
    tgs_status status = tgs_problem_new(&pb, in->graph, in->platform, in->costs, model, &err);
    const double planned = tgs_schedule_makespan(s);
    int32_t row;

    *out = NULL;
    if (!status)
        status = tgs_simulate(out, pb, s, &err);
    tgs_problem_free(pb);
    if (status)
        return fail_spec(status, &err);
    row = table_row(t);
    table_text(t, row, "link_model", model);
    table_real(t, row, "makespan_s", tgs_trace_makespan(*out));
    table_real(t, row, "planned_s", planned);
    table_real(t, row, "ratio", tgs_trace_makespan(*out) / planned);
    table_real(t, row, "bytes_moved", tgs_trace_bytes_moved(*out));
    table_real(t, row, "transfers", tgs_trace_transfers(*out));
    table_real(t, row, "busy", mean_busy(*out));
    return EXIT_OK;
}

static int play_all(tgs_trace **last, table *t, const input *in, const tgs_schedule *s,
                    const options *o)
{
    char *list = strdup(o->play ? o->play : o->link), *rest = list, *model;
    int code = list ? EXIT_OK : fail(TGS_ENOMEM, NULL);

    *last = NULL;
    while (!code && (model = strsep(&rest, ","))) {
        tgs_trace_free(*last);
        code = play(last, t, in, s, model);
    }
    free(list);
    return code;
}

static int print(const table *t, const options *o, FILE *to)
{
    if (o->csv)
        return table_csv(t, to);
    if (!o->json)
        return table_people(t, to);
    fputs("{\"format\": \"tgsched.simulate/1\", ", to);
    table_json(t, to);
    fputs("}\n", to);
    return EXIT_OK;
}

static int run(const command *self, const options *o)
{
    const bool only = o->output && !strcmp(o->output, "-");
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s = NULL;
    tgs_trace *last = NULL;
    table t;
    input in;
    result r;
    int code;

    if (!o->operands && !o->schedule)
        return misuse(self, "simulate needs GRAPH, or --schedule FILE");
    if (only && (o->json || o->csv))
        return misuse(self, "-o - writes the trace where the figures would go");
    code = origin_input(&in, o->operand[0], self, o);
    table_init(&t, "results", columns, sizeof columns / sizeof *columns);
    if (!code)
        code = open_schedule(&s, &in, self, o);
    if (!code)
        code = play_all(&last, &t, &in, s, o);
    if (!code)
        code = annotate(last, &in, s, lower_bound(in.problem, s, NULL));
    if (!code && o->output) {
        const tgs_status status = tgs_trace_write(last, o->output, &err);

        code = status ? fail_write(status, &err, o->output) : EXIT_OK;
    }
    if (!code)
        code = write_reports(last, NULL, o);
    if (!code && !only)
        code = result_open(&r, "-");
    if (!code && !only)
        code = result_close(&r, print(&t, o, r.file));
    table_free(&t);
    tgs_trace_free(last);
    tgs_schedule_free(s);
    input_close(&in);
    return code;
}

const command cmd_simulate = {
    "simulate",
    "[GRAPH]",
    "play a schedule under a model of the links",
    "Play a schedule of GRAPH, made here or read from a file, in the discrete-event simulator: "
    "with "
    "--play also under link models it was not planned for.",
    0,
    1,
    {&own, &graph_options, &machine_options, &plan_options, &report_options},
    run,
};
