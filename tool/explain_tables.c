/* explain_tables.c -- an explanation as tables, in words and in figures. */
#include "explain_tables.h"
#include <math.h>

#define COUNT(columns) (int32_t)(sizeof(columns) / sizeof *(columns))

/* ---- names */
static const char *task_name(const input *in, int32_t task, char room[24])
{
    const char *name = tgs_graph_task_name(in->graph, task);

    if (*name)
        return name;
    snprintf(room, 24, "@%d", (int)task);
    return room;
}

static const char *memory_name(const input *in, int32_t memory)
{
    return tgs_platform_memory_name(in->platform, memory);
}

static void put_task(table *t, int32_t row, const char *key, const input *in, int32_t task)
{
    char room[24];

    if (task >= 0)
        table_text(t, row, key, task_name(in, task, room));
}

/* edges have no names: a transfer is told by its size then */
static const char *what(const input *in, int32_t datum, char *text, size_t size)
{
    const char *name = tgs_graph_datum_name(in->graph, datum);
    char bytes[32];

    human(bytes, sizeof bytes, CELL_BYTES, tgs_graph_datum_bytes(in->graph, datum));
    snprintf(text, size, "%s%s%s", *name ? name : "", *name ? ", " : "", bytes);
    return text;
}

/* ---- in words */
static void say_data(const input *in, const tgs_reason *r, char *text, size_t size)
{
    char room[24], datum[256], time[32];
    const char *by = r->by < 0 ? "its home" : task_name(in, r->by, room);

    what(in, r->datum, datum, sizeof datum);
    human(time, sizeof time, CELL_SECONDS, r->sending);
    if (r->to < 0)
        snprintf(text, size, "reads from %s: %s, there already", by, datum);
    else
        snprintf(text, size, "reads from %s: %s, %s from %s to %s", by, datum, time,
                 memory_name(in, r->from), memory_name(in, r->to));
}

static void say_why(const input *in, const tgs_reason *r, char *text, size_t size)
{
    char room[24], time[32];

    switch (r->cause) {
    case TGS_CAUSE_NOTHING:
        snprintf(text, size, "nothing");
        break;
    case TGS_CAUSE_PROCESSOR:
        snprintf(text, size, "processor busy with %s", task_name(in, r->by, room));
        break;
    case TGS_CAUSE_DATA:
        say_data(in, r, text, size);
        break;
    case TGS_CAUSE_ORDER:
        snprintf(text, size, "follows %s", task_name(in, r->by, room));
        break;
    case TGS_CAUSE_RELEASE:
        snprintf(text, size, "released then");
        break;
    case TGS_CAUSE_MEMORY:
    case TGS_CAUSE_CHOICE:
        human(time, sizeof time, CELL_SECONDS, r->waiting);
        snprintf(text, size,
                 r->cause == TGS_CAUSE_MEMORY ? "no room in its memory for %s"
                                              : "waits %s by choice",
                 time);
        break;
    }
}

