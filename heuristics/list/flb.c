/* flb.c -- FLB, fast load balancing.
 *
 * A. Radulescu, A. J. C. van Gemund, "FLB: fast load balancing for distributed-memory machines",
 * ICPP 1999.
 *
 * Each step takes the ready task that can start first, as ETF does, but finds it among two.  EP(t)
 * is the processor that the last message of t comes from, LMT(t) when that message arrives
 * elsewhere, EMT(t) when the messages are on EP(t), PRT(p) when p is idle.
 *
 *     LMT(t) >= PRT(EP(t)): of EP type; starts first on EP(t), at max(EMT(t), PRT(EP(t)))
 *     otherwise           : starts first where it is idle first, at max(LMT(t), PRT)
 *
 * So the first is either the one of the least EMT of some EP, or the one of the least LMT of those
 * of no EP type; of two that start together the latter, whose messages have arrived by then; then
 * by rank_u.  Appends.  O(n (log W + log p) + e), W the width of the ready list.
 *
 * Departures.  What messages cost nothing to is a memory, so EP is one here, and PRT that of the
 * processor in it that is idle first.  On unequal processors the task is found as in the paper, and
 * placed where it ends first, of the processors that are idle first, one of each type (kind and
 * speed), anywhere and in EP.  Where it may run on none of these, all are looked at. */
#include "bulk.h"

typedef struct queue {
    tgs_heap heap; /* ids: places in the order of ranks */
    int64_t room;
    double most; /* no key is larger */
} queue;

enum { FAR = 16, STEP = TGS_I_AHEAD }; /* records ahead */

typedef enum state { WAITING, ENABLED, OTHER, PLACED } state;

typedef struct waiting { /* of a task; side by side, since tasks are met in no order */
    double lmt, emt;
    int32_t ep; /* memory, -1 none */
    int32_t task;
    uint8_t state;
} waiting;

typedef struct flb {
    tgs_i_list list;
    tgs_i_idle idle;
    tgs_i_ready ready; /* only what waits */
    int32_t *place;    /* [n] of a task in the order of ranks */
    waiting *of;       /* [n] by place */
    queue *by_emt,
        *by_lmt;       /* [memories] of EP type; what is of it no longer lies there until met */
    int32_t *live;     /* [memories] how many of those there are still of EP type */
    tgs_i_bulk others; /* by LMT */
    double *start;     /* [2 * size] a tournament: when the first of a memory's EP type starts */
    int32_t *first;    /* [2 * size] that memory */
    int32_t size;
} flb;

static tgs_status push(queue *q, double key, int32_t id)
{
    if (tgs_mem_grow(&q->heap.item, &q->room, (int64_t)q->heap.size + 1, sizeof *q->heap.item))
        return TGS_ENOMEM;
    if (!q->heap.size || key > q->most)
        q->most = key;
    tgs_heap_push(&q->heap, key, id);
    return TGS_OK;
}

/* Memory is slow where tasks are met in no order: what the first of a queue will need is fetched
 * while something else is done, and before that the records of those that may be the first then. */
TGS_I_FETCHES void fetch_ahead(const flb *x, const tgs_heap *h)
{
    const tgs_view *v = x->list.v;
    int64_t task;

    for (int32_t i = 1; i <= TGS_HEAP_FAN && i < h->size; i++)
        TGS_I_FETCH(&x->of[h->item[i].id]);
    if (!h->size)
        return;
    task = x->of[h->item[0].id].task;
    TGS_I_FETCH(&v->g->succ_at[task]);
    TGS_I_FETCH(&v->g->pred_at[task]);
    TGS_I_FETCH(&v->time[task * v->kinds]);
    TGS_I_FETCH(&x->list.done[task]);
    TGS_I_FETCH(&v->g->task[task]);
}

/* the same of the run, where more than the next is known */
TGS_I_FETCHES void fetch_run(const flb *x)
{
    const tgs_heap_item *next = &x->others.run[x->others.at];

    if (x->others.end - x->others.at <= 4 * STEP)
        return;
    TGS_I_FETCH(&x->of[next[4 * STEP].id]);
    tgs_i_list_fetch(&x->list, x->of[next[3 * STEP].id].task, x->of[next[2 * STEP].id].task,
                     x->of[next[STEP].id].task);
}

static int32_t pop_other(flb *x)
{
    if (tgs_i_bulk_runs(&x->others)) {
        fetch_run(x);
        return tgs_i_bulk_pop(&x->others);
    }
    const int32_t id = tgs_i_bulk_pop(&x->others);

    fetch_ahead(x, &x->others.heap);
    return id;
}

/* PRT of a memory, INFINITY where no processor is */
static double idle_at(const flb *x, int32_t memory)
{
    double least = INFINITY;

    for (int32_t t = 0; t < x->idle.types; t++) {
        const int32_t p = tgs_i_idle_first(&x->idle, t, memory);

        if (p >= 0 && x->list.line[p].free < least)
            least = x->list.line[p].free;
    }
    return least;
}

