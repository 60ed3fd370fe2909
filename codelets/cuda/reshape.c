/* reshape.c -- copy under another shape, of any dtype. */
#include "core.h"

static tgs_status prepare(tgs_call *c)
{
    static const char *const launchers[] = {"tgs_cuda_copy", NULL};

    return tgs_i_cuda_prepare(c, launchers, 0);
}

static tgs_status run(const tgs_call *c)
{
    return tgs_i_cuda_status(TGS_I_CUDA(c, 0, tgs_cuda_copy)(c->buffer[1].data, c->buffer[0].data,
                                                             (size_t)c->buffer[0].bytes, c->queue));
}

static const tgs_kernel kernels[] = {
    {"reshape", "cuda", TGS_BYTES, "cuda", 0, run, prepare, tgs_i_cuda_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cuda_reshape = {
    .base = {TGS_PLUGIN_ABI, "reshape", "copy under another shape", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
};
