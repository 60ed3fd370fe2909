/* paje.c -- the Paje trace format, which ViTE, pj_dump and others read.
 *
 * L. M. Schnorr, "Paje trace file format", 2013.  A container per trace holds one for each memory,
 * and that one for each of its processors.  Tasks are pushed on and popped from the state of their
 * processor, steps from that of the trace; a transfer is an arrow from memory to memory, and the
 * occupancy of a memory a variable.  Events come in the order of time; seconds. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n%  Alias string\n%  Type string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n%  Alias string\n%  Type string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineVariableType 2\n%  Alias string\n%  Type string\n%  Name string\n"
    "%  Color color\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 3\n%  Alias string\n%  Type string\n"
    "%  StartContainerType string\n%  EndContainerType string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 4\n%  Alias string\n%  Type string\n%  Name string\n"
    "%  Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 5\n%  Time date\n%  Alias string\n%  Type string\n"
    "%  Container string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 6\n%  Time date\n%  Type string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajePushState 7\n%  Time date\n%  Type string\n%  Container string\n"
    "%  Value string\n%  Task string\n%EndEventDef\n"
    "%EventDef PajePopState 8\n%  Time date\n%  Type string\n%  Container string\n%EndEventDef\n"
    "%EventDef PajeSetVariable 9\n%  Time date\n%  Type string\n%  Container string\n"
    "%  Value double\n%EndEventDef\n"
    "%EventDef PajeStartLink 10\n%  Time date\n%  Type string\n%  Container string\n"
    "%  Value string\n%  StartContainer string\n%  Key string\n%  Datum string\n%  Bytes double\n"
    "%EndEventDef\n"
    "%EventDef PajeEndLink 11\n%  Time date\n%  Type string\n%  Container string\n"
    "%  Value string\n%  EndContainer string\n%  Key string\n%EndEventDef\n";

static const char types[] = "0 T 0 Trace\n0 M T Memory\n0 P M Processor\n"
                            "1 S T Step\n1 K P Task\n"
                            "2 U M \"Bytes in memory\" \"0.13 0.33 0.53\"\n"
                            "3 L T M M Transfer\n"
                            "4 step S step \"0.85 0.87 0.90\"\n";

enum { WHYS = TGS_WHY_RELOAD + 1 };

/* What happens at one time: first what ends, then what has no length, then what begins. */
typedef enum order { ENDS, ALL, BEGINS } order;
typedef enum what { STEP, TASK, TRANSFER, OCCUPANCY } what;
typedef struct event {
    double time;
    int8_t order, what, trace;
    int32_t index; /* into the trace's array */
} event;

typedef struct paje {
    FILE *to;
    const tgs_trace_view *t[2]; /* [1] may be NULL */
    tgs_i_palette palette;      /* of t[0] */
    event *event;
    int64_t events;
} paje;

/* ---- the order of events --------------------------------------------------------------------- */
static int by_time(const void *x, const void *y)
{
    const event *a = x, *b = y;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->order != b->order)
        return a->order - b->order;
    if (a->what != b->what) /* a step is around its tasks */
        return a->order == ENDS ? b->what - a->what : a->what - b->what;
    if (a->trace != b->trace)
        return a->trace - b->trace;
    return (a->index > b->index) - (a->index < b->index);
}

static void add(paje *p, what what, int trace, int32_t index, double start, double end)
{
    const event e = {start, start < end ? BEGINS : ALL, (int8_t)what, (int8_t)trace, index};

    p->event[p->events++] = e;
    if (start < end) {
        p->event[p->events] = e;
        p->event[p->events].time = end;
        p->event[p->events++].order = ENDS;
    }
}

static tgs_status list_events(paje *p)
{
    int64_t most = 0;

    for (int k = 0; k < 2 && p->t[k]; k++)
        most += 2 * ((int64_t)p->t[k]->steps + p->t[k]->rans + p->t[k]->moveds) + p->t[k]->useds;
    p->event = tgs_mem_alloc((size_t)most, sizeof *p->event);
    if (!p->event)
        return TGS_ENOMEM;
    for (int k = 0; k < 2 && p->t[k]; k++) {
        const tgs_trace_view *t = p->t[k];

        for (int32_t i = 0; i < t->steps; i++)
            add(p, STEP, k, i, t->step_start[i], t->step_end[i]);
        for (int32_t i = 0; i < t->rans; i++)
            add(p, TASK, k, i, t->ran[i].start, t->ran[i].end);
        for (int32_t i = 0; i < t->moveds; i++)
            add(p, TRANSFER, k, i, t->moved[i].start, t->moved[i].end);
        for (int32_t i = 0; i < t->useds; i++)
            add(p, OCCUPANCY, k, i, t->used[i].time, t->used[i].time);
    }
    qsort(p->event, (size_t)p->events, sizeof *p->event, by_time);
    return TGS_OK;
}

/* ---- types and containers -------------------------------------------------------------------- */
static void put_name(const paje *p, const char *name)
{
    putc('"', p->to);
    tgs_i_put_text(p->to, name, 200, TGS_I_PAJE);
    putc('"', p->to);
}

static void put_color(FILE *to, const char *fill)
{
    unsigned long rgb = strtoul(fill + 1, NULL, 16);

    fprintf(to, "\"%.3f %.3f %.3f\"", (double)(rgb >> 16) / 255, (double)(rgb >> 8 & 255) / 255,
            (double)(rgb & 255) / 255);
}