/* the first of a memory's queue that is still of EP type, -1 none */
static int32_t front(const flb *x, queue *q, int32_t memory)
{
    if (!x->live[memory])
        q->heap.size = 0; /* rather than one at a time */
    while (q->heap.size && x->of[q->heap.item[0].id].state != ENABLED) {
        fetch_ahead(x, &q->heap);
        tgs_heap_pop(&q->heap);
    }
    return q->heap.size ? q->heap.item[0].id : -1;
}

/* what a memory enables, or when it is idle, has changed */
static void renew(flb *x, int32_t memory, double idle)
{
    const int32_t id = front(x, &x->by_emt[memory], memory);
    int32_t i = x->size + memory;

    x->start[i] = id < 0 ? INFINITY : x->of[id].emt > idle ? x->of[id].emt : idle;
    for (i /= 2; i > 0; i /= 2) {
        const int32_t side = x->start[2 * i + 1] < x->start[2 * i];

        x->start[i] = x->start[2 * i + side];
        x->first[i] = x->first[2 * i + side];
    }
}

static tgs_status enter(flb *x, int32_t task)
{
    const int32_t id = x->place[task];
    waiting *w = &x->of[id];
    double idle;

    w->lmt = tgs_i_idle_message(&x->list, task, &w->ep);
    idle = w->ep < 0 ? INFINITY : idle_at(x, w->ep);
    if (!(w->lmt >= idle)) {
        w->state = OTHER;
        return tgs_i_bulk_push(&x->others, w->lmt, id);
    }
    w->state = ENABLED;
    x->live[w->ep]++;
    w->emt = tgs_i_list_arrival(&x->list, task, w->ep);
    if (push(&x->by_emt[w->ep], w->emt, id) || push(&x->by_lmt[w->ep], w->lmt, id))
        return TGS_ENOMEM;
    renew(x, w->ep, idle);
    return TGS_OK;
}

static tgs_status demote_one(flb *x, int32_t memory, int32_t id)
{
    x->of[id].state = OTHER;
    x->live[memory]--;
    return tgs_i_bulk_push(&x->others, x->of[id].lmt, id);
}

/* all of a memory at once */
static tgs_status demote_all(flb *x, int32_t memory)
{
    const tgs_heap *h = &x->by_lmt[memory].heap;
    tgs_i_bulk *o = &x->others;
    const bool run = o->at == o->end;

    if (run && tgs_i_bulk_begin(o, x->live[memory]))
        return TGS_ENOMEM;
    for (int32_t i = 0; i < h->size; i++) {
        const tgs_heap_item item = h->item[i];

        if (i + FAR < h->size)
            TGS_I_FETCH(&x->of[h->item[i + FAR].id]);
        if (x->of[item.id].state != ENABLED)
            continue;
        x->of[item.id].state = OTHER;
        if (run)
            o->run[o->end++] = item;
        else if (tgs_i_bulk_push(o, item.key, item.id))
            return TGS_ENOMEM;
    }
    if (run)
        tgs_i_bulk_sort(o);
    x->live[memory] = 0;
    return TGS_OK;
}

/* a memory is idle later: what has LMT before that is of EP type no longer */
static tgs_status demote(flb *x, int32_t memory)
{
    const double idle = idle_at(x, memory);
    queue *q = &x->by_lmt[memory];
    tgs_status status = TGS_OK;
    int32_t id;

    if (x->live[memory] && q->most < idle)
        status = demote_all(x, memory);
    while (!status && (id = front(x, q, memory)) >= 0 && x->of[id].lmt < idle)
        status = demote_one(x, memory, id);
    if (!status)
        renew(x, memory, idle);
    return status;
}

/* -1: nothing is ready */
static int32_t next_place(flb *x)
{
    const double enabled = x->start[1];
    const tgs_heap_item *first = tgs_i_bulk_first(&x->others);
    double other = INFINITY;

    if (first) {
        other = x->list.line[tgs_i_idle_any(&x->idle)].free;
        other = first->key > other ? first->key : other;
    }
    if (first && other <= enabled)
        return pop_other(x);
    return enabled < INFINITY ? front(x, &x->by_emt[x->first[1]], x->first[1]) : -1;
}

