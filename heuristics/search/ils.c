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
 * A step takes O(n + e) to take a task out and O(1) for each position. */
#include "core.h"

#define PATIENCE 20

/* one task to a better place; false: now is a local optimum, or the budget is used up */
static bool improve(tgs_i_chain *x)
{
    const int32_t m = x->v->m, count = tgs_i_critical(x, &x->now);

    for (int32_t i = 0; i < count && !x->spent; i++) {
        const int32_t other = (int32_t)tgs_rng_int(&x->rng, i, count - 1), j = x->list[other];
        const int32_t turn = (int32_t)tgs_rng_int(&x->rng, 0, m - 1);
        tgs_i_move best = {.task = -1, .through = INFINITY, .makespan = INFINITY};

        x->list[other] = x->list[i];
        x->list[i] = j;
        tgs_i_lift(x, j);
        for (int32_t k = 0; k < m && !x->spent; k++) {
            const int32_t p = (k + turn) % m;
            const tgs_i_move move = tgs_i_may(x, p) ? tgs_i_best_move(x, p) : best;

            if (tgs_i_better(&move, &best))
                best = move;
        }
        if (best.task >= 0 && tgs_i_improves(x, &best) && tgs_i_apply(x, &best))
            return true;
    }
    return false;
}

/* moves two to five tasks of now; goes back to the best where that gives no schedule */
static void kick(tgs_i_chain *x)
{
    const tgs_view *v = x->v;
    const int32_t count = tgs_i_critical(x, &x->now), moves = (int32_t)tgs_rng_int(&x->rng, 2, 5);

    tgs_i_arrange(x, &x->now);
    for (int32_t i = 0; i < moves; i++) {
        const bool critical = tgs_rng_int(&x->rng, 0, 1);
        const int32_t j = critical ? x->list[tgs_rng_int(&x->rng, 0, count - 1)]
                                   : (int32_t)tgs_rng_int(&x->rng, 0, v->n - 1);
        int32_t first, last;

        if (!tgs_i_assign(x, &x->now, j, (int32_t)tgs_rng_int(&x->rng, 0, v->m - 1)))
            continue;
        tgs_i_range(v, &x->now, j, &first, &last);
        tgs_i_put(&x->now, j, (int32_t)tgs_rng_int(&x->rng, first, last));
    }
    tgs_i_decode(x, &x->now);
    if (!(x->now.makespan < INFINITY))
        tgs_i_solution_copy(&x->now, &x->best, v);
}

static tgs_status chain(tgs_i_chain *x, tgs_error *err)
{
    double last = x->now.makespan; /* of the descent before */
    int32_t failures = 0;

    (void)err;
    while (!x->spent) {
        while (improve(x))
            ;
        tgs_i_keep(x);
        failures = x->now.makespan <= last ? 0 : failures + 1;
        if (failures == PATIENCE) {
            tgs_i_solution_copy(&x->now, &x->best, x->v);
            failures = 0;
        }
        last = x->now.makespan;
        if (!x->spent)
            kick(x);
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
