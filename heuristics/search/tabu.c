/* tabu.c -- tabu search on the disjunctive graph.
 *
 * F. Glover, "Future paths for integer programming and links to artificial intelligence", Computers
 * and Operations Research 13, 1986; for schedules after M. Dell'Amico, M. Trubian, "Applying tabu
 * search to the job-shop scheduling problem", Annals of Operations Research 41, 1993.
 *
 * Each step moves the critical task that can go to the best place, better or worse, of at most
 * `width` critical tasks chosen at random.  It may not return to the processor it has left (nor
 * move again on it) for 10 to 20 steps, unless that gives the shortest schedule so far.  After
 * `patience` steps without one, the search goes on from a kicked copy of the best.
 *
 * A step takes O(width (n + e)) and O(1) for each position; memory O(n m) for what is tabu. */
#include "core.h"

#define LEAST 10 /* steps that a move is tabu for */
#define MOST  20

typedef struct taboo {
    int64_t *until;     /* [task * m + proc] */
    int64_t step, last; /* last: of the latest improvement */
} taboo;

static bool allowed(const tgs_i_chain *x, const taboo *t, const tgs_i_move *move)
{
    return t->until[(int64_t)move->task * x->v->m + move->proc] <= t->step
           || move->makespan < x->best.makespan;
}

/* the best allowed move of a task; as tgs_i_best_of_task */
static tgs_i_move best_allowed(tgs_i_chain *x, const taboo *t, int32_t task)
{
    const int32_t m = x->v->m, turn = (int32_t)tgs_rng_int(&x->rng, 0, m - 1);
    tgs_i_move best = {.task = -1, .through = INFINITY, .makespan = INFINITY};

    tgs_i_lift(x, task);
    for (int32_t k = 0; k < m && !x->spent; k++) {
        const int32_t p = (k + turn) % m;
        const tgs_i_move move = tgs_i_may(x, p) ? tgs_i_best_move(x, p) : best;

        if (tgs_i_better(&move, &best) && allowed(x, t, &move))
            best = move;
    }
    return best;
}

/* false: there is no move */
static bool step(tgs_i_chain *x, taboo *t, int32_t width)
{
    const int32_t count = tgs_i_critical(x, &x->now);
    tgs_i_move best = {.task = -1, .through = INFINITY, .makespan = INFINITY};
    int32_t from;

    for (int32_t i = 0; i < count && i < width && !x->spent; i++) {
        const int32_t other = (int32_t)tgs_rng_int(&x->rng, i, count - 1), j = x->list[other];
        tgs_i_move move;

        x->list[other] = x->list[i];
        x->list[i] = j;
        move = best_allowed(x, t, j);
        if (tgs_i_better(&move, &best))
            best = move;
    }
    if (best.task < 0)
        return false;
    from = x->now.proc[best.task];
    if (!tgs_i_apply(x, &best))
        return false;
    t->until[(int64_t)best.task * x->v->m + from] = t->step + tgs_rng_int(&x->rng, LEAST, MOST);
    return true;
}

static tgs_status chain(tgs_i_chain *x, tgs_error *err)
{
    const tgs_args *args = x->search->c->args;
    const int32_t width = (int32_t)tgs_arg_int(args, "width");
    const int64_t patience = tgs_arg_int(args, "patience");
    taboo t = {0};

    t.until = tgs_mem_alloc((size_t)x->v->n * (size_t)x->v->m, sizeof *t.until);
    if (!t.until)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for what is tabu");
    for (; !x->spent; t.step++) {
        const double best = x->best.makespan;
        const bool moved = step(x, &t, width);

        tgs_i_keep(x);
        if (x->best.makespan < best)
            t.last = t.step;
        if (!x->spent && (!moved || t.step - t.last >= patience)) {
            if (moved)
                tgs_i_solution_copy(&x->now, &x->best, x->v);
            tgs_i_shake(x, (int32_t)tgs_rng_int(&x->rng, 2, 5));
            t.last = t.step;
        }
    }
    tgs_mem_free(t.until);
    return TGS_OK;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_search_run(c, plan, chain, err);
}

static const tgs_param params[] = {
    TGS_I_SEARCH_PARAMS("200000"),
    {"width", "4", TGS_PARAM_INT, 1, 1e9, "critical tasks looked at in a step"},
    {"patience", "200", TGS_PARAM_INT, 1, 1e12, "steps without a better schedule before a kick"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_tabu = {
    .base = {TGS_PLUGIN_ABI, "tabu", "tabu search: the best move that was not undone lately",
             "Glover, Computers and Operations Research 13, 1986; after Dell'Amico, Trubian, "
             "Annals of OR 41, 1993",
             params},
    .run = run,
};
