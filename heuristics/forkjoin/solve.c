/* solve.c -- the cases of a fork-join graph.
 *
 * What communication costs depends on the memories of source and sink only, so a case is a pair of
 * memories, and its source and sink run where they end first in them.  Of memories that look alike
 * (looks.c) one stands for all, and one other beside it. */
#include <stdio.h>
#include "chain.h"
#include "solve.h"

typedef struct one_case {
    int32_t sigma, kappa;
    double ready, head, tail; /* start and end of the source, length of the sink */
    double bound;             /* of the makespan */
    const char *by;
} one_case;

tgs_status tgs_i_fj_answer_new(tgs_i_fj_answer *a, int32_t n)
{
    *a = (tgs_i_fj_answer){.L = INFINITY};
    a->machine = tgs_mem_alloc((size_t)n, sizeof *a->machine);
    a->start = tgs_mem_alloc((size_t)n, sizeof *a->start);
    return a->machine && a->start ? TGS_OK : TGS_ENOMEM;
}

void tgs_i_fj_answer_free(tgs_i_fj_answer *a)
{
    tgs_mem_free(a->machine);
    tgs_mem_free(a->start);
    *a = (tgs_i_fj_answer){.L = INFINITY};
}

/* where task ends first among the processors of the memory; -1: nowhere.  task -1 is no time */
static int32_t best_processor(const tgs_view *v, int32_t task, int32_t memory, double *time)
{
    int32_t best = -1;

    *time = INFINITY;
    for (int32_t q = 0; q < v->m; q++) {
        const double w = task < 0 ? 0 : tgs_w(v, task, q);

        if (v->p->proc[q].memory == memory && w < *time) {
            *time = w;
            best = q;
        }
    }
    return best;
}

static bool make_case(const tgs_i_fj *f, int32_t from, int32_t to, one_case *c)
{
    double head;

    c->sigma = best_processor(f->v, f->source, from, &head);
    c->kappa = best_processor(f->v, f->sink, to, &c->tail);
    c->ready = f->source < 0 ? 0 : tgs_i_fj_initial_ready(f->v, f->source, from);
    c->head = c->ready + head;
    return c->sigma >= 0 && c->kappa >= 0 && c->head < INFINITY;
}

/* the memory of a look where the source can start first; -1: none */
static int32_t first_ready(const tgs_i_fj *f, const int32_t *like, int32_t look)
{
    double soonest = INFINITY;
    int32_t best = -1;

    for (int32_t a = 0; a < f->v->memories; a++)
        if (like[a] == look) {
            const double x = f->source < 0 ? 0 : tgs_i_fj_initial_ready(f->v, f->source, a);

            if (x < soonest) {
                soonest = x;
                best = a;
            }
        }
    return best;
}

/* Appends cases; without a source (a sink) the other end alone decides. */
static tgs_status enumerate(const tgs_i_fj *f, const int32_t *like, one_case **out, int32_t *count,
                            tgs_error *err)
{
    const int32_t M = f->v->memories;
    int64_t room = 0;
    int32_t used = 0;
    bool *done = tgs_mem_alloc((size_t)M, sizeof *done);
    tgs_status status = done ? TGS_OK : TGS_ENOMEM;

    for (int32_t a = 0; a < M && !status; a++) {
        const int32_t from = like[a] == a ? first_ready(f, like, a) : -1;

        if (from < 0)
            continue;
        for (int32_t b = 0; b < M; b++)
            done[b] = false;
        for (int32_t k = -1; k < M && !status; k++) {
            const int32_t to = k < 0 ? from : k;

            if (k >= 0
                && (k == from || like[k] < 0 || done[like[k]] || f->source < 0 || f->sink < 0))
                continue;
            if (k >= 0)
                done[like[k]] = true;
            status = tgs_mem_grow(out, &room, used + 1, sizeof **out);
            if (!status)
                used += make_case(f, from, to, &(*out)[used]);
        }
    }
    tgs_mem_free(done);
    *count = used;
    if (!status && !used)
        return tgs_fail(err, TGS_EINFEASIBLE, "the source or the sink can run nowhere");
    return status ? tgs_fail(err, status, "out of memory for the cases of a fork-join graph")
                  : TGS_OK;
}

static tgs_i_fj_form form_of(const tgs_i_fj_case *k)
{
    return (tgs_i_fj_form){k->f->n, k->classes, k->at, k->p, k->r, k->q};
}

static tgs_status bound_case(const tgs_i_fj *f, one_case *c, tgs_error *err)
{
    tgs_i_fj_case k;
    tgs_status status = tgs_i_fj_case_open(&k, f, c->sigma, c->kappa, false, err);
    tgs_i_fj_form form;
    double L;

    if (status)
        return status;
    form = form_of(&k);
    status = tgs_i_fj_quick_reason(&form, &L, &c->by);
    c->bound = c->head + L + c->tail;
    tgs_i_fj_case_close(&k);
    return status ? tgs_fail(err, status, "out of memory to bound a case") : TGS_OK;
}

/* least bound first, ties in the order of enumeration */
static void sort_cases(one_case *c, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        const one_case x = c[i];
        int32_t k = i;

        for (; k > 0 && c[k - 1].bound > x.bound; k--)
            c[k] = c[k - 1];
        c[k] = x;
    }
}

