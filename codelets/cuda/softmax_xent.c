/* softmax_xent.c -- cross entropy of softmax, and its gradient.  Nothing waits here, so a label out
 * of range cannot be refused: it makes the loss NaN. */
#include "core.h"

static tgs_status prepare(tgs_call *c)
{
    static const char *const launchers[] = {"tgs_cuda_softmax_xent", NULL};
    const int64_t rows = tgs_i_shape_of(&c->buffer[0]).dim[0];

    return tgs_i_cuda_prepare(c, launchers, (size_t)(rows ? rows : 1) * sizeof(float));
}

static tgs_status run(const tgs_call *c)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]);
    const float scale = (float)tgs_attr_real(c->attrs, "scale", 1);
    const tgs_i_cuda *cuda = c->prepared;

    if (x.dim[0] > INT32_MAX || x.dim[1] > INT32_MAX)
        return TGS_EINVAL;
    return tgs_i_cuda_status(TGS_I_CUDA(c, 0, tgs_cuda_softmax_xent)(
        c->buffer[0].data, c->buffer[1].data, c->buffer[3].data, c->buffer[2].data, cuda->scratch,
        (int32_t)x.dim[0], (int32_t)x.dim[1], scale, c->queue));
}

static const tgs_kernel kernels[] = {
    {"softmax_xent", "cuda", TGS_F32, "cuda", 0, run, prepare, tgs_i_cuda_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cuda_softmax_xent = {
    .base = {TGS_PLUGIN_ABI, "softmax_xent", "cross entropy of softmax, and its gradient", NULL,
             NULL},
    .buffers = "R X, R labels, W loss, W dX",
    .attrs = "scale",
    .kernel = kernels,
};
