/* clblast.c -- gemm and matmul through CLBlast: always as `clblast`, and as `clblast-gpu`, which is
 * preferred, where the device is no CPU; on a CPU the vector kernel is many times faster. */
#include "core.h" /* first: it chooses the version of OpenCL */
#include <clblast_c.h>

static tgs_status multiply(const tgs_call *c, const tgs_i_product *p, int64_t i, float alpha,
                           float beta)
{
    const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    cl_command_queue queue = c->queue;
    int64_t a, b, y;

    tgs_i_cl_matrix(p, i, &a, &b, &y);
    return CLBlastSgemm(
               CLBlastLayoutRowMajor, p->trans_a ? CLBlastTransposeYes : CLBlastTransposeNo,
               p->trans_b ? CLBlastTransposeYes : CLBlastTransposeNo, m, n, k, alpha,
               c->buffer[0].data, (size_t)a, p->trans_a ? m : k, c->buffer[1].data, (size_t)b,
               p->trans_b ? k : n, beta, c->buffer[c->buffers - 1].data, (size_t)y, n, &queue, NULL)
               ? TGS_EBACKEND
               : TGS_OK;
}

static tgs_status gemm(const tgs_call *c)
{
    tgs_i_product p;
    tgs_status status = tgs_i_product_new(&p, c, NULL);

    if (!status)
        status = tgs_i_cl_gemm_bias(c);
    return status ? status
                  : multiply(c, &p, 0, (float)tgs_attr_real(c->attrs, "alpha", 1),
                             c->buffers > 3 ? 1 : 0);
}

static tgs_status matmul(const tgs_call *c)
{
    tgs_i_product p;
    tgs_status status = tgs_i_product_new(&p, c, NULL);

    for (int64_t i = 0; i < p.batches && !status; i++)
        status = multiply(c, &p, i, 1, 0);
    return status;
}

static tgs_status gemm_by_device(const tgs_call *c)
{
    return ((const tgs_i_cl *)c->prepared)->gpu ? gemm(c) : tgs_i_cl_gemm(c);
}

static tgs_status matmul_by_device(const tgs_call *c)
{
    return ((const tgs_i_cl *)c->prepared)->gpu ? matmul(c) : tgs_i_cl_matmul(c);
}

static const tgs_kernel kernels[] = {
    {"gemm", "opencl", TGS_F32, "clblast", -1, gemm, tgs_i_cl_gemm_prepare, tgs_i_cl_release, NULL,
     NULL},
    {"gemm", "opencl", TGS_F32, "clblast-gpu", 10, gemm_by_device, tgs_i_cl_gemm_prepare,
     tgs_i_cl_release, NULL, NULL},
    {"matmul", "opencl", TGS_F32, "clblast", -1, matmul, tgs_i_cl_gemm_prepare, tgs_i_cl_release,
     NULL, NULL},
    {"matmul", "opencl", TGS_F32, "clblast-gpu", 10, matmul_by_device, tgs_i_cl_gemm_prepare,
     tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_clblast = {
    .base = {TGS_PLUGIN_ABI, "clblast", "gemm and matmul through CLBlast",
             "Nugteren, CLBlast: a tuned OpenCL BLAS library, IWOCL 2018", NULL},
    .buffers = "R A, R B, [R C], W Y",
    .attrs = "transA transB alpha beta",
    .kernel = kernels,
};
