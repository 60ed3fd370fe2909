/* conv_bwd_weights.c -- gradient of a convolution to its weights: dy times the transposed columns
 * of x, added over the images. */
#include "core.h"

static tgs_status prepare(tgs_call *c)
{
    tgs_i_cuda_conv v;
    const tgs_status status =
        tgs_i_cuda_conv_new(&v, c, &c->buffer[0], &c->buffer[2], &c->buffer[1]);

    return status ? status : tgs_i_cuda_conv_prepare(c, &v, "tgs_cuda_im2col", NULL);
}

static tgs_status run(const tgs_call *c)
{
    const tgs_i_cuda *cuda = c->prepared;
    tgs_i_cuda_conv v;
    const tgs_status status =
        tgs_i_cuda_conv_new(&v, c, &c->buffer[0], &c->buffer[2], &c->buffer[1]);
    tgs_cuda_product p;
    int e = 0;

    if (status)
        return status;
    p = (tgs_cuda_product){.m = (int32_t)v.out,
                           .n = (int32_t)v.depth,
                           .k = (int32_t)v.g.out_size,
                           .a_row = v.g.out_size,
                           .a_step = 1,
                           .b_row = 1,
                           .b_step = v.g.out_size,
                           .alpha = 1};
    for (int64_t i = 0; i < v.g.batch * v.g.group && !e; i++) {
        const float *x = (const float *)c->buffer[0].data + i * v.in * v.g.in_size;
        const float *dy = (const float *)c->buffer[1].data + i * v.out * v.g.out_size;
        float *dw = (float *)c->buffer[2].data + i % v.g.group * v.out * v.depth;

        p.add = i >= v.g.group; /* the first image begins the sum */
        e = TGS_I_CUDA(c, 1, tgs_cuda_im2col)(x, cuda->scratch, v.w, c->queue);
        if (!e)
            e = TGS_I_CUDA(c, 0, tgs_cuda_gemm)(dy, cuda->scratch, dw, p, c->queue);
    }
    return tgs_i_cuda_status(e);
}

static const tgs_kernel kernels[] = {
    {"conv_bwd_weights", "cuda", TGS_F32, "cuda", 0, run, prepare, tgs_i_cuda_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cuda_conv_bwd_weights = {
    .base = {TGS_PLUGIN_ABI, "conv_bwd_weights", "gradient of conv, to its weights", NULL, NULL},
    .buffers = "R X, R dY, W dW",
    .attrs = "kernel strides pads dilations group",
    .kernel = kernels,
};
