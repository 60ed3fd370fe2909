/* conv.c -- convolution: per image and group, the weights times the columns of its windows. */
#include "core.h"

static tgs_status prepare(tgs_call *c)
{
    tgs_i_cuda_conv v;
    const tgs_status status =
        tgs_i_cuda_conv_new(&v, c, &c->buffer[0], &c->buffer[1], &c->buffer[c->buffers - 1]);

    return status ? status : tgs_i_cuda_conv_prepare(c, &v, "tgs_cuda_im2col", "tgs_cuda_bias");
}

static tgs_status run(const tgs_call *c)
{
    const tgs_i_cuda *cuda = c->prepared;
    const bool bias = c->buffers > 3;
    tgs_i_cuda_conv v;
    const tgs_status status =
        tgs_i_cuda_conv_new(&v, c, &c->buffer[0], &c->buffer[1], &c->buffer[c->buffers - 1]);
    tgs_cuda_product p;
    int e = 0;

    if (status)
        return status;
    p = (tgs_cuda_product){.m = (int32_t)v.out,
                           .n = (int32_t)v.g.out_size,
                           .k = (int32_t)v.depth,
                           .add = bias,
                           .a_row = v.depth,
                           .a_step = 1,
                           .b_row = v.g.out_size,
                           .b_step = 1,
                           .alpha = 1};
    for (int64_t i = 0; i < v.g.batch * v.g.group && !e; i++) {
        const int64_t group = i % v.g.group;
        const float *x = (const float *)c->buffer[0].data + i * v.in * v.g.in_size;
        const float *w = (const float *)c->buffer[1].data + group * v.out * v.depth;
        float *y = (float *)c->buffer[c->buffers - 1].data + i * v.out * v.g.out_size;

        if (bias)
            e = TGS_I_CUDA(c, 2, tgs_cuda_bias)((const float *)c->buffer[2].data + group * v.out, y,
                                                p.m, p.n, 1, 0, 1, c->queue);
        if (!e)
            e = TGS_I_CUDA(c, 1, tgs_cuda_im2col)(x, cuda->scratch, v.w, c->queue);
        if (!e)
            e = TGS_I_CUDA(c, 0, tgs_cuda_gemm)(w, cuda->scratch, y, p, c->queue);
    }
    return tgs_i_cuda_status(e);
}

static const tgs_kernel kernels[] = {
    {"conv", "cuda", TGS_F32, "cuda", 0, run, prepare, tgs_i_cuda_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cuda_conv = {
    .base = {TGS_PLUGIN_ABI, "conv", "convolution", NULL, NULL},
    .buffers = "R X, R W, [R B], W Y",
    .attrs = "kernel strides pads dilations group",
    .kernel = kernels,
};
