/* cmd_check.c -- tgsched check: is a schedule valid for a graph on a machine? */
#include "commands.h"
#include "records.h"

static int run(const command *self, const options *o)
{
    options with = *o;
    tgs_schedule *s = NULL;
    input in;
    table t = {0};
    result r;
    int code;

    with.schedule = o->operand[1];
    code = input_open(&in, o->operand[0], self, o);
    if (!code)
        code = open_schedule(&s, &in, self, &with);
    if (!code)
        code = schedule_record(&t, with.schedule, &in, s);
    if (!code)
        code = result_open(&r, o->output);
    if (!code) {
        if (!o->json && !o->csv)
            fprintf(r.file, "valid\n");
        code = result_close(&r, record_print(&t, "check", o, r.file));
    }
    table_free(&t);
    tgs_schedule_free(s);
    input_close(&in);
    return code;
}

const command cmd_check = {
    "check",
    "GRAPH SCHEDULE",
    "check a schedule against its graph and machine",
    "Check that SCHEDULE is valid for GRAPH on the machine: placement, order, precedence with "
    "communication, capacities, deadlines. Exit code 1 and the first violated constraint if not.",
    2,
    2,
    {&graph_options, &machine_options, &table_options},
    run,
};
