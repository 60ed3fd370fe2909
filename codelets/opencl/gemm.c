/* gemm.c -- matrix products by a vector kernel: a work item computes 8 rows by 16 columns in
 * registers, which suits devices that are CPUs and works anywhere.  B is read along its rows: a
 * transposed one is first turned round into scratch memory. */
#include "core.h"

static const char *const source[] = {
    "#define ONE(r, row) sum[r] += *from[r] * row; from[r] += a_step;\n"
    "#define ADD(row) ONE(0, row) ONE(1, row) ONE(2, row) ONE(3, row) ONE(4, row) ONE(5, row) \\\n"
    "    ONE(6, row) ONE(7, row)\n"
    "float16 take(__global const float *p, const int n)\n"
    "{\n"
    "    float v[16] = {0};\n"
    "    for (int i = 0; i < n; i++)\n"
    "        v[i] = p[i];\n"
    "    return vload16(0, v);\n"
    "}\n"
    "__kernel void product(__global const float *a, __global const float *b, __global float *y,\n"
    "                      const ulong a_at, const ulong b_at, const ulong y_at, const uint m,\n"
    "                      const uint n, const uint k, const uint a_row, const uint a_step,\n"
    "                      const float alpha, const uint add)\n"
    "{\n"
    "    const uint j = get_global_id(0) * 16, i = get_global_id(1) * 8;\n"
    "    if (j >= n)\n"
    "        return;\n"
    "    const int columns = min(16u, n - j), rows = min(8u, m - i);\n"
    "    __global const float *from[8];\n"
    "    float16 sum[8];\n"
    "    for (int r = 0; r < 8; r++) {\n"
    "        from[r] = a + a_at + (ulong)min(i + r, m - 1) * a_row;\n"
    "        sum[r] = 0;\n"
    "    }\n"
    "    b += b_at + j;\n"
    "    if (columns == 16) {\n"
    "        for (uint t = 0; t < k; t++, b += n) {\n"
    "            const float16 row = vload16(0, b);\n"
    "            ADD(row)\n"
    "        }\n"
    "    } else {\n"
    "        for (uint t = 0; t < k; t++, b += n) {\n"
    "            const float16 row = take(b, columns);\n"
    "            ADD(row)\n"
    "        }\n"
    "    }\n"
    "    for (int r = 0; r < rows; r++) {\n"
    "        __global float *to = y + y_at + (ulong)(i + r) * n + j;\n"
    "        float v[16];\n"
    "        const float16 s = alpha * sum[r];\n"
    "        if (columns == 16) {\n"
    "            vstore16(add ? vload16(0, to) + s : s, 0, to);\n"
    "            continue;\n"
    "        }\n"
    "        vstore16(s, 0, v);\n"
    "        for (int c = 0; c < columns; c++)\n"
    "            to[c] = add ? to[c] + v[c] : v[c];\n"
    "    }\n"
    "}\n"
    /* to[j, i] = from[i, j] of rows x columns */
    "__kernel void turn(__global const float *from, __global float *to, const ulong at,\n"
    "                   const uint rows, const uint columns)\n"
    "{\n"
    "    const uint i = get_global_id(0), j = get_global_id(1);\n"
    "    if (i < rows)\n"
    "        to[(ulong)j * rows + i] = from[at + (ulong)i * columns + j];\n"
    "}\n"
    "__kernel void bias(__global const float *c, __global float *y, const uint n, const uint row,\n"
    "                   const uint column, const float beta)\n"
    "{\n"
    "    const uint j = get_global_id(0), i = get_global_id(1);\n"
    "    if (j < n)\n"
    "        y[(ulong)i * n + j] = beta * c[(ulong)i * row + j * column];\n"
    "}\n",
    NULL,
};
enum { PRODUCT, TURN, BIAS, COLUMNS = 16, ROWS = 8 };

void tgs_i_cl_matrix(const tgs_i_product *p, int64_t i, int64_t *a, int64_t *b, int64_t *y)
{
    const int32_t last = p->batch.rank - 1;
    const int64_t within = i % p->batch.dim[last];

    tgs_i_walk_row(&p->batch, i / p->batch.dim[last], a, b);
    *a = (*a + within * p->batch.a[last]) * p->size_a;
    *b = (*b + within * p->batch.b[last]) * p->size_b;
    *y = i * p->m * p->n;
}

tgs_status tgs_i_cl_gemm_prepare(tgs_call *c)
{
    static const char *const kernels[] = {"product", "turn", "bias", NULL};
    tgs_i_product p;
    const tgs_status status = tgs_i_product_new(&p, c, NULL);

    if (status)
        return status;
    if (p.m > INT32_MAX || p.n > INT32_MAX || p.k > INT32_MAX)
        return TGS_EINVAL;
    return tgs_i_cl_prepare(c, source, kernels,
                            p.trans_b ? (size_t)p.size_b * sizeof(cl_float) : 0);
}

