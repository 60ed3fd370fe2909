/* matmul.c -- matrix products over batches, with the kernel of gemm. */
#include "core.h"

static const tgs_kernel kernels[] = {
    {"matmul", "opencl", TGS_F32, "vector", 0, tgs_i_cl_matmul, tgs_i_cl_gemm_prepare,
     tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_matmul = {
    .base = {TGS_PLUGIN_ABI, "matmul", "op(A) op(B) of the last two dims", NULL, NULL},
    .buffers = "R A, R B, W Y",
    .attrs = "transA transB",
    .kernel = kernels,
};
