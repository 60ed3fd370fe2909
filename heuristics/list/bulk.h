/* bulk.h -- a queue of {key, id}, the least first by key, then id, that many may enter at once.
 *
 * Such a run is sorted, so that it costs less than a heap and what comes next is known far ahead.
 * What enters later, while some of it is left, goes into a heap. */
#ifndef TGS_LIST_BULK_H
#define TGS_LIST_BULK_H
#include <stdlib.h>
#include "core.h"

typedef struct tgs_i_bulk {
    tgs_heap heap;
    tgs_heap_item *run; /* sorted; [at, end) are left */
    int64_t heap_room, run_room;
    int32_t at, end;
} tgs_i_bulk;

static inline void tgs_i_bulk_free(tgs_i_bulk *q)
{
    tgs_mem_free(q->heap.item);
    tgs_mem_free(q->run);
}

/* is the run's next the first of all? */
static inline bool tgs_i_bulk_runs(const tgs_i_bulk *q)
{
    return q->at < q->end && (!q->heap.size || tgs_heap_before(q->run[q->at], q->heap.item[0]));
}

/* NULL: it is empty */
static inline const tgs_heap_item *tgs_i_bulk_first(const tgs_i_bulk *q)
{
    return tgs_i_bulk_runs(q) ? &q->run[q->at] : q->heap.size ? &q->heap.item[0] : NULL;
}

static inline int32_t tgs_i_bulk_pop(tgs_i_bulk *q)
{
    return tgs_i_bulk_runs(q) ? q->run[q->at++].id : tgs_heap_pop(&q->heap).id;
}

static inline tgs_status tgs_i_bulk_push(tgs_i_bulk *q, double key, int32_t id)
{
    if (tgs_mem_grow(&q->heap.item, &q->heap_room, (int64_t)q->heap.size + 1, sizeof *q->heap.item))
        return TGS_ENOMEM;
    tgs_heap_push(&q->heap, key, id);
    return TGS_OK;
}

/* When nothing is left of a run, a new one of at most n may be begun: the caller appends to it, and
 * then has it sorted. */
static inline tgs_status tgs_i_bulk_begin(tgs_i_bulk *q, int32_t n)
{
    q->at = q->end = 0;
    return tgs_mem_grow(&q->run, &q->run_room, n, sizeof *q->run);
}

static inline int tgs_i_bulk_order(const void *a, const void *b)
{
    const tgs_heap_item *x = a, *y = b;

    return tgs_heap_before(*x, *y) ? -1 : tgs_heap_before(*y, *x);
}

static inline void tgs_i_bulk_sort(tgs_i_bulk *q)
{
    if (q->end)
        qsort(q->run, (size_t)q->end, sizeof *q->run, tgs_i_bulk_order);
}
#endif
