/* accumulate.c -- a += x. */
#include "core.h"

static const char *const source[] = {
    "#define F(T, a, x) ((a) + (x))\n",
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
    const tgs_i_cl_arg arg[] = {TGS_I_CL_ARG(c->buffer[0].data), TGS_I_CL_ARG(c->buffer[1].data),
                                TGS_I_CL_ARG(c->buffer[0].data), TGS_I_CL_ARG(n)};

    return tgs_i_cl_launch(c, 0, (n + TGS_I_CL_WIDTH - 1) / TGS_I_CL_WIDTH, 1, arg, 4);
}

static const tgs_kernel kernels[] = {
    {"accumulate", "opencl", TGS_F32, "vector", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_accumulate = {
    .base = {TGS_PLUGIN_ABI, "accumulate", "add one tensor into another", NULL, NULL},
    .buffers = "RW A, R X",
    .attrs = "",
    .kernel = kernels,
};
