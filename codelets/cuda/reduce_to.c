/* reduce_to.c -- sum x over the dims along which y is broadcast to its shape. */
#include "core.h"

static tgs_status prepare(tgs_call *c)
{
    static const char *const launchers[] = {"tgs_cuda_reduce", NULL};

    return tgs_i_cuda_prepare(c, launchers, 0);
}

static void put(tgs_cuda_dims *d, int64_t dim, int64_t stride)
{
    d->dim[d->rank] = dim;
    d->a[d->rank++] = stride;
}

static tgs_status run(const tgs_call *c)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[1]);
    tgs_cuda_dims kept = {0}, gone = {0};
    tgs_i_walk w;

    if (!tgs_i_walk_new(&w, &x, &y, NULL))
        return TGS_EINVAL;
    for (int32_t k = 0; k < w.rank; k++) /* a: the strides of y, b: those of x */
        put(w.a[k] ? &kept : &gone, w.dim[k], w.b[k]);
    return tgs_i_cuda_status(TGS_I_CUDA(c, 0, tgs_cuda_reduce)(c->buffer[0].data, c->buffer[1].data,
                                                               kept, gone, c->queue));
}

static const tgs_kernel kernels[] = {
    {"reduce_to", "cuda", TGS_F32, "cuda", 0, run, prepare, tgs_i_cuda_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cuda_reduce_to = {
    .base = {TGS_PLUGIN_ABI, "reduce_to", "sum over broadcast dims", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
};
