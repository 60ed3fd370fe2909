/* bottleneck.c -- equal units to unlike machines, so that the longest takes least.
 *
 * Exchange argument: in an optimum of value T every machine holds at most T p_i units; the greedy
 * rule never puts a unit past the smallest T for which the machines have room, as long as one of
 * them has room below it. */
#include "tgsched/heap.h"
#include "core.h"

tgs_status tgs_i_bottleneck(int32_t n, const double *speed, const int64_t *most, int64_t units,
                            int64_t *count, double *longest, tgs_error *err)
{
    tgs_heap heap = {tgs_mem_alloc((size_t)n, sizeof *heap.item), 0};
    tgs_status status = TGS_OK;

    *longest = 0;
    if (!heap.item)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d machines", n);
    for (int32_t i = 0; i < n; i++) {
        count[i] = 0;
        if (speed[i] > 0 && !(most && most[i] <= 0))
            tgs_heap_push(&heap, 1 / speed[i], i);
    }
    for (int64_t u = 0; u < units; u++) {
        tgs_heap_item top;

        if (heap.size == 0) {
            status = tgs_fail(err, TGS_EINFEASIBLE, "%lld of %lld units have no machine",
                              (long long)(units - u), (long long)units);
            break;
        }
        top = tgs_heap_pop(&heap);
        *longest = top.key;
        if (++count[top.id] < (most ? most[top.id] : INT64_MAX))
            tgs_heap_push(&heap, (double)(count[top.id] + 1) / speed[top.id], top.id);
    }
    tgs_mem_free(heap.item);
    return status;
}
