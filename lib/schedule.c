/* schedule.c -- a schedule from a heuristic's plan, and the questions users ask it. */
#include <stdlib.h>
#include <string.h>
#include "flow.h"

/* ---- from plan to schedule ------------------------------------------------------------------ */
typedef struct ranked { /* a place while its processor's order is found */
    double start, end;
    int32_t topo, place;
} ranked;

static int by_start(const void *x, const void *y)
{
    const ranked *a = x, *b = y;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    if (a->topo != b->topo)
        return a->topo < b->topo ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

tgs_status tgs_i_schedule_order(tgs_schedule *s, const tgs_problem *pb, tgs_error *err)
{
    const tgs_place *place = s->v.place;
    const int32_t procs = s->v.procs, places = s->v.places;
    int32_t *at = tgs_mem_alloc((size_t)procs + 2, sizeof *at);
    int32_t *order = tgs_mem_alloc((size_t)places, sizeof *order);
    ranked *r = tgs_mem_alloc((size_t)places, sizeof *r);

    s->v.order_at = at;
    s->v.order = order;
    s->v.makespan = 0;
    if (!at || !order || !r) {
        tgs_mem_free(r);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    for (int32_t p = 0; p < places; p++) {
        at[place[p].proc + 2]++;
        if (place[p].end > s->v.makespan)
            s->v.makespan = place[p].end;
    }
    for (int32_t q = 0; q < procs; q++)
        at[q + 2] += at[q + 1];
    for (int32_t p = 0; p < places; p++)
        r[at[place[p].proc + 1]++] =
            (ranked){place[p].start, place[p].end, pb->v.g->topo_pos[place[p].task], p};
    for (int32_t q = 0; q < procs; q++)
        qsort(r + at[q], (size_t)(at[q + 1] - at[q]), sizeof *r, by_start);
    for (int32_t i = 0; i < places; i++)
        order[i] = r[i].place;
    tgs_mem_free(r);
    return TGS_OK;
}

static const char *label(const tgs_graph_view *g, int32_t task, char room[TGS_NAME_ROOM])
{
    if (g->task[task].name)
        return tgs_task_name(g, task, room);
    snprintf(room, TGS_NAME_ROOM, "@%d", (int)task);
    return room;
}

static int by_task(const void *x, const void *y)
{
    const tgs_place *a = x, *b = y;

    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

/* the places of a plan: tasks first, then copies by task */
static tgs_status take_places(tgs_place *place, const tgs_problem *pb, const tgs_plan *plan,
                              const char *heuristic, tgs_error *err)
{
    const tgs_view *v = &pb->v;
    int32_t count;
    const tgs_place *copy = tgs_plan_copies(plan, &count);
    char room[TGS_NAME_ROOM];

    for (int32_t t = 0; t < v->n; t++)
        place[t] = (tgs_place){t, plan->proc[t], plan->start[t], NAN};
    for (int32_t i = 0; i < count; i++) {
        if (copy[i].task < 0 || copy[i].task >= v->n)
            return tgs_fail(err, TGS_ECHECK, "%s: a copy of task number %d, which does not exist",
                            heuristic, (int)copy[i].task);
        place[v->n + i] = copy[i];
    }
    qsort(place + v->n, (size_t)count, sizeof *place, by_task);
    for (int32_t p = 0; p < v->n + count; p++) {
        if (place[p].proc < 0 || place[p].proc >= v->m)
            return tgs_fail(err, TGS_ECHECK, "%s: task '%s' is on no processor", heuristic,
                            label(v->g, place[p].task, room));
        if (!isfinite(place[p].start))
            return tgs_fail(err, TGS_ECHECK, "%s: task '%s' has no start", heuristic,
                            label(v->g, place[p].task, room));
        place[p].end = place[p].start + tgs_w(v, place[p].task, place[p].proc);
    }
    return TGS_OK;
}

typedef struct timed_move { /* a move while they are put in order */
    tgs_move move;
    int32_t index;
} timed_move;

static int by_move(const void *x, const void *y)
{
    const timed_move *a = x, *b = y;

    if (a->move.start != b->move.start)
        return a->move.start < b->move.start ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* the checker reads what they say; here they only must have an order */
static tgs_status take_moves(tgs_schedule *s, const tgs_plan *plan, const char *heuristic,
                             tgs_error *err)
{
    int32_t count;
    const tgs_move *from = tgs_plan_moves(plan, &count);
    timed_move *sorted;
    tgs_move *to;
    tgs_status status = TGS_OK;

    if (!count)
        return TGS_OK;
    sorted = tgs_mem_alloc((size_t)count, sizeof *sorted);
    to = tgs_mem_alloc((size_t)count, sizeof *to);
    s->v.move = to;
    s->v.moves = count;
    if (!sorted || !to)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < count && !status; i++) {
        sorted[i] = (timed_move){from[i], i};
        if (!isfinite(from[i].start) || !isfinite(from[i].end))
            status = tgs_fail(err, TGS_ECHECK, "%s: move %d has no time", heuristic, (int)i);
    }
    if (!status)
        qsort(sorted, (size_t)count, sizeof *sorted, by_move);
    for (int32_t i = 0; i < count && !status; i++)
        to[i] = sorted[i].move;
    tgs_mem_free(sorted);
    return status;
}

static int by_drop(const void *x, const void *y)
{
    const tgs_drop *a = x, *b = y;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->datum != b->datum)
        return a->datum < b->datum ? -1 : 1;
    if (a->version != b->version)
        return a->version < b->version ? -1 : 1;
    if (a->memory == b->memory)
        return 0;
    return b->memory < 0 || (a->memory >= 0 && a->memory < b->memory) ? -1 : 1; /* -1: all, last */
}

void tgs_i_schedule_sort_drops(tgs_drop *drop, int32_t count)
{
    if (count)
        qsort(drop, (size_t)count, sizeof *drop, by_drop);
}

static tgs_status take_drops(tgs_schedule *s, const tgs_plan *plan, const char *heuristic,
                             tgs_error *err)
{
    int32_t count;
    const tgs_drop *from = tgs_plan_drops(plan, &count);
    tgs_drop *to;

    if (!count)
        return TGS_OK;
    s->v.drop = to = tgs_mem_alloc((size_t)count, sizeof *to);
    if (!to)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    s->v.drops = count;
    for (int32_t i = 0; i < count; i++) {
        to[i] = from[i];
        if (!isfinite(from[i].time))
            return tgs_fail(err, TGS_ECHECK, "%s: order %d to drop data has no time", heuristic,
                            (int)i);
    }
    tgs_i_schedule_sort_drops(to, count);
    return TGS_OK;
}

tgs_status tgs_i_schedule_build(tgs_schedule **out, const tgs_problem *pb, const tgs_plan *plan,
                                const char *heuristic, tgs_error *err)
{
    int64_t places;
    int32_t copies;
    tgs_schedule *s;
    tgs_place *place;
    tgs_status status;

    *out = NULL;
    tgs_plan_copies(plan, &copies);
    places = (int64_t)pb->v.n + copies;
    if (places > INT32_MAX - 2)
        return tgs_fail(err, TGS_EINVAL, "%s: too many copies", heuristic);
    s = tgs_mem_alloc(1, sizeof *s);
    if (!s)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    s->v.tasks = pb->v.n;
    s->v.places = (int32_t)places;
    s->v.procs = pb->v.m;
    s->v.timed = plan->timed;
    s->v.place = place = tgs_mem_alloc((size_t)places, sizeof *place);
    s->v.heuristic = tgs_mem_text(heuristic);
    s->graph = tgs_graph_fingerprint(pb->graph);
    s->platform = pb->platform->fingerprint;
    s->lower_bound = plan->lower_bound;
    memcpy(s->note, plan->note, sizeof s->note);
    s->note[sizeof s->note - 1] = 0;
    if (place && s->v.heuristic && !tgs_i_cases_copy(&s->cases, plan->cases))
        status = take_places(place, pb, plan, heuristic, err);
    else
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = take_moves(s, plan, heuristic, err);
    if (!status)
        status = take_drops(s, plan, heuristic, err);
    if (!status)
        status = tgs_i_schedule_order(s, pb, err);
    if (status)
        tgs_schedule_free(s);
    else
        *out = s;
    return status;
}

void tgs_schedule_free(tgs_schedule *s)
{
    if (!s)
        return;
    /* the view is const for readers; this struct owns what it shows */
    tgs_mem_free((void *)s->v.place);
    tgs_mem_free((void *)s->v.order_at);
    tgs_mem_free((void *)s->v.order);
    tgs_mem_free((void *)s->v.move);
    tgs_mem_free((void *)s->v.drop);
    tgs_mem_free((void *)s->v.heuristic);
    tgs_mem_free(s->origin);
    tgs_i_cases_free(s->cases);
    tgs_mem_free(s);
}

/* ---- questions ------------------------------------------------------------------------------ */
double tgs_schedule_makespan(const tgs_schedule *s)
{
    return s->v.makespan;
}

static const tgs_place *place_of(const tgs_schedule *s, int32_t task)
{
    return task < 0 || task >= s->v.tasks ? NULL : &s->v.place[task];
}

int32_t tgs_schedule_processor(const tgs_schedule *s, int32_t task)
{
    return place_of(s, task) ? place_of(s, task)->proc : -1;
}

double tgs_schedule_start(const tgs_schedule *s, int32_t task)
{
    return place_of(s, task) ? place_of(s, task)->start : NAN;
}

double tgs_schedule_end(const tgs_schedule *s, int32_t task)
{
    return place_of(s, task) ? place_of(s, task)->end : NAN;
}

double tgs_schedule_bytes_moved(const tgs_schedule *s, const tgs_problem *pb)
{
    tgs_i_flow *f;
    double sum = 0;

    if (tgs_i_flow_new(&f, pb, &s->v, NULL))
        return NAN;
    for (int32_t h = 0; h < f->hops; h++)
        sum += pb->v.g->datum[tgs_i_flow_datum(f, f->hop[h].version)].bytes;
    tgs_i_flow_free(f);
    return sum;
}

tgs_status tgs_schedule_peaks(double *peak, const tgs_schedule *s, const tgs_problem *pb)
{
    tgs_i_flow *f = NULL;
    tgs_i_times t = {0};
    tgs_used *used = NULL;
    int64_t count = 0;
    tgs_status status = tgs_i_flow_new(&f, pb, &s->v, NULL);

    if (!status)
        status = tgs_i_times_new(&t, f);
    if (!status) {
        tgs_i_times_planned(f, &t);
        status = tgs_i_flow_usage(f, &t, &used, &count);
    }
    for (int32_t m = 0; m < pb->v.memories; m++)
        peak[m] = status ? NAN : 0;
    for (int64_t i = 0; i < count; i++)
        peak[used[i].memory] = fmax(peak[used[i].memory], used[i].bytes);
    tgs_mem_free(used);
    tgs_i_times_free(&t);
    tgs_i_flow_free(f);
    return status;
}

double tgs_schedule_peak(const tgs_schedule *s, const tgs_problem *pb, int32_t memory)
{
    double *peak, mine = NAN;

    if (memory < 0 || memory >= pb->v.memories)
        return 0;
    peak = tgs_mem_alloc((size_t)pb->v.memories, sizeof *peak);
    if (peak && !tgs_schedule_peaks(peak, s, pb))
        mine = peak[memory];
    tgs_mem_free(peak);
    return mine;
}
