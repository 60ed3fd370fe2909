/* add.c -- y = a + b with numpy broadcasting. */
#include "core.h"

static tgs_status prepare(tgs_call *c)
{
    static const char *const launchers[] = {"tgs_cuda_add", NULL};

    return tgs_i_cuda_prepare(c, launchers, 0);
}

static tgs_status run(const tgs_call *c)
{
    const tgs_i_shape a = tgs_i_shape_of(&c->buffer[0]), b = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[2]);
    tgs_cuda_dims d;
    tgs_i_walk w;

    if (!tgs_i_walk_new(&w, &y, &a, &b))
        return TGS_EINVAL;
    d.rank = w.rank;
    for (int32_t k = 0; k < w.rank; k++) {
        d.dim[k] = w.dim[k];
        d.a[k] = w.a[k];
        d.b[k] = w.b[k];
    }
    return tgs_i_cuda_status(TGS_I_CUDA(c, 0, tgs_cuda_add)(c->buffer[0].data, c->buffer[1].data,
                                                            c->buffer[2].data, d, c->queue));
}

static const tgs_kernel kernels[] = {
    {"add", "cuda", TGS_F32, "cuda", 0, run, prepare, tgs_i_cuda_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cuda_add = {
    .base = {TGS_PLUGIN_ABI, "add", "a + b, broadcast", NULL, NULL},
    .buffers = "R A, R B, W Y",
    .attrs = "",
    .kernel = kernels,
};
