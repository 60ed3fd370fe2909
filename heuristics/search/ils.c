/* ils.c -- iterated local search over (order, processor of each task).
 *
 * After H. R. Lourenco, O. C. Martin, T. Stuetzle, "Iterated local search", Handbook of
 * Metaheuristics, Kluwer, 2003.
 *
 * An order that keeps the dependencies and a processor for each task are decoded by appending; that
 * reaches every semi-active schedule, so also an optimal one.  From HEFT's schedule, a descent puts
 * one critical task at another place of the order or on another processor, and takes the first
 * change that gives a shorter schedule (or as short a one, the work spread more evenly); only
 * places that differ for the processor are tried.  Where none does, a kick moves some tasks at
 * random, half of them critical, from wherever the descent ended; after PATIENCE descents in a row
 * that ended worse than the one before, the search goes back to the best.
 *
 * An evaluation is one decoding: O(n + e). */
#include <string.h>
#include "../list/core.h"
#include "core.h"

#define PATIENCE 20

typedef struct search {
    const tgs_ctx *c;
    const tgs_view *v;
    tgs_i_decoder decoder;
    tgs_i_solution now, trial, best;
    int32_t *list; /* [n] the critical tasks */
    int64_t evals, limit;
    bool spent;
} search;

static void copy(const search *x, tgs_i_solution *to, const tgs_i_solution *from)
{
    tgs_i_solution_copy(to, from, x->v->n, true);
}

/* one evaluation, of trial */
static void evaluate(search *x)
{
    const tgs_ctx *c = x->c;

    tgs_i_decode(&x->decoder, &x->trial);
    if (++x->evals % 256 == 0) {
        c->progress(c->user, (double)x->evals / (double)x->limit);
        x->spent = c->stop(c->user);
    }
    x->spent = x->spent || x->evals >= x->limit;
}

/* tries the task on a processor, before each task there; true: now is better */
static bool try_on(search *x, int32_t task, int32_t proc)
{
    int32_t first, last;

    tgs_i_range(&x->decoder, &x->now, task, &first, &last);
    for (int32_t i = first; i <= last && !x->spent; i++) {
        const int32_t before = i < x->now.place[task] ? x->now.order[i]
                               : i + 1 < x->v->n      ? x->now.order[i + 1]
                                                      : -1;

        /* between two tasks of other processors it makes no difference where */
        if (i < last && (before < 0 || x->now.proc[before] != proc))
            continue;
        if (i == x->now.place[task] && x->now.proc[task] == proc)
            continue;
        tgs_i_solution_copy(&x->trial, &x->now, x->v->n, false);
        if (!tgs_i_assign(&x->decoder, &x->trial, task, proc))
            return false;
        tgs_i_put(&x->trial, task, i);
        evaluate(x);
        if (tgs_i_better(&x->trial, &x->now)) {
            const tgs_i_solution swap = x->now;

            x->now = x->trial;
            x->trial = swap;
            tgs_i_arrange(&x->decoder, &x->now);
            return true;
        }
    }
    return false;
}

/* one better neighbour of now, looked for in random order */
static bool improve(search *x)
{
    const int32_t m = x->v->m;
    const int32_t count = tgs_i_critical(&x->decoder, &x->now, x->list);

    for (int32_t i = 0; i < count && !x->spent; i++) {
        const int32_t other = (int32_t)tgs_rng_int(x->c->rng, i, count - 1), j = x->list[other];
        const int32_t turn = (int32_t)tgs_rng_int(x->c->rng, 0, m - 1);

        x->list[other] = x->list[i];
        x->list[i] = j;
        for (int32_t p = 0; p < m && !x->spent; p++)
            if (try_on(x, j, (p + turn) % m))
                return true;
    }
    return false;
}

