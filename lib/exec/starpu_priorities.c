/* starpu_priorities.c -- what policies of StarPU that look at priorities (dmdas, prio, lws) are
 * told: the graph's own priorities, then how long the longest path from a task to the end takes in
 * mean times, as in HEFT.  Others have one priority only. */
#include <math.h>
#include <stdlib.h>
#include "starpu_core.h"

typedef struct urgency {
    double own, rank;
    int32_t task, position; /* topological, and the last tie-break */
} urgency;

static int most_urgent_last(const void *a, const void *b)
{
    const urgency *x = a, *y = b;

    if (x->own != y->own)
        return x->own < y->own ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->position < y->position) - (x->position > y->position);
}

static double mean_time(const tgs_view *v, int32_t task)
{
    double sum = 0;
    int32_t n = 0;

    for (int32_t p = 0; p < v->m; p++)
        if (tgs_allowed(v, task, p)) {
            sum += tgs_w(v, task, p);
            n++;
        }
    return n ? sum / n : 0;
}

tgs_status tgs_i_spu_priorities(spu_run *r, tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    const int32_t n = g->tasks, least = starpu_sched_get_min_priority();
    urgency *all, *of;

    if ((int64_t)starpu_sched_get_max_priority() - least < n)
        return TGS_OK;
    all = tgs_mem_alloc((size_t)n, sizeof *all);
    if (!all)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t i = n - 1; i >= 0; i--) { /* by topological position */
        const int32_t t = g->topo[i], c = g->task[t].constraint;

        of = &all[i];
        *of = (urgency){c < 0 ? 0 : g->constraint[c].priority, 0, t, i};
        for (int32_t k = g->succ_at[t]; k < g->succ_at[t + 1]; k++)
            of->rank = fmax(of->rank, all[g->topo_pos[g->succ[k]]].rank);
        of->rank += mean_time(r->v, t);
    }
    qsort(all, (size_t)n, sizeof *all, most_urgent_last);
    for (int32_t i = 0; i < n; i++) /* 0 for the least urgent: what StarPU gives by itself */
        r->priority[all[i].task] = least > 0 ? least + i : i;
    tgs_mem_free(all);
    return TGS_OK;
}
