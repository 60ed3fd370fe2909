/* fluid.c -- the fluid test.  Each class has breakpoints (quantiles of its r and T - q), all values
 * when there are few; a window is rounded out to them.  Work flows from groups of jobs with equal
 * windows to the intervals of classes; a job cannot run beside itself, so an arc carries at most
 * the interval's length for every job of its group. */
#include <stdlib.h>
#include <string.h>
#include "core.h"
#include "fluid.h"

enum { SAMPLE = 8192, TABLE = 1 << 14, MOST_GROUPS = TABLE / 2, MOST_CLASSES = 12 };

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* up to grid quantiles of column g, without 0 and without repetition; room [SAMPLE] */
static int32_t quantiles(const tgs_i_fj_form *f, const double *x, int32_t g, int32_t grid,
                         double *room, double *mark)
{
    const int32_t step = (f->n + SAMPLE - 1) / SAMPLE;
    int32_t n = 0, distinct = 0, used = 0;

    for (int32_t j = 0; j < f->n; j += step)
        room[n++] = x[(int64_t)j * f->classes + g];
    qsort(room, (size_t)n, sizeof *room, by_value);
    for (int32_t i = 0; i < n; i++)
        if (room[i] > 0 && (!distinct || room[i] > room[distinct - 1]))
            room[distinct++] = room[i];
    if (distinct <= grid) {
        memcpy(mark, room, (size_t)distinct * sizeof *mark);
        return distinct;
    }
    for (int32_t i = 0; i < grid; i++)
        mark[used++] = room[(int64_t)distinct * i / grid];
    return used;
}

static bool related(tgs_i_fj_fluid *x)
{
    const tgs_i_fj_form *f = x->f;

    for (int32_t g = 0; g < f->classes; g++) {
        double most = 0, w = 0;

        for (int32_t j = 0; j < f->n; j++)
            if (f->p[(int64_t)j * f->classes] > w) {
                w = f->p[(int64_t)j * f->classes];
                most = f->p[(int64_t)j * f->classes + g];
            }
        x->factor[g] = w > 0 ? most / w : 1;
        if (!(w < INFINITY && x->factor[g] > 0 && x->factor[g] < INFINITY))
            return false;
        for (int32_t j = 0; j < f->n; j++) {
            const int64_t i = (int64_t)j * f->classes;

            if (!(fabs(f->p[i + g] - x->factor[g] * f->p[i]) <= 1e-12 * f->p[i + g]))
                return false;
        }
    }
    return true;
}

/* few jobs per machine: each its own group, as many breakpoints as arcs allow */
static void choose_grid(tgs_i_fj_fluid *x)
{
    const int32_t n = x->f->n, m = x->f->at[x->f->classes];
    const int32_t most = 30000 / n;

    x->single = n <= 10 * (int64_t)m && n <= 6000;
    x->grid = !x->single ? 24 : most < 8 ? 8 : most > n ? n : most;
}

static tgs_status make_room(tgs_i_fj_fluid *x)
{
    const size_t G = (size_t)x->f->classes, n = (size_t)x->f->n, grid = (size_t)x->grid;
    const size_t most = 1 + (x->single ? n : MOST_GROUPS);

    x->table = tgs_mem_alloc(TABLE, sizeof *x->table);
    x->mark_r = tgs_mem_alloc(G * grid, sizeof *x->mark_r);
    x->mark_q = tgs_mem_alloc(G * grid, sizeof *x->mark_q);
    x->marks_r = tgs_mem_alloc(G, sizeof *x->marks_r);
    x->marks_q = tgs_mem_alloc(G, sizeof *x->marks_q);
    x->point = tgs_mem_alloc(G * (2 * grid + 2), sizeof *x->point);
    x->points = tgs_mem_alloc(G, sizeof *x->points);
    x->group_of = tgs_mem_alloc(n, sizeof *x->group_of);
    x->by_w = tgs_mem_alloc(n, sizeof *x->by_w);
    x->key = tgs_mem_alloc(most * G, sizeof *x->key);
    x->share = tgs_mem_alloc(most * G, sizeof *x->share);
    x->work = tgs_mem_alloc(most, sizeof *x->work);
    x->count = tgs_mem_alloc(most, sizeof *x->count);
    return x->table && x->mark_r && x->mark_q && x->marks_r && x->marks_q && x->point && x->points
                   && x->group_of && x->by_w && x->key && x->share && x->work && x->count
               ? TGS_OK
               : TGS_ENOMEM;
}

