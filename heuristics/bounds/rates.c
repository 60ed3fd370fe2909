/* rates.c -- the best prices of work on kinds of processors (rates.h). */
#include <stdlib.h>
#include <string.h>
#include "rates.h"

/* where nothing binds a task to a processor, one of each kind will do */
static void find_procs(const tgs_view *v, tgs_i_rates *x)
{
    for (int32_t p = 0; p < v->m; p++) {
        bool needed = true;

        for (int32_t i = 0; i < x->procs && needed && !v->pin_proc && !v->mem_mask; i++)
            needed = v->p->proc[x->proc[i]].kind != v->p->proc[p].kind;
        if (needed)
            x->proc[x->procs++] = p;
    }
}

static void find_rates(const tgs_view *v, const int32_t *column, tgs_i_rates *x)
{
    for (int64_t i = 0; i < (int64_t)v->n * x->k; i++)
        x->r[i] = INFINITY;
    for (int32_t j = 0; j < v->n; j++)
        for (int32_t i = 0; i < x->procs; i++) {
            const int32_t p = x->proc[i], t = v->p->proc[p].kind, c = column[t];

            if (tgs_allowed(v, j, p))
                x->r[(int64_t)j * x->k + c] = v->time[(int64_t)j * v->kinds + t] / x->speed[c];
        }
}

tgs_status tgs_i_rates_open(tgs_i_rates *x, const tgs_view *v, tgs_error *err)
{
    const size_t kinds = (size_t)v->kinds;
    int32_t *column = tgs_mem_alloc(kinds, sizeof *column);

    *x = (tgs_i_rates){.n = v->n};
    x->speed = tgs_mem_alloc(kinds, sizeof *x->speed);
    x->kind = tgs_mem_alloc(kinds, sizeof *x->kind);
    x->proc = tgs_mem_alloc((size_t)v->m, sizeof *x->proc);
    if (!column || !x->speed || !x->kind || !x->proc)
        goto fail;
    for (int32_t t = 0; t < v->kinds; t++)
        column[t] = -1;
    for (int32_t p = 0; p < v->m; p++)
        column[v->p->proc[p].kind] = 0;
    for (int32_t t = 0; t < v->kinds; t++)
        if (!column[t]) {
            x->kind[x->k] = t;
            column[t] = x->k++;
        }
    for (int32_t p = 0; p < v->m; p++)
        x->speed[column[v->p->proc[p].kind]] += v->p->proc[p].speed;
    x->r = tgs_mem_alloc((size_t)v->n * (size_t)x->k, sizeof *x->r);
    if (!x->r)
        goto fail;
    find_procs(v, x);
    find_rates(v, column, x);
    tgs_mem_free(column);
    return TGS_OK;
fail:
    tgs_mem_free(column);
    tgs_i_rates_close(x);
    return tgs_fail(err, TGS_ENOMEM, "out of memory for %d tasks", v->n);
}

void tgs_i_rates_close(tgs_i_rates *x)
{
    tgs_mem_free(x->r);
    tgs_mem_free(x->speed);
    tgs_mem_free(x->kind);
    tgs_mem_free(x->proc);
    *x = (tgs_i_rates){.n = 0};
}

double tgs_i_rates_price(const tgs_i_rates *x, const double *mu, double *slope)
{
    double g = 0;

    for (int32_t t = 0; t < x->k && slope; t++)
        slope[t] = 0;
    for (int32_t j = 0; j < x->n; j++) {
        const double *r = x->r + (int64_t)j * x->k;
        double least = INFINITY;
        int32_t best = 0;

        for (int32_t t = 0; t < x->k; t++)
            if (r[t] < INFINITY && mu[t] * r[t] < least) {
                least = mu[t] * r[t];
                best = t;
            }
        g += least;
        if (slope)
            slope[best] += r[best];
    }
    return g;
}

/* ---- two kinds ----------------------------------------------------------------------------- */
typedef struct turn { /* where a task changes sides, and by how much the slope falls there */
    double mu, fall;
} turn;

static int by_mu(const void *a, const void *b)
{
    const double x = ((const turn *)a)->mu, y = ((const turn *)b)->mu;

    return (x > y) - (x < y);
}

static tgs_status two_kinds(const tgs_i_rates *x, double *bound, double *mu, tgs_error *err)
{
    turn *turns = tgs_mem_alloc((size_t)x->n, sizeof *turns);
    double slope = 0;
    int32_t n = 0;

    if (!turns)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d tasks", x->n);
    for (int32_t j = 0; j < x->n; j++) {
        const double a = x->r[2 * (int64_t)j], b = x->r[2 * (int64_t)j + 1];

        if (!(b < INFINITY)) {
            slope += a;
        } else if (!(a < INFINITY)) {
            slope -= b;
        } else if (a + b > 0) {
            slope += a;
            turns[n++] = (turn){b / (a + b), a + b};
        }
    }
    qsort(turns, (size_t)n, sizeof *turns, by_mu);
    mu[0] = slope > 0;
    for (int32_t i = 0; i < n && slope > 0; i++) {
        slope -= turns[i].fall;
        if (slope <= 0)
            mu[0] = turns[i].mu;
    }
    mu[1] = 1 - mu[0];
    *bound = tgs_i_rates_price(x, mu, NULL);
    tgs_mem_free(turns);
    return TGS_OK;
}

