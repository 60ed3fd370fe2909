/* combine.c -- what the experts made of each token, weighted; what found no room is 0. */
#ifdef real
static tgs_status FN(combine_run)(const tgs_call *c)
{
    const tgs_i_shape buffer = tgs_i_shape_of(&c->buffer[0]);
    const tgs_i_shape chosen = tgs_i_shape_of(&c->buffer[1]);
    const int64_t room = buffer.dim[1], width = buffer.dim[2], k = chosen.dim[1];
    const real *x = c->buffer[0].data, *weight = c->buffer[2].data;
    real *y = c->buffer[3].data;

    memset(y, 0, (size_t)tgs_i_shape_of(&c->buffer[3]).count * sizeof *y);
    for (int64_t e = 0; e < buffer.dim[0]; e++)
        for (int64_t i = 0, slot = e * room; i < chosen.count && slot < (e + 1) * room; i++) {
            if (tgs_i_pick_at(&c->buffer[1], i, buffer.dim[0]) != e)
                continue;
            for (int64_t h = 0; h < width; h++)
                y[i / k * width + h] += weight[i] * x[slot * width + h];
            slot++;
        }
    return TGS_OK;
}
#else
#define BODY "combine.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    return tgs_i_check_mixture(c, 3, 0, 1, 2, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("combine", combine_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_combine = {
    .base = {TGS_PLUGIN_ABI, "combine", "what experts made of tokens, weighted", NULL, NULL},
    .buffers = "R X, R I, R W, W Y",
    .attrs = "experts capacity",
    .kernel = kernels,
    .check = check,
};
#endif
