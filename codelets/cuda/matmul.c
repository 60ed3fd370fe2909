/* matmul.c -- matrix products over batches, with the kernel of gemm. */
#include "core.h"

static tgs_status prepare(tgs_call *c)
{
    static const char *const launchers[] = {"tgs_cuda_gemm", NULL};

    return tgs_i_cuda_prepare(c, launchers, 0);
}

static tgs_status run(const tgs_call *c)
{
    tgs_i_product p;
    tgs_status status = tgs_i_product_new(&p, c, NULL);

    for (int64_t i = 0; i < p.batches && !status; i++)
        status = tgs_i_cuda_multiply(c, 0, &p, i, 1, false);
    return status;
}

static const tgs_kernel kernels[] = {
    {"matmul", "cuda", TGS_F32, "cuda", 0, run, prepare, tgs_i_cuda_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cuda_matmul = {
    .base = {TGS_PLUGIN_ABI, "matmul", "op(A) op(B) of the last two dims", NULL, NULL},
    .buffers = "R A, R B, W Y",
    .attrs = "transA transB",
    .kernel = kernels,
};
