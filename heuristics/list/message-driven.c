/* message-driven.c -- every processor serves what has arrived, first come, first served.
 *
 * S. Singh, A. Bhatele, "AxoNN: an asynchronous, message-driven parallel framework for
 * extreme-scale deep learning", IPDPS 2022: a stage of a pipeline posts a receive for activations
 * and one for gradients and runs whichever lands first; the last stage runs the backward pass right
 * after the forward pass.  How many micro-batches are under way is the graph's affair (pipeline ...
 * message).
 *
 * The paper's messages start a whole pass; here a pass is many tasks.  So a task whose last datum
 * was made in the memory of its processor goes on with what runs there and comes before what
 * arrived from elsewhere, the latest made first: a pass that has begun is finished, and the last
 * stage turns around.  Sums and updates wait for no pass either, since others wait for them.  What
 * arrived at the same time goes backward passes first, then by position.
 *
 * The paper's processors are told what they run.  A task that may run on several is bound, as soon
 * as all that it waits for has started, to the one where it ends first behind what is bound there.
 * O(e + n (p + log n)). */
#include <stdlib.h>
#include <string.h>
#include "core.h"

typedef struct queue { /* ready tasks of a processor, by rank */
    tgs_heap own, sent;
    int64_t own_room, sent_room;
    double until, pending; /* it is busy; seconds of what is bound there and has not started */
    bool busy;
} queue;

typedef struct server {
    tgs_i_list list;
    const tgs_view *v;
    queue *q;       /* [m] */
    int32_t *waits; /* [n] predecessors that have not started, an edge counted once per datum */
    int32_t *proc;  /* [n] that it is bound to */
    int32_t *rank;  /* [n] of what arrived at the same time */
    int32_t *task;  /* [n] by rank */
    bool *local;    /* [n] it goes on with what runs there */
    tgs_heap event; /* below n: a task's data have arrived; n + p: processor p has ended one */
    int32_t *woken; /* [n + m] processors that something happened to */
} server;

/* backward passes first, then by position */
static void rank_all(server *s)
{
    const tgs_graph_view *g = s->v->g;
    int32_t n = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < g->tasks; i++)
            if ((g->task[g->topo[i]].phase == TGS_PHASE_BACKWARD) != pass) {
                s->task[n] = g->topo[i];
                s->rank[g->topo[i]] = n++;
            }
}

/* it does not wait for passes: the last of its data to be there was made there (new weights begin a
 * pass, they do not go on with one), or it sums or updates, for which others wait */
static bool goes_first(const server *s, int32_t task, int32_t memory, double arrival)
{
    const tgs_graph_view *g = s->v->g;
    const int32_t phase = g->task[task].phase;

    for (int32_t i = g->pred_at[task]; i < g->pred_at[task + 1]; i++) {
        const tgs_i_done *u = &s->list.done[g->pred[i]];

        if (g->pred_datum[i] >= 0 && u->memory == memory && u->end == arrival
            && g->task[g->pred[i]].phase != TGS_PHASE_UPDATE)
            return true;
    }
    return phase == TGS_PHASE_UPDATE || phase == TGS_PHASE_COMMUNICATION;
}

static tgs_status bind_task(server *s, int32_t task, double now, tgs_error *err)
{
    const tgs_view *v = s->v;
    double *ready = s->list.ready, end = INFINITY;
    int32_t best = -1, memory;

    tgs_i_list_ready(&s->list, task, ready);
    for (int32_t p = 0; p < v->m; p++) {
        const double w = tgs_w(v, task, p), at = ready[v->p->proc[p].memory];
        const double idle = fmax(now, s->q[p].until) + s->q[p].pending, x = fmax(at, idle) + w;

        if (x < end && tgs_i_list_may(&s->list, task, p)) {
            best = p;
            end = x;
        }
    }
    if (best < 0)
        return tgs_i_list_place(&s->list, task, -1, 0, err);
    memory = v->p->proc[best].memory;
    tgs_i_list_settle(&s->list, task, memory);
    s->q[best].pending += tgs_w(v, task, best);
    s->proc[task] = best;
    s->local[task] = goes_first(s, task, memory, ready[memory]);
    tgs_heap_push(&s->event, ready[memory], task);
    return TGS_OK;
}

static tgs_status enqueue(server *s, int32_t task, double now, tgs_error *err)
{
    queue *q = &s->q[s->proc[task]];
    tgs_heap *h = s->local[task] ? &q->own : &q->sent;

    if (tgs_mem_grow(&h->item, s->local[task] ? &q->own_room : &q->sent_room, h->size + 1,
                     sizeof *h->item))
        return tgs_fail(err, TGS_ENOMEM, "out of memory for the queue of a processor");
    tgs_heap_push(h, s->local[task] ? -now : now, s->rank[task]);
    return TGS_OK;
}

