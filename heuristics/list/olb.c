/* olb.c -- OLB, opportunistic load balancing.
 *
 * T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent
 * tasks onto heterogeneous distributed computing systems", J. Parallel Distrib. Comput. 61(6),
 * 2001.
 *
 * Tasks in canonical topological order, each on the processor that is free first, however slowly
 * that runs it.  O(e memories + n p). */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_list_static(c, plan, &(tgs_i_rule){.key = TGS_I_FREE}, c->v->g->topo, err);
}

const tgs_heuristic tgs_heuristic_olb = {
    .base = {TGS_PLUGIN_ABI, "olb", "in graph order, on the processor that is free first",
             "Braun et al., JPDC 61(6), 2001", NULL},
    .run = run,
};
