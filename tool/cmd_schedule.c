/* cmd_schedule.c -- tgsched schedule: make a schedule and show what it is worth. */
#include <string.h>
#include "commands.h"
#include "records.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"output", 'o', OPT_TEXT, "FILE",
     "write the schedule to FILE (.tgs); with - it takes the place "
     "of the figures on standard output",
     AT(output)},
    {"export-lp", 0, OPT_TEXT, "FILE",
     "write the integer program that the heuristic (milp) would solve to FILE, in the CPLEX LP "
     "format, and make no schedule",
     AT(export)},
    {"json", 0, OPT_FLAG, NULL, "print the figures as JSON", AT(json)},
    {"csv", 0, OPT_FLAG, NULL, "print the figures as CSV", AT(csv)},
    {"tasks", 0, OPT_FLAG, NULL, "print where and when each task runs", AT(tasks)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

static const column columns[] = {
    {"task", "task", CELL_TEXT},
    {"processor", "processor", CELL_TEXT},
    {"start_s", "start", CELL_SECONDS},
    {"end_s", "end", CELL_SECONDS},
};

static void task_rows(table *t, const input *in, const tgs_schedule *s)
{
    table_init(t, "places", columns, sizeof columns / sizeof *columns);
    for (int32_t i = 0; i < tgs_graph_tasks(in->graph); i++) {
        const int32_t row = table_row(t);
        char name[32];

        snprintf(name, sizeof name, "@%d", i);
        table_text(t, row, "task",
                   *tgs_graph_task_name(in->graph, i) ? tgs_graph_task_name(in->graph, i) : name);
        table_text(t, row, "processor",
                   tgs_platform_processor_name(in->platform, tgs_schedule_processor(s, i)));
        table_real(t, row, "start_s", tgs_schedule_start(s, i));
        table_real(t, row, "end_s", tgs_schedule_end(s, i));
    }
}

static int print(const input *in, const tgs_schedule *s, const options *o)
{
    table figures, tasks = {0};
    result r;
    int code = schedule_record(&figures, o->schedule, in, s);

    if (o->tasks)
        task_rows(&tasks, in, s);
    if (!code)
        code = result_open(&r, "-");
    if (code)
        goto done;
    if (!o->tasks)
        code = record_print(&figures, "schedule", o, r.file);
    else if (o->csv)
        code = table_csv(&tasks, r.file);
    else if (o->json) {
        fputs("{\"format\": \"tgsched.schedule/1\", ", r.file);
        record_json(&figures, r.file);
        fputs(", ", r.file);
        table_json(&tasks, r.file);
        fputs("}\n", r.file);
    } else {
        record_people(&figures, r.file);
        putc('\n', r.file);
        code = table_people(&tasks, r.file);
    }
    code = result_close(&r, code);
done:
    table_free(&figures);
    table_free(&tasks);
    return code;
}

static int simulate(const input *in, const tgs_schedule *s, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_trace *t;
    const tgs_status status = tgs_simulate(&t, in->problem, s, &err);
    int code = status ? fail(status, &err) : annotate(t, in, s, lower_bound(in->problem, s, NULL));

    if (!code)
        code = write_reports(t, NULL, o);
    tgs_trace_free(t);
    return code;
}

static int export(const input *in, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = tgs_program_write(in->problem, o->heuristics ? o->heuristics : "milp",
                                                o->seed, o->export, &err);

    if (status == TGS_EIO)
        return fail_write(status, &err, o->export);
    return status ? fail(status, &err) : EXIT_OK;
}

static int run(const command *self, const options *o)
{
    const bool only = o->output && !strcmp(o->output, "-");
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s = NULL;
    input in;
    int code;

    if (only && (o->json || o->csv || o->tasks))
        return misuse(self, "-o - writes the schedule where the figures would go");
    if (o->export && (o->schedule || o->output || o->json || o->csv || o->tasks || o->reports))
        return misuse(self, "--export-lp makes no schedule, so there is nothing else to write");
    code = input_open(&in, o->operand[0], self, o);
    if (!code && o->export) {
        code = export(&in, o);
        input_close(&in);
        return code;
    }
    if (!code)
        code = open_schedule(&s, &in, self, o);
    if (!code && o->output)
        code = origin_note(s, &in, o);
    if (!code && o->output) {
        const tgs_status status = tgs_schedule_write(s, in.problem, o->output, &err);

        code = status ? fail_write(status, &err, o->output) : EXIT_OK;
    }
    if (!code && o->reports)
        code = simulate(&in, s, o);
    if (!code && !only)
        code = print(&in, s, o);
    tgs_schedule_free(s);
    input_close(&in);
    return code;
}

const command cmd_schedule = {
    "schedule",
    "GRAPH",
    "make a schedule with one heuristic",
    "Schedule GRAPH on a machine with one heuristic and print the makespan beside a lower bound. "
    "Every schedule is checked before it is shown. Exit code 3: the heuristic found nothing "
    "feasible.",
    1,
    1,
    {&own, &graph_options, &machine_options, &plan_options, &report_options},
    run,
};
