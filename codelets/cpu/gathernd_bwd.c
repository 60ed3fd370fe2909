/* gathernd_bwd.c -- gradient of gathernd: what was read several times adds up. */
#ifdef real
static tgs_status FN(gathernd_bwd_run)(const tgs_call *c)
{
    const real *dy = c->buffer[0].data;
    real *dx = c->buffer[2].data;
    tgs_i_coordinates p;
    const tgs_status status = tgs_i_coordinates_new(&p, c, 2, 1, 0, NULL);

    if (status)
        return status;
    memset(dx, 0, (size_t)tgs_i_shape_of(&c->buffer[2]).count * sizeof *dx);
    for (int64_t i = 0; i < p.count; i++, dy += p.entry) {
        const int64_t at = tgs_i_coordinates_at(&p, &c->buffer[1], i);

        if (at < 0)
            return TGS_EINVAL;
        for (int64_t k = 0; k < p.entry; k++)
            dx[at + k] += dy[k];
    }
    return TGS_OK;
}
#else
#define BODY "gathernd_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_status status = tgs_i_check_type(c, 0, 1, err);
    tgs_i_coordinates p;

    return status ? status : tgs_i_coordinates_new(&p, c, 2, 1, 0, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("gathernd_bwd", gathernd_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_gathernd_bwd = {
    .base = {TGS_PLUGIN_ABI, "gathernd_bwd", "gradient of gathernd", NULL, NULL},
    .buffers = "R dY, R I, W dX",
    .attrs = "batch_dims",
    .kernel = kernels,
    .check = check,
};
#endif
