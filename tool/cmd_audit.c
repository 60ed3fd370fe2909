/* cmd_audit.c -- tgsched audit: why a run took longer than its plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "records.h"

#define AT(field)      offsetof(options, field)
#define COUNT(columns) (int32_t)(sizeof(columns) / sizeof *(columns))
static const opt_row rows[] = {
    {"graph", 'g', OPT_INPUT, "GRAPH",
     "the graph, when it is not the first argument (default: the one that SCHEDULE tells)",
     AT(graph)},
    {"step", 0, OPT_COUNT, "N", "audit step N of the run, counted from 1 (default: the last)",
     AT(steps)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

enum { SHOWN = 10 }; /* rows of a table for people */
enum { MAKESPANS, LOSSES, LATE, TASKS, BYTES, AGAIN, TABLES };

typedef struct session {
    input in;
    tgs_schedule *schedule;
    tgs_trace *run, *plan;
    tgs_audit *audit;
} session;

/* ---- tables ---- */
static void fill_makespans(table *t, const tgs_audit *a)
{
    static const column columns[] = {
        {"what", "", CELL_TEXT},
        {"makespan_s", "makespan", CELL_SECONDS},
        {"ratio_planned", "to planned", CELL_REAL},
    };
    static const char *const what[] = {"planned", "re-simulated", "measured"};
    tgs_audit_makespans m;

    tgs_audit_makespan(a, &m);
    table_init(t, "makespans", columns, COUNT(columns));
    for (int i = 0; i < 3; i++) {
        const int32_t row = table_row(t);
        const double seconds = i == 0 ? m.planned : i == 1 ? m.resimulated : m.measured;

        table_text(t, row, "what", what[i]);
        table_real(t, row, "makespan_s", seconds);
        if (m.planned > 0)
            table_real(t, row, "ratio_planned", seconds / m.planned);
    }
}

static void fill_losses(table *t, const tgs_audit *a)
{
    static const column columns[] = {
        {"loss", "along the critical chain of the run", CELL_TEXT},
        {"seconds_s", "longer than planned", CELL_SECONDS},
    };
    static const char *const loss[] = {
        "tasks took longer",
        "data arrived later: slower or busy links",
        "workers began late though everything was there",
        "less what the plan left its last task to spare",
    };
    tgs_audit_loss l;

    tgs_audit_losses(a, &l);
    table_init(t, "losses", columns, COUNT(columns));
    for (int i = 0; i < 4; i++) {
        const int32_t row = table_row(t);

        table_text(t, row, "loss", loss[i]);
        table_real(t, row, "seconds_s",
                   i == 0   ? l.slower
                   : i == 1 ? l.links
                   : i == 2 ? l.waits
                            : 0 - l.ahead);
    }
}

static const column task_columns[] = {
    {"task", "task", CELL_TEXT},
    {"processor", "processor", CELL_TEXT},
    {"planned_processor", NULL, CELL_TEXT},
    {"planned_start_s", "planned start", CELL_SECONDS},
    {"start_s", "start", CELL_SECONDS},
    {"planned_time_s", "planned time", CELL_SECONDS},
    {"time_s", "time", CELL_SECONDS},
    {"held_by", "held up by", CELL_TEXT},
    {"by", "which", CELL_TEXT},
    {"ready_s", NULL, CELL_SECONDS},
    {"wait_s", "then waited", CELL_SECONDS},
    {"critical", NULL, CELL_FLAG},
};

static void fill_task(table *t, const session *s, int32_t i)
{
    const int32_t row = table_row(t);
    tgs_audit_task x;

    tgs_audit_task_at(s->audit, i, &x);
    table_text(t, row, "task", tgs_graph_task_name(s->in.graph, x.task));
    table_text(t, row, "processor", tgs_trace_processor_name(s->run, x.processor));
    table_text(t, row, "planned_processor", tgs_trace_processor_name(s->run, x.planned_processor));
    table_real(t, row, "planned_start_s", x.planned_start);
    table_real(t, row, "start_s", x.start);
    table_real(t, row, "planned_time_s", x.planned_end - x.planned_start);
    table_real(t, row, "time_s", x.end - x.start);
    table_text(t, row, "held_by", tgs_held_name(x.held));
    if (x.by >= 0)
        table_text(t, row, "by",
                   x.held == TGS_HELD_LINK ? tgs_trace_datum_name(s->run, x.by)
                                           : tgs_graph_task_name(s->in.graph, x.by));
    table_real(t, row, "ready_s", x.ready);
    table_real(t, row, "wait_s", x.start - x.ready);
    table_real(t, row, "critical", x.critical);
}

