/* transpose.c -- the dimensions in another order: y's dim k is x's dim perm[k]. */
#ifdef real
static tgs_status FN(transpose_run)(const tgs_call *c)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[1]);
    const real *from = c->buffer[0].data;
    real *to = c->buffer[1].data;
    int64_t perm[TGS_I_RANK], stride[TGS_I_RANK], at[TGS_I_RANK] = {0}, offset = 0;

    read_perm(c, x.rank, perm);
    for (int32_t k = 0; k < y.rank; k++) {
        stride[k] = 1;
        for (int32_t j = (int32_t)perm[k] + 1; j < x.rank; j++)
            stride[k] *= x.dim[j];
    }
    for (int64_t i = 0; i < y.count; i++) { /* an odometer over y */
        to[i] = from[offset];
        for (int32_t k = y.rank - 1; k >= 0; k--) {
            offset += stride[k];
            if (++at[k] < y.dim[k])
                break;
            offset -= stride[k] * y.dim[k];
            at[k] = 0;
        }
    }
    return TGS_OK;
}
#else
#define BODY "transpose.c"
#include "../shape.h"

/* reversed without the attribute; returns how many are given */
static int32_t read_perm(const tgs_call *c, int32_t rank, int64_t *perm)
{
    const int32_t given = tgs_attr_ints(c->attrs, "perm", perm, TGS_I_RANK);

    for (int32_t k = 0; k < rank && !given; k++)
        perm[k] = rank - 1 - k;
    return given ? given : rank;
}

#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[1]);
    const tgs_status status = tgs_i_check_type(c, 0, 2, err);
    int64_t perm[TGS_I_RANK];
    uint32_t seen = 0;

    if (status)
        return status;
    if (x.rank != y.rank || read_perm(c, x.rank, perm) != x.rank)
        return tgs_fail(err, TGS_EINVAL, "perm and the shapes have different numbers of dims");
    for (int32_t k = 0; k < x.rank; k++) {
        if (perm[k] < 0 || perm[k] >= x.rank || seen >> perm[k] & 1)
            return tgs_fail(err, TGS_EINVAL, "perm is no permutation");
        seen |= 1u << perm[k];
        if (y.dim[k] != x.dim[perm[k]])
            return tgs_fail(err, TGS_EINVAL, "dim %d of the output does not follow perm", k);
    }
    return TGS_OK;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("transpose", transpose_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_transpose = {
    .base = {TGS_PLUGIN_ABI, "transpose", "the dimensions in another order", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "perm",
    .kernel = kernels,
    .check = check,
};
#endif
