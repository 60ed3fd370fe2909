/* cmd_bound.c -- tgsched bound: lower bounds on the makespan. */
#include <math.h>
#include <string.h>
#include "commands.h"
#include "common.h"
#include "table.h"

static const column columns[] = {
    {"bound", "bound", CELL_TEXT},        {"lower_bound_s", "lower bound", CELL_SECONDS},
    {"time_s", "time", CELL_SECONDS},     {"valid_for", "valid for", CELL_TEXT},
    {"summary", "what it is", CELL_TEXT},
};

static int add(table *t, const tgs_problem *pb, int32_t i)
{
    const char *name = tgs_plugin_name("bound", i);
    tgs_error err = {TGS_OK, ""};
    double bound;
    const double began = now();
    const tgs_status status = tgs_bound(&bound, pb, name, &err);
    const double ended = now();
    const int32_t row = table_row(t);

    if (status && status != TGS_ENOTAPPLICABLE)
        return fail(status, &err);
    table_text(t, row, "bound", name);
    table_real(t, row, "lower_bound_s", status ? NAN : bound);
    table_real(t, row, "time_s", status ? NAN : ended - began);
    table_text(t, row, "valid_for", status ? "(not this problem)" : tgs_bound_model(name));
    table_text(t, row, "summary", tgs_plugin_summary("bound", i));
    return EXIT_OK;
}

static int print(const table *t, const input *in, const options *o, FILE *to)
{
    const char *which = NULL;
    const double best = lower_bound(in->problem, NULL, &which);
    char text[64];

    if (o->csv)
        return table_csv(t, to);
    if (o->json) {
        fputs("{\"format\": \"tgsched.bound/1\", ", to);
        if (!isnan(best))
            fprintf(to, "\"lower_bound_s\": %.17g, \"lower_bound\": \"%s\", ", best, which);
        table_json(t, to);
        fputs("}\n", to);
        return EXIT_OK;
    }
    if (isnan(best))
        fputs("no bound applies\n\n", to);
    else {
        human(text, sizeof text, CELL_SECONDS, best);
        fprintf(to, "no schedule is shorter than %s (%s)\n\n", text, which);
    }
    return table_people(t, to);
}

static int run(const command *self, const options *o)
{
    input in;
    table t;
    result r;
    int code = input_open(&in, o->operand[0], self, o);

    table_init(&t, "bounds", columns, sizeof columns / sizeof *columns);
    for (int32_t i = 0; !code && tgs_plugin_name("bound", i); i++)
        code = add(&t, in.problem, i);
    if (!code)
        code = result_open(&r, o->output);
    if (!code)
        code = result_close(&r, print(&t, &in, o, r.file));
    table_free(&t);
    input_close(&in);
    return code;
}

const command cmd_bound = {
    "bound",
    "GRAPH",
    "compute lower bounds on the makespan",
    "Compute every lower bound that applies to GRAPH on the machine, with the time that it takes; "
    "the largest is what 'schedule' and 'compare' measure ratios against. Bounds from linear "
    "programs (mixed, mixed-comm, mixed-interval) need CBC, and leave graphs out that are larger "
    "than their size.",
    1,
    1,
    {&graph_options, &machine_options, &table_options},
    run,
};
