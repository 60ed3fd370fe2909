/* hlp.c -- HLP: kinds by a linear program (allocate.c), then list scheduling: of the ready tasks
 * the one that can start first, where it can start first.
 *
 * Ties by the larger rank with the times of the chosen kinds.  The linear program, and
 * O(n (W + p)), W the width of the ready list. */
#include "../list/core.h"
#include "hlp.h"

static double earliest(const tgs_i_pairs *pairs, int32_t task, const tgs_i_pick *best)
{
    (void)pairs, (void)task;
    return -best->key;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    double *wbar = tgs_mem_alloc((size_t)c->v->n, sizeof *wbar);
    double *rank = tgs_mem_alloc((size_t)c->v->n, sizeof *rank);
    double *time = NULL, bound = 0;
    tgs_ctx inner = *c;
    tgs_view view;
    tgs_status status = TGS_OK;

    if (!wbar || !rank)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ranks of %d tasks", c->v->n);
    if (!status)
        status = tgs_i_hlp_allocate(c, &view, &time, &bound, err);
    inner.v = &view;
    if (!status)
        status = tgs_i_weights(&view, TGS_I_MEAN, wbar, err);
    if (!status) {
        tgs_i_rank_up(&view, wbar, true, rank);
        status = tgs_i_list_by_pairs(&inner, plan, &(tgs_i_rule){.key = TGS_I_EST},
                                     &(tgs_i_pairs){.score = earliest, .tie = rank}, err);
    }
    if (!status)
        tgs_i_hlp_tell(plan, c->v, bound);
    tgs_mem_free(time);
    tgs_mem_free(wbar);
    tgs_mem_free(rank);
    return status;
}

const tgs_heuristic tgs_heuristic_hlp = {
    .base = {TGS_PLUGIN_ABI, "hlp", "kinds by a linear program, then what can start first",
             "Kedad-Sidhoum, Monna, Trystram, IPDPSW 2015", tgs_i_hlp_params},
    .run = run,
};
