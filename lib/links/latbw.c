/* latbw.c -- contention-free: a transfer takes latency + bytes / bandwidth, whatever else is under
 * way.  The model of the scheduling literature. */
#include "core.h"

typedef struct latbw {
    const tgs_platform_view *p;
    flights under_way;
    double *began; /* [transfer] */
    int64_t room;
} latbw;

static tgs_status latbw_open(void **state, const tgs_platform_view *p, tgs_error *err)
{
    latbw *s = *state = tgs_mem_alloc(1, sizeof *s);

    if (!s)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    s->p = p;
    return TGS_OK;
}

static tgs_status latbw_start(void *state, int32_t transfer, int32_t link, double bytes, double now)
{
    latbw *s = state;

    if (tgs_mem_grow(&s->began, &s->room, (int64_t)transfer + 1, sizeof *s->began))
        return TGS_ENOMEM;
    s->began[transfer] = now;
    return flights_push(&s->under_way, now + link_seconds(s->p, link, bytes), transfer);
}

static double latbw_next(void *state)
{
    return flights_next(&((latbw *)state)->under_way);
}

static int32_t latbw_finish(void *state, double now, double *began)
{
    latbw *s = state;
    const int32_t transfer = tgs_heap_pop(&s->under_way.heap).id;

    (void)now;
    *began = s->began[transfer];
    return transfer;
}

static void latbw_close(void *state)
{
    latbw *s = state;

    if (s) {
        tgs_mem_free(s->under_way.heap.item);
        tgs_mem_free(s->began);
    }
    tgs_mem_free(s);
}

const tgs_link_model tgs_link_model_latbw = {
    .base = {TGS_PLUGIN_ABI, "latbw", "contention-free: latency + bytes / bandwidth", NULL, NULL},
    .open = latbw_open,
    .start = latbw_start,
    .next = latbw_next,
    .finish = latbw_finish,
    .close = latbw_close,
};