static void fill_plan(const tgs_i_fj *f, const one_case *c, const tgs_i_fj_case *k,
                      const tgs_i_fj_answer *a, tgs_plan *plan)
{
    for (int32_t i = 0; i < f->n; i++) {
        plan->proc[f->task[i]] = k->proc[a->machine[i]];
        plan->start[f->task[i]] = c->head + a->start[i];
    }
    if (f->source >= 0) {
        plan->proc[f->source] = c->sigma;
        plan->start[f->source] = c->ready;
    }
    if (f->sink >= 0) {
        plan->proc[f->sink] = c->kappa;
        plan->start[f->sink] = c->head + a->L;
    }
}

/* a case and what is known of it, for the report */
static tgs_status tell(const tgs_i_fj *f, const one_case *c, const tgs_case *known, tgs_plan *plan,
                       tgs_error *err)
{
    const tgs_platform_view *p = f->v->p;
    const char *from = p->memory[p->proc[c->sigma].memory].name;
    const char *to = p->memory[p->proc[c->kappa].memory].name;
    char what[160] = "independent tasks";
    tgs_case k = *known;

    if (f->source >= 0 && f->sink >= 0 && from == to)
        snprintf(what, sizeof what, "source and sink in %s", from);
    else if (f->source >= 0 && f->sink >= 0)
        snprintf(what, sizeof what, "source in %s, sink in %s", from, to);
    else if (f->source >= 0 || f->sink >= 0)
        snprintf(what, sizeof what, "%s in %s", f->source >= 0 ? "source" : "sink",
                 f->source >= 0 ? from : to);
    k.what = what;
    if (tgs_plan_case(plan, &k))
        return tgs_fail(err, TGS_ENOMEM, "out of memory for the cases of a fork-join graph");
    return TGS_OK;
}

typedef struct driver {
    tgs_i_fj_solver solver;
    void *user;
    tgs_i_fj_answer answer;
    tgs_plan *plan;
} driver;

static tgs_status solve_case(driver *d, const tgs_i_fj *f, const one_case *c, tgs_i_fj_result *r,
                             tgs_error *err)
{
    tgs_i_fj_case k;
    tgs_i_fj_answer *a = &d->answer;
    tgs_status status = tgs_i_fj_case_open(&k, f, c->sigma, c->kappa, false, err);

    if (status)
        return status;
    const tgs_i_fj_form form = form_of(&k);

    a->L = INFINITY;
    a->lower = c->bound - c->head - c->tail;
    a->by = c->by;
    a->theorem = NULL;
    status = d->solver(d->user, &form, r->makespan - c->head - c->tail, a, err);
    if (!status) {
        const double lower = fmax(c->bound, c->head + a->lower + c->tail);

        r->lower = fmin(r->lower, lower);
        status = tell(f, c,
                      &(tgs_case){.lower = lower,
                                  .upper = c->head + a->L + c->tail,
                                  .bound = a->by,
                                  .theorem = a->L <= a->lower * (1 + 1e-12) ? a->theorem : NULL},
                      d->plan, err);
        if (c->head + a->L + c->tail < r->makespan) {
            r->makespan = c->head + a->L + c->tail;
            r->theorem = a->theorem;
            fill_plan(f, c, &k, a, d->plan);
        }
    }
    tgs_i_fj_case_close(&k);
    return status;
}

tgs_status tgs_i_fj_solve(const tgs_ctx *c, tgs_i_fj_solver solver, void *user, double eps,
                          tgs_plan *plan, tgs_i_fj_result *r, tgs_error *err)
{
    tgs_i_fj f;
    driver d = {solver, user, {.machine = NULL}, plan};
    one_case *list = NULL;
    int32_t *like = tgs_mem_alloc((size_t)c->v->memories, sizeof *like);
    tgs_status status = tgs_i_fj_open(&f, c->v, err);

    *r = (tgs_i_fj_result){.makespan = INFINITY, .lower = INFINITY};
    if (status)
        goto done;
    status = tgs_i_fj_answer_new(&d.answer, f.n);
    if (status || !like) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d inner tasks", f.n);
        goto done;
    }
    status = tgs_i_fj_unconstrained(&f, err);
    tgs_i_fj_looks(c->v, NULL, like);
    if (!status)
        status = enumerate(&f, like, &list, &r->cases, err);
    for (int32_t i = 0; i < r->cases && !status; i++)
        status = bound_case(&f, &list[i], err);
    if (status)
        goto done;
    sort_cases(list, r->cases);
    for (int32_t i = 0; i < r->cases && !status; i++)
        if (list[i].bound * (1 + eps) >= r->makespan) {
            r->skipped++;
            r->lower = fmin(r->lower, list[i].bound);
            status = tell(
                &f, &list[i],
                &(tgs_case){
                    .lower = list[i].bound, .upper = INFINITY, .bound = list[i].by, .skipped = 1},
                plan, err);
        } else
            status = solve_case(&d, &f, &list[i], r, err);
    if (!status && r->makespan == INFINITY)
        status = tgs_fail(err, TGS_EINFEASIBLE, "no case of the fork-join graph has a schedule");
    r->lower = fmin(r->lower, r->makespan);
    plan->lower_bound = r->lower;
done:
    tgs_i_fj_answer_free(&d.answer);
    tgs_i_fj_close(&f);
    tgs_mem_free(list);
    tgs_mem_free(like);
    return status;
}