tgs_status tgs_i_fj_fluid_open(tgs_i_fj_fluid *x, const tgs_i_fj_form *f, bool *fits)
{
    double *key = NULL;
    tgs_status status = TGS_ENOMEM;

    *x = (tgs_i_fj_fluid){.f = f};
    x->factor = tgs_mem_alloc((size_t)f->classes, sizeof *x->factor);
    if (!x->factor)
        return TGS_ENOMEM;
    *fits = f->classes <= MOST_CLASSES && related(x);
    if (!*fits) {
        tgs_i_fj_fluid_close(x);
        return TGS_OK;
    }
    choose_grid(x);
    key = tgs_mem_alloc((size_t)(f->n > SAMPLE ? f->n : SAMPLE), sizeof *key);
    if (key)
        status = make_room(x);
    for (int32_t g = 0; g < f->classes && !status; g++) {
        x->marks_r[g] = quantiles(f, f->r, g, x->grid, key, x->mark_r + (int64_t)g * x->grid);
        x->marks_q[g] = quantiles(f, f->q, g, x->grid, key, x->mark_q + (int64_t)g * x->grid);
    }
    for (int32_t j = 0; j < f->n && !status; j++) {
        key[j] = -f->p[(int64_t)j * f->classes];
        x->total -= key[j];
    }
    if (!status)
        status = tgs_i_fj_sort(key, f->n, x->by_w, NULL);
    if (!status && f->n <= 20 * (int64_t)f->at[f->classes]) {
        x->sum = tgs_mem_alloc((size_t)f->n + 1, sizeof *x->sum);
        x->fit = tgs_mem_alloc((size_t)f->n + 1, sizeof *x->fit);
        status = x->sum && x->fit ? TGS_OK : TGS_ENOMEM;
    }
    tgs_mem_free(key);
    if (status)
        tgs_i_fj_fluid_close(x);
    return status;
}

void tgs_i_fj_fluid_close(tgs_i_fj_fluid *x)
{
    tgs_mem_free(x->factor);
    tgs_mem_free(x->by_w);
    tgs_mem_free(x->table);
    tgs_mem_free(x->mark_r);
    tgs_mem_free(x->mark_q);
    tgs_mem_free(x->marks_r);
    tgs_mem_free(x->marks_q);
    tgs_mem_free(x->point);
    tgs_mem_free(x->points);
    tgs_mem_free(x->group_of);
    tgs_mem_free(x->key);
    tgs_mem_free(x->work);
    tgs_mem_free(x->count);
    tgs_mem_free(x->share);
    tgs_mem_free(x->sum);
    tgs_mem_free(x->fit);
    tgs_i_maxflow_free(&x->flow);
    *x = (tgs_i_fj_fluid){.f = NULL};
}

/* merges the marks of r and of T - q into ascending points 0 .. T */
static void place_points(tgs_i_fj_fluid *x, double T)
{
    for (int32_t g = 0; g < x->f->classes; g++) {
        const double *r = x->mark_r + (int64_t)g * x->grid, *q = x->mark_q + (int64_t)g * x->grid;
        double *point = x->point + (int64_t)g * (2 * x->grid + 2);
        int32_t i = 0, k = x->marks_q[g] - 1, used = 1;

        point[0] = 0;
        while (i < x->marks_r[g] || k >= 0) {
            const bool by_r = k < 0 || (i < x->marks_r[g] && r[i] <= T - q[k]);
            const double at = by_r ? r[i++] : T - q[k--];

            if (at > point[used - 1] && at < T)
                point[used++] = at;
        }
        point[used++] = T;
        x->points[g] = used;
    }
}

/* the last point <= t */
static uint32_t point_before(const double *point, int32_t points, double t)
{
    int32_t low = 0, high = points - 1;

    while (low < high) {
        const int32_t mid = low + (high - low + 1) / 2;

        if (point[mid] <= t)
            low = mid;
        else
            high = mid - 1;
    }
    return (uint32_t)low;
}

static uint32_t window(const tgs_i_fj_fluid *x, int32_t j, int32_t g, double T)
{
    const int64_t i = (int64_t)j * x->f->classes + g;
    const double *point = x->point + (int64_t)g * (2 * x->grid + 2), due = T - x->f->q[i];
    uint32_t last;

    if (!(tgs_i_fj_through(x->f, j, g) <= T * (1 + 1e-12)))
        return 0;
    last = point_before(point, x->points[g], due);
    last += point[last] < due;
    return point_before(point, x->points[g], x->f->r[i]) << 16 | last;
}

/* the group with the key at x->groups, which it keeps if it is new; -1: too many groups */
static int32_t find_group(tgs_i_fj_fluid *x, uint32_t hash)
{
    const int32_t G = x->f->classes;
    const uint32_t *key = x->key + (int64_t)x->groups * G;
    int32_t at = (int32_t)(hash & (uint32_t)(TABLE - 1));

    while (x->table[at] >= 0
           && memcmp(x->key + (int64_t)x->table[at] * G, key, (size_t)G * sizeof *key) != 0)
        at = (at + 1) & (TABLE - 1);
    if (x->table[at] < 0) {
        if (x->groups == MOST_GROUPS)
            return -1;
        x->table[at] = x->groups;
    }
    return x->table[at];
}

