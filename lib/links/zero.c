/* zero.c -- communication costs nothing, in planning and in play. */
#include "core.h"

static tgs_status zero_open(void **state, const tgs_platform_view *p, tgs_error *err)
{
    (void)p;
    *state = tgs_mem_alloc(1, sizeof(flights));
    return *state ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
}

static tgs_status zero_start(void *state, int32_t transfer, int32_t link, double bytes, double now)
{
    (void)link;
    (void)bytes;
    return flights_push(state, now, transfer);
}

static double zero_next(void *state)
{
    return flights_next(state);
}

static int32_t zero_finish(void *state, double now, double *began)
{
    flights *f = state;

    *began = now;
    return tgs_heap_pop(&f->heap).id;
}

static void zero_close(void *state)
{
    flights *f = state;

    if (f)
        tgs_mem_free(f->heap.item);
    tgs_mem_free(f);
}

const tgs_link_model tgs_link_model_zero = {
    .base = {TGS_PLUGIN_ABI, "zero", "communication costs nothing", NULL, NULL},
    .free = true,
    .open = zero_open,
    .start = zero_start,
    .next = zero_next,
    .finish = zero_finish,
    .close = zero_close,
};
