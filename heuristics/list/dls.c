/* dls.c -- DLS, dynamic level scheduling.
 *
 * G. C. Sih, E. A. Lee, "A compile-time scheduling heuristic for interconnection-constrained
 * heterogeneous processor architectures", IEEE TPDS 4(2), 1993.
 *
 * SL(j) is the static level over the median times E*(j), without communication.  Each step takes
 * the pair of a ready task and a processor with the largest dynamic level, and appends:
 *
 *     DL(j, p) = SL(j) - max(DA(j, p), TF(p)) + Delta(j, p),   Delta(j, p) = E*(j) - w(j, p)
 *
 * For one task max(DA, TF) + w is its EFT, so its best processor is that of the earliest finish,
 * and DL = SL + E* - EFT.  Tasks whose data lie everywhere are found in O(k log n), k types of
 * processors (landed.c); of the others, W, all are looked at: O(n (W + p + k log n)), plus what
 * must be looked at again, at worst O(n W p). */
#include "core.h"

static double dynamic_level(const tgs_i_pairs *pairs, int32_t task, const tgs_i_pick *best)
{
    return pairs->level[task] - best->key;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    double *median = tgs_mem_alloc((size_t)v->n, sizeof *median);
    double *level = tgs_mem_alloc((size_t)v->n, sizeof *level);
    tgs_status status = TGS_OK;

    if (!median || !level)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the levels of %d tasks", v->n);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEDIAN, median, err);
    if (!status) {
        tgs_i_rank_up(v, median, false, level);
        for (int32_t j = 0; j < v->n; j++)
            level[j] += median[j]; /* SL + E* */
        status = tgs_i_list_by_pairs(
            c, plan, &(tgs_i_rule){.key = TGS_I_EFT},
            &(tgs_i_pairs){.slope = -1, .score = dynamic_level, .level = level}, err);
    }
    tgs_mem_free(median);
    tgs_mem_free(level);
    return status;
}

const tgs_heuristic tgs_heuristic_dls = {
    .base = {TGS_PLUGIN_ABI, "dls", "the pair of ready task and processor of largest dynamic level",
             "Sih, Lee, IEEE TPDS 4(2), 1993", NULL},
    .run = run,
};
