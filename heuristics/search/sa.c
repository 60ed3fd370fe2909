/* sa.c -- simulated annealing on the disjunctive graph.
 *
 * S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science 220,
 * 1983; moves after P. J. M. van Laarhoven, E. H. L. Aarts, J. K. Lenstra, "Job shop scheduling by
 * simulated annealing", Operations Research 40, 1992: only critical tasks.
 *
 * A step takes out a critical task and looks at any place where it may go; a schedule that is
 * longer by D is taken with probability exp(-D / T).  T falls geometrically with the evaluations
 * used, from `hot` to `cold` times the makespan of the beginning: a search that a limit in seconds
 * ends has not cooled down.  A step takes O(n + e). */
#include "core.h"

#define ANY                                                                             \
    4 /* one task in so many need not be critical: there are schedules that no moves of \
         critical tasks lead away from */

typedef struct annealing {
    double hot, ratio; /* the first temperature; log(last / first) */
} annealing;

static bool takes(tgs_i_chain *x, const annealing *a, double more)
{
    const double used = (double)(x->decodes + x->estimates) / (double)x->limit;
    const double heat = a->hot * tgs_exp(a->ratio * used);

    return more <= 0 || (heat > 0 && tgs_rng_real(&x->rng) < tgs_exp(-more / heat));
}

/* true: now has changed */
static bool step(tgs_i_chain *x, const annealing *a, int32_t task)
{
    const int32_t proc = (int32_t)tgs_rng_int(&x->rng, 0, x->v->m - 1);
    const double before = x->now.makespan;
    tgs_i_move move;

    tgs_i_lift(x, task);
    if (tgs_i_may(x, proc)) {
        move = tgs_i_any_move(x, proc);
        if (!(move.makespan < INFINITY))
            return false;
        if (!x->search->contends) /* the estimate is exact */
            return takes(x, a, move.makespan - before) && tgs_i_apply(x, &move);
        if (!tgs_i_apply(x, &move))
            return false;
    } else if (x->search->leader[task] < 0 || !tgs_i_move_group(x, task, proc)) {
        return false;
    }
    if (x->now.makespan < INFINITY && takes(x, a, x->now.makespan - before))
        return true;
    tgs_i_move_back(x);
    return false;
}

static tgs_status chain(tgs_i_chain *x, tgs_error *err)
{
    const tgs_args *args = x->search->c->args;
    const double hot = tgs_arg_real(args, "hot"), cold = tgs_arg_real(args, "cold");
    const annealing a = {hot * x->now.makespan, tgs_log(cold / hot)};
    int32_t count = tgs_i_critical(x, &x->now);

    (void)err;
    while (!x->spent) {
        const bool any = !tgs_rng_int(&x->rng, 0, ANY - 1);
        const int32_t task = any ? (int32_t)tgs_rng_int(&x->rng, 0, x->v->n - 1)
                                 : x->list[tgs_rng_int(&x->rng, 0, count - 1)];

        if (!step(x, &a, task))
            continue;
        tgs_i_keep(x);
        count = tgs_i_critical(x, &x->now);
    }
    return TGS_OK;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_search_run(c, plan, chain, err);
}

static const tgs_param params[] = {
    TGS_I_SEARCH_PARAMS("200000"),
    {"hot", "0.1", TGS_PARAM_REAL, 1e-9, 1e9, "the first temperature, in makespans"},
    {"cold", "0.0002", TGS_PARAM_REAL, 1e-9, 1e9, "the last temperature, in makespans"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_sa = {
    .base = {TGS_PLUGIN_ABI, "sa", "simulated annealing: critical tasks to any place",
             "Kirkpatrick, Gelatt, Vecchi, Science 220, 1983; after van Laarhoven, Aarts, Lenstra, "
             "Operations Research 40, 1992",
             params},
    .run = run,
};
