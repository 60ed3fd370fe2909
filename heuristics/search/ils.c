/* ils.c -- iterated local search on the disjunctive graph.
 *
 * After H. R. Lourenco, O. C. Martin, T. Stuetzle, "Iterated local search", Handbook of
 * Metaheuristics, Kluwer, 2003; the neighbourhood after M. Mastrolilli, L. M. Gambardella,
 * "Effective neighbourhood functions for the flexible job shop problem", Journal of Scheduling 3,
 * 2000.
 *
 * A descent takes out critical tasks one at a time, in random order, and puts each back where the
 * makespan is shortest and then the longest path through it; that is done when the path is shorter
 * than the makespan, so that each step shortens the schedule or leaves fewer paths critical.  When
 * no task has such a place, a kick moves some tasks at random, half of them critical, from wherever
 * the descent ended; after PATIENCE descents in a row that ended worse than the one before, the
 * search goes back to the best.
 *
 * A step takes O(n + e) to take a task out and O(1) for each position.  Where links contend each
 * step is played, and taken when that is shorter (core.h). */
#include "core.h"

#define PATIENCE 20

static tgs_status chain(tgs_i_chain *x, tgs_error *err)
{
    double last = x->now.makespan; /* of the descent before */
    int32_t failures = 0;

    (void)err;
    while (!x->spent) {
        tgs_i_descend(x);
        tgs_i_keep(x);
        failures = x->now.makespan <= last ? 0 : failures + 1;
        if (failures == PATIENCE) {
            tgs_i_solution_copy(&x->now, &x->best, x->v);
            failures = 0;
        }
        last = x->now.makespan;
        if (!x->spent)
            tgs_i_shake(x, (int32_t)tgs_rng_int(&x->rng, 2, 5));
    }
    return TGS_OK;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_search_run(c, plan, chain, err);
}

static const tgs_param params[] = {
    TGS_I_SEARCH_PARAMS("200000"),
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_ils = {
    .base = {TGS_PLUGIN_ABI, "ils", "iterated local search: critical tasks to better places",
             "after Lourenco, Martin, Stuetzle, Handbook of Metaheuristics, 2003; Mastrolilli, "
             "Gambardella, J. Scheduling 3, 2000",
             params},
    .run = run,
};
