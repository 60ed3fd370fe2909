/* sufferage.c -- Sufferage on the ready tasks.
 *
 * M. Maheswaran et al., "Dynamic mapping of a class of independent tasks onto heterogeneous
 * computing systems", J. Parallel Distrib. Comput. 59(2), 1999.
 *
 * Each step takes the ready task that would suffer most from its second best processor: the largest
 * difference of its two earliest completion times.  A task without a second one goes first.  The
 * paper's rounds give each processor at most one task; here each step places one task.  For a graph
 * the ready tasks are either followed after every step (dynamic) or emptied first (batch).
 * O(n (W t + p)), W the width of the ready list and t the types of processors, where data lie
 * everywhere before a processor is idle; of other tasks what must be looked at again: at worst
 * O(n W p). */
#include "core.h"

static double suffers(const tgs_i_pairs *pairs, int32_t task, const tgs_i_pick *best)
{
    (void)pairs, (void)task;
    return best->next_key - best->key;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    int32_t batch = 0;
    tgs_status status = tgs_i_choice(c, "ready", "dynamic|batch", &batch, err);

    if (!status)
        status = tgs_i_list_by_pairs(
            c, plan, &(tgs_i_rule){.key = TGS_I_EFT},
            &(tgs_i_pairs){.score = suffers, .second = true, .batch = batch}, err);
    return status;
}

static const tgs_param params[] = {
    {"ready", "dynamic", TGS_PARAM_TEXT, 0, 0,
     "dynamic, or batch: the ready tasks are placed before others become ready"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_sufferage = {
    .base = {TGS_PLUGIN_ABI, "sufferage",
             "the ready task that loses most on its second best processor",
             "Maheswaran et al., JPDC 59(2), 1999", params},
    .run = run,
};
