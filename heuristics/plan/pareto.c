/* pareto.c -- Pareto filters, and the order of survivors of an NSGA-II.
 *
 * K. Deb, A. Pratap, S. Agarwal, T. Meyarivan, "A fast and elitist multiobjective genetic
 * algorithm: NSGA-II", IEEE Transactions on Evolutionary Computation 6, 2002 (fronts and crowding).
 */
#include <stdlib.h>
#include "core.h"

static bool dominates(int32_t m, const double *a, const double *b)
{
    bool better = false;

    for (int32_t k = 0; k < m; k++) {
        if (a[k] > b[k])
            return false;
        better |= a[k] < b[k];
    }
    return better;
}

static bool equal(int32_t m, const double *a, const double *b)
{
    for (int32_t k = 0; k < m; k++)
        if (a[k] != b[k])
            return false;
    return true;
}

typedef struct point {
    double x, y;
    int32_t index;
} point;

static int by_x(const void *a, const void *b)
{
    const point *p = a, *q = b;

    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return p->index < q->index ? -1 : 1;
}

/* m = 2: from left to right, what lies lower than all before */
static tgs_status sweep(int32_t n, const double *value, bool *kept, tgs_error *err)
{
    point *p = tgs_mem_alloc((size_t)n, sizeof *p);
    double lowest = 0;

    if (!p)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d points", n);
    for (int32_t i = 0; i < n; i++)
        p[i] = (point){value[2 * i], value[2 * i + 1], i};
    qsort(p, (size_t)n, sizeof *p, by_x);
    for (int32_t i = 0; i < n; i++) {
        kept[p[i].index] = i == 0 || p[i].y < lowest;
        if (kept[p[i].index])
            lowest = p[i].y;
    }
    tgs_mem_free(p);
    return TGS_OK;
}

tgs_status tgs_i_pareto(int32_t n, int32_t m, const double *value, bool *kept, tgs_error *err)
{
    if (m == 2)
        return sweep(n, value, kept, err);
    for (int32_t i = 0; i < n; i++) {
        kept[i] = true;
        for (int32_t j = 0; j < n && kept[i]; j++)
            if (dominates(m, value + (int64_t)j * m, value + (int64_t)i * m)
                || (j < i && equal(m, value + (int64_t)j * m, value + (int64_t)i * m)))
                kept[i] = false;
    }
    return TGS_OK;
}

/* the crowding of one front along one objective; p has room for its points */
static void crowd(int32_t n, int32_t m, const double *value, const int32_t *front, int32_t f,
                  int32_t k, point *p, double *crowding)
{
    int32_t count = 0;

    for (int32_t i = 0; i < n; i++)
        if (front[i] == f)
            p[count++] = (point){value[(int64_t)i * m + k], 0, i};
    qsort(p, (size_t)count, sizeof *p, by_x);
    for (int32_t i = 0; i < count; i++) {
        const double extent = p[count - 1].x - p[0].x;

        if (i == 0 || i == count - 1)
            crowding[p[i].index] = INFINITY;
        else if (extent > 0 && extent < INFINITY)
            crowding[p[i].index] += (p[i + 1].x - p[i - 1].x) / extent;
    }
}

/* peels front f: those that as many dominate as were peeled before it; returns how many */
static int32_t peel(int32_t n, int32_t m, const double *value, int32_t f, int32_t *front,
                    int32_t *dominators)
{
    int32_t count = 0;

    for (int32_t i = 0; i < n; i++)
        if (front[i] < 0 && dominators[i] == 0) {
            front[i] = f;
            count++;
        }
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n && front[i] == f; j++)
            dominators[j] -= dominates(m, value + (int64_t)i * m, value + (int64_t)j * m);
    return count;
}

tgs_status tgs_i_fronts(int32_t n, int32_t m, const double *value, int32_t *front, double *crowding,
                        tgs_error *err)
{
    point *p = tgs_mem_alloc((size_t)n, sizeof *p);
    int32_t *dominators = tgs_mem_alloc((size_t)n, sizeof *dominators);

    if (!p || !dominators) {
        tgs_mem_free(p);
        tgs_mem_free(dominators);
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d points", n);
    }
    for (int32_t i = 0; i < n; i++) {
        front[i] = -1;
        crowding[i] = 0;
        for (int32_t j = 0; j < n; j++)
            dominators[i] += dominates(m, value + (int64_t)j * m, value + (int64_t)i * m);
    }
    for (int32_t f = 0, left = n; left > 0; f++) {
        left -= peel(n, m, value, f, front, dominators);
        for (int32_t k = 0; k < m; k++)
            crowd(n, m, value, front, f, k, p, crowding);
    }
    tgs_mem_free(p);
    tgs_mem_free(dominators);
    return TGS_OK;
}