/* moves two to five tasks of now; leaves now as it was where that gives no schedule */
static void kick(search *x)
{
    const tgs_view *v = x->v;
    tgs_rng *r = x->c->rng;
    const int32_t count = tgs_i_critical(&x->decoder, &x->now, x->list),
                  moves = (int32_t)tgs_rng_int(r, 2, 5);

    tgs_i_solution_copy(&x->trial, &x->now, v->n, false);
    for (int32_t i = 0; i < moves; i++) {
        const bool critical = tgs_rng_int(r, 0, 1);
        const int32_t j =
            critical ? x->list[tgs_rng_int(r, 0, count - 1)] : (int32_t)tgs_rng_int(r, 0, v->n - 1);
        const int32_t p = (int32_t)tgs_rng_int(r, 0, v->m - 1);
        int32_t first, last;

        if (!tgs_i_assign(&x->decoder, &x->trial, j, p))
            continue;
        tgs_i_range(&x->decoder, &x->trial, j, &first, &last);
        tgs_i_put(&x->trial, j, (int32_t)tgs_rng_int(r, first, last));
    }
    evaluate(x);
    if (x->trial.makespan < INFINITY) {
        copy(x, &x->now, &x->trial);
        tgs_i_arrange(&x->decoder, &x->now);
    }
}

/* ---- the search --------------------------------------------------------------------------------
 */
static tgs_status open(search *x, tgs_error *err)
{
    const int32_t n = x->v->n;
    tgs_status status = tgs_i_decoder_open(&x->decoder, x->v, err);

    if (!status)
        status = tgs_i_solution_open(&x->now, n, err);
    if (!status)
        status = tgs_i_solution_open(&x->trial, n, err);
    if (!status)
        status = tgs_i_solution_open(&x->best, n, err);
    x->list = tgs_mem_alloc((size_t)n, sizeof *x->list);
    if (!status && !x->list)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d critical tasks", n);
    return status;
}

static void close(search *x)
{
    tgs_i_decoder_close(&x->decoder);
    tgs_i_solution_close(&x->now);
    tgs_i_solution_close(&x->trial);
    tgs_i_solution_close(&x->best);
    tgs_mem_free(x->list);
}

/* now and best: the schedule of the plan, without the idle time it need not have */
static void begin(search *x, const tgs_plan *plan)
{
    const size_t n = (size_t)x->v->n;

    memcpy(x->now.proc, plan->proc, n * sizeof *plan->proc);
    memcpy(x->now.start, plan->start, n * sizeof *plan->start);
    tgs_i_arrange(&x->decoder, &x->now);
    tgs_i_decode(&x->decoder, &x->now);
    tgs_i_arrange(&x->decoder, &x->now);
    copy(x, &x->best, &x->now);
}

static void iterate(search *x)
{
    double last = x->now.makespan; /* of the descent before */
    int32_t failures = 0;

    while (!x->spent) {
        while (improve(x))
            ;
        if (tgs_i_better(&x->now, &x->best))
            copy(x, &x->best, &x->now);
        failures = x->now.makespan <= last ? 0 : failures + 1;
        if (failures == PATIENCE) {
            copy(x, &x->now, &x->best);
            failures = 0;
        }
        last = x->now.makespan;
        kick(x);
    }
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    search x = {.c = c, .v = c->v, .limit = tgs_arg_int(c->args, "evals")};
    tgs_status status = tgs_i_list_by_rank_up(
        c, plan, &(tgs_i_rule){.key = TGS_I_EFT, .insert = true}, TGS_I_MEAN, err);

    if (!status)
        status = open(&x, err);
    if (!status && c->v->n) {
        begin(&x, plan);
        iterate(&x);
        memcpy(plan->proc, x.best.proc, (size_t)c->v->n * sizeof *plan->proc);
        memcpy(plan->start, x.best.start, (size_t)c->v->n * sizeof *plan->start);
    }
    close(&x);
    return status;
}

static const tgs_param params[] = {
    {"evals", "200000", TGS_PARAM_INT, 1, 1e12, "schedules decoded"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_ils = {
    .base = {TGS_PLUGIN_ABI, "ils", "iterated local search from HEFT, critical tasks first",
             "after Lourenco, Martin, Stuetzle, Handbook of Metaheuristics, 2003", params},
    .run = run,
};
