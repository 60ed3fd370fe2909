/* etf.c -- ETF, earliest task first.
 *
 * J.-J. Hwang, Y.-C. Chow, F. D. Anger, C.-Y. Lee, "Scheduling precedence graphs in systems with
 * interprocessor communication times", SIAM J. Comput. 18(2), 1989.
 *
 * Each step takes the pair of a ready task and a processor with the earliest start, ties by the
 * larger static level, and appends.  The paper's processors are equal; on unequal ones the level is
 * over the mean times, and by=finish takes the earliest finish instead.  Tasks whose data lie
 * everywhere are found in O(k log n), k types of processors (landed.c); of the others, W, all are
 * looked at: O(n (W + p + k log n)), plus what must be looked at again, at worst O(n W p). */
#include "core.h"

static double earliest(const tgs_i_pairs *pairs, int32_t task, const tgs_i_pick *best)
{
    (void)pairs, (void)task;
    return -best->key;
}

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
        status =
            tgs_i_list_by_pairs(c, plan, &(tgs_i_rule){.key = finish ? TGS_I_EFT : TGS_I_EST},
                                &(tgs_i_pairs){.slope = -1, .score = earliest, .tie = level}, err);
    }
    tgs_mem_free(wbar);
    tgs_mem_free(level);
    return status;
}

static const tgs_param params[] = {
    {"by", "start", TGS_PARAM_TEXT, 0, 0, "start (the paper's) or finish"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_etf = {
    .base = {TGS_PLUGIN_ABI, "etf", "the ready task that can start first",
             "Hwang, Chow, Anger, Lee, SIAM J. Comput. 18(2), 1989", params},
    .run = run,
};
