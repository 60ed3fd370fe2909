/* topk.c -- the k largest (largest=0: smallest) entries along an axis in their order, and where
 * they stand; of equal ones the first.  O(size k) a row. */
#ifdef real
static tgs_status FN(topk_run)(const tgs_call *c)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[1]);
    const int64_t axis = tgs_attr_int(c->attrs, "axis", 0), size = x.dim[axis], k = y.dim[axis];
    const bool largest = tgs_attr_int(c->attrs, "largest", 1) != 0;
    const real *from = c->buffer[0].data;
    real *to = c->buffer[1].data;
    int64_t *where = c->buffers > 2 ? c->buffer[2].data : NULL, inner = 1, outer = 1;

    for (int32_t d = 0; d < x.rank; d++)
        *(d < axis ? &outer : &inner) *= d == axis ? 1 : x.dim[d];
    for (int64_t row = 0; row < outer * inner; row++) {
        const real *in = from + row / inner * size * inner + row % inner;
        int64_t last = -1;

        for (int64_t n = 0; n < k; n++) {
            const int64_t at = (row / inner * k + n) * inner + row % inner;
            int64_t best = -1;

            for (int64_t i = 0; i < size;
                 i++) { /* the best of those behind the last in the order */
                const real v = in[i * inner], l = last < 0 ? 0 : in[last * inner];
                const bool left = last < 0 || (largest ? v < l : v > l) || (v == l && i > last);

                if (left && (best < 0 || (largest ? v > in[best * inner] : v < in[best * inner])))
                    best = i;
            }
            if (best < 0) /* what is no number has no place in an order */
                return TGS_EINVAL;
            to[at] = in[best * inner];
            if (where)
                where[at] = best;
            last = best;
        }
    }
    return TGS_OK;
}
#else
#define BODY "topk.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[1]);
    const int64_t axis = tgs_attr_int(c->attrs, "axis", 0);

    if (c->buffer[1].dtype != c->buffer[0].dtype || x.rank != y.rank || axis < 0 || axis >= x.rank
        || y.dim[axis] > x.dim[axis])
        return tgs_fail(err, TGS_EINVAL, "the values are no entries along the axis");
    for (int32_t d = 0; d < x.rank; d++)
        if (d != axis && y.dim[d] != x.dim[d])
            return tgs_fail(err, TGS_EINVAL, "dimension %d differs", (int)d);
    if (c->buffers > 2) {
        const tgs_i_shape where = tgs_i_shape_of(&c->buffer[2]);

        if (c->buffer[2].dtype != TGS_I64 || !tgs_i_shape_equal(&where, &y))
            return tgs_fail(err, TGS_EINVAL, "the places are i64, one for each value");
    }
    return TGS_OK;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("topk", topk_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_topk = {
    .base = {TGS_PLUGIN_ABI, "topk", "the largest entries along an axis", NULL, NULL},
    .buffers = "R X, W Y, [W I]",
    .attrs = "axis largest",
    .kernel = kernels,
    .check = check,
};
#endif
