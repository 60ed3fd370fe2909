/* bnb.c -- branch and bound over (ready task, processor): the optimum of small graphs, else a
 * schedule and how far from the optimum it can be.
 *
 * After W. H. Kohler, K. Steiglitz, "Characterization and theoretical comparison of
 * branch-and-bound algorithms for permutation problems", JACM 21(1), 1974, and O. Sinnen, "Task
 * Scheduling for Parallel Systems", Wiley, 2007.
 *
 * Depth first, from the schedule of HEFT; the children of a partial schedule (core.h) in the order
 * of their bounds.  Sums of the same numbers in another order differ by rounding, so what is within
 * 1e-12 of the best is not looked at.  A node is one child whose bound was computed: O(n m).
 *
 * What is proven holds for schedules in which every task runs once and what it reads comes from
 * where it was written; when going through a third memory would be cheaper, no bound is given.
 * Capacities of memories are not looked at: with them the bound holds all the more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../list/core.h"
#include "core.h"

#define MOST     500 /* tasks */
#define ROUNDING 1e-12

typedef struct child {
    double bound, start, tail;
    int32_t task, proc, position;
} child;

typedef struct level { /* children pool[next..end) of the partial schedule of this depth are open */
    int64_t first, next, end;
} level;

typedef struct search {
    const tgs_ctx *c;
    tgs_plan *plan; /* the best so far */
    tgs_i_partial at;
    child *pool;
    int64_t room;
    level *level; /* [n] */
    int32_t depth;
    int64_t nodes, limit;
    double best;  /* its makespan; INFINITY: none */
    double open;  /* a lower bound on what was given up */
    bool stopped; /* by the limit or the caller */
} search;

static int by_bound(const void *a, const void *b)
{
    const child *x = a, *y = b;

    if (x->bound != y->bound)
        return x->bound < y->bound ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->tail != y->tail)
        return x->tail > y->tail ? -1 : 1;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return (x->proc > y->proc) - (x->proc < y->proc);
}

static bool hopeless(const search *x, double bound)
{
    return bound >= x->best * (1 - ROUNDING);
}

static bool enough(search *x)
{
    const tgs_ctx *c = x->c;

    if (x->nodes % 1024 == 0 && c->progress)
        c->progress(c->user, (double)x->nodes / (double)x->limit);
    return x->nodes >= x->limit || (x->nodes % 1024 == 0 && c->stop && c->stop(c->user));
}

/* puts one child into the pool, unless it cannot be better than the best */
static tgs_status look(search *x, double bound, int32_t task, int32_t proc, level *l)
{
    const tgs_view *v = x->c->v;
    const double start = tgs_i_partial_start(&x->at, task, proc);
    child y = {.bound = bound, .start = start, .task = task, .proc = proc};
    double own;

    if (!(start < INFINITY))
        return TGS_OK;
    if (tgs_mem_grow(&x->pool, &x->room, l->end + 1, sizeof *x->pool)
        || tgs_i_partial_place(&x->at, task, proc, start))
        return TGS_ENOMEM;
    own = tgs_i_partial_bound(&x->at, x->best);
    tgs_i_partial_back(&x->at);
    x->nodes++;
    y.bound = own > bound ? own : bound;
    y.tail = x->at.tail[(int64_t)task * v->memories + v->p->proc[proc].memory];
    y.position = v->g->topo_pos[task];
    if (!hopeless(x, y.bound))
        x->pool[l->end++] = y;
    return TGS_OK;
}

/* opens the next level: the children of the partial schedule, whose bound is known */
static tgs_status expand(search *x, double bound)
{
    const tgs_view *v = x->c->v;
    level l = {0, 0, 0};

    if (x->depth)
        l.first = l.next = l.end = x->level[x->depth - 1].end;
    for (int32_t i = 0; i < v->n && !x->stopped; i++) {
        const int32_t j = v->g->topo[i];

        for (int32_t p = 0; p < v->m && !x->at.waits[j] && x->at.proc[j] < 0; p++) {
            if (tgs_i_partial_redundant(&x->at, p))
                continue;
            if (enough(x)) {
                x->stopped = true;
                x->open = bound; /* its other children are not known */
                break;
            }
            if (look(x, bound, j, p, &l))
                return TGS_ENOMEM;
        }
    }
    if (l.end > l.first)
        qsort(x->pool + l.first, (size_t)(l.end - l.first), sizeof *x->pool, by_bound);
    x->level[x->depth++] = l;
    return TGS_OK;
}

