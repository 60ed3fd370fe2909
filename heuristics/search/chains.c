/* chains.c -- what all searches share: where they begin, their budget, chains at the same time, and
 * the best of them.
 *
 * Each chain has a generator of its own and its part of the budget, so that what it finds does not
 * depend on the others or on the number of threads; the shortest schedule counts, of equal ones
 * that of the first chain. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

#define ROUNDING 1e-12
#define TELL     256 /* evaluations between two looks at stop */

/* ---- one chain ---------------------------------------------------------------------------------
 */
static tgs_status open_chain(tgs_i_chain *x, tgs_error *err)
{
    const tgs_view *v = x->v;
    const size_t n = (size_t)v->n, memories = (size_t)v->memories;
    tgs_status status = tgs_i_solution_open(&x->now, x->search, err);

    x->lifted = -1;
    if (!status)
        status = tgs_i_solution_open(&x->best, x->search, err);
    if (!status)
        status = tgs_i_solution_open(&x->spare, x->search, err);
    if (!status && x->search->contends)
        status = tgs_plan_open(&x->plan, v, err);
    x->rest_head = tgs_mem_alloc(n, sizeof *x->rest_head);
    x->rest_tail = tgs_mem_alloc(n, sizeof *x->rest_tail);
    x->in = tgs_mem_alloc(memories, sizeof *x->in);
    x->out = tgs_mem_alloc(memories, sizeof *x->out);
    x->mark = tgs_mem_alloc(n, sizeof *x->mark);
    x->list = tgs_mem_alloc(n, sizeof *x->list);
    x->critical = tgs_mem_alloc(n, sizeof *x->critical);
    x->waits = tgs_mem_alloc(n, sizeof *x->waits);
    x->queue = tgs_mem_alloc(n, sizeof *x->queue);
    x->last = tgs_mem_alloc((size_t)v->m, sizeof *x->last);
    x->rank = tgs_mem_alloc(n, sizeof *x->rank);
    if (!status
        && (!x->rest_head || !x->rest_tail || !x->in || !x->out || !x->mark || !x->list
            || !x->critical || !x->waits || !x->queue || !x->last || !x->rank))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory to search schedules of %d tasks", v->n);
    return status;
}

static void close_chain(tgs_i_chain *x) /* all but best */
{
    tgs_i_solution_close(&x->now);
    tgs_i_solution_close(&x->spare);
    tgs_plan_free(x->plan);
    tgs_mem_free(x->rest_head);
    tgs_mem_free(x->rest_tail);
    tgs_mem_free(x->in);
    tgs_mem_free(x->out);
    tgs_mem_free(x->mark);
    tgs_mem_free(x->list);
    tgs_mem_free(x->critical);
    tgs_mem_free(x->waits);
    tgs_mem_free(x->queue);
    tgs_mem_free(x->last);
    tgs_mem_free(x->rank);
}

void tgs_i_count(tgs_i_chain *x, int64_t decodes, int64_t estimates)
{
    const tgs_ctx *c = x->search->c;
    int64_t all;

    x->decodes += decodes;
    x->estimates += estimates;
    all = x->decodes + x->estimates;
    x->spent = x->spent || all >= x->limit;
    if (all - x->told < TELL)
        return;
    atomic_fetch_add(x->search->spent, all - x->told);
    x->told = all;
    c->progress(c->user, (double)atomic_load(x->search->spent) / (double)x->search->limit);
    x->spent = x->spent || c->stop(c->user);
}

void tgs_i_keep(tgs_i_chain *x)
{
    if (x->now.makespan < x->best.makespan) {
        if (x->search->contends)
            tgs_i_settle(x, &x->now);
        tgs_i_solution_copy(&x->best, &x->now, x->v);
    }
    if (x->best.makespan <= x->search->bound * (1 + ROUNDING))
        x->spent = true;
}

/* ---- seeds -------------------------------------------------------------------------------------
 */
