/* fcp.c -- FCP, fast critical path.
 *
 * A. Radulescu, A. J. C. van Gemund, "On the complexity of list scheduling algorithms for
 * distributed-memory systems", ICS 1999.
 *
 * The ready task of the largest rank_u, but only as many tasks as there are processors are kept
 * sorted; the others wait in the order in which they became ready.  Two processors are looked at:
 * the one that is idle first, and the one that sent the last message (its enabling processor),
 * where that message costs nothing.  Appends.  O(n (log p + log heap) + e).
 *
 * Departures.  What costs nothing here is a memory, so the second is the one that is idle first in
 * the enabling memory; on unequal processors there is such a pair for each type (kind and speed),
 * k of them, and the earliest finish decides: O(k (n log p + e)).  Where a task may run on none of
 * these, all processors are looked at. */
#include "core.h"

typedef struct fcp {
    tgs_i_list list;
    tgs_i_idle idle;
    tgs_i_ready ready; /* of its heap at most room tasks are in use */
    int32_t *fifo;     /* [n] what became ready while it was full */
    int32_t first, last, room;
} fcp;

static void enter(fcp *x, int32_t task)
{
    if (x->ready.heap.size < x->room)
        tgs_i_ready_push(&x->ready, task);
    else
        x->fifo[x->last++] = task;
}

static tgs_status place(fcp *x, int32_t task, tgs_error *err)
{
    const tgs_graph_view *g = x->list.v->g;
    tgs_i_pick best;
    int32_t memory;
    tgs_status status;

    tgs_i_idle_message(&x->list, task, &memory);
    tgs_i_idle_pick(&x->idle, task, memory, &best);
    status = tgs_i_list_place(&x->list, task, best.proc, best.start, err);
    if (status)
        return status;
    tgs_i_idle_renew(&x->idle, best.proc);
    if (x->first < x->last)
        tgs_i_ready_push(&x->ready, x->fifo[x->first++]);
    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++)
        if (!--x->ready.waits[g->succ[k]])
            enter(x, g->succ[k]);
    return TGS_OK;
}

static tgs_status place_all(fcp *x, const tgs_ctx *c, tgs_error *err)
{
    const int64_t room = tgs_arg_int(c->args, "heap");
    const tgs_graph_view *g = c->v->g;
    tgs_status status = TGS_OK;

    x->room = room ? (int32_t)room : c->v->m;
    x->ready.heap.size = 0;
    for (int32_t i = 0; i < c->v->n; i++)
        if (!x->ready.waits[g->topo[i]])
            enter(x, g->topo[i]);
    for (int32_t j; !status && (j = tgs_i_ready_pop(&x->ready)) >= 0;)
        status = place(x, j, err);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    double *wbar = tgs_mem_alloc((size_t)v->n, sizeof *wbar);
    double *rank_u = tgs_mem_alloc((size_t)v->n, sizeof *rank_u);
    fcp x = {.fifo = tgs_mem_alloc((size_t)v->n, sizeof *x.fifo)};
    tgs_status status = TGS_OK;

    if (!wbar || !rank_u || !x.fifo)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ranks of %d tasks", v->n);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    if (!status) {
        tgs_i_rank_up(v, wbar, true, rank_u);
        status = tgs_i_ready_open(&x.ready, v, rank_u, err);
    }
    tgs_mem_free(wbar);
    tgs_mem_free(rank_u);
    if (!status)
        status = tgs_i_list_open(&x.list, c, plan, &(tgs_i_rule){.key = TGS_I_EFT}, err);
    if (!status)
        status = tgs_i_idle_open(&x.idle, &x.list, err);
    if (!status)
        status = place_all(&x, c, err);
    tgs_i_idle_close(&x.idle);
    tgs_i_list_close(&x.list);
    tgs_i_ready_close(&x.ready);
    tgs_mem_free(x.fifo);
    return status;
}

static const tgs_param params[] = {
    {"heap", "0", TGS_PARAM_INT, 0, 1e9, "ready tasks kept sorted; 0: one per processor"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_fcp = {
    .base = {TGS_PLUGIN_ABI, "fcp",
             "largest upward rank of a short list, where idle first or where the last message is",
             "Radulescu, van Gemund, ICS 1999", params},
    .run = run,
};
