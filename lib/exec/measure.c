/* measure.c -- what every backend's calibration shares: which tasks, with which values, and what is
 * kept of the times. */
#include <stdlib.h>
#include <string.h>
#include "internal.h"

typedef struct candidate {
    const tgs_graph_view *g;
    int32_t task;
} candidate;

static int compare_data(const tgs_graph_view *g, const tgs_access *a, const tgs_access *b)
{
    const tgs_datum *da = &g->datum[a->datum], *db = &g->datum[b->datum];
    const tgs_datum_extra *xa = da->extra >= 0 ? &g->extra[da->extra] : NULL;
    const tgs_datum_extra *xb = db->extra >= 0 ? &g->extra[db->extra] : NULL;
    const int32_t ra = xa ? xa->rank : -1, rb = xb ? xb->rank : -1;

    if (a->mode != b->mode)
        return a->mode < b->mode ? -1 : 1;
    if (da->bytes != db->bytes)
        return da->bytes < db->bytes ? -1 : 1;
    if (ra != rb)
        return ra < rb ? -1 : 1;
    if (ra < 0)
        return 0;
    if (xa->dtype != xb->dtype)
        return xa->dtype < xb->dtype ? -1 : 1;
    for (int32_t k = 0; k < ra; k++)
        if (g->dim[xa->dims + k] != g->dim[xb->dims + k])
            return g->dim[xa->dims + k] < g->dim[xb->dims + k] ? -1 : 1;
    return 0;
}

/* alike in all that a kernel's time may depend on */
static int compare_work(const candidate *a, const candidate *b)
{
    const tgs_graph_view *g = a->g;
    const tgs_task *ta = &g->task[a->task], *tb = &g->task[b->task];
    const int32_t na = g->access_at[a->task + 1] - g->access_at[a->task];
    const int32_t nb = g->access_at[b->task + 1] - g->access_at[b->task];
    int order;

    if (ta->codelet != tb->codelet)
        return ta->codelet < tb->codelet ? -1 : 1;
    order = strcmp(tgs_text(g, ta->attrs), tgs_text(g, tb->attrs));
    if (order)
        return order;
    if (na != nb)
        return na < nb ? -1 : 1;
    for (int32_t i = 0; i < na && !order; i++)
        order = compare_data(g, &g->access[g->access_at[a->task] + i],
                             &g->access[g->access_at[b->task] + i]);
    return order;
}

static int by_work(const void *pa, const void *pb)
{
    const candidate *a = pa, *b = pb;
    const int order = compare_work(a, b);

    return order ? order : (a->task > b->task) - (a->task < b->task);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

tgs_status tgs_i_measure_alike(const tgs_graph_view *g, int32_t *first)
{
    candidate *all = tgs_mem_alloc((size_t)g->tasks, sizeof *all);

    if (!all)
        return TGS_ENOMEM;
    for (int32_t t = 0; t < g->tasks; t++)
        all[t] = (candidate){g, t};
    qsort(all, (size_t)g->tasks, sizeof *all, by_work);
    for (int32_t i = 0; i < g->tasks; i++)
        first[all[i].task] =
            i && !compare_work(&all[i - 1], &all[i]) ? first[all[i - 1].task] : all[i].task;
    tgs_mem_free(all);
    return TGS_OK;
}

tgs_status tgs_measure_tasks(const tgs_graph_view *g, int32_t *task, int32_t *count)
{
    const tgs_status status = tgs_i_measure_alike(g, task);

    *count = 0;
    for (int32_t t = 0; t < g->tasks && !status; t++)
        if (task[t] == t)
            task[(*count)++] = t; /* at or before t, which has been looked at */
    return status;
}

#define DEVIATION 1.4826 /* of a normal distribution, in median absolute deviations */
#define OUTLIER   5      /* deviations above the median */
#define SLACK     0.02   /* of the median: a clock of few ticks has no spread */

static double median(const double *sorted, int32_t n)
{
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* seconds: ascending; what is left of them is their front */
static int32_t reject(const double *seconds, int32_t n, double middle, double spread)
{
    const double limit = middle + fmax(OUTLIER * DEVIATION * spread, SLACK * middle);

    while (seconds[n - 1] > limit)
        n--;
    return n;
}

static double spread_of(const double *seconds, int32_t n, double middle)
{
    /* the distances from the middle are ascending on both sides of it: the k-th smallest */
    int32_t low = 0, high, k = (n + 1) / 2;
    double distance = 0, before = 0;

    while (low < n && seconds[low] < middle)
        low++;
    high = low--;
    if (n % 2 == 0)
        k++;
    for (int32_t i = 0; i < k; i++) {
        const double left = low >= 0 ? middle - seconds[low] : INFINITY;
        const double right = high < n ? seconds[high] - middle : INFINITY;

        before = distance;
        if (left < right) {
            distance = left;
            low--;
        } else {
            distance = right;
            high++;
        }
    }
    return n % 2 ? distance : (before + distance) / 2;
}

void tgs_measure_times(double *seconds, int32_t n, tgs_sample *s)
{
    qsort(seconds, (size_t)n, sizeof *seconds, by_value);
    s->median = median(seconds, n);
    s->count = reject(seconds, n, s->median, spread_of(seconds, n, s->median));
    s->rejected = n - s->count;
    s->min = seconds[0];
    s->median = median(seconds, s->count);
    s->spread = spread_of(seconds, s->count, s->median);
}

void tgs_measure_sample(const tgs_graph_view *g, int32_t task, double *seconds, int32_t n,
                        tgs_sample *s)
{
    *s = (tgs_sample){.codelet = tgs_task_codelet(g, task),
                      .attrs = tgs_text(g, g->task[task].attrs),
                      .dtype = tgs_task_dtype(g, task),
                      .flops = g->task[task].flops,
                      .bytes = g->task[task].bytes};
    tgs_measure_times(seconds, n, s);
}

tgs_status tgs_measure_fill(const tgs_graph_view *g, int32_t datum, void *to, tgs_error *err)
{
    const tgs_datum *d = &g->datum[datum];
    const tgs_datum_extra *x = d->extra >= 0 ? &g->extra[d->extra] : NULL;
    const tgs_dtype dtype = x && x->rank >= 0 ? (tgs_dtype)x->dtype : TGS_F32;
    const int64_t count = (int64_t)(d->bytes / tgs_dtype_size(dtype));
    const tgs_status status = tgs_datum_fill(g, datum, to, err);
    tgs_rng rng;

    if (status != TGS_ENOTAPPLICABLE)
        return status;
    memset(to, 0, (size_t)d->bytes);
    tgs_rng_seed(&rng, (uint64_t)datum);
    for (int64_t i = 0; i < count && (dtype == TGS_F32 || dtype == TGS_F64); i++) {
        if (dtype == TGS_F32)
            ((float *)to)[i] = (float)tgs_rng_real(&rng);
        else
            ((double *)to)[i] = tgs_rng_real(&rng);
    }
    if (err)
        *err = (tgs_error){TGS_OK, ""};
    return TGS_OK;
}
