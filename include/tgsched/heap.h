/* heap.h -- a min-heap of {key, id} whose order is total: by key, then id.  The array is the
 * caller's and must have room for every push. */
#ifndef TGS_HEAP_H
#define TGS_HEAP_H
#include <stdint.h>

typedef struct tgs_heap_item {
    double key;
    int32_t id;
} tgs_heap_item;

typedef struct tgs_heap {
    tgs_heap_item *item;
    int32_t size;
} tgs_heap;

static inline int tgs_heap_before(tgs_heap_item a, tgs_heap_item b)
{
    return a.key < b.key || (a.key == b.key && a.id < b.id);
}

/* four children: half as deep as with two, and those of one item lie side by side */
#define TGS_HEAP_FAN 4

static inline void tgs_heap_push(tgs_heap *h, double key, int32_t id)
{
    const tgs_heap_item x = {key, id};
    int32_t i = h->size++;

    while (i > 0 && tgs_heap_before(x, h->item[(i - 1) / TGS_HEAP_FAN])) {
        h->item[i] = h->item[(i - 1) / TGS_HEAP_FAN];
        i = (i - 1) / TGS_HEAP_FAN;
    }
    h->item[i] = x;
}

static inline tgs_heap_item tgs_heap_pop(tgs_heap *h)
{
    const tgs_heap_item top = h->item[0], x = h->item[--h->size];
    int32_t i = 0;

    for (;;) {
        const int64_t from = (int64_t)TGS_HEAP_FAN * i + 1;
        const int64_t to = from + TGS_HEAP_FAN < h->size ? from + TGS_HEAP_FAN : h->size;
        int64_t child = from;

        if (from >= h->size)
            break;
        for (int64_t k = from + 1; k < to; k++)
            child = tgs_heap_before(h->item[k], h->item[child]) ? k : child;
        if (!tgs_heap_before(h->item[child], x))
            break;
        h->item[i] = h->item[child];
        i = (int32_t)child;
    }
    h->item[i] = x;
    return top;
}
#endif
