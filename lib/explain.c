/* explain.c -- what each task of a schedule waited for, what other processors would have given, and
 * the critical chain.  Everything by the times of the plan; the schedule is taken as valid.
 *
 * Making one is O(accesses + transfers log transfers); a question about a task is linear in what it
 * reads and writes, an option also in the tasks of that processor. */
#include <string.h>
#include "explain.h"

/* ---- needs ---------------------------------------------------------------------------------- */
static int32_t version_read(const tgs_graph_view *g, int32_t access)
{
    const tgs_access *a = &g->access[access];

    return a->version < 0 ? g->accesses + (int32_t)a->datum : a->version;
}

static double arrival_time(const tgs_explain *x, const tgs_i_arrival *a)
{
    return a->hop >= 0 ? x->t.hop_end[a->hop] : a->place >= 0 ? x->t.end[a->place] : 0;
}

/* the execution that made what an arrival holds; -1: it is an initial value */
static int32_t maker(const tgs_i_flow *f, int32_t arrival)
{
    while (f->arrival[arrival].hop >= 0)
        arrival = f->hop[f->arrival[arrival].hop].source;
    return f->arrival[arrival].place;
}

/* the earliest that a version is in a memory by the plan; where it is not, that it could be if it
 * were sent from where it was made or is at home */
static void read_need(const tgs_explain *x, int32_t version, int32_t memory, tgs_i_need *out)
{
    const tgs_i_flow *f = x->flow;
    bool planned = false;

    *out = (tgs_i_need){version, -1, -1, 0, INFINITY};
    for (int32_t i = f->arrival_at[version]; i < f->arrival_at[version + 1]; i++) {
        const tgs_i_arrival *a = &f->arrival[i];
        const bool here = a->memory == memory;
        double time = arrival_time(x, a);

        if (!here && (a->hop >= 0 || planned))
            continue;
        if (!here)
            time += tgs_c(f->v, tgs_i_flow_datum(f, version), a->memory, memory);
        if (time < out->there || (here && !planned)) {
            out->arrival = i;
            out->there = time;
        }
        planned |= here;
    }
    if (out->arrival >= 0)
        out->place = maker(f, out->arrival);
    out->ready = out->place >= 0 ? x->t.end[out->place] : 0;
}

static void order_need(const tgs_explain *x, int32_t task, tgs_i_need *out)
{
    *out = (tgs_i_need){-1, -1, task, 0, 0};
    for (int32_t k = 0, p; (p = tgs_i_flow_place(x->flow, task, k)) >= 0; k++)
        if (x->t.end[p] > out->there) {
            out->there = out->ready = x->t.end[p];
            out->place = p;
        }
}

/* what need[i] is, if the task that has it ran in memory */
static void get_need(const tgs_explain *x, int32_t i, int32_t memory, tgs_i_need *out)
{
    const tgs_graph_view *g = x->flow->v->g;

    if (x->need[i] >= 0)
        read_need(x, version_read(g, x->need[i]), memory, out);
    else
        order_need(x, g->pred[-1 - x->need[i]], out);
}

bool tgs_i_explain_last(const tgs_explain *x, int32_t task, int32_t memory, tgs_i_need *out)
{
    for (int32_t i = x->need_at[task]; i < x->need_at[task + 1]; i++) {
        tgs_i_need n;

        get_need(x, i, memory, &n);
        if (i == x->need_at[task] || n.there > out->there)
            *out = n;
    }
    return x->need_at[task] < x->need_at[task + 1];
}

int32_t tgs_explain_needs(const tgs_explain *x, int32_t task)
{
    return x->need_at[task + 1] - x->need_at[task];
}

void tgs_explain_need(const tgs_explain *x, int32_t task, int32_t i, tgs_need *out)
{
    const int32_t memory = tgs_i_flow_memory(x->flow, task);
    tgs_i_need n;
    int32_t from = memory;

    get_need(x, x->need_at[task] + i, memory, &n);
    for (int32_t a = n.arrival; a >= 0; a = x->flow->hop[x->flow->arrival[a].hop].source) {
        from = x->flow->arrival[a].memory;
        if (x->flow->arrival[a].hop < 0)
            break;
    }
    *out = (tgs_need){.by = n.place < 0 ? -1 : x->s->place[n.place].task,
                      .datum = n.version < 0 ? -1 : tgs_i_flow_datum(x->flow, n.version),
                      .from = from,
                      .to = memory,
                      .ready = n.ready,
                      .arrival = n.there};
}

/* ---- options -------------------------------------------------------------------------------- */
/* how late a place would be that waits for something at a time */
static double lateness(const tgs_explain *x, int32_t place, double there)
{
    const double late = there - x->t.start[place];

    return late > tgs_i_explain_slack(x->t.start[place]) ? late : 0;
}

/* of those that read what this execution of the task makes, not a copy of it, or follow it */
static double latest(const tgs_explain *x, int32_t task, int32_t memory, double end)
{
    const tgs_i_flow *f = x->flow;
    const tgs_graph_view *g = f->v->g;
    double late = 0;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++) {
        if (!(g->access[i].mode & TGS_W))
            continue;
        for (int32_t k = f->arrival_at[i]; k < f->arrival_at[i + 1]; k++) {
            const tgs_i_arrival *a = &f->arrival[k];
            const double there = end + tgs_c(f->v, (int32_t)g->access[i].datum, memory, a->memory);

            for (int32_t r = 0; r < a->readers && maker(f, k) == task; r++)
                late = fmax(late, lateness(x, f->reader[a->reader + r], there));
        }
    }
    for (int32_t e = g->succ_at[task]; e < g->succ_at[task + 1]; e++)
        if (tgs_i_flow_follows(f, task, g->succ[e], g->succ_datum[e]))
            for (int32_t k = 0, p; (p = tgs_i_flow_place(f, g->succ[e], k)) >= 0; k++)
                late = fmax(late, lateness(x, p, end));
    return late;
}

