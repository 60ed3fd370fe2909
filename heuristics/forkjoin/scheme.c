/* scheme.c -- the practical form of the dual approximation for fork-join graphs.
 *
 * T is infeasible: no schedule has L <= T, which is the certificate.  T is feasible: the fluid says
 * how much of each job runs on which class; whole jobs follow it, classes are list-scheduled by
 * several priorities, and a local search moves jobs between machines.  A little more than the least
 * feasible T often gives a better schedule, so several are tried. */
#include "configs.h"
#include "core.h"
#include "counts.h"
#include "fluid.h"
#include "lists.h"
#include "prices.h"
#include "scheme.h"

typedef struct scheme {
    const tgs_i_fj_form *f;
    const tgs_i_fj_effort *e;
    bool related; /* by the fluid, else by prices */
    tgs_i_fj_fluid fluid;
    tgs_i_fj_prices prices;
    tgs_i_fj_lists lists;
    int32_t *class_of;
    double *carry;          /* [classes] */
    int64_t attempts, work; /* jobs that the attempts, and the last search, may sequence */
    tgs_i_fj_answer *a, trial;
} scheme;

/* *feasible false is a proof; after true, realise() knows the shares at T */
static tgs_status test(scheme *x, double T, bool *feasible)
{
    bool refuted;

    if (x->related)
        return tgs_i_fj_fluid_test(&x->fluid, T, feasible);
    tgs_i_fj_prices_test(&x->prices, T, &refuted);
    *feasible = !refuted;
    return TGS_OK;
}

static bool close_enough(const scheme *x)
{
    return x->a->L <= x->a->lower * (1 + x->e->eps);
}

enum { SEVERAL = 1500 }; /* jobs up to which each attempt has a local search of its own */

/* the trial, improved, becomes the answer if it is better */
static tgs_status offer(scheme *x, double enough)
{
    tgs_i_fj_answer *t = &x->trial;
    tgs_status status = TGS_OK;

    if (x->f->n <= SEVERAL && t->L > enough)
        status = tgs_i_fj_improve(x->f, x->e->work / 20, &x->attempts, enough, t);
    if (!status && t->L < x->a->L) {
        int32_t *const machine = x->a->machine;
        double *const start = x->a->start;

        x->a->L = t->L;
        x->a->machine = t->machine;
        x->a->start = t->start;
        t->machine = machine;
        t->start = start;
    }
    return status;
}

/* a schedule with the classes at hand */
static tgs_status attempt(scheme *x, double enough)
{
    tgs_status status;

    x->trial.L = x->f->n <= SEVERAL ? INFINITY : x->a->L;
    status = tgs_i_fj_lists_run(&x->lists, x->class_of, enough, &x->trial);
    return status ? status : offer(x, enough);
}

static double enough(const scheme *x)
{
    return x->a->lower * (1 + x->e->eps / 2);
}

/* everything in one class, the quickest for that; if none runs all, each job in its own */
static tgs_status serial(scheme *x)
{
    const tgs_i_fj_form *f = x->f;
    double best = INFINITY;
    int32_t class = -1;

    for (int32_t g = 0; g < f->classes; g++) {
        double work = 0, ends = 0;

        for (int32_t j = 0; j < f->n; j++) {
            const int64_t i = (int64_t)j * f->classes + g;

            work += f->p[i];
            ends = fmax(ends, f->r[i] + f->q[i]);
        }
        if (work + ends < best) {
            best = work + ends;
            class = g;
        }
    }
    for (int32_t j = 0; j < f->n; j++)
        x->class_of[j] = class >= 0 ? class : tgs_i_fj_quickest(f, j);
    return attempt(x, enough(x));
}

/* T was feasible: a schedule along its shares */
static tgs_status realise(scheme *x, double T)
{
    tgs_status status = TGS_OK;

    if (x->related)
        tgs_i_fj_fluid_assign(&x->fluid, x->carry, x->class_of);
    else
        status = tgs_i_fj_prices_assign(&x->prices, T, x->class_of);
    return status ? status : attempt(x, fmin(T, enough(x)));
}

/* the quickest class of several machines (lone false) or of one, by load so far; -1: none */
static int32_t choose(const scheme *x, int32_t j, bool lone)
{
    const tgs_i_fj_form *f = x->f;
    int32_t best = -1;
    double least = INFINITY;

    for (int32_t g = 0; g < f->classes; g++) {
        const double through = tgs_i_fj_through(f, j, g) + (lone ? x->carry[g] : 0);

        if ((f->at[g + 1] - f->at[g] == 1) == lone && through < least) {
            least = through;
            best = g;
        }
    }
    return best;
}