static tgs_status place(flb *x, int32_t id, tgs_error *err)
{
    const tgs_graph_view *g = x->list.v->g;
    const int32_t ep = x->of[id].ep, task = x->of[id].task;
    tgs_i_pick best;
    int32_t memory;
    tgs_status status;

    tgs_i_idle_pick(&x->idle, task, ep, &best);
    status = tgs_i_list_place(&x->list, task, best.proc, best.start, err);
    if (status)
        return status;
    memory = x->list.v->p->proc[best.proc].memory;
    if (x->of[id].state == ENABLED)
        x->live[ep]--;
    x->of[id].state = PLACED;
    tgs_i_idle_renew(&x->idle, best.proc);
    status = demote(x, memory);
    if (!status && ep >= 0 && ep != memory)
        status = demote(x, ep);
    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1] && !status; k++)
        if (!--x->ready.waits[g->succ[k]])
            status = enter(x, g->succ[k]);
    return status ? tgs_fail(err, status, "out of memory for the ready tasks") : TGS_OK;
}

static tgs_status place_all(flb *x, const tgs_ctx *c, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->size; i++) {
        x->start[x->size + i] = INFINITY;
        x->first[x->size + i] = i;
    }
    for (int32_t i = x->size - 1; i > 0; i--) {
        x->start[i] = INFINITY;
        x->first[i] = x->first[2 * i];
    }
    for (int32_t i = 0; i < c->v->n && !status; i++)
        if (!x->ready.waits[x->of[i].task])
            status = enter(x, x->of[i].task);
    if (status)
        return tgs_fail(err, status, "out of memory for the ready tasks");
    for (int32_t id; !status && (id = next_place(x)) >= 0;)
        status = place(x, id, err);
    return status;
}

static tgs_status find_order(const tgs_view *v, flb *x, tgs_error *err)
{
    int32_t *order = tgs_mem_alloc((size_t)v->n, sizeof *order);
    double *wbar = tgs_mem_alloc((size_t)v->n, sizeof *wbar);
    double *rank_u = tgs_mem_alloc((size_t)v->n, sizeof *rank_u);
    tgs_status status = TGS_OK;

    if (!order || !wbar || !rank_u)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ranks of %d tasks", v->n);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    if (!status) {
        tgs_i_rank_up(v, wbar, true, rank_u);
        status = tgs_i_sort(v, rank_u, NULL, order, err);
    }
    for (int32_t i = 0; i < v->n && !status; i++) {
        x->of[i].task = order[i];
        x->place[order[i]] = i;
    }
    tgs_mem_free(order);
    tgs_mem_free(wbar);
    tgs_mem_free(rank_u);
    return status;
}

static tgs_status open_all(flb *x, const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const size_t n = (size_t)c->v->n, M = (size_t)c->v->memories;
    tgs_status status;

    x->size = 1;
    while (x->size < c->v->memories)
        x->size *= 2;
    x->place = tgs_mem_alloc(n, sizeof *x->place);
    x->of = tgs_mem_alloc(n, sizeof *x->of);
    x->by_emt = tgs_mem_alloc(M, sizeof *x->by_emt);
    x->by_lmt = tgs_mem_alloc(M, sizeof *x->by_lmt);
    x->live = tgs_mem_alloc(M, sizeof *x->live);
    x->start = tgs_mem_alloc(2 * (size_t)x->size, sizeof *x->start);
    x->first = tgs_mem_alloc(2 * (size_t)x->size, sizeof *x->first);
    if (!x->place || !x->of || !x->by_emt || !x->by_lmt || !x->live || !x->start || !x->first)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for the ready lists of %d tasks", c->v->n);
    status = find_order(c->v, x, err);
    if (!status)
        status = tgs_i_ready_open(&x->ready, c->v, NULL, err);
    if (!status)
        status = tgs_i_list_open(&x->list, c, plan, &(tgs_i_rule){.key = TGS_I_EFT}, err);
    if (!status)
        status = tgs_i_idle_open(&x->idle, &x->list, err);
    return status;
}

static void close_all(flb *x, int32_t memories)
{
    tgs_i_idle_close(&x->idle);
    tgs_i_list_close(&x->list);
    tgs_i_ready_close(&x->ready);
    for (int32_t a = 0; a < memories && x->by_emt && x->by_lmt; a++) {
        tgs_mem_free(x->by_emt[a].heap.item);
        tgs_mem_free(x->by_lmt[a].heap.item);
    }
    tgs_i_bulk_free(&x->others);
    tgs_mem_free(x->place);
    tgs_mem_free(x->of);
    tgs_mem_free(x->by_emt);
    tgs_mem_free(x->by_lmt);
    tgs_mem_free(x->live);
    tgs_mem_free(x->start);
    tgs_mem_free(x->first);
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    flb x = {.size = 0};
    tgs_status status = open_all(&x, c, plan, err);

    if (!status)
        status = place_all(&x, c, err);
    close_all(&x, c->v->memories);
    return status;
}

const tgs_heuristic tgs_heuristic_flb = {
    .base = {TGS_PLUGIN_ABI, "flb",
             "the ready task that can start first, found among two; for millions of tasks",
             "Radulescu, van Gemund, ICPP 1999", NULL},
    .run = run,
};
