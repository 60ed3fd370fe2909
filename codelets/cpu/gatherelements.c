/* gatherelements.c -- y[..., i, ...] = x[..., index[..., i, ...], ...] along an axis; negative
 * indices count from the end. */
#ifdef real
static tgs_status FN(gatherelements_run)(const tgs_call *c)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[1]);
    const int64_t axis = tgs_attr_int(c->attrs, "axis", 0);
    const real *from = c->buffer[0].data;
    real *to = c->buffer[2].data;

    for (int64_t i = 0; i < y.count; i++) {
        int64_t at = 0, rest = i, stride = 1, chosen = index_at(&c->buffer[1], i);

        if (chosen < 0)
            chosen += x.dim[axis];
        if (chosen < 0 || chosen >= x.dim[axis])
            return TGS_EINVAL;
        for (int32_t d = y.rank - 1; d >= 0; d--) {
            at += stride * (d == axis ? chosen : rest % y.dim[d]);
            rest /= y.dim[d];
            stride *= x.dim[d];
        }
        to[i] = from[at];
    }
    return TGS_OK;
}
#else
#include "tgsched/plugin.h"

static int64_t index_at(const tgs_buffer *b, int64_t i)
{
    return b->dtype == TGS_I64 ? ((const int64_t *)b->data)[i] : ((const int32_t *)b->data)[i];
}

#define BODY "gatherelements.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), index = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[2]);
    const int64_t axis = tgs_attr_int(c->attrs, "axis", 0);

    if (c->buffer[1].dtype != TGS_I64 && c->buffer[1].dtype != TGS_I32)
        return tgs_fail(err, TGS_EINVAL, "indices are i32 or i64");
    if (c->buffer[2].dtype != c->buffer[0].dtype)
        return tgs_fail(err, TGS_EINVAL, "input and output are of one type");
    if (axis < 0 || axis >= x.rank || x.rank != index.rank || !tgs_i_shape_equal(&index, &y))
        return tgs_fail(err, TGS_EINVAL,
                        "the output has the shape of the indices, of the input's "
                        "rank, and axis is one of them");
    for (int32_t d = 0; d < x.rank; d++)
        if (d != axis && index.dim[d] > x.dim[d])
            return tgs_fail(err, TGS_EINVAL, "more indices than elements along dimension %d",
                            (int)d);
    return TGS_OK;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("gatherelements", gatherelements_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_gatherelements = {
    .base = {TGS_PLUGIN_ABI, "gatherelements", "an element for each index", NULL, NULL},
    .buffers = "R X, R I, W Y",
    .attrs = "axis",
    .kernel = kernels,
    .check = check,
};
#endif
