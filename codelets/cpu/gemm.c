/* gemm.c -- y = alpha op(a) op(b) + beta c, with c broadcast (ONNX Gemm). */
#ifdef real
/* y = beta c, or 0 without c */
static void FN(gemm_bias)(const tgs_call *c, const tgs_i_shape *y)
{
    const real beta = (real)tgs_attr_real(c->attrs, "beta", 1);
    real *out = c->buffer[c->buffers - 1].data;
    tgs_i_walk w = {.rank = 1};
    tgs_i_shape bias;

    memset(out, 0, (size_t)y->count * sizeof *out);
    if (c->buffers < 4)
        return;
    bias = tgs_i_shape_of(&c->buffer[2]);
    if (!tgs_i_walk_new(&w, y, &bias, NULL))
        return; /* not after check */
    for (int64_t r = 0, n = w.dim[w.rank - 1]; r < tgs_i_walk_rows(&w); r++) {
        const real *from = c->buffer[2].data;
        const int64_t step = w.a[w.rank - 1];
        int64_t at, unused;

        tgs_i_walk_row(&w, r, &at, &unused);
        for (int64_t i = 0; i < n; i++)
            out[r * n + i] = beta * from[at + i * step];
    }
}

static tgs_status FN(gemm_run)(const tgs_call *c)
{
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[c->buffers - 1]);
    const real alpha = (real)tgs_attr_real(c->attrs, "alpha", 1);
    const real *a = c->buffer[0].data, *b = c->buffer[1].data;
    real *out = c->buffer[c->buffers - 1].data;
    tgs_i_product p;
    const tgs_status status = tgs_i_product_new(&p, c, NULL);

    if (status)
        return status;
    FN(gemm_bias)(c, &y);
    for (int64_t i = 0; i < p.m; i++)
        for (int64_t k = 0; k < p.k; k++) {
            const real f = alpha * (p.trans_a ? a[k * p.m + i] : a[i * p.k + k]);
            const real *row = p.trans_b ? b + k : b + k * p.n;
            const int64_t step = p.trans_b ? p.k : 1;

            for (int64_t j = 0; j < p.n; j++)
                out[i * p.n + j] += f * row[j * step];
        }
    return TGS_OK;
}
#else
#define BODY "gemm.c"
#include "core.h"

static tgs_status gemm_blas(const tgs_call *c)
{
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[c->buffers - 1]);
    const float alpha = (float)tgs_attr_real(c->attrs, "alpha", 1);
    tgs_i_product p;
    const tgs_status status = tgs_i_product_new(&p, c, NULL);

    if (status)
        return status;
    gemm_bias_f32(c, &y);
    tgs_i_blas_sgemm(p.trans_a, p.trans_b, p.m, p.n, p.k, alpha, c->buffer[0].data,
                     c->buffer[1].data, 1, c->buffer[c->buffers - 1].data);
    return TGS_OK;
}

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const int32_t last = c->buffers - 1;
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[last]), bias = tgs_i_shape_of(&c->buffer[2]);
    tgs_status status = tgs_i_check_type(c, 0, c->buffers, err);
    tgs_i_product p;
    tgs_i_walk w;

    if (!status && (c->buffer[0].rank != 2 || c->buffer[1].rank != 2 || y.rank != 2))
        status = tgs_fail(err, TGS_EINVAL, "gemm needs matrices");
    if (!status)
        status = tgs_i_product_new(&p, c, err);
    if (!status && last == 3 && !tgs_i_walk_new(&w, &y, &bias, NULL))
        status = tgs_fail(err, TGS_EINVAL, "C does not broadcast to the output's shape");
    if (!status)
        status = tgs_i_check_number(c, "alpha", err);
    return status ? status : tgs_i_check_number(c, "beta", err);
}

static tgs_status prepare(tgs_call *c)
{
    (void)c;
    tgs_i_blas_single();
    return TGS_OK;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("gemm", gemm_run),
    {"gemm", "cpu", TGS_F32, "openblas", 10, gemm_blas, prepare, NULL, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_gemm = {
    .base = {TGS_PLUGIN_ABI, "gemm", "alpha op(A) op(B) + beta C", NULL, NULL},
    .buffers = "R A, R B, [R C], W Y",
    .attrs = "transA transB alpha beta",
    .kernel = kernels,
    .check = check,
};
#endif