typedef struct delay {
    double seconds;
    int32_t at;
} delay;

static int by_delay(const void *x, const void *y)
{
    const delay *a = x, *b = y;

    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* the tasks of the critical chain by how much more than planned lies between the end of the one
 * before and their own */
static int fill_late(table *t, const session *s)
{
    int32_t count;
    const int32_t *chain = tgs_audit_chain(s->audit, &count);
    delay *d = malloc(((size_t)count + 1) * sizeof *d);
    double end = 0, planned_end = 0;

    table_init(t, "late", task_columns, COUNT(task_columns));
    if (!d)
        return fail(TGS_ENOMEM, NULL);
    for (int32_t i = 0; i < count; i++) {
        tgs_audit_task x;

        tgs_audit_task_at(s->audit, chain[i], &x);
        d[i] = (delay){(x.end - end) - (x.planned_end - planned_end), chain[i]};
        end = x.end;
        planned_end = x.planned_end;
    }
    qsort(d, (size_t)count, sizeof *d, by_delay);
    for (int32_t i = 0; i < count && i < SHOWN && d[i].seconds > 0; i++)
        fill_task(t, s, d[i].at);
    free(d);
    return EXIT_OK;
}

static void fill_bytes(table *t, const tgs_audit *a)
{
    static const column columns[] = {
        {"bytes", "", CELL_TEXT},
        {"amount_bytes", "bytes", CELL_BYTES},
    };
    static const char *const name[] = {"necessary for this placement", "moved", "fetched again",
                                       "relayed", "written back"};
    tgs_audit_bytes b;

    tgs_audit_moved(a, &b);
    table_init(t, "bytes", columns, COUNT(columns));
    for (int i = 0; i < 5; i++) {
        const double value[] = {b.necessary, b.moved, b.redundant, b.relayed, b.written_back};
        const int32_t row = table_row(t);

        table_text(t, row, "bytes", name[i]);
        table_real(t, row, "amount_bytes", value[i]);
    }
}

static void fill_again(table *t, const session *s, int32_t most)
{
    static const column columns[] = {
        {"datum", "data fetched again", CELL_TEXT}, {"memory", "to", CELL_TEXT},
        {"necessary", "necessary", CELL_COUNT},     {"transfers", "transfers", CELL_COUNT},
        {"reloads", "after eviction", CELL_COUNT},  {"redundant_bytes", "needless", CELL_BYTES},
    };

    table_init(t, "again", columns, COUNT(columns));
    for (int32_t i = 0; i < tgs_audit_agains(s->audit) && i < most; i++) {
        const int32_t row = table_row(t);
        tgs_audit_again x;

        tgs_audit_again_at(s->audit, i, &x);
        table_text(t, row, "datum", tgs_trace_datum_name(s->run, x.datum));
        table_text(t, row, "memory", tgs_trace_memory_name(s->run, x.memory));
        table_real(t, row, "necessary", x.necessary);
        table_real(t, row, "transfers", x.transfers);
        table_real(t, row, "reloads", x.reloads);
        table_real(t, row, "redundant_bytes", x.redundant);
    }
}

static int fill(table t[TABLES], const session *s, bool people)
{
    fill_makespans(&t[MAKESPANS], s->audit);
    fill_losses(&t[LOSSES], s->audit);
    fill_bytes(&t[BYTES], s->audit);
    fill_again(&t[AGAIN], s, people ? SHOWN : INT32_MAX);
    if (people)
        return fill_late(&t[LATE], s);
    table_init(&t[TASKS], "tasks", task_columns, COUNT(task_columns));
    for (int32_t i = 0; i < tgs_audit_tasks(s->audit); i++)
        fill_task(&t[TASKS], s, i);
    return t[TASKS].failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

/* ---- output ---- */
static void print_chain(const session *s, FILE *to)
{
    int32_t count;
    const int32_t *chain = tgs_audit_chain(s->audit, &count);

    fprintf(to, ",\n\"critical_chain\": [");
    for (int32_t i = 0; i < count; i++)
        fprintf(to, "%s%d", i ? ", " : "", chain[i]);
    fputs("]", to);
}

static int print(const session *s, const options *o, FILE *to)
{
    const bool people = !o->json && !o->csv;
    table t[TABLES] = {0};
    int code = fill(t, s, people);

    if (!code && o->csv)
        code = table_csv(&t[TASKS], to);
    if (!code && o->json) {
        fputs("{\"format\": \"tgsched.audit/1\", \"graph\": ", to);
        tgs_json_text(to, s->in.title);
        for (int i = 0; i < TABLES; i++)
            if (t[i].columns) {
                fputs(",\n", to);
                table_json(&t[i], to);
            }
        print_chain(s, to);
        fputs("}\n", to);
    }
    for (int i = 0, first = 1; i < TABLES && people && !code; i++)
        if (t[i].rows) {
            if (!first)
                putc('\n', to);
            if (i == LATE)
                fputs("where the critical chain lost most\n", to);
            first = 0;
            code = table_people(&t[i], to);
        }
    for (int i = 0; i < TABLES; i++)
        table_free(&t[i]);
    return code;
}

static int open_audit(session *s, const char *path, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_status status = tgs_trace_read(&s->run, path, &err);

    if (!status)
        status = tgs_audit_new(&s->audit, s->in.problem, s->schedule, s->run,
                               o->steps ? (int32_t)o->steps - 1 : -1, &err);
    if (!status && o->reports)
        status = tgs_simulate(&s->plan, s->in.problem, s->schedule, &err);
    return status ? fail(status, &err) : EXIT_OK;
}

/* what people are shown goes into the reports as well */
static int remark(const session *s, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    options plain = *o;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    int code = to ? EXIT_OK : fail(TGS_ENOMEM, NULL);

    plain.json = plain.csv = 0;
    if (!code)
        code = print(s, &plain, to);
    if (to && fclose(to) && !code)
        code = fail(TGS_ENOMEM, NULL);
    if (!code) {
        const tgs_status status = tgs_trace_remark(s->run, text, &err);

        code = status ? fail(status, &err) : EXIT_OK;
    }
    free(text);
    return code;
}

static int run(const command *self, const options *o)
{
    const int last = o->operands - 1;
    options with = *o;
    session s = {0};
    result r;
    int code;

    if (o->graph && o->operands == 3)
        return misuse(self, "--graph GRAPH takes the place of the first argument");
    with.schedule = o->operand[last - 1];
    code = origin_input(&s.in, o->operands == 3 ? o->operand[0] : o->graph, self, &with);
    if (!code)
        code = open_schedule(&s.schedule, &s.in, self, &with);
    if (!code)
        code = open_audit(&s, o->operand[last], o);
    if (!code && o->reports)
        code = annotate(s.plan, &s.in, s.schedule, lower_bound(s.in.problem, s.schedule, NULL));
    if (!code && o->reports)
        code = remark(&s, o);
    if (!code)
        code = write_reports(s.run, s.plan, o);
    if (!code)
        code = result_open(&r, o->output);
    if (!code)
        code = result_close(&r, print(&s, o, r.file));
    tgs_audit_free(s.audit);
    tgs_trace_free(s.plan);
    tgs_trace_free(s.run);
    tgs_schedule_free(s.schedule);
    input_close(&s.in);
    return code;
}

const command cmd_audit = {
    "audit",
    "[GRAPH] SCHEDULE TRACE",
    "say why a run took longer than its plan",
    "Compare TRACE, of a run (.tgt), with SCHEDULE, the plan it executed (.tgs): the makespan as "
    "planned, as simulated again with the measured times, and as measured; where along the "
    "critical "
    "chain of the run the time went; what held up each task (the processor, a predecessor, a "
    "transfer) and how long the worker then still waited; and which bytes moved that this "
    "placement "
    "did not need. --json and --csv list every task.",
    2,
    3,
    {&own, &graph_options, &machine_options, &table_options, &report_options},
    run,
};