/* ---- more kinds: the ellipsoid method ------------------------------------------------------- */
/* The ellipsoid {x + J z : |z| <= 1} of the first d of d + 1 prices.  Kept as J and not as J J', it
 * stays one when it gets flat. */
typedef struct ellipsoid {
    int32_t d;
    double *x, *J, *cut, *u, *b, *mu, *slope;
} ellipsoid;

/* u = J' cut, made 1 long, and b = J u; returns how far the ellipsoid reaches along cut */
static double width(const ellipsoid *e)
{
    const int32_t d = e->d;
    double sum = 0;

    for (int32_t i = 0; i < d; i++) {
        e->u[i] = 0;
        for (int32_t j = 0; j < d; j++)
            e->u[i] += e->J[j * d + i] * e->cut[j];
        sum += e->u[i] * e->u[i];
    }
    sum = sqrt(sum);
    for (int32_t i = 0; i < d && sum > 0; i++)
        e->u[i] /= sum;
    for (int32_t i = 0; i < d; i++) {
        e->b[i] = 0;
        for (int32_t j = 0; j < d; j++)
            e->b[i] += e->J[i * d + j] * e->u[j];
    }
    return sum;
}

/* the smallest ellipsoid around what has cut (y - x) >= depth; wide is width(e) > depth */
static void shrink(ellipsoid *e, double depth, double wide)
{
    const double d = e->d, alpha = depth / wide, step = (1 + d * alpha) / (d + 1);
    const double scale = sqrt(d * d / (d * d - 1) * (1 - alpha * alpha));
    const double flat = 1 - sqrt(1 - fmin(1, 2 * step / (1 + alpha)));

    for (int32_t i = 0; i < e->d; i++) {
        e->x[i] += step * e->b[i];
        for (int32_t j = 0; j < e->d; j++) {
            double *J = &e->J[i * e->d + j];

            *J = scale * (*J - flat * e->b[i] * e->u[j]);
        }
    }
}

/* the prices at the centre; the most negative one, or -1 when all are prices */
static int32_t centre(ellipsoid *e)
{
    int32_t worst = -1;

    e->mu[e->d] = 1;
    for (int32_t t = 0; t < e->d; t++) {
        e->mu[t] = e->x[t];
        e->mu[e->d] -= e->x[t];
    }
    for (int32_t t = 0; t <= e->d; t++)
        if (e->mu[t] < 0 && (worst < 0 || e->mu[t] < e->mu[worst]))
            worst = t;
    return worst;
}

/* one cut through the centre: of a negative price, or of the prices that cannot be better than best
 */
static bool improve(const tgs_i_rates *x, ellipsoid *e, double *best, double *mu)
{
    const int32_t d = e->d, worst = centre(e);
    double depth, wide;

    if (worst >= 0) {
        for (int32_t t = 0; t < d; t++)
            e->cut[t] = worst == d ? -1 : t == worst;
        depth = -e->mu[worst];
    } else {
        const double g = tgs_i_rates_price(x, e->mu, e->slope);

        for (int32_t t = 0; t < d; t++)
            e->cut[t] = e->slope[t] - e->slope[d];
        depth = *best > g ? *best - g : 0;
        if (g > *best) {
            *best = g;
            memcpy(mu, e->mu, (size_t)x->k * sizeof *mu);
        }
    }
    wide = width(e);
    if (wide <= depth || (worst < 0 && wide - depth <= 1e-13 * *best))
        return false;
    shrink(e, depth, wide);
    return true;
}

static tgs_status more_kinds(const tgs_i_rates *x, double *bound, double *mu, tgs_error *err)
{
    const int32_t d = x->k - 1;
    double *all = tgs_mem_alloc((size_t)d * (size_t)(d + 4) + 2 * (size_t)x->k, sizeof *all);
    ellipsoid e = {.d = d, .x = all};
    /* 2 d (d + 1) steps per factor e, some 32 of them; fewer where each takes long */
    const int64_t most = 64 * (int64_t)d * (d + 1), cost = (int64_t)x->n * x->k + 1;
    const int64_t steps = most < 1000000000 / cost ? most : 1000000000 / cost;

    if (!all)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d kinds", x->k);
    e.cut = e.x + d;
    e.u = e.cut + d;
    e.b = e.u + d;
    e.J = e.b + d;
    e.mu = e.J + d * d;
    e.slope = e.mu + x->k;
    for (int32_t t = 0; t < d; t++) {
        e.x[t] = 1.0 / x->k;
        e.J[t * d + t] = 1; /* holds every vector of prices */
    }
    *bound = 0;
    for (int32_t t = 0; t < x->k; t++)
        mu[t] = 1.0 / x->k;
    for (int64_t i = 0; i <= steps && improve(x, &e, bound, mu); i++)
        continue;
    tgs_mem_free(all);
    return TGS_OK;
}

tgs_status tgs_i_rates_bound(const tgs_i_rates *x, double *bound, double *mu, tgs_error *err)
{
    double *prices = tgs_mem_alloc((size_t)x->k, sizeof *prices);
    tgs_status status = TGS_OK;

    if (!prices)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d kinds", x->k);
    if (x->k == 1) {
        prices[0] = 1;
        *bound = tgs_i_rates_price(x, prices, NULL);
    } else {
        status = (x->k == 2 ? two_kinds : more_kinds)(x, bound, prices, err);
    }
    for (int32_t t = 0; t < x->k && mu; t++)
        mu[t] = prices[t];
    tgs_mem_free(prices);
    return status;
}
