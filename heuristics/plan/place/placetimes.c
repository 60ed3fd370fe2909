/* placetimes.c -- the makespan of one sample, task by task, of a placement: what is left of the
 * latency when a task starts as soon as its own inputs are there, and not those of its whole piece.
 *
 * List scheduling on fixed processors by upward rank; ties go to the earlier task in canonical
 * order.  O(edges + n log n). */
#include "place.h"
#include "tgsched/heap.h"

typedef struct listing {
    const tgs_view *v;
    const int32_t *proc;
    double *rank, *arrive, *free_; /* [n] [n] [m] */
    int32_t *waits;                /* [n] */
    tgs_heap ready;
} listing;

static double travel(const listing *l, int32_t edge, int32_t from, int32_t to)
{
    const tgs_proc *p = l->v->p->proc;

    return tgs_c(l->v, l->v->g->succ_datum[edge], p[l->proc[from]].memory, p[l->proc[to]].memory);
}

static void find_ranks(listing *l)
{
    const tgs_graph_view *g = l->v->g;

    for (int32_t i = g->tasks - 1; i >= 0; i--) {
        const int32_t t = g->topo[i];
        double tail = 0;

        for (int32_t k = g->succ_at[t]; k < g->succ_at[t + 1]; k++)
            tail = fmax(tail, travel(l, k, t, g->succ[k]) + l->rank[g->succ[k]]);
        l->rank[t] = tgs_w(l->v, t, l->proc[t]) + tail;
        l->waits[t] = g->pred_at[t + 1] - g->pred_at[t];
    }
}

static double run(listing *l)
{
    const tgs_graph_view *g = l->v->g;
    double makespan = 0;

    for (int32_t i = 0; i < g->tasks; i++)
        if (!l->waits[g->topo[i]])
            tgs_heap_push(&l->ready, -l->rank[g->topo[i]], i);
    while (l->ready.size > 0) {
        const int32_t t = g->topo[tgs_heap_pop(&l->ready).id], q = l->proc[t];
        const double end = fmax(l->arrive[t], l->free_[q]) + tgs_w(l->v, t, q);

        l->free_[q] = end;
        makespan = fmax(makespan, end);
        for (int32_t k = g->succ_at[t]; k < g->succ_at[t + 1]; k++) {
            const int32_t s = g->succ[k];

            l->arrive[s] = fmax(l->arrive[s], end + travel(l, k, t, s));
            if (--l->waits[s] == 0)
                tgs_heap_push(&l->ready, -l->rank[s], g->topo_pos[s]);
        }
    }
    return makespan;
}

tgs_status tgs_i_place_makespan(const tgs_view *v, const int32_t *proc, double *makespan)
{
    const size_t n = (size_t)v->n;
    listing l = {.v = v, .proc = proc};
    tgs_status status = TGS_ENOMEM;

    l.rank = tgs_mem_alloc(n, sizeof *l.rank);
    l.arrive = tgs_mem_alloc(n, sizeof *l.arrive);
    l.free_ = tgs_mem_alloc((size_t)v->m, sizeof *l.free_);
    l.waits = tgs_mem_alloc(n, sizeof *l.waits);
    l.ready.item = tgs_mem_alloc(n, sizeof *l.ready.item);
    if (l.rank && l.arrive && l.free_ && l.waits && l.ready.item) {
        find_ranks(&l);
        *makespan = run(&l);
        status = TGS_OK;
    }
    tgs_mem_free(l.rank);
    tgs_mem_free(l.arrive);
    tgs_mem_free(l.free_);
    tgs_mem_free(l.waits);
    tgs_mem_free(l.ready.item);
    return status;
}
