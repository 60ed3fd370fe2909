/* costsmerge.c -- several measurements made one, and measurements as wrong as they may be.
 *
 * O(S log S) for S samples in all. */
#include <stdlib.h>
#include <string.h>
#include "costs.h"

/* ---- questions ---- */
int32_t tgs_costs_samples(const tgs_costs *c)
{
    return c->v.samples;
}

int32_t tgs_costs_links(const tgs_costs *c)
{
    return c->v.links;
}

int32_t tgs_costs_overheads(const tgs_costs *c)
{
    return c->v.overheads;
}

void tgs_costs_sample(const tgs_costs *c, int32_t i, tgs_sample *out)
{
    *out = c->v.sample[i];
}

void tgs_costs_link(const tgs_costs *c, int32_t i, tgs_link_sample *out)
{
    *out = c->v.link[i];
}

void tgs_costs_overhead(const tgs_costs *c, int32_t i, tgs_overhead *out)
{
    *out = c->v.overhead[i];
}

/* ---- several made one ---- */
static int order(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int compare_samples(const void *pa, const void *pb)
{
    const tgs_sample *a = pa, *b = pb;
    int c = strcmp(a->codelet, b->codelet);

    c = c ? c : strcmp(a->attrs, b->attrs);
    c = c ? c : strcmp(a->kind, b->kind);
    c = c ? c : (a->dtype > b->dtype) - (a->dtype < b->dtype);
    c = c ? c : order(a->flops, b->flops);
    return c ? c : order(a->bytes, b->bytes);
}

static int compare_links(const void *pa, const void *pb)
{
    const tgs_link_sample *a = pa, *b = pb;
    const int c = strcmp(a->from, b->from);

    return c ? c : strcmp(a->to, b->to);
}

static int compare_overheads(const void *pa, const void *pb)
{
    const tgs_overhead *a = pa, *b = pb;

    return strcmp(a->kind, b->kind);
}

static int32_t add_counts(int32_t a, int32_t b)
{
    return a > INT32_MAX - b ? INT32_MAX : a + b;
}

static double mean(double a, double na, double b, double nb)
{
    return a == b ? a : (a * na + b * nb) / (na + nb); /* equal ones without rounding */
}

static void join_samples(void *into, const void *from)
{
    tgs_sample *a = into;
    const tgs_sample *b = from;

    a->median = mean(a->median, a->count, b->median, b->count);
    a->spread = mean(a->spread, a->count, b->spread, b->count);
    a->min = fmin(fmin(a->min, b->min), a->median);
    a->count = add_counts(a->count, b->count);
    a->rejected = add_counts(a->rejected, b->rejected);
}

static void join_links(void *into, const void *from)
{
    tgs_link_sample *a = into;
    const tgs_link_sample *b = from;

    a->latency = mean(a->latency, a->count, b->latency, b->count);
    if (a->bandwidth != b->bandwidth) /* what is averaged is the time of a byte */
        a->bandwidth = 1 / mean(1 / a->bandwidth, a->count, 1 / b->bandwidth, b->count);
    a->spread = mean(a->spread, a->count, b->spread, b->count);
    a->misfit = fmax(a->misfit, b->misfit);
    a->count = add_counts(a->count, b->count);
    a->rejected = add_counts(a->rejected, b->rejected);
}

static void join_overheads(void *into, const void *from)
{
    tgs_overhead *a = into;
    const tgs_overhead *b = from;

    a->task = mean(a->task, a->count, b->task, b->count);
    a->access = mean(a->access, a->count, b->access, b->count);
    a->handover = mean(a->handover, a->count, b->handover, b->count);
    a->start = mean(a->start, a->count, b->start, b->count);
    a->count = add_counts(a->count, b->count);
}

static tgs_status add_sample(tgs_costs *to, const void *s)
{
    return tgs_costs_add(to, s);
}

static tgs_status add_link(tgs_costs *to, const void *s)
{
    return tgs_costs_add_link(to, s);
}

static tgs_status add_overhead(tgs_costs *to, const void *s)
{
    return tgs_costs_add_overhead(to, s);
}

typedef struct family { /* of measurements */
    size_t size;
    int (*compare)(const void *a, const void *b); /* 0: they measure the same */
    void (*join)(void *into, const void *from);
    tgs_status (*add)(tgs_costs *to, const void *what);
} family;

enum { SAMPLES, LINKS, OVERHEADS, FAMILIES };
static const family families[FAMILIES] = {
    {sizeof(tgs_sample), compare_samples, join_samples, add_sample},
    {sizeof(tgs_link_sample), compare_links, join_links, add_link},
    {sizeof(tgs_overhead), compare_overheads, join_overheads, add_overhead},
};

typedef struct entry {
    const void *what;
    const family *of;
    int64_t index; /* of the first with this key, in the order of all */
} entry;

static int by_key(const void *pa, const void *pb)
{
    const entry *a = pa, *b = pb;
    const int c = a->of->compare(a->what, b->what);

    return c ? c : (a->index > b->index) - (a->index < b->index);
}

static int by_index(const void *pa, const void *pb)
{
    const entry *a = pa, *b = pb;

    return (a->index > b->index) - (a->index < b->index);
}

static tgs_status merge(tgs_costs *to, const family *f, entry *e, int64_t n)
{
    char *all = tgs_mem_alloc((size_t)n, f->size);
    int64_t kept = 0;
    tgs_status status = all ? TGS_OK : TGS_ENOMEM;

    if (n)
        qsort(e, (size_t)n, sizeof *e, by_key);
    for (int64_t i = 0; i < n && all; i++) {
        void *last = kept ? all + (size_t)(kept - 1) * f->size : NULL;

        if (last && !f->compare(last, e[i].what)) {
            f->join(last, e[i].what);
            continue;
        }
        memcpy(all + (size_t)kept * f->size, e[i].what, f->size);
        e[kept] = (entry){all + (size_t)kept * f->size, f, e[i].index};
        kept++;
    }
    if (kept)
        qsort(e, (size_t)kept, sizeof *e, by_index);
    for (int64_t i = 0; i < kept && !status; i++)
        status = f->add(to, e[i].what);
    tgs_mem_free(all);
    return status;
}

/* the measurements of one family */
static const char *items(const tgs_costs *c, int which, int32_t *count)
{
    *count = which == SAMPLES ? c->v.samples : which == LINKS ? c->v.links : c->v.overheads;
    return which == SAMPLES ? (const char *)c->v.sample
           : which == LINKS ? (const char *)c->v.link
                            : (const char *)c->v.overhead;
}

static tgs_status merge_family(tgs_costs *to, int which, const tgs_costs *const *from,
                               int32_t count)
{
    const family *f = &families[which];
    int64_t n = 0, room = 0;
    entry *e;
    tgs_status status;
    int32_t k;

    for (int32_t i = 0; i < count; i++) {
        items(from[i], which, &k);
        room += k;
    }
    e = tgs_mem_alloc((size_t)room, sizeof *e);
    if (!e)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < count; i++) {
        const char *item = items(from[i], which, &k);

        for (int32_t j = 0; j < k; j++, n++)
            e[n] = (entry){item + (size_t)j * f->size, f, n};
    }
    status = merge(to, f, e, n);
    tgs_mem_free(e);
    return status;
}

