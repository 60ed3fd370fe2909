/* mct.c -- MCT, minimum completion time.
 *
 * T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent
 * tasks onto heterogeneous distributed computing systems", J. Parallel Distrib. Comput. 61(6),
 * 2001.
 *
 * Tasks in canonical topological order, each behind the last task of the processor where it
 * completes first.  O(e memories + n p). */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_list_static(c, plan, &(tgs_i_rule){.key = TGS_I_EFT}, c->v->g->topo, err);
}

const tgs_heuristic tgs_heuristic_mct = {
    .base = {TGS_PLUGIN_ABI, "mct", "in graph order, where it completes first",
             "Braun et al., JPDC 61(6), 2001", NULL},
    .run = run,
};