/* an idle processor takes its next task, if there is one */
static tgs_status serve(server *s, int32_t p, double now, tgs_error *err)
{
    const tgs_graph_view *g = s->v->g;
    queue *q = &s->q[p];
    tgs_heap *h = q->own.size ? &q->own : &q->sent;
    int32_t task;
    tgs_status status;

    if (q->busy || !h->size)
        return TGS_OK;
    task = s->task[tgs_heap_pop(h).id];
    status = tgs_i_list_place(&s->list, task, p, now, err);
    if (status)
        return status;
    q->busy = true;
    q->until = s->list.done[task].end;
    q->pending -= tgs_w(s->v, task, p);
    tgs_heap_push(&s->event, q->until, s->v->n + p);
    for (int32_t i = g->succ_at[task]; i < g->succ_at[task + 1] && !status; i++)
        if (!--s->waits[g->succ[i]])
            status = bind_task(s, g->succ[i], now, err);
    return status;
}

/* whatever happens at one time happens before a processor chooses */
static tgs_status play(server *s, tgs_error *err)
{
    const int32_t n = s->v->n;
    tgs_status status = TGS_OK;

    for (int32_t j = 0; j < n && !status; j++)
        if (!s->waits[j])
            status = bind_task(s, j, 0, err);
    while (s->event.size && !status) {
        const double now = s->event.item[0].key;
        int32_t woken = 0;

        while (s->event.size && s->event.item[0].key == now && !status) {
            const int32_t id = tgs_heap_pop(&s->event).id;

            if (id < n)
                status = enqueue(s, id, now, err);
            else
                s->q[id - n].busy = false;
            s->woken[woken++] = id < n ? s->proc[id] : id - n;
        }
        for (int32_t i = 0; i < woken && !status; i++)
            status = serve(s, s->woken[i], now, err);
    }
    return status;
}

static tgs_status prepare(server *s, tgs_error *err)
{
    const tgs_graph_view *g = s->v->g;
    const size_t n = (size_t)s->v->n, m = (size_t)s->v->m;

    s->q = tgs_mem_alloc(m, sizeof *s->q);
    s->waits = tgs_mem_alloc(n, sizeof *s->waits);
    s->proc = tgs_mem_alloc(n, sizeof *s->proc);
    s->rank = tgs_mem_alloc(n, sizeof *s->rank);
    s->task = tgs_mem_alloc(n, sizeof *s->task);
    s->local = tgs_mem_alloc(n, sizeof *s->local);
    s->event.item = tgs_mem_alloc(n + m, sizeof *s->event.item);
    s->woken = tgs_mem_alloc(n + m, sizeof *s->woken);
    if (!s->q || !s->waits || !s->proc || !s->rank || !s->task || !s->local || !s->event.item
        || !s->woken)
        return tgs_fail(err, TGS_ENOMEM, "out of memory to schedule %d tasks", s->v->n);
    for (int32_t j = 0; j < s->v->n; j++)
        s->waits[j] = g->pred_at[j + 1] - g->pred_at[j];
    rank_all(s);
    return TGS_OK;
}

static void clean(server *s)
{
    for (int32_t p = 0; s->q && p < s->v->m; p++) {
        tgs_mem_free(s->q[p].own.item);
        tgs_mem_free(s->q[p].sent.item);
    }
    tgs_mem_free(s->q);
    tgs_mem_free(s->waits);
    tgs_mem_free(s->proc);
    tgs_mem_free(s->rank);
    tgs_mem_free(s->task);
    tgs_mem_free(s->local);
    tgs_mem_free(s->event.item);
    tgs_mem_free(s->woken);
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    server s = {.v = c->v};
    tgs_status status = tgs_i_list_open(&s.list, c, plan, &(tgs_i_rule){.key = TGS_I_EFT}, err);

    if (status)
        return status;
    status = prepare(&s, err);
    if (!status)
        status = play(&s, err);
    clean(&s);
    tgs_i_list_close(&s.list);
    return status;
}

const tgs_heuristic tgs_heuristic_message_driven = {
    .base = {TGS_PLUGIN_ABI, "message-driven",
             "every processor runs what has arrived, first come, first served",
             "Singh, Bhatele, AxoNN, IPDPS 2022", NULL},
    .run = run,
};
