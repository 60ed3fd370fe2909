/* hlfet.c -- HLFET, highest level first with estimated times.
 *
 * T. L. Adam, K. M. Chandy, J. R. Dickson, "A comparison of list schedules for parallel processing
 * systems", CACM 17(12), 1974.
 *
 * Of the ready tasks the one of the largest static level, behind the last task of the processor
 * where it starts first.  The paper's processors are equal; on unequal ones the level is over the
 * mean times, and by=finish takes the earliest finish instead.  O(e memories + n (p + log n)). */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    double *wbar = tgs_mem_alloc((size_t)v->n, sizeof *wbar);
    double *level = tgs_mem_alloc((size_t)v->n, sizeof *level);
    int32_t finish = 0;
    tgs_status status = TGS_OK;

    if (!wbar || !level)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the levels of %d tasks", v->n);
    if (!status)
        status = tgs_i_choice(c, "by", "start|finish", &finish, err);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    if (!status) {
        tgs_i_rank_up(v, wbar, false, level);
        status = tgs_i_list_by_priority(
            c, plan, &(tgs_i_rule){.key = finish ? TGS_I_EFT : TGS_I_EST}, level, err);
    }
    tgs_mem_free(wbar);
    tgs_mem_free(level);
    return status;
}

static const tgs_param params[] = {
    {"by", "start", TGS_PARAM_TEXT, 0, 0, "start (the paper's) or finish"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_hlfet = {
    .base = {TGS_PLUGIN_ABI, "hlfet",
             "the ready task of the largest static level, where it starts first",
             "Adam, Chandy, Dickson, CACM 17(12), 1974", params},
    .run = run,
};
