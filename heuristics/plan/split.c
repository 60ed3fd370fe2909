/* split.c -- a batch over devices whose times were measured, and state over memories that differ.
 *
 * The split is exact: of monotone curves the least time is one of their values, and a time is
 * enough when the devices' largest shares within it add up to the batch; where a measured curve
 * falls somewhere, min max over (devices, samples) is a dynamic program. */
#include <stdlib.h>
#include <string.h>
#include "tgsched/heap.h"
#include "core.h"

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool monotone(int32_t n, const tgs_i_curve *curve)
{
    for (int32_t i = 0; i < n; i++)
        for (int64_t b = 1; b <= curve[i].cap; b++)
            if (curve[i].time[b] < curve[i].time[b - 1])
                return false;
    return true;
}

/* the most samples that take at most t */
static int64_t within(const tgs_i_curve *c, double t)
{
    int64_t low = 0, high = c->cap;

    while (low < high) {
        const int64_t mid = low + (high - low + 1) / 2;

        if (c->time[mid] <= t)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

static int64_t all_within(int32_t n, const tgs_i_curve *curve, double t)
{
    int64_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += within(&curve[i], t);
    return sum;
}

/* shares within the least time that is enough, then what is too many is taken away */
static void shorten(int32_t n, const tgs_i_curve *curve, int64_t batch, double *value,
                    int64_t values, tgs_heap *heap, int64_t *share)
{
    int64_t low = 0, high = values - 1, sum = 0;

    qsort(value, (size_t)values, sizeof *value, ascending);
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;

        if (all_within(n, curve, value[mid]) >= batch)
            high = mid;
        else
            low = mid + 1;
    }
    for (int32_t i = 0; i < n; i++) {
        share[i] = within(&curve[i], value[low]);
        sum += share[i];
        if (share[i] > 0)
            tgs_heap_push(heap, -curve[i].time[share[i]], i);
    }
    for (; sum > batch; sum--) {
        const int32_t i = tgs_heap_pop(heap).id;

        if (--share[i] > 0)
            tgs_heap_push(heap, -curve[i].time[share[i]], i);
    }
}

static tgs_status split_monotone(int32_t n, const tgs_i_curve *curve, int64_t batch, int64_t values,
                                 int64_t *share, tgs_error *err)
{
    double *value = tgs_mem_alloc((size_t)values, sizeof *value);
    tgs_heap heap = {tgs_mem_alloc((size_t)n, sizeof *heap.item), 0};
    tgs_status status = TGS_OK;
    int64_t at = 0;

    if (!value || !heap.item) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the curves of %d devices", n);
        goto done;
    }
    for (int32_t i = 0; i < n; i++)
        for (int64_t b = 0; b <= curve[i].cap; b++)
            value[at++] = curve[i].time[b];
    shorten(n, curve, batch, value, values, &heap, share);
done:
    tgs_mem_free(value);
    tgs_mem_free(heap.item);
    return status;
}

/* best[b]: the least longest time of b samples on the devices so far; took[i * (batch + 1) + b]:
 * the share of device i in it, the smallest that does */
static tgs_status split_any(int32_t n, const tgs_i_curve *curve, int64_t batch, int64_t *share,
                            tgs_error *err)
{
    const int64_t wide = batch + 1;
    double *best = tgs_mem_alloc((size_t)wide, 2 * sizeof *best), *next = best + wide, *other;
    int32_t *took = tgs_mem_alloc((size_t)wide, (size_t)n * sizeof *took);
    tgs_status status = TGS_OK;

    if (!best || !took) {
        tgs_mem_free(best);
        tgs_mem_free(took);
        return tgs_fail(err, TGS_ENOMEM, "out of memory for a split over %d devices", n);
    }
    other = best;
    for (int64_t b = 1; b <= batch; b++)
        best[b] = INFINITY;
    for (int32_t i = 0; i < n; i++) {
        for (int64_t b = 0; b <= batch; b++) {
            next[b] = INFINITY;
            for (int64_t s = 0; s <= curve[i].cap && s <= b; s++) {
                const double t = best[b - s] > curve[i].time[s] ? best[b - s] : curve[i].time[s];

                if (t < next[b]) {
                    next[b] = t;
                    took[i * wide + b] = (int32_t)s;
                }
            }
        }
        best = next;
        next = best == other ? other + wide : other;
    }
    if (best[batch] < INFINITY)
        for (int64_t i = n - 1, b = batch; i >= 0; b -= share[i], i--)
            share[i] = took[i * wide + b];
    else
        status = tgs_fail(err, TGS_EINFEASIBLE, "no device can run its share of %lld samples",
                          (long long)batch);
    tgs_mem_free(other);
    tgs_mem_free(took);
    return status;
}

tgs_status tgs_i_split(int32_t n, const tgs_i_curve *curve, int64_t batch, int64_t *share,
                       double *longest, tgs_error *err)
{
    int64_t room = 0;
    tgs_status status;

    *longest = 0;
    for (int32_t i = 0; i < n; i++)
        room += curve[i].cap;
    if (room < batch)
        return tgs_fail(err, TGS_EINFEASIBLE,
                        "%lld of %lld samples fit no device's memory: the most is %lld",
                        (long long)(batch - room), (long long)batch, (long long)room);
    status = monotone(n, curve) ? split_monotone(n, curve, batch, room + n, share, err)
                                : split_any(n, curve, batch, share, err);
    for (int32_t i = 0; i < n && !status; i++)
        if (curve[i].time[share[i]] > *longest)
            *longest = curve[i].time[share[i]];
    if (!status && !(*longest < INFINITY))
        status = tgs_fail(err, TGS_EINFEASIBLE, "no device can run its share of %lld samples",
                          (long long)batch);
    return status;
}

tgs_status tgs_i_fill_rooms(int32_t n, const double *room, double total, double *level,
                            tgs_error *err)
{
    double sum = 0, left = total;
    tgs_heap heap = {NULL, 0};

    for (int32_t i = 0; i < n; i++)
        sum += room[i] > 0 ? room[i] : 0;
    if (sum < total)
        return tgs_fail(err, TGS_EINFEASIBLE, "%.17g bytes of state are missing", total - sum);
    heap.item = tgs_mem_alloc((size_t)n, sizeof *heap.item);
    if (!heap.item)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d rooms", n);
    for (int32_t i = 0; i < n; i++)
        tgs_heap_push(&heap, room[i] > 0 ? room[i] : 0, i);
    while (heap.size) { /* from the smallest room: its part of what is left, or all it has */
        const double even = left / heap.size;
        const tgs_heap_item x = tgs_heap_pop(&heap);

        level[x.id] = x.key < even ? x.key : even;
        left -= level[x.id];
    }
    tgs_mem_free(heap.item);
    return TGS_OK;
}
