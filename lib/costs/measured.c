/* measured.c -- times measured on this machine, interpolated over size.
 *
 * Samples of one codelet, attributes, dtype and kind make a curve; its sizes are flops, or bytes
 * when a sample of the curve has no flops.  A task as large as a sample in both flops and bytes
 * takes its median.  Between two sizes log time is linear in log size; up to 4 times beyond the
 * curve its last slope is kept (within 0 .. 2: two close samples say little; one sample alone grows
 * in proportion); farther out the kind's roofline is scaled to meet the curve's end.
 *
 * O(S log S) to sort S samples, then O(log S) per task and kind. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

#define BEYOND   4.0
#define SHORTEST 1e-12 /* a clock may say 0; its logarithm may not be asked */

typedef struct point {
    double size, other;           /* the curve's measure and the other one; -1 unknown */
    double seconds;               /* mean of the medians of equal samples */
    double log_size, log_seconds; /* of levels */
    const tgs_sample *sample;
} point;

typedef struct curve {
    int32_t kind, codelet; /* of the platform, of the graph */
    const char *attrs;
    tgs_dtype dtype;
    int32_t point_at, points; /* all, by size, then other */
    int32_t level_at, levels; /* one per positive size */
    bool by_flops;
} curve;

typedef struct row { /* a sample that may matter here */
    const tgs_sample *s;
    int32_t kind, codelet;
    int32_t index; /* so that sorting is the same everywhere */
} row;

typedef struct curves {
    curve *curve;
    point *point, *level;
    int32_t count;
} curves;

static void curves_free(curves *c)
{
    tgs_mem_free(c->curve);
    tgs_mem_free(c->point);
    tgs_mem_free(c->level);
}

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_key(int32_t kind, int32_t codelet, const char *attrs, tgs_dtype dtype,
                       int32_t kind2, int32_t codelet2, const char *attrs2, tgs_dtype dtype2)
{
    if (kind != kind2)
        return kind < kind2 ? -1 : 1;
    if (codelet != codelet2)
        return codelet < codelet2 ? -1 : 1;
    if (dtype != dtype2)
        return dtype < dtype2 ? -1 : 1;
    return strcmp(attrs, attrs2);
}

static int compare_rows(const void *pa, const void *pb)
{
    const row *a = pa, *b = pb;
    const int by_key = compare_key(a->kind, a->codelet, a->s->attrs, a->s->dtype, b->kind,
                                   b->codelet, b->s->attrs, b->s->dtype);

    return by_key ? by_key : a->index < b->index ? -1 : a->index > b->index;
}

static int compare_points(const void *pa, const void *pb)
{
    const point *a = pa, *b = pb;
    int c = order(a->size, b->size);

    if (!c)
        c = order(a->other, b->other);
    return c ? c : a->sample < b->sample ? -1 : a->sample > b->sample; /* of one array */
}

static int32_t find_kind(const tgs_platform_view *p, const char *name)
{
    for (int32_t k = 0; k < p->kinds; k++)
        if (!strcmp(p->kind[k].name, name))
            return k;
    return -1;
}

static int32_t find_codelet(const tgs_graph_view *g, const char *name)
{
    for (int32_t i = 0; i < g->codelets; i++)
        if (!strcmp(g->codelet_name[i], name))
            return i;
    return -1;
}

/* the samples whose kind and codelet occur here, by curve */
static int32_t select_rows(row *rows, const tgs_costs_view *c, const tgs_graph_view *g,
                           const tgs_platform_view *p)
{
    int32_t n = 0;

    for (int32_t i = 0; i < c->samples; i++) {
        const tgs_sample *s = &c->sample[i];
        const row r = {s, find_kind(p, s->kind), find_codelet(g, s->codelet), i};

        if (r.kind >= 0 && r.codelet >= 0)
            rows[n++] = r;
    }
    qsort(rows, (size_t)n, sizeof *rows, compare_rows);
    return n;
}

static double known(double x)
{
    return isnan(x) ? -1 : x;
}

