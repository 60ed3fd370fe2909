/* hcpfd.c -- HCPFD, heterogeneous critical parents with fast duplicator.
 *
 * T. Hagras, J. Janecek, "A high performance, low complexity algorithm for compile-time task
 * scheduling in heterogeneous systems", Parallel Computing 31(7), 2005.
 *
 * The list is that of HCPT.  A task goes where it ends first, when on each processor the parent
 * whose data come last, the critical one, may run once more in a gap, if the task starts earlier
 * so.  O(e (memories^2 + log n) + n p log n), times the copies of a parent. */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_critical_parents(c, plan, true, err);
}

const tgs_heuristic tgs_heuristic_hcpfd = {
    .base = {TGS_PLUGIN_ABI, "hcpfd",
             "HCPT, where the parent whose data come last may run again in a gap",
             "Hagras, Janecek, Parallel Computing 31(7), 2005", NULL},
    .run = run,
};
