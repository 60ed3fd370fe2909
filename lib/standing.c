/* standing.c -- what heuristics are worth over many instances: geometric means, wins and ties,
 * ratios with their interval (B. Efron, "Bootstrap methods: another look at the jackknife", Annals
 * of Statistics 7(1), 1979), and the performance profile of E. D. Dolan and J. J. More,
 * "Benchmarking optimization software with performance profiles", Mathematical Programming 91(2),
 * 2002.  O(instances x methods^2). */
#include <stdlib.h>
#include "internal.h"

/* two makespans are the same when they differ by rounding or by less than their noise */
static const double rounding = 1e-9;

static double best_of(const double *value, int32_t methods)
{
    double best = INFINITY;

    for (int32_t m = 0; m < methods; m++)
        if (value[m] < best)
            best = value[m];
    return best;
}

/* a makespan over what it is compared with; an empty graph's is as good as any */
static double ratio_of(double value, double reference)
{
    return value == reference ? 1 : value / reference;
}

/* is this the best of its instance, up to the noise of both? */
static bool among_best(const double *value, const double *noise, int32_t methods, int32_t method)
{
    const double mine = value[method];

    for (int32_t m = 0; m < methods; m++) {
        const double blur = noise ? fmax(noise[m], noise[method]) : 0;

        if (value[m] < mine - rounding * fabs(mine) - blur)
            return false;
    }
    return mine < INFINITY;
}

static void judge(tgs_standing *s, const double *value, const double *noise, int32_t methods)
{
    int32_t first = 0;

    for (int32_t m = 0; m < methods; m++)
        first += among_best(value, noise, methods, m);
    for (int32_t m = 0; m < methods; m++)
        if (among_best(value, noise, methods, m))
            ++*(first == 1 ? &s[m].wins : &s[m].ties);
}

typedef struct sums { /* of logarithms */
    double to_bound, to_best;
    int32_t bounded;
} sums;

static void add(tgs_standing *s, sums *x, double value, double best, double bound)
{
    const double ratio = ratio_of(value, best);

    s->solved++;
    x->to_best += tgs_log(ratio);
    s->worst_to_best = fmax(s->worst_to_best, ratio);
    if (bound > 0) {
        x->to_bound += tgs_log(value / bound);
        x->bounded++;
    }
}

static void finish(tgs_standing *s, const sums *x)
{
    s->mean_to_best = s->solved ? tgs_exp(x->to_best / s->solved) : NAN;
    s->mean_to_bound = x->bounded ? tgs_exp(x->to_bound / x->bounded) : NAN;
    if (!s->solved)
        s->worst_to_best = NAN;
}

tgs_status tgs_standings(tgs_standing *out, const double *value, const double *noise,
                         const double *bound, int32_t instances, int32_t methods, tgs_error *err)
{
    sums *x = tgs_mem_alloc((size_t)methods, sizeof *x);

    for (int32_t m = 0; m < methods; m++)
        out[m] = (tgs_standing){0};
    if (!x)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < instances; i++) {
        const double *row = value + (int64_t)i * methods;
        const double best = best_of(row, methods);

        judge(out, row, noise ? noise + (int64_t)i * methods : NULL, methods);
        for (int32_t m = 0; m < methods; m++)
            if (row[m] < INFINITY)
                add(&out[m], &x[m], row[m], best, bound ? bound[i] : NAN);
    }
    for (int32_t m = 0; m < methods; m++)
        finish(&out[m], &x[m]);
    tgs_mem_free(x);
    return TGS_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

int32_t tgs_profile(double *ratio, const double *value, int32_t instances, int32_t methods,
                    int32_t method)
{
    int32_t count = 0;

    for (int32_t i = 0; i < instances; i++) {
        const double *row = value + (int64_t)i * methods;
        const double best = best_of(row, methods);

        if (best < INFINITY)
            ratio[count++] = row[method] < INFINITY ? ratio_of(row[method], best) : INFINITY;
    }
    qsort(ratio, (size_t)count, sizeof *ratio, ascending);
    return count;
}

/* ---- ratios ---- */
static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *x, int32_t n)
{
    qsort(x, (size_t)n, sizeof *x, by_value);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* ratio: [n], drawn: [n], medians: [RESAMPLES] */
enum { RESAMPLES = 4000, BEYOND = RESAMPLES / 40 };

static void resample(tgs_ratio *out, double *ratio, double *drawn, double *medians, int32_t n)
{
    tgs_rng rng;

    tgs_rng_seed(&rng, 1);
    for (int32_t i = 0; i < RESAMPLES; i++) {
        for (int32_t k = 0; k < n; k++)
            drawn[k] = ratio[tgs_rng_int(&rng, 0, n - 1)];
        medians[i] = median(drawn, n);
    }
    out->median = median(ratio, n);
    qsort(medians, RESAMPLES, sizeof *medians, by_value);
    out->low = medians[BEYOND];
    out->high = medians[RESAMPLES - 1 - BEYOND];
}

tgs_status tgs_ratio_of(tgs_ratio *out, const double *a, const double *b, int32_t n, tgs_error *err)
{
    double *room;

    *out = (tgs_ratio){NAN, NAN, NAN};
    if (n < 1)
        return tgs_fail(err, TGS_EINVAL, "a ratio needs a measurement");
    for (int32_t i = 0; i < n; i++)
        if (!(a[i] > 0 && b[i] > 0 && a[i] < INFINITY && b[i] < INFINITY))
            return tgs_fail(err, TGS_EINVAL, "measurement %d is not positive", (int)i);
    room = tgs_mem_alloc(2 * (size_t)n + RESAMPLES, sizeof *room);
    if (!room)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for resamples");
    for (int32_t i = 0; i < n; i++)
        room[i] = a[i] / b[i];
    resample(out, room, room + n, room + 2 * (size_t)n, n);
    tgs_mem_free(room);
    return TGS_OK;
}