/* as the prefix rule: the jobs that take longest elsewhere to the machines that are alone in their
 * class, the others to the classes of several; a few lengths of the prefix */
static tgs_status prefixes(scheme *x)
{
    const tgs_i_fj_form *f = x->f;
    const int32_t steps = f->n <= 64 ? f->n : 24;
    int32_t *order = tgs_mem_alloc((size_t)f->n, sizeof *order);
    double *key = tgs_mem_alloc((size_t)f->n, sizeof *key);
    tgs_status status = order && key ? TGS_OK : TGS_ENOMEM;

    for (int32_t j = 0; j < f->n && !status; j++) {
        const int32_t g = choose(x, j, false);

        key[j] = g < 0 ? 0 : -tgs_i_fj_through(f, j, g);
    }
    if (!status)
        status = tgs_i_fj_sort(key, f->n, order, NULL);
    for (int32_t step = 0; step <= steps && !status && !close_enough(x); step++) {
        const int32_t k = (int32_t)((int64_t)f->n * step / steps);

        for (int32_t g = 0; g < f->classes; g++)
            x->carry[g] = 0;
        for (int32_t i = 0; i < f->n; i++) {
            const int32_t j = order[i], first = choose(x, j, i < k);
            const int32_t g = first >= 0 ? first : tgs_i_fj_quickest(f, j);

            x->class_of[j] = g;
            x->carry[g] += f->p[(int64_t)j * f->classes + g];
        }
        status = attempt(x, enough(x));
    }
    tgs_mem_free(order);
    tgs_mem_free(key);
    return status;
}

/* one list for all classes, at several T: related machines are so balanced to the last job */
static tgs_status shared(scheme *x)
{
    static const double slack[] = {1.0001, 1.001, 1.005, 1.02, 1.05, 1.1, 1.2, 10};
    tgs_status status = TGS_OK;

    for (size_t i = 0; i < 3 * sizeof slack / sizeof *slack && !status && !close_enough(x); i++) {
        const double T = x->a->lower * slack[i / 3];

        status = tgs_i_fj_lists_shared(&x->lists, T, i % 3 ? 1 : 0, i % 3 == 2, &x->trial);
        if (!status && x->trial.L < INFINITY)
            status = offer(x, enough(x));
    }
    return status;
}

/* raises lower to the largest T found infeasible, to a relative precision; *T is feasible */
static tgs_status bisect(scheme *x, double limit, double *T)
{
    const double precision = fmax(x->e->eps / 20, x->f->n > 200000 ? 1e-3 : 1e-4);
    double low = x->a->lower, high = low, step = 1.01;
    bool feasible;
    tgs_status status = test(x, high, &feasible);

    while (!status && !feasible && low < limit) {
        low = high;
        high *= step;
        step = 1 + 2 * (step - 1);
        status = test(x, high, &feasible);
    }
    if (high == low)
        low = 0; /* the first test was feasible */
    while (!status && low > 0 && feasible && high - low > precision * high) {
        const double mid = low + (high - low) / 2;
        bool yes;

        status = test(x, mid, &yes);
        if (!status && yes)
            high = mid;
        else if (!status)
            low = mid;
    }
    x->a->lower = fmax(x->a->lower, low);
    *T = high;
    return status;
}

static tgs_status search(scheme *x, double limit)
{
    static const double slack[] = {1,     1.005, 1.01, 1.02, 1.03, 1.05,
                                   1.075, 1.1,   1.15, 1.2,  1.3,  1.4};
    double T;
    bool feasible = true;
    tgs_status status = TGS_OK;

    if (limit < INFINITY) {
        status = test(x, limit, &feasible);
        if (!status && !feasible)
            x->a->lower = fmax(x->a->lower, limit);
    }
    if (status || !feasible)
        return status;
    status = bisect(x, limit, &T);
    for (size_t i = 0; i < sizeof slack / sizeof *slack && !status && !close_enough(x); i++) {
        if (x->a->L <= T * slack[i] || x->a->lower >= limit)
            break;
        status = test(x, T * slack[i], &feasible);
        if (!status && feasible)
            status = realise(x, T * slack[i]);
    }
    return status;
}

