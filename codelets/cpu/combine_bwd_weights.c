/* combine_bwd_weights.c -- gradient of combine to its weights. */
#ifdef real
static tgs_status FN(combine_bwd_weights_run)(const tgs_call *c)
{
    const tgs_i_shape buffer = tgs_i_shape_of(&c->buffer[0]);
    const tgs_i_shape chosen = tgs_i_shape_of(&c->buffer[1]);
    const int64_t room = buffer.dim[1], width = buffer.dim[2], k = chosen.dim[1];
    const real *x = c->buffer[0].data, *dy = c->buffer[2].data;
    real *dweight = c->buffer[3].data;

    memset(dweight, 0, (size_t)chosen.count * sizeof *dweight);
    for (int64_t e = 0; e < buffer.dim[0]; e++)
        for (int64_t i = 0, slot = e * room; i < chosen.count && slot < (e + 1) * room; i++) {
            if (tgs_i_pick_at(&c->buffer[1], i, buffer.dim[0]) != e)
                continue;
            for (int64_t h = 0; h < width; h++)
                dweight[i] += x[slot * width + h] * dy[i / k * width + h];
            slot++;
        }
    return TGS_OK;
}
#else
#define BODY "combine_bwd_weights.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    return tgs_i_check_mixture(c, 2, 0, 1, 3, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("combine_bwd_weights", combine_bwd_weights_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_combine_bwd_weights = {
    .base = {TGS_PLUGIN_ABI, "combine_bwd_weights", "gradient of combine, to its weights", NULL,
             NULL},
    .buffers = "R X, R I, R dY, W dW",
    .attrs = "experts capacity",
    .kernel = kernels,
    .check = check,
};
#endif
