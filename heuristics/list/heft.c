/* heft.c -- HEFT, heterogeneous earliest finish time.
 *
 * H. Topcuoglu, S. Hariri, M.-Y. Wu, "Performance-effective and low-complexity task scheduling for
 * heterogeneous computing", IEEE TPDS 13(3), 2002.
 *
 * Tasks by non-increasing upward rank, each on the processor of its earliest finish time, into the
 * earliest gap that fits.  A topological order even with weights of zero, since ties go by
 * canonical position.  O(e (p + memories) + n p log n).
 *
 * Beyond the paper: other means of the times of a task (weights), appending (slot). */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    double *wbar = tgs_mem_alloc((size_t)v->n, sizeof *wbar);
    double *rank_u = tgs_mem_alloc((size_t)v->n, sizeof *rank_u);
    int32_t *order = tgs_mem_alloc((size_t)v->n, sizeof *order);
    int32_t mean = 0, append = 0;
    tgs_status status = TGS_OK;

    if (!wbar || !rank_u || !order)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ranks of %d tasks", v->n);
    if (!status)
        status = tgs_i_choice(c, "weights", TGS_I_MEANS, &mean, err);
    if (!status)
        status = tgs_i_choice(c, "slot", "insert|append", &append, err);
    if (!status)
        status = tgs_i_weights(v, (tgs_i_mean)mean, wbar, err);
    if (!status) {
        tgs_i_rank_up(v, wbar, true, rank_u);
        status = tgs_i_sort(v, rank_u, NULL, order, err);
    }
    tgs_mem_free(wbar);
    tgs_mem_free(rank_u);
    if (!status)
        status = tgs_i_list_static(c, plan, &(tgs_i_rule){.key = TGS_I_EFT, .insert = !append},
                                   order, err);
    tgs_mem_free(order);
    return status;
}

static const tgs_param params[] = {
    {"weights", "mean", TGS_PARAM_TEXT, 0, 0, "time of a task in its rank: " TGS_I_MEANS},
    {"slot", "insert", TGS_PARAM_TEXT, 0, 0, "insert (into gaps) or append"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_heft = {
    .base = {TGS_PLUGIN_ABI, "heft", "upward rank, earliest finish time, insertion",
             "Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002", params},
    .run = run,
};
