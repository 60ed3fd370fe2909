/* conv_bwd_bias.c -- dy summed per channel. */
#include "core.h"

static tgs_status prepare(tgs_call *c)
{
    static const char *const launchers[] = {"tgs_cuda_reduce", NULL};

    return tgs_i_cuda_prepare(c, launchers, 0);
}

static tgs_status run(const tgs_call *c)
{
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[0]);
    const int64_t batch = y.dim[0], channels = y.dim[1];
    const int64_t plane = batch && channels ? y.count / (batch * channels) : 0;
    const tgs_cuda_dims kept = {.rank = 1, .dim = {channels}, .a = {plane}};
    const tgs_cuda_dims gone = {.rank = 2, .dim = {batch, plane}, .a = {channels * plane, 1}};

    return tgs_i_cuda_status(TGS_I_CUDA(c, 0, tgs_cuda_reduce)(c->buffer[0].data, c->buffer[1].data,
                                                               kept, gone, c->queue));
}

static const tgs_kernel kernels[] = {
    {"conv_bwd_bias", "cuda", TGS_F32, "cuda", 0, run, prepare, tgs_i_cuda_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cuda_conv_bwd_bias = {
    .base = {TGS_PLUGIN_ABI, "conv_bwd_bias", "gradient of conv, to its bias", NULL, NULL},
    .buffers = "R dY, W dB",
    .attrs = "",
    .kernel = kernels,
};