/* ---- the schedule */
int sums_record(table *t, const input *in, const tgs_schedule *s, const tgs_explain *x,
                const char *path)
{
    static const column columns[] = {
        {"graph", "graph", CELL_TEXT},
        {"schedule", "schedule", CELL_TEXT},
        {"makespan_s", "makespan", CELL_SECONDS},
        {"compute_s", "compute", CELL_SECONDS},
        {"communication_s", "communication", CELL_SECONDS},
        {"link_wait_s", "waiting for links", CELL_SECONDS},
        {"idle_s", "idle", CELL_SECONDS},
    };
    tgs_chain_sums sums;

    tgs_explain_chain(x, &sums);
    table_init(t, "schedule", columns, COUNT(columns));
    table_row(t);
    table_text(t, 0, "graph", in->title);
    table_text(t, 0, "schedule", path);
    table_real(t, 0, "makespan_s", tgs_schedule_makespan(s));
    table_real(t, 0, "compute_s", sums.compute);
    table_real(t, 0, "communication_s", sums.communication);
    table_real(t, 0, "link_wait_s", sums.waiting);
    table_real(t, 0, "idle_s", sums.idle);
    return t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

static const column reason_columns[] = {
    {"task", "task", CELL_TEXT},
    {"processor", "processor", CELL_TEXT},
    {"start_s", "start", CELL_SECONDS},
    {"end_s", "end", CELL_SECONDS},
    {"cause", NULL, CELL_TEXT},
    {"by", NULL, CELL_TEXT},
    {"from", NULL, CELL_TEXT},
    {"to", NULL, CELL_TEXT},
    {"bytes", NULL, CELL_BYTES},
    {"needs_s", "needs there at", CELL_SECONDS},
    {"free_s", "processor free at", CELL_SECONDS},
    {"release_s", NULL, CELL_SECONDS},
    {"sending_s", NULL, CELL_SECONDS},
    {"waiting_s", NULL, CELL_SECONDS},
    {"idle_s", "idle before", CELL_SECONDS},
    {"why", "not earlier because of", CELL_TEXT},
};

static void fill_reason(table *t, const input *in, const tgs_reason *r)
{
    const int32_t row = table_row(t);
    char text[512];

    put_task(t, row, "task", in, r->task);
    table_text(t, row, "processor", tgs_platform_processor_name(in->platform, r->processor));
    table_real(t, row, "start_s", r->start);
    table_real(t, row, "end_s", r->end);
    table_text(t, row, "cause", tgs_cause_name(r->cause));
    put_task(t, row, "by", in, r->by);
    if (r->to >= 0) {
        table_text(t, row, "from", memory_name(in, r->from));
        table_text(t, row, "to", memory_name(in, r->to));
    }
    if (r->datum >= 0) {
        table_real(t, row, "bytes", tgs_graph_datum_bytes(in->graph, r->datum));
        table_real(t, row, "sending_s", r->sending);
    }
    table_real(t, row, "needs_s", r->needs);
    table_real(t, row, "free_s", r->free);
    if (r->release > 0)
        table_real(t, row, "release_s", r->release);
    table_real(t, row, "waiting_s", r->waiting);
    table_real(t, row, "idle_s", r->idle);
    say_why(in, r, text, sizeof text);
    table_text(t, row, "why", text);
}

int chain_table(table *t, const input *in, const tgs_explain *x)
{
    const int32_t count = tgs_explain_chain(x, NULL);

    table_init(t, "chain", reason_columns, COUNT(reason_columns));
    for (int32_t i = 0; i < count; i++) {
        tgs_reason r;

        tgs_explain_link(x, i, &r);
        fill_reason(t, in, &r);
    }
    return t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

/* ---- a task */
int task_record(table *t, const input *in, const tgs_explain *x, int32_t task)
{
    tgs_reason r;

    table_init(t, "task", reason_columns, COUNT(reason_columns));
    tgs_explain_reason(x, task, &r);
    fill_reason(t, in, &r);
    return t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

int needs_table(table *t, const input *in, const tgs_explain *x, int32_t task)
{
    static const column columns[] = {
        {"by", "waited for", CELL_TEXT},
        {"datum", "datum", CELL_TEXT},
        {"bytes", "bytes", CELL_BYTES},
        {"from", "from", CELL_TEXT},
        {"to", "to", CELL_TEXT},
        {"ready_s", "ready at", CELL_SECONDS},
        {"arrival_s", "there at", CELL_SECONDS},
    };

    table_init(t, "needs", columns, COUNT(columns));
    for (int32_t i = 0; i < tgs_explain_needs(x, task); i++) {
        const int32_t row = table_row(t);
        tgs_need n;

        tgs_explain_need(x, task, i, &n);
        if (n.by >= 0)
            put_task(t, row, "by", in, n.by);
        else
            table_text(t, row, "by", "(initial value)");
        if (n.datum >= 0) {
            if (*tgs_graph_datum_name(in->graph, n.datum))
                table_text(t, row, "datum", tgs_graph_datum_name(in->graph, n.datum));
            table_real(t, row, "bytes", tgs_graph_datum_bytes(in->graph, n.datum));
            table_text(t, row, "from", memory_name(in, n.from));
            table_text(t, row, "to", memory_name(in, n.to));
        }
        table_real(t, row, "ready_s", n.ready);
        table_real(t, row, "arrival_s", n.arrival);
    }
    return t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

int options_table(table *t, const input *in, const tgs_schedule *s, const tgs_explain *x,
                  int32_t task)
{
    static const column columns[] = {
        {"processor", "if on", CELL_TEXT},
        {"chosen", "chosen", CELL_FLAG},
        {"needs_s", "needs there at", CELL_SECONDS},
        {"start_s", "start", CELL_SECONDS},
        {"end_s", "end", CELL_SECONDS},
        {"by", "held up by", CELL_TEXT},
        {"late_s", "successors late by", CELL_SECONDS},
        {"note", "note", CELL_TEXT},
    };

    table_init(t, "options", columns, COUNT(columns));
    for (int32_t p = 0; p < tgs_platform_processors(in->platform); p++) {
        const int32_t row = table_row(t);
        tgs_option o;

        tgs_explain_option(x, task, p, &o);
        table_text(t, row, "processor", tgs_platform_processor_name(in->platform, p));
        if (tgs_schedule_processor(s, task) == p)
            table_real(t, row, "chosen", 1);
        if (!o.allowed) {
            table_text(t, row, "note", "may not run there");
            continue;
        }
        table_real(t, row, "needs_s", o.needs);
        table_real(t, row, "start_s", o.start);
        table_real(t, row, "end_s", o.end);
        put_task(t, row, "by", in, o.by);
        table_real(t, row, "late_s", o.late);
    }
    return t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}
