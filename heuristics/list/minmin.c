/* minmin.c -- Min-Min on the ready tasks.
 *
 * T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent
 * tasks onto heterogeneous distributed computing systems", J. Parallel Distrib. Comput. 61(6),
 * 2001.
 *
 * Each step takes the pair of a ready task and a processor with the earliest completion time ECT,
 * and appends.  The paper's tasks are independent; for a graph the ready tasks are either followed
 * after every step (dynamic) or emptied first (batch).  Tasks whose data lie everywhere are
 * found in O(k log n), k types of processors (landed.c); of the others, W, all are looked at:
 * O(n (W + p + k log n)), plus what must be looked at again, at worst O(n W p). */
#include "core.h"

static double earliest(const tgs_i_pairs *pairs, int32_t task, const tgs_i_pick *best)
{
    (void)pairs, (void)task;
    return -best->key;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    int32_t batch = 0;
    tgs_status status = tgs_i_choice(c, "ready", "dynamic|batch", &batch, err);

    if (!status)
        status = tgs_i_list_by_pairs(c, plan, &(tgs_i_rule){.key = TGS_I_EFT},
                                     &(tgs_i_pairs){.slope = -1, .score = earliest, .batch = batch},
                                     err);
    return status;
}

static const tgs_param params[] = {
    {"ready", "dynamic", TGS_PARAM_TEXT, 0, 0,
     "dynamic, or batch: the ready tasks are placed before others become ready"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_minmin = {
    .base = {TGS_PLUGIN_ABI, "minmin", "the ready task that can complete first",
             "Braun et al., JPDC 61(6), 2001", params},
    .run = run,
};
