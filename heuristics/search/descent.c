/* descent.c -- what methods do with moves: the best of a task, groups, descents, kicks. */
#include "core.h"

tgs_i_move tgs_i_best_of_task(tgs_i_chain *x, int32_t task)
{
    const int32_t m = x->v->m, turn = (int32_t)tgs_rng_int(&x->rng, 0, m - 1);
    tgs_i_move best = {.task = -1, .through = INFINITY, .makespan = INFINITY};

    tgs_i_lift(x, task);
    for (int32_t k = 0; k < m && !x->spent; k++) { /* of equal ones any, not always the first */
        const int32_t p = (k + turn) % m;
        const tgs_i_move move = tgs_i_may(x, p) ? tgs_i_best_move(x, p) : best;

        if (tgs_i_better(&move, &best))
            best = move;
    }
    return best;
}

bool tgs_i_move_group(tgs_i_chain *x, int32_t task, int32_t proc)
{
    tgs_i_solution_copy(&x->spare, &x->now, x->v);
    if (!tgs_i_assign(x, &x->now, task, proc))
        return false;
    tgs_i_decode(x, &x->now);
    return true;
}

void tgs_i_move_back(tgs_i_chain *x)
{
    const tgs_i_solution swap = x->now;

    x->now = x->spare;
    x->spare = swap;
}

/* the group of a critical task to another memory, if that is shorter */
static bool improve_group(tgs_i_chain *x, int32_t task)
{
    const tgs_proc *p = x->v->p->proc;
    const double before = x->now.makespan;
    const int32_t to = (int32_t)tgs_rng_int(&x->rng, 0, x->v->m - 1);

    if (x->search->leader[task] < 0 || p[to].memory == p[x->now.proc[task]].memory
        || !tgs_i_move_group(x, task, to))
        return false;
    if (x->now.makespan < before)
        return true;
    tgs_i_move_back(x);
    return false;
}

/* does a move that ought to be better; where links contend it may turn out not to be */
static bool better_there(tgs_i_chain *x, const tgs_i_move *move)
{
    const double before = x->now.makespan;

    if (move->task < 0 || !tgs_i_improves(x, move) || !tgs_i_apply(x, move))
        return false;
    if (!x->search->contends || x->now.makespan < before)
        return true;
    tgs_i_move_back(x);
    return false;
}

/* one task to a better place; false: now is a local optimum, or the budget is used up */
static bool improve(tgs_i_chain *x)
{
    const int32_t count = tgs_i_critical(x, &x->now);

    for (int32_t i = 0; i < count && !x->spent; i++) {
        const int32_t other = (int32_t)tgs_rng_int(&x->rng, i, count - 1), j = x->list[other];
        tgs_i_move best;

        x->list[other] = x->list[i];
        x->list[i] = j;
        best = tgs_i_best_of_task(x, j);
        if (better_there(x, &best))
            return true;
        if (improve_group(x, j))
            return true;
    }
    return false;
}

void tgs_i_descend(tgs_i_chain *x)
{
    while (improve(x))
        ;
}

void tgs_i_shake(tgs_i_chain *x, int32_t moves)
{
    const tgs_view *v = x->v;
    const int32_t count = tgs_i_critical(x, &x->now);

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