/* points of one curve: sorted, equal ones merged; then one level per size */
static void finish_curve(curves *all, curve *c)
{
    point *p = all->point + c->point_at, *level = all->level + c->level_at, *to;
    int32_t n = 0;

    for (int32_t i = 0; i < c->points; i++) {
        const double flops = known(p[i].sample->flops), bytes = known(p[i].sample->bytes);

        p[i].size = c->by_flops ? flops : bytes;
        p[i].other = c->by_flops ? bytes : flops;
        p[i].seconds = p[i].sample->median;
    }
    qsort(p, (size_t)c->points, sizeof *p, compare_points);
    for (int32_t i = 0, j; i < c->points; i = j, n++) {
        double sum = 0;

        for (j = i; j < c->points && p[j].size == p[i].size && p[j].other == p[i].other; j++)
            sum += p[j].seconds;
        p[n] = p[i];
        p[n].seconds = sum / (j - i);
    }
    c->points = n;
    for (int32_t i = 0, j; i < c->points; i = j) {
        double sum = 0;

        for (j = i; j < c->points && p[j].size == p[i].size; j++)
            sum += p[j].seconds;
        if (p[i].size <= 0)
            continue;
        to = &level[c->levels++];
        *to = p[i];
        to->seconds = sum / (j - i);
        to->log_size = tgs_log(to->size);
        to->log_seconds = tgs_log(to->seconds > SHORTEST ? to->seconds : SHORTEST);
    }
}

static tgs_status make_curves(curves *out, const tgs_costs_view *c, const tgs_graph_view *g,
                              const tgs_platform_view *p)
{
    row *rows = tgs_mem_alloc((size_t)c->samples, sizeof *rows);
    int32_t n;

    *out = (curves){NULL, NULL, NULL, 0};
    out->curve = tgs_mem_alloc((size_t)c->samples, sizeof *out->curve);
    out->point = tgs_mem_alloc((size_t)c->samples, sizeof *out->point);
    out->level = tgs_mem_alloc((size_t)c->samples, sizeof *out->level);
    if (!rows || !out->curve || !out->point || !out->level) {
        tgs_mem_free(rows);
        return TGS_ENOMEM;
    }
    n = select_rows(rows, c, g, p);
    for (int32_t i = 0, j; i < n; i = j) {
        const row *r = &rows[i];
        curve *k = &out->curve[out->count++];

        *k = (curve){.kind = r->kind,
                     .codelet = r->codelet,
                     .attrs = r->s->attrs,
                     .dtype = r->s->dtype,
                     .point_at = i,
                     .level_at = i,
                     .by_flops = true};
        for (j = i; j < n
                    && !compare_key(r->kind, r->codelet, r->s->attrs, r->s->dtype, rows[j].kind,
                                    rows[j].codelet, rows[j].s->attrs, rows[j].s->dtype);
             j++) {
            out->point[j].sample = rows[j].s;
            k->by_flops = k->by_flops && rows[j].s->flops > 0;
        }
        k->points = j - i;
        finish_curve(out, k);
    }
    tgs_mem_free(rows);
    return TGS_OK;
}

static const curve *find_curve(const curves *all, const tgs_graph_view *g, int32_t task,
                               int32_t kind)
{
    const char *attrs = tgs_text(g, g->task[task].attrs);
    const tgs_dtype dtype = tgs_task_dtype(g, task);
    int32_t low = 0, high = all->count;

    while (low < high) {
        const int32_t i = low + (high - low) / 2;
        const curve *c = &all->curve[i];
        const int order = compare_key(c->kind, c->codelet, c->attrs, c->dtype, kind,
                                      g->task[task].codelet, attrs, dtype);

        if (!order)
            return c;
        if (order < 0)
            low = i + 1;
        else
            high = i;
    }
    return NULL;
}

/* the first of n points, sorted by size and other, that is not before (size, other) */
static int32_t lower(const point *p, int32_t n, double size, double other)
{
    int32_t low = 0, high = n;

    while (low < high) {
        const int32_t i = low + (high - low) / 2;

        if (p[i].size < size || (p[i].size == size && p[i].other < other))
            low = i + 1;
        else
            high = i;
    }
    return low;
}

