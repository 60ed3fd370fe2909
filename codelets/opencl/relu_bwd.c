/* relu_bwd.c -- dx = dy where y > 0, else 0. */
#include "core.h"

static const char *const source[] = {
    "#define F(T, y, dy) ((y) > (T)(0) ? (dy) : (T)(0))\n",
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
    {"relu_bwd", "opencl", TGS_F32, "vector", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_relu_bwd = {
    .base = {TGS_PLUGIN_ABI, "relu_bwd", "gradient of relu", NULL, NULL},
    .buffers = "R Y, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
};
