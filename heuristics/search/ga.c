/* ga.c -- a genetic algorithm over (order, processor of each task).
 *
 * After J. H. Holland, "Adaptation in Natural and Artificial Systems", 1975; crossover and mutation
 * after M. I. Daoud, N. Kharma, "A hybrid heuristic-genetic algorithm for task scheduling in
 * heterogeneous processor networks", Journal of Parallel and Distributed Computing 71, 2011.
 *
 * Steady state: two parents by tournaments of two; the child keeps the left part of the order of
 * the first and the rest in the order of the second, which keeps the dependencies, and each
 * processor (that of a whole group) from either; mutations move tasks within their legal range and
 * to other processors.  The child takes the place of one of equal makespan, else of the longest if
 * it is shorter, so the population stays various and the best stays in it.  With descent=1 each
 * child first goes to its local optimum (a memetic algorithm).
 *
 * The first population: the seeds, and kicked copies of them.  A child takes O(n + e). */
#include <string.h>
#include "core.h"

typedef struct population {
    tgs_i_solution *s;
    int32_t size;
} population;

static int32_t tournament(tgs_i_chain *x, const population *all)
{
    const int32_t a = (int32_t)tgs_rng_int(&x->rng, 0, all->size - 1),
                  b = (int32_t)tgs_rng_int(&x->rng, 0, all->size - 1);

    return all->s[b].makespan < all->s[a].makespan ? b : a;
}

/* order and processors of now */
static void cross(tgs_i_chain *x, const tgs_i_solution *a, const tgs_i_solution *b)
{
    const int32_t n = x->v->n, cut = (int32_t)tgs_rng_int(&x->rng, 0, n);
    const int32_t *leader = x->search->leader;
    tgs_i_solution *s = &x->now;
    int32_t filled = cut;

    memcpy(s->order, a->order, (size_t)cut * sizeof *s->order);
    for (int32_t i = 0; i < n; i++) /* what the left part of a has is not repeated */
        if (a->place[b->order[i]] >= cut)
            s->order[filled++] = b->order[i];
    for (int32_t i = 0; i < n; i++)
        s->place[s->order[i]] = i;
    for (int32_t j = 0; j < n; j++) {
        const bool first = tgs_rng_int(&x->rng, 0, 1);

        x->waits[j] = leader[j] >= 0 && leader[j] < j ? x->waits[leader[j]] : first;
        s->proc[j] = x->waits[j] ? a->proc[j] : b->proc[j];
    }
}

static void mutate(tgs_i_chain *x, double rate)
{
    const tgs_view *v = x->v;
    tgs_i_solution *s = &x->now;

    while (tgs_rng_real(&x->rng) < rate) {
        const int32_t j = (int32_t)tgs_rng_int(&x->rng, 0, v->n - 1);
        int32_t first, last;

        tgs_i_range(v, s, j, &first, &last);
        tgs_i_put(s, j, (int32_t)tgs_rng_int(&x->rng, first, last));
        if (tgs_rng_int(&x->rng, 0, 1))
            tgs_i_assign(x, s, j, (int32_t)tgs_rng_int(&x->rng, 0, v->m - 1));
    }
}

static void enter(tgs_i_chain *x, population *all)
{
    int32_t equal = -1, longest = 0;

    for (int32_t i = 0; i < all->size; i++) {
        if (all->s[i].makespan == x->now.makespan)
            equal = i;
        if (all->s[i].makespan > all->s[longest].makespan)
            longest = i;
    }
    if (equal >= 0 || x->now.makespan < all->s[longest].makespan)
        tgs_i_solution_copy(&all->s[equal >= 0 ? equal : longest], &x->now, x->v);
}

static tgs_status open(tgs_i_chain *x, population *all, tgs_error *err)
{
    const tgs_i_search *search = x->search;
    tgs_status status = TGS_OK;

    all->s = tgs_mem_alloc((size_t)all->size, sizeof *all->s);
    if (!all->s)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for a population of %d", all->size);
    for (int32_t i = 0; i < all->size && !status; i++) {
        const int32_t from = (x->index + i) % search->seeds;

        status = tgs_i_solution_open(&all->s[i], search, err);
        if (status)
            break;
        tgs_i_solution_copy(&x->now, &search->seed[from], x->v);
        if (i >= search->seeds)
            tgs_i_shake(x, (int32_t)tgs_rng_int(&x->rng, 1, 10));
        tgs_i_keep(x);
        tgs_i_solution_copy(&all->s[i], &x->now, x->v);
    }
    return status;
}

static tgs_status chain(tgs_i_chain *x, tgs_error *err)
{
    const tgs_args *args = x->search->c->args;
    const double rate = tgs_arg_real(args, "mutation");
    const bool descent = tgs_arg_int(args, "descent");
    population all = {NULL, (int32_t)tgs_arg_int(args, "size")};
    const tgs_status status = open(x, &all, err);

    while (!status && !x->spent) {
        const int32_t a = tournament(x, &all), b = tournament(x, &all);

        cross(x, &all.s[a], &all.s[b]);
        mutate(x, rate);
        tgs_i_decode(x, &x->now);
        if (!(x->now.makespan < INFINITY))
            continue;
        if (descent)
            tgs_i_descend(x);
        tgs_i_keep(x);
        enter(x, &all);
    }
    for (int32_t i = 0; all.s && i < all.size; i++)
        tgs_i_solution_close(&all.s[i]);
    tgs_mem_free(all.s);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_search_run(c, plan, chain, err);
}

static const tgs_param params[] = {
    TGS_I_SEARCH_PARAMS("200000"),
    {"size", "40", TGS_PARAM_INT, 2, 1e6, "schedules in the population"},
    {"mutation", "0.7", TGS_PARAM_REAL, 0, 0.99, "probability of one more mutation of a child"},
    {"descent", "0", TGS_PARAM_INT, 0, 1, "1: each child goes to its local optimum first"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_ga = {
    .base = {TGS_PLUGIN_ABI, "ga", "genetic algorithm over orders and processors",
             "after Holland, 1975; Daoud, Kharma, JPDC 71, 2011", params},
    .run = run,
};
