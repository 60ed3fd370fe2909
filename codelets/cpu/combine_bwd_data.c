/* combine_bwd_data.c -- gradient of combine to what the experts made. */
#ifdef real
static tgs_status FN(combine_bwd_data_run)(const tgs_call *c)
{
    const tgs_i_shape buffer = tgs_i_shape_of(&c->buffer[3]);
    const tgs_i_shape chosen = tgs_i_shape_of(&c->buffer[1]);
    const int64_t room = buffer.dim[1], width = buffer.dim[2], k = chosen.dim[1];
    const real *dy = c->buffer[0].data, *weight = c->buffer[2].data;
    real *dx = c->buffer[3].data;

    memset(dx, 0, (size_t)buffer.count * sizeof *dx);
    for (int64_t e = 0; e < buffer.dim[0]; e++)
        for (int64_t i = 0, slot = e * room; i < chosen.count && slot < (e + 1) * room; i++) {
            if (tgs_i_pick_at(&c->buffer[1], i, buffer.dim[0]) != e)
                continue;
            for (int64_t h = 0; h < width; h++)
                dx[slot * width + h] = weight[i] * dy[i / k * width + h];
            slot++;
        }
    return TGS_OK;
}
#else
#define BODY "combine_bwd_data.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    return tgs_i_check_mixture(c, 0, 3, 1, 2, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("combine_bwd_data", combine_bwd_data_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_combine_bwd_data = {
    .base = {TGS_PLUGIN_ABI, "combine_bwd_data", "gradient of combine, to its experts", NULL, NULL},
    .buffers = "R dY, R I, R W, W dX",
    .attrs = "experts capacity",
    .kernel = kernels,
    .check = check,
};
#endif