/* y[matrix i] = alpha op(a) op(b), added to what is there when add */
static tgs_status multiply(const tgs_call *c, const tgs_i_product *p, int64_t i, cl_float alpha,
                           bool add)
{
    const tgs_i_cl *cl = c->prepared;
    const cl_uint m = (cl_uint)p->m, n = (cl_uint)p->n, k = (cl_uint)p->k, plus = add;
    const cl_uint a_row = p->trans_a ? 1 : k, a_step = p->trans_a ? m : 1;
    const void *b = c->buffer[1].data;
    int64_t offset[3];
    cl_ulong a_at, b_at, y_at;
    tgs_status status = TGS_OK;

    tgs_i_cl_matrix(p, i, &offset[0], &offset[1], &offset[2]);
    a_at = (cl_ulong)offset[0];
    b_at = (cl_ulong)offset[1];
    y_at = (cl_ulong)offset[2];
    if (p->trans_b) {
        status =
            tgs_i_cl_launch(c, TURN, n, k,
                            (tgs_i_cl_arg[]){TGS_I_CL_ARG(b), TGS_I_CL_ARG(cl->scratch),
                                             TGS_I_CL_ARG(b_at), TGS_I_CL_ARG(n), TGS_I_CL_ARG(k)},
                            5);
        b = cl->scratch;
        b_at = 0;
    }
    if (status)
        return status;
    return tgs_i_cl_launch(
        c, PRODUCT, (n + COLUMNS - 1) / COLUMNS, (m + ROWS - 1) / ROWS,
        (tgs_i_cl_arg[]){TGS_I_CL_ARG(c->buffer[0].data), TGS_I_CL_ARG(b),
                         TGS_I_CL_ARG(c->buffer[c->buffers - 1].data), TGS_I_CL_ARG(a_at),
                         TGS_I_CL_ARG(b_at), TGS_I_CL_ARG(y_at), TGS_I_CL_ARG(m), TGS_I_CL_ARG(n),
                         TGS_I_CL_ARG(k), TGS_I_CL_ARG(a_row), TGS_I_CL_ARG(a_step),
                         TGS_I_CL_ARG(alpha), TGS_I_CL_ARG(plus)},
        13);
}

tgs_status tgs_i_cl_gemm_bias(const tgs_call *c)
{
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[c->buffers - 1]);
    const tgs_i_shape bias = tgs_i_shape_of(&c->buffer[2]);
    const cl_float beta = (cl_float)tgs_attr_real(c->attrs, "beta", 1);
    const int64_t columns = bias.rank ? bias.dim[bias.rank - 1] : 1;
    const int64_t rows = bias.rank > 1 ? bias.dim[0] : 1;
    const cl_uint n = (cl_uint)y.dim[1], column = columns > 1,
                  row = rows > 1 ? (cl_uint)columns : 0;

    if (c->buffers < 4)
        return TGS_OK;
    return tgs_i_cl_launch(c, BIAS, n, (size_t)y.dim[0],
                           (tgs_i_cl_arg[]){TGS_I_CL_ARG(c->buffer[2].data),
                                            TGS_I_CL_ARG(c->buffer[3].data), TGS_I_CL_ARG(n),
                                            TGS_I_CL_ARG(row), TGS_I_CL_ARG(column),
                                            TGS_I_CL_ARG(beta)},
                           6);
}

tgs_status tgs_i_cl_gemm(const tgs_call *c)
{
    const cl_float alpha = (cl_float)tgs_attr_real(c->attrs, "alpha", 1);
    tgs_i_product p;
    tgs_status status = tgs_i_product_new(&p, c, NULL);

    if (!status)
        status = tgs_i_cl_gemm_bias(c);
    return status ? status : multiply(c, &p, 0, alpha, c->buffers > 3);
}

tgs_status tgs_i_cl_matmul(const tgs_call *c)
{
    tgs_i_product p;
    tgs_status status = tgs_i_product_new(&p, c, NULL);

    for (int64_t i = 0; i < p.batches && !status; i++)
        status = multiply(c, &p, i, 1, false);
    return status;
}

static const tgs_kernel kernels[] = {
    {"gemm", "opencl", TGS_F32, "vector", 0, tgs_i_cl_gemm, tgs_i_cl_gemm_prepare, tgs_i_cl_release,
     NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_gemm = {
    .base = {TGS_PLUGIN_ABI, "gemm", "alpha op(A) op(B) + beta C", NULL, NULL},
    .buffers = "R A, R B, [R C], W Y",
    .attrs = "transA transB alpha beta",
    .kernel = kernels,
};