/* few jobs: what is better than the schedule at hand, or that nothing is */
static tgs_status finish(scheme *x, double limit)
{
    tgs_i_fj_answer exact;
    bool finished = false;
    tgs_status status;

    if (x->f->n > TGS_I_FJ_EXACT || x->a->L <= x->a->lower || x->a->lower >= limit)
        return TGS_OK;
    status = tgs_i_fj_answer_new(&exact, x->f->n);
    if (!status)
        status = tgs_i_fj_branch(x->f, x->e->nodes, fmin(limit, x->a->L), &exact, &finished);
    if (!status && exact.L < x->a->L) {
        for (int32_t j = 0; j < x->f->n; j++) {
            x->a->machine[j] = exact.machine[j];
            x->a->start[j] = exact.start[j];
        }
        x->a->L = exact.L;
    }
    if (!status && finished) {
        x->a->lower = fmax(x->a->lower, exact.lower);
        x->a->theorem = "branch and bound";
    }
    tgs_i_fj_answer_free(&exact);
    return status;
}

/* says what has raised lower from what it was */
static void credit(tgs_i_fj_answer *a, double was, const char *by)
{
    if (a->lower > was)
        a->by = by;
}

/* too many jobs for configurations: whole numbers of the big ones, and a schedule along them */
static tgs_status count(scheme *x, double limit)
{
    const double was = x->a->lower;
    bool found = false;
    tgs_status status = TGS_OK;

    if (x->f->n > TGS_I_FJ_CONFIGS)
        status = tgs_i_fj_counts(x->f, x->e->eps, limit, x->a, x->class_of, &found, x->e->err);
    credit(x->a, was, "counts of big tasks");
    return !status && found && !close_enough(x) ? attempt(x, enough(x)) : status;
}

static tgs_status run(scheme *x, double limit)
{
    double was = x->a->lower;
    tgs_status status = serial(x);

    if (!status)
        status = search(x, limit);
    credit(x->a, was, x->related ? "fluid flow" : "prices of processors");
    if (!status && x->related && x->f->classes <= 4 && x->a->lower < limit)
        status = shared(x);
    if (!status && x->f->n <= SEVERAL && !close_enough(x) && x->a->lower < limit)
        status = prefixes(x);
    if (!status && !close_enough(x) && x->a->lower < limit)
        status = count(x, limit);
    if (!status && !close_enough(x) && x->a->lower < limit)
        status = tgs_i_fj_improve(x->f, x->e->work, &x->work, enough(x), x->a);
    was = x->a->lower;
    if (!status)
        status = finish(x, limit);
    credit(x->a, was, "branch and bound");
    was = x->a->lower;
    if (!status && !close_enough(x) && x->a->lower < limit)
        status =
            tgs_i_fj_configs(x->f, x->e->sets, x->e->work / 20, x->e->eps, limit, x->a, x->e->err);
    credit(x->a, was, "configurations");
    return status;
}

tgs_status tgs_i_fj_scheme(const tgs_i_fj_form *f, const tgs_i_fj_effort *e, double limit,
                           tgs_i_fj_answer *a)
{
    scheme x = {.f = f, .e = e, .a = a, .attempts = e->work, .work = e->work};
    double was;
    bool known;
    tgs_status status = TGS_OK;

    if (!(a->lower > 0)) /* the bisection multiplies it */
        status = tgs_i_fj_quick_reason(f, &a->lower, &a->by);
    if (status)
        return status;
    was = a->lower;
    status = tgs_i_fj_special(f, a, &known);
    credit(a, was, known && a->theorem ? a->theorem : "equal times");
    if (status || known)
        return status;
    x.class_of = tgs_mem_alloc((size_t)f->n, sizeof *x.class_of);
    x.carry = tgs_mem_alloc((size_t)f->classes, sizeof *x.carry);
    status = x.class_of && x.carry ? tgs_i_fj_lists_open(&x.lists, f) : TGS_ENOMEM;
    if (!status)
        status = tgs_i_fj_answer_new(&x.trial, f->n);
    if (!status)
        status = tgs_i_fj_fluid_open(&x.fluid, f, &x.related);
    if (!status && !x.related)
        status = tgs_i_fj_prices_open(&x.prices, f);
    if (!status)
        status = run(&x, limit);
    tgs_i_fj_answer_free(&x.trial);
    tgs_i_fj_fluid_close(&x.fluid);
    tgs_i_fj_prices_close(&x.prices);
    tgs_i_fj_lists_close(&x.lists);
    tgs_mem_free(x.class_of);
    tgs_mem_free(x.carry);
    return status;
}
