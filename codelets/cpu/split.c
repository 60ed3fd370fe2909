/* split.c -- a tensor of any dtype cut into pieces along an axis. */
#include "core.h"

static tgs_status split_run(const tgs_call *c)
{
    const size_t size = (size_t)tgs_dtype_size(c->buffer[0].dtype);
    tgs_i_axis a;
    const tgs_status status = tgs_i_axis_new(&a, c, NULL);
    size_t at = 0, all;

    if (status || !a.outer)
        return status;
    all = (size_t)(a.size * a.inner) * size;
    for (int32_t k = 1; k < c->buffers; k++) {
        const size_t part = (size_t)(tgs_i_shape_of(&c->buffer[k]).count / a.outer) * size;

        for (int64_t i = 0; i < a.outer; i++)
            memcpy((char *)c->buffer[k].data + (size_t)i * part,
                   (const char *)c->buffer[0].data + (size_t)i * all + at, part);
        at += part;
    }
    return TGS_OK;
}

/* the dims of the pieces but for the axis are those of the whole, and there they add up to it */
static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]);
    int64_t axis = tgs_attr_int(c->attrs, "axis", -1), sum = 0;
    tgs_i_axis a;
    const tgs_status status = tgs_i_axis_new(&a, c, err);

    if (status)
        return status;
    axis += axis < 0 ? x.rank : 0;
    for (int32_t i = 1; i < c->buffers; i++) {
        const tgs_i_shape y = tgs_i_shape_of(&c->buffer[i]);
        bool fits = y.rank == x.rank && c->buffer[i].dtype == c->buffer[0].dtype;

        for (int32_t k = 0; k < x.rank; k++)
            fits = fits && (k == axis || x.dim[k] == y.dim[k]);
        if (!fits)
            return tgs_fail(err, TGS_EINVAL, "buffer %d is no piece of the input", (int)i);
        sum += y.dim[axis];
    }
    return sum == a.size ? TGS_OK
                         : tgs_fail(err, TGS_EINVAL, "pieces of %lld of %lld", (long long)sum,
                                    (long long)a.size);
}

static const tgs_kernel kernels[] = {
    {"split", "cpu", TGS_BYTES, "plain", 0, split_run, NULL, NULL, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_split = {
    .base = {TGS_PLUGIN_ABI, "split", "a tensor cut into pieces", NULL, NULL},
    .buffers = "R X, W Y...",
    .attrs = "axis",
    .kernel = kernels,
    .check = check,
};
