/* relu.c -- y = max(x, 0); NaN stays NaN. */
#include "core.h"

static const char *const source[] = {
    "#define F(T, x) ((x) < (T)(0) ? (T)(0) : (x))\n",
    tgs_i_cl_unary,
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"each", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    return tgs_i_cl_elementwise(c, 2);
}

static const tgs_kernel kernels[] = {
    {"relu", "opencl", TGS_F32, "vector", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_relu = {
    .base = {TGS_PLUGIN_ABI, "relu", "max(x, 0)", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
};
