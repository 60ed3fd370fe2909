/* gemm.c -- y = alpha op(a) op(b) + beta c, with c broadcast. */
#include "core.h"

static tgs_status prepare(tgs_call *c)
{
    static const char *const launchers[] = {"tgs_cuda_gemm", "tgs_cuda_bias", NULL};

    return tgs_i_cuda_prepare(c, launchers, 0);
}

static tgs_status add_bias(const tgs_call *c, const tgs_i_product *p)
{
    const tgs_i_shape bias = tgs_i_shape_of(&c->buffer[2]);
    const float beta = (float)tgs_attr_real(c->attrs, "beta", 1);
    const int64_t columns = bias.rank ? bias.dim[bias.rank - 1] : 1;
    const int64_t rows = bias.rank > 1 ? bias.dim[0] : 1;

    return tgs_i_cuda_status(TGS_I_CUDA(c, 1, tgs_cuda_bias)(
        c->buffer[2].data, c->buffer[3].data, (int32_t)p->m, (int32_t)p->n,
        rows > 1 ? (int32_t)columns : 0, columns > 1, beta, c->queue));
}

static tgs_status run(const tgs_call *c)
{
    tgs_i_product p;
    tgs_status status = tgs_i_product_new(&p, c, NULL);

    if (!status && c->buffers > 3)
        status = add_bias(c, &p);
    return status ? status
                  : tgs_i_cuda_multiply(c, 0, &p, 0, (float)tgs_attr_real(c->attrs, "alpha", 1),
                                        c->buffers > 3);
}

static const tgs_kernel kernels[] = {
    {"gemm", "cuda", TGS_F32, "cuda", 0, run, prepare, tgs_i_cuda_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cuda_gemm = {
    .base = {TGS_PLUGIN_ABI, "gemm", "alpha op(A) op(B) + beta C", NULL, NULL},
    .buffers = "R A, R B, [R C], W Y",
    .attrs = "transA transB alpha beta",
    .kernel = kernels,
};
