/* maxmin.c -- Max-Min on the ready tasks.
 *
 * T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent
 * tasks onto heterogeneous distributed computing systems", J. Parallel Distrib. Comput. 61(6),
 * 2001.
 *
 * Each step takes the ready task whose earliest completion time ECT is the latest, on the processor
 * where it has it, and appends.  The paper's tasks are independent; for a graph the ready tasks are
 * either followed after every step (dynamic) or emptied first (batch).  Tasks whose data lie
 * everywhere are found in a tree (landed.c, landtree.c); of the others, W, all are looked at:
 * O(n (W + p)) and the searches, plus what must be looked at again, at worst O(n W p). */
#include "core.h"

static double latest(const tgs_i_pairs *pairs, int32_t task, const tgs_i_pick *best)
{
    (void)pairs, (void)task;
    return best->key;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    int32_t batch = 0;
    tgs_status status = tgs_i_choice(c, "ready", "dynamic|batch", &batch, err);

    if (!status)
        status =
            tgs_i_list_by_pairs(c, plan, &(tgs_i_rule){.key = TGS_I_EFT},
                                &(tgs_i_pairs){.slope = 1, .score = latest, .batch = batch}, err);
    return status;
}

static const tgs_param params[] = {
    {"ready", "dynamic", TGS_PARAM_TEXT, 0, 0,
     "dynamic, or batch: the ready tasks are placed before others become ready"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_maxmin = {
    .base = {TGS_PLUGIN_ABI, "maxmin", "the ready task whose earliest completion is the latest",
             "Braun et al., JPDC 61(6), 2001", params},
    .run = run,
};