static double slope(const point *a, const point *b)
{
    return (b->log_seconds - a->log_seconds) / (b->log_size - a->log_size);
}

static double along(const point *from, double slope, double size)
{
    return tgs_exp(from->log_seconds + slope * (tgs_log(size) - from->log_size));
}

/* beyond the end of a curve of n levels; NaN when it is too far and there is no roofline */
static double beyond(const point *level, int32_t n, bool above, double size, double flops,
                     double bytes, const tgs_kind *kind)
{
    const point *end = above ? level + n - 1 : level;
    const double ratio = above ? size / end->size : end->size / size;
    double k = n < 2 ? 1 : above ? slope(end - 1, end) : slope(end, end + 1);

    if (ratio > BEYOND)
        return tgs_costs_roofline(kind, flops, bytes) * end->seconds
               / tgs_costs_roofline(kind, end->sample->flops, end->sample->bytes);
    k = k < 0 ? 0 : k > 2 ? 2 : k;
    return along(end, k, size);
}

static double predict(const curves *all, const curve *c, double flops, double bytes,
                      const tgs_kind *kind, uint8_t *from)
{
    const point *p = all->point + c->point_at, *level = all->level + c->level_at;
    const double size = known(c->by_flops ? flops : bytes);
    const double other = known(c->by_flops ? bytes : flops);
    int32_t i = lower(p, c->points, size, other);

    *from = TGS_FROM_MEASURED;
    if (i < c->points && p[i].size == size && p[i].other == other)
        return p[i].seconds;
    if (size <= 0 || !c->levels)
        return NAN;
    i = lower(level, c->levels, size, -INFINITY);
    if (i < c->levels && level[i].size == size)
        return level[i].seconds;
    if (i > 0 && i < c->levels) {
        *from = TGS_FROM_INTERPOLATED;
        return along(&level[i - 1], slope(&level[i - 1], &level[i]), size);
    }
    *from = TGS_FROM_EXTRAPOLATED;
    return beyond(level, c->levels, i > 0, size, flops, bytes, kind);
}

static tgs_status price(const tgs_costs_view *c, const tgs_graph_view *g,
                        const tgs_platform_view *p, double *time, uint8_t *from, tgs_error *err)
{
    curves all;

    if (make_curves(&all, c, g, p)) {
        curves_free(&all);
        return tgs_fail(err, TGS_ENOMEM, "measured: out of memory");
    }
    for (int32_t task = 0; task < g->tasks && all.count; task++)
        for (int32_t k = 0; k < p->kinds && g->task[task].codelet >= 0; k++) {
            const int64_t i = (int64_t)task * p->kinds + k;
            const curve *of = isnan(time[i]) ? find_curve(&all, g, task, k) : NULL;
            uint8_t origin;
            double t;

            if (!of)
                continue;
            t = predict(&all, of, g->task[task].flops, g->task[task].bytes, &p->kind[k], &origin);
            if (!(t >= 0 && t < INFINITY))
                continue;
            time[i] = t;
            from[i] = origin;
        }
    curves_free(&all);
    return TGS_OK;
}

static void missing(const tgs_graph_view *g, const tgs_platform_view *p, int32_t task, int32_t kind,
                    char *text, size_t size)
{
    const tgs_task *t = &g->task[task];

    (void)p, (void)kind;
    if (t->codelet < 0)
        snprintf(text, size, "it has no codelet that could have been measured");
    else
        snprintf(text, size, "no sample near its size of codelet %.60s, attrs \"%.80s\", dtype %s",
                 g->codelet_name[t->codelet], tgs_text(g, t->attrs),
                 tgs_dtype_name(tgs_task_dtype(g, task)));
}

const tgs_cost_model tgs_cost_model_measured = {
    .base = {TGS_PLUGIN_ABI, "measured", "measured samples (.tgc), interpolated over size", NULL,
             NULL},
    .price = price,
    .missing = missing,
};
