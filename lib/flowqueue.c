/* flowqueue.c -- the order in which the transfers of one event are queued: by the planned start of
 * the first consumer, then datum, then memory; explicit moves in the order of their list. */
#include <stdlib.h>
#include "flowbuild.h"

typedef struct queued {
    double first; /* planned start of the first reader it leads to */
    int32_t datum, to, hop;
} queued;

static int by_urgency(const void *x, const void *y)
{
    const queued *a = x, *b = y;

    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->datum != b->datum)
        return a->datum < b->datum ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->hop < b->hop ? -1 : a->hop > b->hop;
}

/* what sets a hop off, as an index of queue_at */
static int32_t cause(const tgs_i_flow *f, const tgs_i_hop *h)
{
    const tgs_i_arrival *source = &f->arrival[h->source];

    if (source->hop >= 0)
        return f->s->places + 1 + source->hop;
    return source->place >= 0 ? source->place : f->s->places;
}

/* the earliest planned reader that each hop leads to; a source hop stands before those it feeds */
static double *first_readers(const tgs_i_flow *f)
{
    double *first = tgs_mem_alloc((size_t)f->hops, sizeof *first);

    for (int32_t h = 0; first && h < f->hops; h++)
        first[h] = INFINITY;
    for (int32_t h = f->hops - 1; first && h >= 0; h--) {
        const tgs_i_hop *hop = &f->hop[h];
        const tgs_i_arrival *a = hop->arrival < 0 ? NULL : &f->arrival[hop->arrival];
        const int32_t parent = f->arrival[hop->source].hop;

        for (int32_t i = 0; a && i < a->readers; i++) {
            const double start = f->s->place[f->reader[a->reader + i]].start;

            if (start < first[h])
                first[h] = start;
        }
        if (parent >= 0 && first[h] < first[parent])
            first[parent] = first[h];
    }
    return first;
}

static void sort_queue(tgs_i_flow *f, const double *first, queued *room)
{
    const int32_t causes = f->s->places + 1 + f->hops;

    for (int32_t c = 0; c < causes; c++) {
        const int32_t at = f->queue_at[c], count = f->queue_at[c + 1] - at;

        if (count < 2)
            continue;
        for (int32_t i = 0; i < count; i++) {
            const int32_t h = f->queue[at + i];

            room[i] = (queued){first[h], tgs_i_flow_datum(f, f->hop[h].version), f->hop[h].to, h};
        }
        qsort(room, (size_t)count, sizeof *room, by_urgency);
        for (int32_t i = 0; i < count; i++)
            f->queue[at + i] = room[i].hop;
    }
}

tgs_status tgs_i_flow_order(tgs_i_flow_build *b)
{
    tgs_i_flow *f = b->f;
    const int64_t causes = (int64_t)f->s->places + 1 + f->hops;
    int32_t longest = 0;
    double *first = NULL;
    queued *room = NULL;
    tgs_status status = TGS_OK;

    if (causes >= INT32_MAX - 2)
        return tgs_fail(b->err, TGS_EINVAL, "too many transfers");
    f->queue_at = tgs_mem_alloc((size_t)causes + 2, sizeof *f->queue_at);
    f->queue = tgs_mem_alloc((size_t)f->hops, sizeof *f->queue);
    if (!f->queue_at || !f->queue)
        return tgs_i_flow_no_memory(b);
    for (int32_t h = 0; h < f->hops; h++)
        f->queue_at[cause(f, &f->hop[h]) + 2]++;
    for (int64_t c = 0; c < causes; c++) {
        longest = f->queue_at[c + 2] > longest ? f->queue_at[c + 2] : longest;
        f->queue_at[c + 2] += f->queue_at[c + 1];
    }
    for (int32_t h = 0; h < f->hops; h++)
        f->queue[f->queue_at[cause(f, &f->hop[h]) + 1]++] = h;
    if (f->s->moves)
        return TGS_OK;
    first = first_readers(f);
    room = tgs_mem_alloc((size_t)longest, sizeof *room);
    if (first && room)
        sort_queue(f, first, room);
    else
        status = tgs_i_flow_no_memory(b);
    tgs_mem_free(room);
    tgs_mem_free(first);
    return status;
}
