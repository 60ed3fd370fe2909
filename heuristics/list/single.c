/* single.c -- the best single processor: what parallelism is worth shows against it.
 *
 * All tasks in canonical topological order on the processor where they end first; of equal ones the
 * first.  Not applicable when no processor may run every task.  O(p (n + accesses)). */
#include "core.h"

/* the time at which task may start on a processor of memory, but for its predecessors */
static double ready_at(const tgs_view *v, int32_t task, int32_t memory)
{
    const tgs_graph_view *g = v->g;
    const int32_t k = g->task[task].constraint;
    double ready = k < 0 ? 0 : g->constraint[k].release;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++) {
        const tgs_access *x = &g->access[i];
        double there;

        if (!(x->mode & TGS_R) || x->version >= 0 || v->home[x->datum] < 0)
            continue;
        there = tgs_c(v, x->datum, v->home[x->datum], memory);
        ready = there > ready ? there : ready;
    }
    return ready;
}

/* the end of the last task on p, INFINITY when one may not run there; start may be NULL */
static double serial_end(const tgs_view *v, int32_t p, double *start)
{
    double now = 0;

    for (int32_t i = 0; i < v->n && now < INFINITY; i++) {
        const int32_t j = v->g->topo[i];
        const double ready = ready_at(v, j, v->p->proc[p].memory);

        now = ready > now ? ready : now;
        if (start)
            start[j] = now;
        now += tgs_w(v, j, p);
    }
    return now;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    double least = INFINITY;
    int32_t best = -1;

    for (int32_t p = 0; p < v->m; p++) {
        const double end = serial_end(v, p, NULL);

        if (end < least) {
            least = end;
            best = p;
        }
    }
    if (best < 0)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "single: no processor may run every task");
    for (int32_t j = 0; j < v->n; j++)
        plan->proc[j] = best;
    serial_end(v, best, plan->start);
    return TGS_OK;
}

const tgs_heuristic tgs_heuristic_single = {
    .base = {TGS_PLUGIN_ABI, "single", "everything on the best single processor", NULL, NULL},
    .run = run,
};
