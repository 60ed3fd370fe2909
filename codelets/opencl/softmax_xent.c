/* softmax_xent.c -- cross entropy of softmax, and its gradient: a work item per row, then one that
 * adds the rows.  Nothing waits here, so a label out of range cannot be refused: it makes the loss
 * NaN. */
#include "core.h"

static const char *const source[] = {
    tgs_i_cl_wide,
    "__kernel void rows(__global const float *x, __global const int *label, __global float *dx,\n"
    "                   __global wide *loss, const ulong rows, const ulong n, const float scale)\n"
    "{\n"
    "    const ulong r = get_global_id(0);\n"
    "    if (r >= rows)\n"
    "        return;\n"
    "    x += r * n;\n"
    "    dx += r * n;\n"
    "    float top = -INFINITY;\n"
    "    wide total = 0;\n"
    "    for (ulong i = 0; i < n; i++)\n"
    "        top = x[i] > top ? x[i] : top;\n"
    "    for (ulong i = 0; i < n; i++)\n"
    "        total += dx[i] = exp(x[i] - top);\n"
    "    for (ulong i = 0; i < n; i++)\n"
    "        dx[i] = (float)(dx[i] * (scale / total));\n"
    "    if (label[r] < 0 || label[r] >= n) {\n"
    "        loss[r] = NAN;\n"
    "        return;\n"
    "    }\n"
    "    dx[label[r]] -= scale;\n"
    "    loss[r] = log(total) - ((wide)x[label[r]] - top);\n"
    "}\n"
    "__kernel void total(__global const wide *rows, __global float *loss, const ulong n,\n"
    "                    const float scale)\n"
    "{\n"
    "    wide sum = 0;\n"
    "    for (ulong i = 0; i < n; i++)\n"
    "        sum += rows[i];\n"
    "    *loss = (float)(scale * sum);\n"
    "}\n",
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"rows", "total", NULL};
    const int64_t rows = tgs_i_shape_of(&c->buffer[0]).dim[0];

    return tgs_i_cl_prepare(c, source, kernels, (size_t)(rows ? rows : 1) * sizeof(cl_double));
}

static tgs_status run(const tgs_call *c)
{
    const tgs_i_shape shape = tgs_i_shape_of(&c->buffer[0]);
    const cl_ulong rows = (cl_ulong)shape.dim[0], n = (cl_ulong)shape.dim[1];
    const cl_float scale = (cl_float)tgs_attr_real(c->attrs, "scale", 1);
    const tgs_i_cl *cl = c->prepared;
    const tgs_status status = tgs_i_cl_launch(
        c, 0, (size_t)rows, 1,
        (tgs_i_cl_arg[]){TGS_I_CL_ARG(c->buffer[0].data), TGS_I_CL_ARG(c->buffer[1].data),
                         TGS_I_CL_ARG(c->buffer[3].data), TGS_I_CL_ARG(cl->scratch),
                         TGS_I_CL_ARG(rows), TGS_I_CL_ARG(n), TGS_I_CL_ARG(scale)},
        7);

    if (status)
        return status;
    return tgs_i_cl_launch(c, 1, 1, 1,
                           (tgs_i_cl_arg[]){TGS_I_CL_ARG(cl->scratch),
                                            TGS_I_CL_ARG(c->buffer[2].data), TGS_I_CL_ARG(rows),
                                            TGS_I_CL_ARG(scale)},
                           4);
}

static const tgs_kernel kernels[] = {
    {"softmax_xent", "opencl", TGS_F32, "vector", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_softmax_xent = {
    .base = {TGS_PLUGIN_ABI, "softmax_xent", "cross entropy of softmax, and its gradient", NULL,
             NULL},
    .buffers = "R X, R labels, W loss, W dX",
    .attrs = "scale",
    .kernel = kernels,
};
