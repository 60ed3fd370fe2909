/* scatternd_bwd.c -- gradient of scatternd, to the tensor whose entries were replaced: none there.
 */
#ifdef real
static tgs_status FN(scatternd_bwd_run)(const tgs_call *c)
{
    real *dx = c->buffer[2].data;
    tgs_i_coordinates p;
    const tgs_status status = find(&p, c, NULL);

    if (status)
        return status;
    memcpy(dx, c->buffer[0].data, (size_t)tgs_i_shape_of(&c->buffer[0]).count * sizeof *dx);
    for (int64_t i = 0; i < p.count; i++) {
        const int64_t at = tgs_i_coordinates_at(&p, &c->buffer[1], i);

        if (at < 0)
            return TGS_EINVAL;
        memset(dx + at, 0, (size_t)p.entry * sizeof *dx);
    }
    return TGS_OK;
}
#else
#include "../shape.h"

/* no buffer has the entries themselves */
static tgs_status find(tgs_i_coordinates *p, const tgs_call *c, tgs_error *err)
{
    return tgs_i_coordinates_new(p, c, 0, 1, -1, err);
}

#define BODY "scatternd_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_call ends = {.buffer = (tgs_buffer[]){c->buffer[0], c->buffer[2]}, .buffers = 2};
    const tgs_status status = tgs_i_check_alike(&ends, 0, 2, err);
    tgs_i_coordinates p;

    return status ? status : find(&p, c, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("scatternd_bwd", scatternd_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_scatternd_bwd = {
    .base = {TGS_PLUGIN_ABI, "scatternd_bwd", "gradient of scatternd", NULL, NULL},
    .buffers = "R dY, R I, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = check,
};
#endif
