/* sgd.c -- w -= lr g. */
#include "core.h"

static const char *const source[] = {
    "__kernel void descend(__global float *w, __global const float *g, const float lr,\n"
    "                      const ulong n)\n"
    "{\n"
    "    const size_t i = get_global_id(0) * 8;\n"
    "    if (i + 8 <= n) {\n"
    "        vstore8(vload8(0, w + i) - lr * vload8(0, g + i), 0, w + i);\n"
    "    } else {\n"
    "        for (size_t j = i; j < n; j++)\n"
    "            w[j] -= lr * g[j];\n"
    "    }\n"
    "}\n",
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"descend", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    const cl_float lr = (cl_float)tgs_attr_real(c->attrs, "lr", 0.01);
    const cl_ulong n = (cl_ulong)tgs_i_shape_of(&c->buffer[0]).count;
    const tgs_i_cl_arg arg[] = {TGS_I_CL_ARG(c->buffer[0].data), TGS_I_CL_ARG(c->buffer[1].data),
                                TGS_I_CL_ARG(lr), TGS_I_CL_ARG(n)};

    return tgs_i_cl_launch(c, 0, (n + TGS_I_CL_WIDTH - 1) / TGS_I_CL_WIDTH, 1, arg, 4);
}

static const tgs_kernel kernels[] = {
    {"sgd", "opencl", TGS_F32, "vector", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_sgd = {
    .base = {TGS_PLUGIN_ABI, "sgd", "step of gradient descent", NULL, NULL},
    .buffers = "RW W, R G",
    .attrs = "lr",
    .kernel = kernels,
};