tgs_status tgs_costs_merge(tgs_costs **out, const tgs_costs *const *from, int32_t count,
                           tgs_error *err)
{
    tgs_costs *c = NULL;
    tgs_status status = TGS_OK;

    *out = NULL;
    for (int32_t i = 0; i < count && !status; i++)
        if (tgs_i_costs_empty(from[i]))
            status = tgs_fail(err, TGS_EINVAL, "only measured costs can be merged");
    if (!status)
        status = tgs_i_costs_new(&c, err);
    for (int which = 0; which < FAMILIES && !status; which++) {
        status = merge_family(c, which, from, count);
        if (status)
            tgs_fail(err, status, "out of memory for costs");
    }
    for (int32_t i = 0; i < count && !status; i++)
        if (from[i]->remark && tgs_costs_add_remark(c, from[i]->remark))
            status = tgs_fail(err, TGS_ENOMEM, "out of memory for costs");
    if (status)
        tgs_costs_free(c);
    else
        *out = c;
    return status;
}

/* ---- as wrong as they may be ---- */
/* of mean 0 and deviation 1, within +-6: the same on every machine */
static double normal(tgs_rng *r)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += tgs_rng_real(r);
    return sum;
}

#define DEVIATION 1.4826 /* of a normal distribution, in median absolute deviations */
#define LEAST     0.1    /* of a time per byte: it stays positive */

static tgs_status disturb(tgs_costs *to, const tgs_costs_view *v, tgs_rng *r)
{
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < v->samples && !status; i++) {
        tgs_sample s = v->sample[i];

        s.median = s.median + DEVIATION * s.spread * normal(r);
        s.median = fmax(s.median, s.min < v->sample[i].median ? s.min : 0); /* else it is unknown */
        s.min = fmin(s.min, s.median);
        status = tgs_costs_add(to, &s);
    }
    for (int32_t i = 0; i < v->links && !status; i++) {
        tgs_link_sample s = v->link[i];

        s.latency = fmax(0, s.latency + DEVIATION * s.spread * normal(r));
        s.bandwidth /= fmax(LEAST, 1 + s.misfit * normal(r));
        status = tgs_costs_add_link(to, &s);
    }
    for (int32_t i = 0; i < v->overheads && !status; i++)
        status = tgs_costs_add_overhead(to, &v->overhead[i]);
    return status;
}

tgs_status tgs_costs_disturb(tgs_costs **out, const tgs_costs *c, uint64_t seed, tgs_error *err)
{
    bool spread = false;
    tgs_costs *to = NULL;
    tgs_rng r;
    tgs_status status;

    *out = NULL;
    for (int32_t i = 0; i < c->v.samples; i++)
        spread |= c->v.sample[i].spread > 0;
    for (int32_t i = 0; i < c->v.links; i++)
        spread |= c->v.link[i].spread > 0 || c->v.link[i].misfit > 0;
    if (!spread)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "the costs have no measurement with a spread");
    tgs_rng_seed(&r, seed);
    status = tgs_i_costs_new(&to, err);
    if (!status) {
        status = disturb(to, &c->v, &r);
        if (!status && c->remark)
            status = tgs_costs_add_remark(to, c->remark);
        if (status)
            tgs_fail(err, status, "out of memory for costs");
    }
    if (status)
        tgs_costs_free(to);
    else
        *out = to;
    return status;
}
