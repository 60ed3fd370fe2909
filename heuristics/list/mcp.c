/* mcp.c -- MCP, modified critical path.
 *
 * M.-Y. Wu, D. D. Gajski, "Hypertool: a programming aid for message-passing systems", IEEE TPDS
 * 1(3), 1990.
 *
 * Tasks by ascending ALAP(j) = CP - rank_u(j); the paper breaks ties by the ascending list of the
 * ALAPs of all descendants.  Here that list is cut after its first element, the smallest ALAP of
 * the successors (no later descendant has a smaller one), which keeps the sort linear.  Each goes
 * into the earliest gap; on unequal processors that of the earliest finish, which on equal ones is
 * that of the earliest start.  O(e (p + memories) + n p log n). */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    const tgs_graph_view *g = v->g;
    double *wbar = tgs_mem_alloc((size_t)v->n, sizeof *wbar);
    double *rank_u = tgs_mem_alloc((size_t)v->n, sizeof *rank_u);
    double *next = tgs_mem_alloc((size_t)v->n, sizeof *next);
    int32_t *order = tgs_mem_alloc((size_t)v->n, sizeof *order);
    tgs_status status = TGS_OK;

    if (!wbar || !rank_u || !next || !order)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ranks of %d tasks", v->n);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    if (status)
        goto done;
    tgs_i_rank_up(v, wbar, true, rank_u); /* ascending ALAP is descending rank_u */
    for (int32_t j = 0; j < v->n; j++)
        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++)
            next[j] = rank_u[g->succ[k]] > next[j] ? rank_u[g->succ[k]] : next[j];
    status = tgs_i_sort(v, rank_u, next, order, err);
    if (!status)
        status =
            tgs_i_list_static(c, plan, &(tgs_i_rule){.key = TGS_I_EFT, .insert = true}, order, err);
done:
    tgs_mem_free(wbar);
    tgs_mem_free(rank_u);
    tgs_mem_free(next);
    tgs_mem_free(order);
    return status;
}

const tgs_heuristic tgs_heuristic_mcp = {
    .base = {TGS_PLUGIN_ABI, "mcp", "latest possible start, earliest finish time, insertion",
             "Wu, Gajski, IEEE TPDS 1(3), 1990", NULL},
    .run = run,
};
