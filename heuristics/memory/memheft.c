/* memheft.c -- MemHEFT: HEFT in limited memories.
 *
 * J. Herrmann, L. Marchal, Y. Robert, "Memory-aware list scheduling for hybrid platforms", IPDPS
 * workshops 2014.
 *
 * Tasks by non-increasing upward rank among those that are ready, each on the processor of its
 * earliest finish time, which is not before its inputs, its outputs and what travels have room. One
 * that fits nowhere lets the others go first until something is given back.
 *
 * Beyond the paper: any number of memories, gaps of the processors are filled, and when no ready
 * task fits, versions that are not needed soon move to another memory (core.h).
 * O((n processors + edges) log n), and as often as much again as tasks have to wait. */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_i_room_rule rule = {.finish = true};
    double *level;
    tgs_status status = tgs_i_rooms_levels(c->v, true, &level, err);

    if (!status)
        status = tgs_i_rooms_run(c, plan, &rule, level, level, true, err);
    tgs_mem_free(level);
    return status;
}

const tgs_heuristic tgs_heuristic_memheft = {
    .base = {TGS_PLUGIN_ABI, "memheft", "HEFT that keeps to the capacities of the memories",
             "Herrmann, Marchal, Robert, IPDPS workshops 2014", NULL},
    .run = run,
};
