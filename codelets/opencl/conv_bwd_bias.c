/* conv_bwd_bias.c -- dy summed per channel: a work item for each, whose sum is rounded once. */
#include "core.h"

static const char *const source[] = {
    tgs_i_cl_wide,
    "__kernel void conv_bwd_bias(__global const float *dy, __global float *db, const ulong n,\n"
    "                            const ulong batch, const ulong plane)\n"
    "{\n"
    "    const ulong k = get_global_id(0);\n"
    "    if (k >= n)\n"
    "        return;\n"
    "    wide sum = 0;\n"
    "    for (ulong b = 0; b < batch; b++)\n"
    "        for (ulong i = 0; i < plane; i++)\n"
    "            sum += dy[(b * n + k) * plane + i];\n"
    "    db[k] = (float)sum;\n"
    "}\n",
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"conv_bwd_bias", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    const tgs_i_shape dy = tgs_i_shape_of(&c->buffer[0]);
    const cl_ulong batch = (cl_ulong)dy.dim[0], n = (cl_ulong)dy.dim[1];
    const cl_ulong plane = batch && n ? (cl_ulong)dy.count / (batch * n) : 0;

    return tgs_i_cl_launch(c, 0, (size_t)n, 1,
                           (tgs_i_cl_arg[]){TGS_I_CL_ARG(c->buffer[0].data),
                                            TGS_I_CL_ARG(c->buffer[1].data), TGS_I_CL_ARG(n),
                                            TGS_I_CL_ARG(batch), TGS_I_CL_ARG(plane)},
                           5);
}

static const tgs_kernel kernels[] = {
    {"conv_bwd_bias", "opencl", TGS_F32, "plain", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_conv_bwd_bias = {
    .base = {TGS_PLUGIN_ABI, "conv_bwd_bias", "gradient of conv, to its bias", NULL, NULL},
    .buffers = "R dY, W dB",
    .attrs = "",
    .kernel = kernels,
};
