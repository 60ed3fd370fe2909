/* interval-area.c -- the work that must lie between a and T - b, for many a and b.
 *
 * Each task has a window (windows.h), so that part of it lies in the interval wherever it is put,
 * and these parts have to fit as the whole work has to:
 *
 *     T >= a + b + the area bound (rates.h) of the parts in [a, T - b]
 *
 * With a = b = 0 this is the area bound.  E. B. Fernandez and B. Bussell compare the parts with the
 * processors there are in each interval of the critical path's length; here T is not fixed, and
 * there are several kinds.
 *
 * All pairs of up to 64 values are looked at with the prices of the whole work, in two passes; the
 * best of them get prices of their own.  O(n k) for a pair; effort limits pairs x tasks x kinds,
 * and so how many values there are. */
#include <float.h>
#include "windows.h"

enum { VALUES = 64, BEST = 8 };

typedef struct interval {
    double a, b, bound;
} interval;

typedef struct search {
    tgs_i_rates rates, parts; /* parts: rates of what must lie in an interval */
    tgs_i_windows windows;
    double *mu;   /* [k] prices */
    double bound; /* so far */
    interval best[BEST];
    int32_t count;
} search;

static double look(const search *x, double a, double b)
{
    const tgs_i_windows *w = &x->windows;
    const double length = x->bound - a - b;
    double sum = 0;

    for (int32_t j = 0; j < w->n; j++) {
        double least = INFINITY;

        for (int32_t t = 0; t < w->k; t++) {
            const double part = tgs_i_windows_part(w, j, t, a, b, length);

            if (part < INFINITY && x->mu[t] * part / x->rates.speed[t] < least)
                least = x->mu[t] * part / x->rates.speed[t];
        }
        sum += least;
    }
    return a + b + sum;
}

/* the best, in falling order */
static void keep(search *x, const interval *i)
{
    int32_t at = x->count < BEST ? x->count++ : BEST;

    while (at > 0 && x->best[at - 1].bound < i->bound) {
        if (at < BEST)
            x->best[at] = x->best[at - 1];
        at--;
    }
    if (at < BEST)
        x->best[at] = *i;
}

static void look_at_all(search *x)
{
    const tgs_i_windows *w = &x->windows;
    double highest = x->bound;

    x->count = 0;
    for (int32_t i = 0; i < w->froms; i++)
        for (int32_t k = 0; k < w->untils && w->from[i] + w->until[k] < x->bound; k++) {
            interval y = {w->from[i], w->until[k], 0};

            y.bound = look(x, y.a, y.b);
            highest = fmax(highest, y.bound);
            keep(x, &y);
        }
    x->bound = highest; /* not before: the cuts at the interval's length would differ by order */
}

/* the best prices of the best intervals; those of the very best stay */
static tgs_status price_best(search *x, int32_t most, double *mu, tgs_error *err)
{
    const tgs_i_windows *w = &x->windows;
    double highest = x->bound;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->count && i < most && !status; i++) {
        const interval *y = &x->best[i];
        double area = 0;

        for (int32_t j = 0; j < w->n; j++)
            for (int32_t t = 0; t < w->k; t++)
                x->parts.r[(int64_t)j * w->k + t] =
                    tgs_i_windows_part(w, j, t, y->a, y->b, x->bound - y->a - y->b)
                    / x->rates.speed[t];
        status = tgs_i_rates_bound(&x->parts, &area, mu, err);
        if (!status && y->a + y->b + area > highest) {
            highest = y->a + y->b + area;
            for (int32_t t = 0; t < w->k; t++)
                x->mu[t] = mu[t];
        }
    }
    x->bound = highest;
    return status;
}

/* how many intervals may get prices of their own */
static int32_t priced(const search *x, int64_t effort)
{
    const int64_t k = x->rates.k, steps = k < 3 ? 32 : 64 * (k - 1) * k;

    return (int32_t)fmin(BEST, (double)effort / ((double)x->rates.n * (double)k * (double)steps));
}

static tgs_status find(search *x, const tgs_ctx *c, int64_t effort, tgs_error *err)
{
    double *mu = tgs_mem_alloc((size_t)x->rates.k, sizeof *mu);
    tgs_status status = TGS_OK;

    x->mu = tgs_mem_alloc((size_t)x->rates.k, sizeof *x->mu);
    x->parts = x->rates;
    x->parts.r = tgs_mem_alloc((size_t)x->rates.n * (size_t)x->rates.k, sizeof *x->parts.r);
    if (!mu || !x->mu || !x->parts.r)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d tasks", x->rates.n);
    if (!status)
        status = tgs_i_rates_bound(&x->rates, &x->bound, x->mu, err);
    x->bound = fmax(x->bound, x->windows.least);
    for (int32_t pass = 0; pass < 2 && !status && !(c->stop && c->stop(c->user)); pass++) {
        look_at_all(x);
        status = price_best(x, priced(x, effort), mu, err);
    }
    tgs_mem_free(mu);
    tgs_mem_free(x->mu);
    tgs_mem_free(x->parts.r);
    return status;
}

static tgs_status run(const tgs_ctx *c, double *bound, tgs_error *err)
{
    const int64_t effort = tgs_arg_int(c->args, "effort");
    search x = {.bound = 0};
    double values;
    tgs_status status = tgs_i_rates_open(&x.rates, c->v, err);

    if (status)
        return status;
    values = sqrt((double)effort / (2 * fmax(1, (double)x.rates.n * x.rates.k)));
    if (values < 2)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "%d tasks on %d kinds: even 4 intervals take more than effort=%lld",
                          x.rates.n, x.rates.k, (long long)effort);
    if (!status)
        status = tgs_i_windows_open(&x.windows, c->v, &x.rates, true, (int32_t)fmin(VALUES, values),
                                    err);
    if (!status)
        status = find(&x, c, effort, err);
    if (!status) /* sums of n terms, each rounded */
        *bound = fmax(x.windows.least, x.bound * (1 - DBL_EPSILON * (x.rates.n + 16.0)));
    tgs_i_windows_close(&x.windows);
    tgs_i_rates_close(&x.rates);
    return status;
}

static const tgs_param params[] = {
    {"effort", "50000000", TGS_PARAM_INT, 1, 1e12, "intervals x tasks x kinds looked at, at most"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_bound_plugin tgs_bound_interval_area = {
    .base = {TGS_PLUGIN_ABI, "interval-area",
             "the work that must lie in an interval, wherever tasks are put",
             "after Fernandez, Bussell, IEEE Trans. Computers C-22(8), 1973", params},
    .model = "any graph, platform and link model, with duplication",
    .duplication = true,
    .run = run,
};
