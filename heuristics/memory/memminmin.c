/* memminmin.c -- MemMinMin: Min-Min in limited memories.
 *
 * J. Herrmann, L. Marchal, Y. Robert, "Memory-aware list scheduling for hybrid platforms", IPDPS
 * workshops 2014.
 *
 * Each step takes the pair of a ready task and a processor with the earliest finish time, which is
 * not before its inputs, its outputs and what travels have room; it appends.  Times are looked up
 * again when a task's turn comes, not after every step (core.h), so this is
 * O((n processors + edges) log n) times how often a task is looked at. */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_i_room_rule rule = {.finish = true};
    double *level;
    tgs_status status = tgs_i_rooms_levels(c->v, true, &level, err);

    if (!status)
        status = tgs_i_rooms_run(c, plan, &rule, NULL, level, false, err);
    tgs_mem_free(level);
    return status;
}

const tgs_heuristic tgs_heuristic_memminmin = {
    .base = {TGS_PLUGIN_ABI, "memminmin", "Min-Min that keeps to the capacities of the memories",
             "Herrmann, Marchal, Robert, IPDPS workshops 2014", NULL},
    .run = run,
};
