/* core.c -- from clusters to a schedule.
 *
 * The order is that of the ready list by rank (RCP, Yang and Gerasoulis 1992): the upward rank with
 * the times and communication of the processors that the tasks were given, O(n log n + e). */
#include "core.h"
#include "../list/core.h"

#define GRID 68719476736.0 /* 2^36 */

double tgs_i_cluster_release(const tgs_view *v, int32_t task)
{
    const int32_t i = v->g->task[task].constraint;

    return i < 0 ? 0 : v->g->constraint[i].release;
}

void tgs_i_cluster_levels(const tgs_i_clustering *k, double *level)
{
    const tgs_graph_view *g = k->v->g;

    for (int32_t i = k->v->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[i];
        double most = 0;

        for (int32_t e = g->succ_at[j]; e < g->succ_at[j + 1]; e++) {
            const double x = level[g->succ[e]] + tgs_i_cluster_c(k, g->succ_datum[e]);

            most = x > most ? x : most;
        }
        level[j] = k->w[j] + most;
    }
}

/* the longest path is the largest upward rank */
static void snap(tgs_i_clustering *k, const double *rank, double *w)
{
    double most = 0;

    for (int32_t j = 0; j < k->v->n; j++)
        most = rank[j] > most ? rank[j] : most;
    k->unit = most > 0 ? most / GRID : 1;
    for (int32_t j = 0; j < k->v->n; j++)
        w[j] = nearbyint(k->wbar[j] / k->unit);
}

/* rank[n] on the processors given; a task that may not run on its own goes elsewhere in the end,
 * and has its mean time here */
static void rank_mapped(const tgs_view *v, const double *wbar, const int32_t *proc, double *rank)
{
    const tgs_graph_view *g = v->g;

    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[i], memory = v->p->proc[proc[j]].memory;
        const double w = tgs_w(v, j, proc[j]);
        double most = 0;

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++) {
            const int32_t s = g->succ[k], to = v->p->proc[proc[s]].memory;
            const double c = tgs_c(v, g->succ_datum[k], memory, to);
            const double x = rank[s] + (c < INFINITY ? c : tgs_cbar(v, g->succ_datum[k]));

            most = x > most ? x : most;
        }
        rank[j] = (w < INFINITY ? w : wbar[j]) + most;
    }
}

tgs_status tgs_i_cluster_run(const tgs_ctx *c, tgs_plan *plan, tgs_i_cluster_rule *rule,
                             tgs_error *err)
{
    const tgs_view *v = c->v;
    const size_t n = (size_t)v->n;
    double *wbar = tgs_mem_alloc(n, sizeof *wbar), *rank = tgs_mem_alloc(n, sizeof *rank);
    double *w = tgs_mem_alloc(n, sizeof *w);
    int32_t *of = tgs_mem_alloc(n, sizeof *of), *proc = tgs_mem_alloc(n, sizeof *proc);
    tgs_i_clustering k = {.c = c, .v = v, .wbar = wbar, .w = w, .of = of};
    int32_t merge = 0;
    tgs_status status = TGS_OK;

    if (!wbar || !rank || !w || !of || !proc)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the clusters of %d tasks", v->n);
    if (!status)
        status = tgs_i_choice(c, "merge", "glb|lpt|comm", &merge, err);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    if (status)
        goto done;
    tgs_i_rank_up(v, wbar, true, rank);
    snap(&k, rank, w);
    for (int32_t j = 0; j < v->n; j++)
        of[j] = j;
    status = rule(&k, err);
    if (!status)
        status = tgs_i_cluster_merge(&k, (tgs_i_merge)merge, proc, err);
    if (status)
        goto done;
    if (!k.levels || !v->homogeneous)
        rank_mapped(v, wbar, proc, rank);
    status = tgs_i_list_by_priority(
        c, plan, &(tgs_i_rule){.key = TGS_I_EFT, .insert = true, .prefer = proc}, rank, err);
done:
    tgs_mem_free(wbar);
    tgs_mem_free(rank);
    tgs_mem_free(w);
    tgs_mem_free(of);
    tgs_mem_free(proc);
    return status;
}
