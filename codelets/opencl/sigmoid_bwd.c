/* sigmoid_bwd.c -- dx = dy y (1 - y). */
#include "core.h"

static const char *const source[] = {
    "#define F(T, y, dy) ((dy) * (y) * (1.0f - (y)))\n",
    tgs_i_cl_binary,
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"each", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    return tgs_i_cl_elementwise(c, 3);
}

static const tgs_kernel kernels[] = {
    {"sigmoid_bwd", "opencl", TGS_F32, "vector", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_sigmoid_bwd = {
    .base = {TGS_PLUGIN_ABI, "sigmoid_bwd", "gradient of sigmoid", NULL, NULL},
    .buffers = "R Y, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
};