/* one value per codelet, in the colour of the first task that has it */
static void put_values(const paje *p)
{
    const tgs_trace_view *t = p->t[0];
    int32_t next = 0;

    for (int32_t i = 0; i < t->tasks; i++)
        if (p->palette.codelet[i] == next) {
            fprintf(p->to, "4 k%d K ", (int)next);
            put_name(p, *t->task_codelet[i] ? t->task_codelet[i] : "task");
            putc(' ', p->to);
            put_color(p->to, tgs_i_fill(&p->palette, t, i));
            putc('\n', p->to);
            next++;
        }
    for (int32_t w = 0; w < WHYS; w++)
        fprintf(p->to, "4 w%d L \"%s\" \"0.79 0.66 0.84\"\n", (int)w, tgs_i_why(w));
}

static void put_containers(const paje *p, int k)
{
    const tgs_trace_view *t = p->t[k];
    char name[100];

    snprintf(name, sizeof name, "%s%.80s", !p->t[1] ? "" : k ? "beside: " : "", t->origin);
    fprintf(p->to, "5 0 t%d T 0 ", k);
    put_name(p, name);
    putc('\n', p->to);
    for (int32_t m = 0; m < t->memories; m++) {
        fprintf(p->to, "5 0 t%dm%d M t%d ", k, (int)m, k);
        put_name(p, t->memory_name[m]);
        putc('\n', p->to);
    }
    for (int32_t q = 0; q < t->procs; q++) {
        fprintf(p->to, "5 0 t%dp%d P t%dm%d ", k, (int)q, k, (int)t->proc_memory[q]);
        put_name(p, t->proc_name[q]);
        putc('\n', p->to);
    }
}

static void end_containers(const paje *p, int k, double end)
{
    const tgs_trace_view *t = p->t[k];

    for (int32_t q = 0; q < t->procs; q++)
        fprintf(p->to, "6 %.12f P t%dp%d\n", end, k, (int)q);
    for (int32_t m = 0; m < t->memories; m++)
        fprintf(p->to, "6 %.12f M t%dm%d\n", end, k, (int)m);
    fprintf(p->to, "6 %.12f T t%d\n", end, k);
}

/* ---- events ---------------------------------------------------------------------------------- */
static void begin(const paje *p, const event *e)
{
    const tgs_trace_view *t = p->t[e->trace];
    char room[16];

    if (e->what == STEP) {
        fprintf(p->to, "7 %.12f S t%d step \"step %d\"\n", e->time, e->trace, (int)e->index + 1);
    } else if (e->what == TASK) {
        const tgs_ran *r = &t->ran[e->index];
        const int32_t codelet = r->task < p->t[0]->tasks ? p->palette.codelet[r->task] : 0;

        fprintf(p->to, "7 %.12f K t%dp%d k%d ", e->time, e->trace, (int)r->proc, (int)codelet);
        put_name(p, tgs_i_report_task(t, r->task, room));
        putc('\n', p->to);
    } else if (e->what == TRANSFER) {
        const tgs_moved *m = &t->moved[e->index];

        fprintf(p->to, "10 %.12f L t%d w%d t%dm%d x%d_%d ", e->time, e->trace, (int)m->why,
                e->trace, (int)m->from, e->trace, (int)e->index);
        put_name(p, tgs_i_report_datum(t, m->datum, room));
        fprintf(p->to, " %.0f\n", m->bytes);
    } else {
        const tgs_used *u = &t->used[e->index];

        fprintf(p->to, "9 %.12f U t%dm%d %.0f\n", e->time, e->trace, (int)u->memory, u->bytes);
    }
}

static void end(const paje *p, const event *e)
{
    const tgs_trace_view *t = p->t[e->trace];

    if (e->what == STEP) {
        fprintf(p->to, "8 %.12f S t%d\n", e->time, e->trace);
    } else if (e->what == TASK) {
        fprintf(p->to, "8 %.12f K t%dp%d\n", e->time, e->trace, (int)t->ran[e->index].proc);
    } else if (e->what == TRANSFER) {
        const tgs_moved *m = &t->moved[e->index];

        fprintf(p->to, "11 %.12f L t%d w%d t%dm%d x%d_%d\n", e->time, e->trace, (int)m->why,
                e->trace, (int)m->to, e->trace, (int)e->index);
    }
}

static void put_all(const paje *p)
{
    const double last = p->events ? p->event[p->events - 1].time : 0;

    fputs(header, p->to);
    fputs(types, p->to);
    put_values(p);
    for (int k = 0; k < 2 && p->t[k]; k++)
        put_containers(p, k);
    for (int64_t i = 0; i < p->events; i++) {
        if (p->event[i].order != ENDS)
            begin(p, &p->event[i]);
        if (p->event[i].order != BEGINS)
            end(p, &p->event[i]);
    }
    for (int k = 0; k < 2 && p->t[k]; k++)
        end_containers(p, k, last);
}

static tgs_status write_paje(const tgs_trace_view *t, const tgs_trace_view *other, FILE *to,
                             tgs_error *err)
{
    paje p = {.to = to, .t = {t, other}};
    tgs_status status = tgs_i_comparable(t, other, err);

    if (!status)
        status = tgs_i_palette_of(&p.palette, t, err);
    if (status)
        return status;
    if (list_events(&p))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    else
        put_all(&p);
    tgs_mem_free(p.event);
    tgs_i_palette_free(&p.palette);
    return status;
}

const tgs_report_plugin tgs_report_paje = {
    .base = {TGS_PLUGIN_ABI, "paje", "a Paje trace, for ViTE and pj_dump",
             "Schnorr, Paje trace file format, 2013", NULL},
    .suffix = ".paje",
    .write = write_paje,
};
