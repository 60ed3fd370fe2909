/* sum.c -- y = x1 + x2 + ... + xk, in that order: a copy, then one addition after the other. */
#include "core.h"

static tgs_status prepare(tgs_call *c)
{
    static const char *const launchers[] = {"tgs_cuda_accumulate", "tgs_cuda_copy", NULL};

    return tgs_i_cuda_prepare(c, launchers, 0);
}

static tgs_status run(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    float *y = c->buffer[c->buffers - 1].data;
    int e = TGS_I_CUDA(c, 1, tgs_cuda_copy)(y, c->buffer[0].data, (size_t)n * sizeof *y, c->queue);

    for (int32_t i = 1; i < c->buffers - 1 && !e; i++)
        e = TGS_I_CUDA(c, 0, tgs_cuda_accumulate)(y, c->buffer[i].data, n, c->queue);
    return tgs_i_cuda_status(e);
}

static const tgs_kernel kernels[] = {
    {"sum", "cuda", TGS_F32, "cuda", 0, run, prepare, tgs_i_cuda_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cuda_sum = {
    .base = {TGS_PLUGIN_ABI, "sum", "sum of tensors of one shape", NULL, NULL},
    .buffers = "R X..., W Y",
    .attrs = "",
    .kernel = kernels,
};
