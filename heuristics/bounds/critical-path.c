/* critical-path.c -- the longest path of least task times, without communication.
 *
 *     C(j) = max(release(j), max over predecessors u of C(u)) + min over p of w(j, p)
 *
 * Valid whatever the links do, and when tasks are duplicated.  O(n p + e). */
#include "tgsched/plugin.h"

static double least_time(const tgs_view *v, int32_t task)
{
    double least = INFINITY;

    for (int32_t p = 0; p < v->m; p++)
        least = fmin(least, tgs_w(v, task, p));
    return least;
}

static tgs_status run(const tgs_ctx *c, double *bound, tgs_error *err)
{
    const tgs_view *v = c->v;
    const tgs_graph_view *g = v->g;
    double *C = tgs_mem_alloc((size_t)v->n, sizeof *C);
    double longest = 0;

    if (!C)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d tasks", v->n);
    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = g->topo[i], k = g->task[j].constraint;
        double ready = k < 0 ? 0 : g->constraint[k].release;

        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++)
            ready = C[g->pred[e]] > ready ? C[g->pred[e]] : ready;
        C[j] = ready + least_time(v, j);
        longest = C[j] > longest ? C[j] : longest;
    }
    tgs_mem_free(C);
    *bound = longest;
    return TGS_OK;
}

const tgs_bound_plugin tgs_bound_critical_path = {
    .base = {TGS_PLUGIN_ABI, "critical-path", "longest path of least task times", NULL, NULL},
    .model = "any graph, platform and link model, with duplication",
    .duplication = true,
    .run = run,
};
