/* tanh_bwd.c -- dx = dy (1 - y^2). */
#include "core.h"

static tgs_status prepare(tgs_call *c)
{
    static const char *const launchers[] = {"tgs_cuda_tanh_bwd", NULL};

    return tgs_i_cuda_prepare(c, launchers, 0);
}

static tgs_status run(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;

    return tgs_i_cuda_status(TGS_I_CUDA(c, 0, tgs_cuda_tanh_bwd)(
        c->buffer[0].data, c->buffer[1].data, c->buffer[2].data, n, c->queue));
}

static const tgs_kernel kernels[] = {
    {"tanh_bwd", "cuda", TGS_F32, "cuda", 0, run, prepare, tgs_i_cuda_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cuda_tanh_bwd = {
    .base = {TGS_PLUGIN_ABI, "tanh_bwd", "gradient of tanh", NULL, NULL},
    .buffers = "R Y, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
};
