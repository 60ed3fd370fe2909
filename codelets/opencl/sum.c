/* sum.c -- y = x1 + x2 + ... + xk, in that order: a copy, then one addition after the other. */
#include "core.h"

static const char *const source[] = {
    "#define F(T, y, x) ((y) + (x))\n",
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
    const cl_ulong n = (cl_ulong)tgs_i_shape_of(&c->buffer[0]).count;
    const int32_t y = c->buffers - 1;
    tgs_status status = tgs_i_cl_copy(c, 0, y);

    for (int32_t i = 1; i < y && !status; i++) {
        const tgs_i_cl_arg arg[] = {TGS_I_CL_ARG(c->buffer[y].data),
                                    TGS_I_CL_ARG(c->buffer[i].data),
                                    TGS_I_CL_ARG(c->buffer[y].data), TGS_I_CL_ARG(n)};

        status = tgs_i_cl_launch(c, 0, (n + TGS_I_CL_WIDTH - 1) / TGS_I_CL_WIDTH, 1, arg, 4);
    }
    return status;
}

static const tgs_kernel kernels[] = {
    {"sum", "opencl", TGS_F32, "vector", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_sum = {
    .base = {TGS_PLUGIN_ABI, "sum", "sum of tensors of one shape", NULL, NULL},
    .buffers = "R X..., W Y",
    .attrs = "",
    .kernel = kernels,
};