/* the schedule of the plan, without the idle time it need not have */
static void take(tgs_i_chain *x, tgs_i_solution *s, const tgs_plan *plan)
{
    const size_t n = (size_t)x->v->n;

    memcpy(s->proc, plan->proc, n * sizeof *plan->proc);
    memcpy(s->head, plan->start, n * sizeof *plan->start);
    tgs_i_arrange(x, s);
    tgs_i_decode(x, s);
    if (x->search->contends && s->makespan < INFINITY) {
        tgs_i_play_plan(x, s, plan->start);
        tgs_i_settle(x, s);
    }
}

/* the starts to plan, so that s is what is played */
static const double *starts(const tgs_i_solution *s)
{
    return s->plan ? s->plan : s->head;
}

/* keeps seeds in the order of their makespans, the ones named first before equal ones */
static void insert(tgs_i_search *x, tgs_i_solution s)
{
    int32_t i = x->seeds++;

    for (; i > 0 && x->seed[i - 1].makespan > s.makespan; i--)
        x->seed[i] = x->seed[i - 1];
    x->seed[i] = s;
}

static tgs_status add_seed(tgs_i_search *x, tgs_i_chain *scratch, const char *name, tgs_plan *plan,
                           tgs_error *err)
{
    tgs_i_solution s = {0};
    tgs_status status = tgs_plan_make(x->c, name, tgs_rng_next(x->c->rng), plan, err);

    if (!status)
        status = tgs_i_solution_open(&s, x, err);
    if (!status) {
        take(scratch, &s, plan);
        status = scratch->status ? tgs_fail(err, scratch->status, "%s", scratch->err.text) : TGS_OK;
    }
    if (!status) {
        if (s.makespan < INFINITY) {
            insert(x, s);
            return TGS_OK;
        }
        status = tgs_fail(err, TGS_EINFEASIBLE, "%s sends data where no link goes", name);
    }
    tgs_i_solution_close(&s);
    return status;
}

/* names joined by '+', in place; one that finds nothing here is passed over while others do */
static tgs_status add_seeds(tgs_i_search *x, tgs_i_chain *scratch, char *names, tgs_error *err)
{
    tgs_status status = TGS_OK, last = TGS_EINVAL;
    tgs_plan *plan;
    int32_t count = 1;
    char *name;

    for (const char *s = names; *s; s++)
        count += *s == '+';
    x->seed = tgs_mem_alloc((size_t)count, sizeof *x->seed);
    if (!x->seed)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d seeds", count);
    status = tgs_plan_open(&plan, x->v, err);
    while (!status && (name = strsep(&names, "+"))) {
        status = last = add_seed(x, scratch, name, plan, err);
        if (status == TGS_ENOTAPPLICABLE || status == TGS_EINFEASIBLE)
            status = TGS_OK;
    }
    tgs_plan_free(plan);
    return status || x->seeds ? status : last;
}

static tgs_status open_seeds(tgs_i_search *x, tgs_error *err)
{
    char *names = tgs_mem_text(tgs_arg_text(x->c->args, "seeds"));
    tgs_i_chain scratch = {.search = x, .v = x->v, .limit = INT64_MAX, .told = INT64_MAX};
    tgs_status status =
        names ? open_chain(&scratch, err) : tgs_fail(err, TGS_ENOMEM, "out of memory for seeds");

    if (!status)
        status = add_seeds(x, &scratch, names, err);
    close_chain(&scratch);
    tgs_i_solution_close(&scratch.best);
    tgs_mem_free(names);
    return status;
}

/* ---- all chains --------------------------------------------------------------------------------
 */
typedef struct job {
    tgs_i_chain x;
    tgs_i_method method;
    tgs_status status;
    tgs_error err;
} job;

static void work(void *user, int32_t i)
{
    job *o = (job *)user + i;
    tgs_i_chain *x = &o->x;
    const tgs_i_search *search = x->search;

    o->status = open_chain(x, &o->err);
    if (!o->status) {
        tgs_i_solution_copy(&x->now, &search->seed[i % search->seeds], x->v);
        tgs_i_solution_copy(&x->best, &x->now, x->v);
        tgs_i_keep(x);
        o->status = o->method(x, &o->err);
        if (!o->status && x->status)
            o->status = tgs_fail(&o->err, x->status, "%s", x->err.text);
    }
    close_chain(x);
}