/* false: too many groups, or no class takes the job (x->nowhere) */
static bool put_in_group(tgs_i_fj_fluid *x, int32_t j, double T)
{
    const int32_t G = x->f->classes;
    uint32_t *key = x->key + (int64_t)x->groups * G, hash = 2166136261u, any = 0;
    int32_t group;

    for (int32_t g = 0; g < G; g++) {
        key[g] = window(x, j, g, T);
        any |= key[g];
        hash = (hash ^ key[g]) * 16777619u;
        hash ^= hash >> 15;
    }
    x->nowhere = !any;
    group = x->single ? x->groups : find_group(x, hash);
    if (!any || group < 0)
        return false;
    if (group == x->groups) {
        x->work[group] = 0;
        x->count[group] = 0;
        x->groups++;
    }
    x->group_of[j] = group;
    x->work[group] += x->f->p[(int64_t)j * G];
    x->count[group]++;
    return true;
}

/* every second mark: fewer groups, a weaker test */
static void coarsen(tgs_i_fj_fluid *x)
{
    for (int32_t g = 0; g < x->f->classes; g++) {
        double *r = x->mark_r + (int64_t)g * x->grid, *q = x->mark_q + (int64_t)g * x->grid;

        for (int32_t i = 0; i < x->marks_r[g] / 2; i++)
            r[i] = r[2 * i + 1];
        for (int32_t i = 0; i < x->marks_q[g] / 2; i++)
            q[i] = q[2 * i + 1];
        x->marks_r[g] /= 2;
        x->marks_q[g] /= 2;
    }
}

/* with no marks left the windows of a class are two, so this ends: 2^classes groups are few */
static void group_jobs(tgs_i_fj_fluid *x, double T)
{
    for (;; coarsen(x)) {
        int32_t j = 0;

        x->groups = 0;
        place_points(x, T);
        for (int32_t i = 0; i < TABLE; i++)
            x->table[i] = -1;
        while (j < x->f->n && put_in_group(x, j, T))
            j++;
        if (j == x->f->n || x->nowhere)
            return;
    }
}

/* nodes: source, sink, groups, then the intervals of each class */
static tgs_status build(tgs_i_fj_fluid *x)
{
    const tgs_i_fj_form *f = x->f;
    int32_t node = 2 + x->groups, nodes = node;
    tgs_status status;

    for (int32_t g = 0; g < f->classes; g++)
        nodes += x->points[g] - 1;
    status = tgs_i_maxflow_reset(&x->flow, nodes);
    for (int32_t i = 0; i < x->groups && !status; i++)
        status = tgs_i_maxflow_add(&x->flow, 0, 2 + i, x->work[i]);
    for (int32_t g = 0; g < f->classes && !status; g++) {
        const double *point = x->point + (int64_t)g * (2 * x->grid + 2);
        const int32_t m = f->at[g + 1] - f->at[g];

        for (int32_t k = 0; k + 1 < x->points[g] && !status; k++, node++) {
            const double length = (point[k + 1] - point[k]) / x->factor[g];

            status = tgs_i_maxflow_add(&x->flow, node, 1, m * length);
            for (int32_t i = 0; i < x->groups && !status; i++) {
                const uint32_t key = x->key[(int64_t)i * f->classes + g];

                if (key && (int32_t)(key >> 16) <= k && (int32_t)(key & 0xffff) > k)
                    status = tgs_i_maxflow_add(&x->flow, 2 + i, node,
                                               fmin(x->work[i], x->count[i] * length));
            }
        }
    }
    return status;
}

static void read_shares(tgs_i_fj_fluid *x)
{
    const int32_t G = x->f->classes;

    for (int32_t i = 0; i < x->groups; i++) {
        double *share = x->share + (int64_t)i * G;

        for (int32_t g = 0; g < G; g++)
            share[g] = 0;
        for (int32_t a = x->flow.first[2 + i]; a >= 0; a = x->flow.arc[a].next) {
            int32_t node = x->flow.arc[a].to - 2 - x->groups, g = 0;

            if (x->flow.arc[a].to == 0)
                continue;
            for (; node >= x->points[g] - 1; g++)
                node -= x->points[g] - 1;
            share[g] += x->flow.arc[a ^ 1].rest;
        }
    }
}

tgs_status tgs_i_fj_fluid_test(tgs_i_fj_fluid *x, double T, bool *feasible)
{
    tgs_status status;

    *feasible = false;
    group_jobs(x, T);
    if (x->nowhere || (x->sum && !tgs_i_fj_count_test(x, T, x->sum, x->fit)))
        return TGS_OK;
    status = build(x);
    if (status)
        return status;
    *feasible = tgs_i_maxflow_run(&x->flow, 0, 1, 1e-14 * x->total) >= x->total * (1 - 1e-9);
    if (*feasible)
        read_shares(x);
    return TGS_OK;
}
