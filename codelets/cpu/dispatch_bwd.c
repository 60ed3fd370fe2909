/* dispatch_bwd.c -- gradient of dispatch: what the experts say of a token adds up. */
#ifdef real
static tgs_status FN(dispatch_bwd_run)(const tgs_call *c)
{
    const tgs_i_shape buffer = tgs_i_shape_of(&c->buffer[0]);
    const tgs_i_shape chosen = tgs_i_shape_of(&c->buffer[1]);
    const int64_t room = buffer.dim[1], width = buffer.dim[2], k = chosen.dim[1];
    const real *dy = c->buffer[0].data;
    real *dx = c->buffer[2].data;

    memset(dx, 0, (size_t)tgs_i_shape_of(&c->buffer[2]).count * sizeof *dx);
    for (int64_t e = 0; e < buffer.dim[0]; e++)
        for (int64_t i = 0, slot = e * room; i < chosen.count && slot < (e + 1) * room; i++) {
            if (tgs_i_pick_at(&c->buffer[1], i, buffer.dim[0]) != e)
                continue;
            for (int64_t h = 0; h < width; h++)
                dx[i / k * width + h] += dy[slot * width + h];
            slot++;
        }
    return TGS_OK;
}
#else
#define BODY "dispatch_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    return tgs_i_check_mixture(c, 2, 0, 1, -1, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("dispatch_bwd", dispatch_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_dispatch_bwd = {
    .base = {TGS_PLUGIN_ABI, "dispatch_bwd", "gradient of dispatch", NULL, NULL},
    .buffers = "R dY, R I, W dX",
    .attrs = "experts capacity",
    .kernel = kernels,
    .check = check,
};
#endif
