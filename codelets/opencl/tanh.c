/* tanh.c -- y = tanh(x). */
#include "core.h"

static const char *const source[] = {
    "#define F(T, x) tanh(x)\n",
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
    {"tanh", "opencl", TGS_F32, "vector", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_tanh = {
    .base = {TGS_PLUGIN_ABI, "tanh", "hyperbolic tangent", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
};