static void tell(const tgs_i_search *x, const job *o, int32_t chains, const tgs_i_solution *best,
                 tgs_plan *plan)
{
    int64_t decodes = 0, estimates = 0;

    for (int32_t i = 0; i < chains; i++) {
        decodes += o[i].x.decodes;
        estimates += o[i].x.estimates;
    }
    memcpy(plan->proc, best->proc, (size_t)x->v->n * sizeof *plan->proc);
    memcpy(plan->start, starts(best), (size_t)x->v->n * sizeof *plan->start);
    if (best->makespan <= x->bound * (1 + ROUNDING))
        plan->lower_bound = x->bound;
    snprintf(plan->note, sizeof plan->note, "%s%lld decodings, %lld estimates",
             plan->lower_bound == x->bound ? "optimal: equal to a lower bound; " : "",
             (long long)decodes, (long long)estimates);
}

/* searches do not look at capacities; where the best breaks them, a seed may not */
static tgs_status keep_constraints(const tgs_i_search *x, tgs_plan *plan, tgs_error *err)
{
    tgs_error ignored;
    tgs_status status = tgs_plan_check(x->c, plan, &ignored);
    const size_t n = (size_t)x->v->n;

    for (int32_t i = 0; i < x->seeds && status == TGS_EINFEASIBLE; i++) {
        memcpy(plan->proc, x->seed[i].proc, n * sizeof *plan->proc);
        memcpy(plan->start, starts(&x->seed[i]), n * sizeof *plan->start);
        status = tgs_plan_check(x->c, plan, &ignored);
        if (!status)
            snprintf(plan->note, sizeof plan->note, "what was found breaks a constraint: a seed");
    }
    return status == TGS_ENOMEM ? tgs_fail(err, status, "out of memory") : TGS_OK;
}

static tgs_status run_chains(tgs_i_search *x, tgs_plan *plan, tgs_i_method method, tgs_error *err)
{
    const int32_t chains = (int32_t)tgs_arg_int(x->c->args, "chains");
    job *o = tgs_mem_alloc((size_t)chains, sizeof *o);
    tgs_status status = TGS_OK;
    int32_t best = 0;

    if (!o)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d chains", chains);
    for (int32_t i = 0; i < chains; i++) {
        o[i].method = method;
        o[i].x = (tgs_i_chain){.search = x, .v = x->v, .index = i, .lifted = -1};
        o[i].x.limit = x->limit / chains + (i < x->limit % chains);
        tgs_rng_seed(&o[i].x.rng, tgs_rng_next(x->c->rng));
    }
    tgs_parallel(chains, work, o);
    for (int32_t i = 0; i < chains && !status; i++) {
        if (o[i].status)
            status = tgs_fail(err, o[i].status, "%s", o[i].err.text);
        else if (o[i].x.best.makespan < o[best].x.best.makespan)
            best = i;
    }
    if (!status) {
        tell(x, o, chains, &o[best].x.best, plan);
        status = keep_constraints(x, plan, err);
    }
    for (int32_t i = 0; i < chains; i++)
        tgs_i_solution_close(&o[i].x.best);
    tgs_mem_free(o);
    return status;
}

tgs_status tgs_i_search_run(const tgs_ctx *c, tgs_plan *plan, tgs_i_method method, tgs_error *err)
{
    _Atomic int64_t spent = 0;
    tgs_i_search x = {.c = c, .v = c->v, .limit = tgs_arg_int(c->args, "evals"), .spent = &spent};
    tgs_status status = tgs_i_search_open(&x, err);

    if (!status)
        status = open_seeds(&x, err);
    if (!status && c->v->n)
        status = run_chains(&x, plan, method, err);
    tgs_i_search_close(&x);
    return status;
}
