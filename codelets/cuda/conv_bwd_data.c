/* conv_bwd_data.c -- gradient of a convolution to its input: the weights, transposed, times dy
 * give columns, which are added up where the windows took them. */
#include "core.h"

static tgs_status prepare(tgs_call *c)
{
    tgs_i_cuda_conv v;
    const tgs_status status =
        tgs_i_cuda_conv_new(&v, c, &c->buffer[2], &c->buffer[1], &c->buffer[0]);

    return status ? status : tgs_i_cuda_conv_prepare(c, &v, "tgs_cuda_col2im", NULL);
}

static tgs_status run(const tgs_call *c)
{
    const tgs_i_cuda *cuda = c->prepared;
    tgs_i_cuda_conv v;
    const tgs_status status =
        tgs_i_cuda_conv_new(&v, c, &c->buffer[2], &c->buffer[1], &c->buffer[0]);
    tgs_cuda_product p;
    int e = 0;

    if (status)
        return status;
    p = (tgs_cuda_product){.m = (int32_t)v.depth,
                           .n = (int32_t)v.g.out_size,
                           .k = (int32_t)v.out,
                           .a_row = 1,
                           .a_step = v.depth,
                           .b_row = v.g.out_size,
                           .b_step = 1,
                           .alpha = 1};
    for (int64_t i = 0; i < v.g.batch * v.g.group && !e; i++) {
        const float *dy = (const float *)c->buffer[0].data + i * v.out * v.g.out_size;
        const float *w = (const float *)c->buffer[1].data + i % v.g.group * v.out * v.depth;
        float *dx = (float *)c->buffer[2].data + i * v.in * v.g.in_size;

        e = TGS_I_CUDA(c, 0, tgs_cuda_gemm)(w, dy, cuda->scratch, p, c->queue);
        if (!e)
            e = TGS_I_CUDA(c, 1, tgs_cuda_col2im)(cuda->scratch, dx, v.w, c->queue);
    }
    return tgs_i_cuda_status(e);
}

static const tgs_kernel kernels[] = {
    {"conv_bwd_data", "cuda", TGS_F32, "cuda", 0, run, prepare, tgs_i_cuda_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cuda_conv_bwd_data = {
    .base = {TGS_PLUGIN_ABI, "conv_bwd_data", "gradient of conv, to its input", NULL, NULL},
    .buffers = "R dY, R W, W dX",
    .attrs = "kernel strides pads dilations group",
    .kernel = kernels,
};
