/* gemm_sum.c -- y = the sum of op(a) op(b) over pairs of matrices: one product with the rows of all
 * of them, as of the gradients of a weight over micro-batches. */
#ifdef real
static tgs_status FN(gemm_sum_run)(const tgs_call *c)
{
    const bool ta = tgs_attr_int(c->attrs, "transA", 0) != 0;
    const bool tb = tgs_attr_int(c->attrs, "transB", 0) != 0;
    const tgs_buffer *out = &c->buffer[c->buffers - 1];
    const int64_t m = out->dims[0], n = out->dims[1];
    const real alpha = (real)tgs_attr_real(c->attrs, "alpha", 1);
    real *y = out->data;

    memset(y, 0, (size_t)(m * n) * sizeof *y);
    for (int32_t p = 0; p + 2 < c->buffers; p += 2) {
        const real *a = c->buffer[p].data, *b = c->buffer[p + 1].data;
        const int64_t k = c->buffer[p].dims[ta ? 0 : 1];

        for (int64_t i = 0; i < m; i++)
            for (int64_t x = 0; x < k; x++) {
                const real f = alpha * (ta ? a[x * m + i] : a[i * k + x]);

                for (int64_t j = 0; j < n; j++)
                    y[i * n + j] += f * (tb ? b[j * k + x] : b[x * n + j]);
            }
    }
    return TGS_OK;
}
#else
#define BODY "gemm_sum.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const int32_t ta = tgs_attr_int(c->attrs, "transA", 0) != 0;
    const int32_t tb = tgs_attr_int(c->attrs, "transB", 0) != 0;
    const tgs_buffer *y = &c->buffer[c->buffers - 1];
    tgs_status status = tgs_i_check_type(c, 0, c->buffers, err);

    if (!status)
        status = tgs_i_check_number(c, "alpha", err);
    if (!status && (c->buffers % 2 == 0 || c->buffers < 3))
        status = tgs_fail(err, TGS_EINVAL, "its inputs are not pairs");
    for (int32_t p = 0; p < c->buffers && !status; p++)
        if (c->buffer[p].rank != 2 || !c->buffer[p].dims)
            status = tgs_fail(err, TGS_EINVAL, "buffer %d is no matrix", (int)p);
    for (int32_t p = 0; p + 2 < c->buffers && !status; p += 2) {
        const int64_t *a = c->buffer[p].dims, *b = c->buffer[p + 1].dims;

        if (a[ta] != y->dims[0] || b[!tb] != y->dims[1] || a[!ta] != b[tb])
            status = tgs_fail(err, TGS_EINVAL, "buffers %d and %d do not multiply to the output",
                              (int)p, (int)p + 1);
    }
    return status;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("gemm_sum", gemm_sum_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_gemm_sum = {
    .base = {TGS_PLUGIN_ABI, "gemm_sum", "sum of op(A) op(B) over pairs", NULL, NULL},
    .buffers = "R X..., W Y",
    .attrs = "alpha transA transB",
    .kernel = kernels,
    .check = check,
};
#endif
