/* core.h -- transfers under way, ordered by when they end, then by number; for the link models. */
#ifndef TGS_LINKS_CORE_H
#define TGS_LINKS_CORE_H
#include "tgsched/heap.h"
#include "tgsched/plugin.h"

typedef struct flights {
    tgs_heap heap;
    int64_t room;
} flights;

static inline tgs_status flights_push(flights *f, double end, int32_t transfer)
{
    if (tgs_mem_grow(&f->heap.item, &f->room, (int64_t)f->heap.size + 1, sizeof *f->heap.item))
        return TGS_ENOMEM;
    tgs_heap_push(&f->heap, end, transfer);
    return TGS_OK;
}

static inline double flights_next(const flights *f)
{
    return f->heap.size ? f->heap.item[0].key : INFINITY;
}

/* bytes per second of a link, alone on its bus */
static inline double link_bandwidth(const tgs_platform_view *p, int32_t link)
{
    const tgs_link *l = &p->link[link];

    return l->bus >= 0 && p->bus[l->bus].bandwidth < l->bandwidth ? p->bus[l->bus].bandwidth
                                                                  : l->bandwidth;
}

static inline double link_seconds(const tgs_platform_view *p, int32_t link, double bytes)
{
    return p->link[link].latency + bytes / link_bandwidth(p, link);
}
#endif
