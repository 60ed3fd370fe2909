/* cmd_check.c -- tgsched check: is a schedule valid for a graph on a machine? */
#include <math.h>
#include <string.h>
#include "commands.h"
#include "common.h"
#include "records.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"graph", 'g', OPT_INPUT, "GRAPH",
     "the graph, when SCHEDULE is the only argument (default: the one that SCHEDULE tells)",
     AT(graph)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

/* why the plan of a table may be refused on a machine on which it was made */
static void mind_evictions(const char *schedule, const tgs_platform *p)
{
    const size_t n = strlen(schedule);
    bool limited = false;

    for (int32_t i = 0; i < tgs_platform_memories(p); i++)
        limited |= tgs_platform_memory_capacity(p, i) < INFINITY;
    if (limited && n > 4 && !strcmp(schedule + n - 4, ".csv"))
        warn("%s: a table says nothing of what leaves a memory; a plan that needs it is whole as "
             ".tgs",
             schedule);
}

static int run(const command *self, const options *o)
{
    const char *graph = o->operands == 2 ? o->operand[0] : o->graph;
    options with = *o;
    tgs_schedule *s = NULL;
    input in;
    table t = {0};
    result r;
    int code;

    if (o->graph && o->operands == 2)
        return misuse(self, "--graph GRAPH takes the place of the first argument");
    with.schedule = o->operand[o->operands - 1];
    code = origin_input(&in, graph, self, &with);
    if (!code)
        code = open_schedule(&s, &in, self, &with);
    if (code && in.platform)
        mind_evictions(with.schedule, in.platform);
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
    "[GRAPH] SCHEDULE",
    "check a schedule against its graph and machine",
    "Check that SCHEDULE is valid for GRAPH on the machine: placement, order, precedence with "
    "communication, capacities, deadlines. Exit code 1 and the first violated constraint if not. "
    "SCHEDULE is a .tgs file, or a .csv file of any tool whose first line names its columns: task "
    "and processor (names or indices), start, and perhaps end.",
    1,
    2,
    {&own, &graph_options, &machine_options, &table_options},
    run,
};