static void keep(search *x)
{
    const size_t n = (size_t)x->c->v->n;

    x->best = x->at.makespan;
    memcpy(x->plan->proc, x->at.proc, n * sizeof *x->at.proc);
    memcpy(x->plan->start, x->at.start, n * sizeof *x->at.start);
}

static tgs_status explore(search *x)
{
    tgs_status status = hopeless(x, x->open) ? TGS_OK : expand(x, x->open);

    while (x->depth && !x->stopped && !status) {
        level *l = &x->level[x->depth - 1];

        if (l->next == l->end || hopeless(x, x->pool[l->next].bound)) { /* so are the rest */
            if (--x->depth)
                tgs_i_partial_back(&x->at);
        } else {
            const child y = x->pool[l->next++];

            status = tgs_i_partial_place(&x->at, y.task, y.proc, y.start);
            if (!status && x->at.placed == x->c->v->n) {
                keep(x);
                tgs_i_partial_back(&x->at);
            } else if (!status) {
                status = expand(x, y.bound);
            }
        }
    }
    return status;
}

/* no completion of anything that was left is shorter, nor is the best */
static double proven(const search *x)
{
    double bound = x->best;

    if (x->stopped && x->open < bound)
        bound = x->open;
    for (int32_t d = 0; d < x->depth; d++) /* sorted: the first open child is the least */
        if (x->level[d].next < x->level[d].end && x->pool[x->level[d].next].bound < bound)
            bound = x->pool[x->level[d].next].bound;
    return bound;
}

/* HEFT's schedule to begin with; that it finds none does not mean that there is none */
static tgs_status begin(search *x, tgs_error *err)
{
    const tgs_view *v = x->c->v;
    tgs_error ignored;
    tgs_status status = tgs_i_list_by_rank_up(
        x->c, x->plan, &(tgs_i_rule){.key = TGS_I_EFT, .insert = true}, TGS_I_MEAN, &ignored);

    if (status && status != TGS_EINFEASIBLE)
        return tgs_fail(err, status, "%s", ignored.text);
    x->best = status ? INFINITY : 0;
    for (int32_t j = 0; j < v->n && !status; j++) {
        const double end = x->plan->start[j] + tgs_w(v, j, x->plan->proc[j]);

        x->best = end > x->best ? end : x->best;
    }
    return TGS_OK;
}

static tgs_status tell(search *x, tgs_error *err)
{
    const double bound = proven(x);
    const bool whole = tgs_i_partial_direct(x->c->v);
    const char *where = whole ? "" : " where data goes its usual way";
    tgs_plan *plan = x->plan;

    if (!(x->best < INFINITY))
        return tgs_fail(err, TGS_EINFEASIBLE,
                        x->stopped ? "no schedule found in %lld nodes"
                                   : "there is no schedule (proven in %lld nodes)",
                        (long long)x->nodes);
    if (whole)
        plan->lower_bound = bound;
    if (bound >= x->best)
        snprintf(plan->note, sizeof plan->note, "optimal%s: proven in %lld nodes", where,
                 (long long)x->nodes);
    else
        snprintf(plan->note, sizeof plan->note,
                 "not proven optimal in %lld nodes: at most %.3g %% above the optimum%s",
                 (long long)x->nodes, 100 * (x->best / bound - 1), where);
    return TGS_OK;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    search x = {.c = c, .plan = plan, .limit = tgs_arg_int(c->args, "nodes"), .best = INFINITY};
    tgs_status status;

    if (v->n > MOST)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "%d tasks, more than the %d that bnb is for", v->n,
                        MOST);
    status = tgs_i_partial_open(&x.at, v, err);
    if (!status)
        status = begin(&x, err);
    if (status)
        goto done;
    x.open = tgs_i_partial_bound(&x.at, INFINITY);
    x.level = tgs_mem_alloc((size_t)v->n, sizeof *x.level);
    if (!x.level || explore(&x))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory after %lld nodes", (long long)x.nodes);
    else
        status = tell(&x, err);
done:
    tgs_i_partial_close(&x.at);
    tgs_mem_free(x.pool);
    tgs_mem_free(x.level);
    return status;
}

static const tgs_param params[] = {
    {"nodes", "1000000", TGS_PARAM_INT, 1, 1e12, "partial schedules looked at, at most"},
    {"seconds", "0", TGS_PARAM_REAL, 0, 1e9, "end after so long; 0: no limit"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_bnb = {
    .base = {TGS_PLUGIN_ABI, "bnb", "branch and bound: the optimum, or how far from it at most",
             "after Kohler, Steiglitz, JACM 21(1), 1974; Sinnen, Task Scheduling, Wiley, 2007",
             params},
    .run = run,
};
