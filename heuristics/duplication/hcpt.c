/* hcpt.c -- HCPT, heterogeneous critical parent trees.
 *
 * T. Hagras, J. Janecek, "A simple scheduling heuristic for heterogeneous computing environments",
 * ISPDC 2003.
 *
 * Critical tasks have no room between their average earliest and latest start; they are listed in
 * time, each behind those of its parents that are not listed yet.  A task goes where it ends first,
 * into a gap if there is one.  HCPFD without its copies.  O(e (memories + log n) + n p log n). */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_critical_parents(c, plan, false, err);
}

const tgs_heuristic tgs_heuristic_hcpt = {
    .base = {TGS_PLUGIN_ABI, "hcpt", "critical tasks behind their parents, earliest finish time",
             "Hagras, Janecek, ISPDC 2003", NULL},
    .run = run,
};
