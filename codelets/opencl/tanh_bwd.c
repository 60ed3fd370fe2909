/* tanh_bwd.c -- dx = dy (1 - y^2). */
#include "core.h"

static const char *const source[] = {
    "#define F(T, y, dy) ((dy) * (1.0f - (y) * (y)))\n",
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
    {"tanh_bwd", "opencl", TGS_F32, "vector", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_tanh_bwd = {
    .base = {TGS_PLUGIN_ABI, "tanh_bwd", "gradient of tanh", NULL, NULL},
    .buffers = "R Y, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
};
