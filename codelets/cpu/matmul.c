/* matmul.c -- y = op(a) op(b) over the last two dims, batch dims broadcast (numpy matmul). */
#ifdef real
static tgs_status FN(matmul_run)(const tgs_call *c)
{
    tgs_i_product p;
    const tgs_status status = tgs_i_product_new(&p, c, NULL);
    const int64_t last = p.batch.rank - 1;

    if (status)
        return status;
    memset(c->buffer[2].data, 0, (size_t)(p.batches * p.m * p.n) * sizeof(real));
    for (int64_t t = 0; t < p.batches * p.m; t++) {
        const int64_t matrix = t / p.m, i = t % p.m, within = matrix % p.batch.dim[last];
        real *y = (real *)c->buffer[2].data + t * p.n;
        const real *a = c->buffer[0].data, *b = c->buffer[1].data;
        int64_t at, bt;

        tgs_i_walk_row(&p.batch, matrix / p.batch.dim[last], &at, &bt);
        a += (at + within * p.batch.a[last]) * p.size_a;
        b += (bt + within * p.batch.b[last]) * p.size_b;
        for (int64_t k = 0; k < p.k; k++) {
            const real f = p.trans_a ? a[k * p.m + i] : a[i * p.k + k];
            const real *row = p.trans_b ? b + k : b + k * p.n;
            const int64_t step = p.trans_b ? p.k : 1;

            for (int64_t j = 0; j < p.n; j++)
                y[j] += f * row[j * step];
        }
    }
    return TGS_OK;
}
#else
#define BODY "matmul.c"
#include "core.h"

static tgs_status matmul_blas(const tgs_call *c)
{
    tgs_i_product p;
    const tgs_status status = tgs_i_product_new(&p, c, NULL);
    const int64_t last = p.batch.rank - 1;

    if (status)
        return status;
    for (int64_t t = 0; t < p.batches; t++) {
        const int64_t within = t % p.batch.dim[last];
        int64_t at, bt;

        tgs_i_walk_row(&p.batch, t / p.batch.dim[last], &at, &bt);
        at = (at + within * p.batch.a[last]) * p.size_a;
        bt = (bt + within * p.batch.b[last]) * p.size_b;
        tgs_i_blas_sgemm(
            p.trans_a, p.trans_b, p.m, p.n, p.k, 1, (const float *)c->buffer[0].data + at,
            (const float *)c->buffer[1].data + bt, 0, (float *)c->buffer[2].data + t * p.m * p.n);
    }
    return TGS_OK;
}

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_status status = tgs_i_check_type(c, 0, 3, err);
    tgs_i_product p;

    return status ? status : tgs_i_product_new(&p, c, err);
}

static tgs_status prepare(tgs_call *c)
{
    (void)c;
    tgs_i_blas_single();
    return TGS_OK;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("matmul", matmul_run),
    {"matmul", "cpu", TGS_F32, "openblas", 10, matmul_blas, prepare, NULL, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_matmul = {
    .base = {TGS_PLUGIN_ABI, "matmul", "op(A) op(B) of the last two dims", NULL, NULL},
    .buffers = "R A, R B, W Y",
    .attrs = "transA transB",
    .kernel = kernels,
    .check = check,
};
#endif