void tgs_explain_option(const tgs_explain *x, int32_t task, int32_t processor, tgs_option *out)
{
    const tgs_view *v = x->flow->v;
    const tgs_schedule_view *s = x->s;
    const int32_t memory = v->p->proc[processor].memory;
    const double w = tgs_w(v, task, processor);
    tgs_i_need n;

    *out = (tgs_option){.processor = processor, .by = -1};
    if (!(w < INFINITY) || !tgs_allowed(v, task, processor))
        return;
    out->allowed = 1;
    if (tgs_i_explain_last(x, task, memory, &n)) {
        out->needs = n.there;
        out->by = n.place < 0 ? -1 : s->place[n.place].task;
    }
    out->start = fmax(out->needs, tgs_i_explain_release(x, task));
    if (out->start > out->needs)
        out->by = -1;
    for (int32_t i = s->order_at[processor]; i < s->order_at[processor + 1]; i++) {
        const int32_t p = s->order[i];

        if (p == task)
            continue;
        if (x->t.start[p] >= out->start + w - tgs_i_explain_slack(x->t.start[p]))
            break;
        if (x->t.end[p] > out->start) {
            out->start = x->t.end[p];
            out->by = s->place[p].task;
        }
    }
    out->end = out->start + w;
    out->late = latest(x, task, memory, out->end);
}

/* ---- the whole ------------------------------------------------------------------------------ */
/* reads in the order of the accesses, then what is followed */
static tgs_status index_needs(tgs_explain *x)
{
    const tgs_graph_view *g = x->flow->v->g;
    int32_t count = 0;

    x->need_at = tgs_mem_alloc((size_t)g->tasks + 1, sizeof *x->need_at);
    x->need = tgs_mem_alloc((size_t)g->accesses + (size_t)g->edges, sizeof *x->need); /* at most */
    if (!x->need_at || !x->need)
        return TGS_ENOMEM;
    for (int32_t t = 0; t < g->tasks; t++) {
        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++)
            if (g->access[i].mode & TGS_R)
                x->need[count++] = i;
        for (int32_t e = g->pred_at[t]; e < g->pred_at[t + 1]; e++)
            if (tgs_i_flow_follows(x->flow, g->pred[e], t, g->pred_datum[e]))
                x->need[count++] = -1 - e;
        x->need_at[t + 1] = count;
    }
    return TGS_OK;
}

static tgs_status find_chain(tgs_explain *x)
{
    int32_t last = -1, by;
    tgs_reason r;

    for (int32_t p = 0; p < x->s->places; p++)
        if (last < 0 || x->t.end[p] > x->t.end[last])
            last = p;
    x->chain = tgs_mem_alloc((size_t)x->s->places, sizeof *x->chain);
    if (!x->chain)
        return TGS_ENOMEM;
    for (by = last; by >= 0 && x->chain_count < x->s->places;) {
        x->chain[x->chain_count++] = by;
        tgs_i_explain_why(x, by, &r, &by);
    }
    for (int32_t i = 0, j = x->chain_count - 1; i < j; i++, j--) {
        const int32_t swapped = x->chain[i];

        x->chain[i] = x->chain[j];
        x->chain[j] = swapped;
    }
    return TGS_OK;
}

static tgs_status prepare(tgs_explain *x, tgs_error *err)
{
    tgs_status status = tgs_i_flow_new(&x->flow, x->pb, x->s, err);

    if (status)
        return status;
    status = tgs_i_times_new(&x->t, x->flow);
    x->before = tgs_mem_alloc((size_t)x->s->places, sizeof *x->before);
    if (!status && x->before) {
        tgs_i_times_planned(x->flow, &x->t);
        status = tgs_i_flow_usage(x->flow, &x->t, &x->used, &x->useds);
    }
    if (!status)
        status = index_needs(x);
    if (status || !x->before)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t q = 0; q < x->s->procs; q++)
        for (int32_t i = x->s->order_at[q]; i < x->s->order_at[q + 1]; i++)
            x->before[x->s->order[i]] = i > x->s->order_at[q] ? x->s->order[i - 1] : -1;
    return find_chain(x) ? tgs_fail(err, TGS_ENOMEM, "out of memory") : TGS_OK;
}

tgs_status tgs_explain_new(tgs_explain **out, const tgs_schedule *s, const tgs_problem *pb,
                           tgs_error *err)
{
    tgs_explain *x;
    tgs_status status;

    *out = NULL;
    if (s->v.tasks != pb->v.n || s->v.procs != pb->v.m)
        return tgs_fail(err, TGS_EINVAL, "the schedule is for another problem");
    x = tgs_mem_alloc(1, sizeof *x);
    if (!x)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    x->pb = pb;
    x->s = &s->v;
    status = prepare(x, err);
    if (status)
        tgs_explain_free(x);
    else
        *out = x;
    return status;
}

void tgs_explain_free(tgs_explain *x)
{
    if (!x)
        return;
    tgs_mem_free(x->chain);
    tgs_mem_free(x->before);
    tgs_mem_free(x->need);
    tgs_mem_free(x->need_at);
    tgs_mem_free(x->used);
    tgs_i_times_free(&x->t);
    tgs_i_flow_free(x->flow);
    tgs_mem_free(x);
}
