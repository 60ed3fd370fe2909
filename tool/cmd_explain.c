/* cmd_explain.c -- tgsched explain: why a schedule is as it is. */
#include <errno.h>
#include <stdlib.h>
#include "commands.h"
#include "explain_tables.h"
#include "records.h"

enum { RECORD, FIRST, SECOND, TABLES };

/* a name, else an index, also as @INDEX */
static int find_task(int32_t *out, const input *in, const command *self, const char *text)
{
    const char *digits = text + (*text == '@');
    char *end;
    long index;

    *out = tgs_graph_find_task(in->graph, text);
    if (*out >= 0)
        return EXIT_OK;
    errno = 0;
    index = strtol(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end || errno || index >= tgs_graph_tasks(in->graph))
        return misuse(self, "no task '%s' in %s", text, in->title);
    *out = (int32_t)index;
    return EXIT_OK;
}

static int fill(table t[TABLES], const input *in, const tgs_schedule *s, const tgs_explain *x,
                int32_t task, const char *path)
{
    int code;

    if (task < 0) {
        code = sums_record(&t[RECORD], in, s, x, path);
        return code ? code : chain_table(&t[FIRST], in, x);
    }
    code = task_record(&t[RECORD], in, x, task);
    if (!code)
        code = needs_table(&t[FIRST], in, x, task);
    return code ? code : options_table(&t[SECOND], in, s, x, task);
}

static int print(const table t[TABLES], const options *o, FILE *to)
{
    const int last = t[SECOND].columns ? SECOND : FIRST;
    int code = EXIT_OK;

    if (o->csv)
        return table_csv(&t[last], to);
    if (o->json) {
        fputs("{\"format\": \"tgsched.explain/1\", ", to);
        record_json(&t[RECORD], to);
        for (int i = FIRST; i <= last; i++) {
            fputs(", ", to);
            table_json(&t[i], to);
        }
        fputs("}\n", to);
        return EXIT_OK;
    }
    record_people(&t[RECORD], to);
    for (int i = FIRST; i <= last && !code; i++) {
        putc('\n', to);
        if (t[i].rows)
            code = table_people(&t[i], to);
    }
    return code;
}

static int explain(const command *self, const input *in, const tgs_schedule *s, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    table t[TABLES] = {{0}};
    tgs_explain *x = NULL;
    int32_t task = -1;
    tgs_status status;
    result r;
    int code = o->task ? find_task(&task, in, self, o->task) : EXIT_OK;

    if (code)
        return code;
    status = tgs_explain_new(&x, s, in->problem, &err);
    code = status ? fail(status, &err) : fill(t, in, s, x, task, o->operand[0]);
    if (!code)
        code = result_open(&r, o->output);
    if (!code)
        code = result_close(&r, print(t, o, r.file));
    for (int i = 0; i < TABLES; i++)
        table_free(&t[i]);
    tgs_explain_free(x);
    return code;
}

static int run(const command *self, const options *o)
{
    options with = *o;
    tgs_schedule *s = NULL;
    input in;
    int code;

    with.schedule = o->operand[0];
    code = origin_input(&in, o->graph, self, &with);
    if (!code)
        code = open_schedule(&s, &in, self, &with);
    if (!code)
        code = explain(self, &in, s, o);
    tgs_schedule_free(s);
    input_close(&in);
    return code;
}

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"graph", 'g', OPT_INPUT, "GRAPH",
     "the graph that the schedule is for (default: the one that SCHEDULE tells)", AT(graph)},
    {"task", 0, OPT_TEXT, "TASK",
     "this task: what it waited for, and how it would have been on every other processor",
     AT(task)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

const command cmd_explain = {
    "explain",
    "SCHEDULE",
    "say why a schedule is as it is",
    "Show the critical chain of SCHEDULE, why each of its tasks does not start earlier (its "
    "processor, what it reads and over which link that came, its release, room in its memory, or "
    "the schedule's choice) by the times of the plan, and where the makespan went: compute, "
    "communication, waiting for "
    "links, idle. With --task that task's reasons, and when it would have run on each processor, "
    "everything else as it is.",
    1,
    1,
    {&own, &graph_options, &machine_options, &table_options},
    run,
};
