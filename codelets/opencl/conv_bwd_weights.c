/* conv_bwd_weights.c -- gradient of a convolution with respect to its weights: a work item per
 * weight, whose sum over images and outputs is rounded once. */
#include "core.h"

static const char *const source[] = {
    tgs_i_cl_wide,
    tgs_i_cl_window,
    "__kernel void conv_bwd_weights(__global const float *x, __global const float *dy,\n"
    "                               __global float *dw, const int16 sizes, const int16 more,\n"
    "                               const ulong n, const int unused)\n"
    "{\n"
    "    const ulong e = get_global_id(0);\n"
    "    window g;\n"
    "    int t[3], base[3], lo[3], hi[3];\n"
    "    if (e >= n)\n"
    "        return;\n"
    "    open(&g, sizes, more);\n"
    "    const int in = g.in_channels / g.group, out = g.out_channels / g.group;\n"
    "    const int i = e / g.taps % in, k = e / g.taps / in;\n"
    "    wide sum = 0;\n"
    "    unravel(e % g.taps, g.kernel_size, t);\n"
    "    for (int d = 0; d < 3; d++) {\n"
    "        base[d] = t[d] * g.dilation[d] - g.pad[d];\n"
    "        inside(base[d], g.stride[d], g.in[d], g.out[d], &lo[d], &hi[d]);\n"
    "    }\n"
    "    x += ((ulong)(k / out) * in + i) * g.ins;\n"
    "    dy += (ulong)k * g.outs;\n"
    "    for (int image = 0; image < g.batch; image++) {\n"
    "        for (int a = lo[0]; a < hi[0]; a++)\n"
    "            for (int b = lo[1]; b < hi[1]; b++) {\n"
    "                const int row = (base[0] + a * g.stride[0]) * g.in[1];\n"
    "                __global const float *from =\n"
    "                    x + (row + base[1] + b * g.stride[1]) * g.in[2] + base[2];\n"
    "                __global const float *by = dy + (a * g.out[1] + b) * g.out[2];\n"
    "                for (int c = lo[2]; c < hi[2]; c++)\n"
    "                    sum += by[c] * from[c * g.stride[2]];\n"
    "            }\n"
    "        x += (ulong)g.in_channels * g.ins;\n"
    "        dy += (ulong)g.out_channels * g.outs;\n"
    "    }\n"
    "    dw[e] = (float)sum;\n"
    "}\n",
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"conv_bwd_weights", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    tgs_i_cl_view v;
    const tgs_status status = tgs_i_cl_view_new(&v, c, &c->buffer[0], &c->buffer[2], &c->buffer[1]);

    return status ? status : tgs_i_cl_window_launch(c, &v, 3, 2, 0);
}

static const tgs_kernel kernels[] = {
    {"conv_bwd_weights", "opencl", TGS_F32, "plain", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_conv_bwd_weights = {
    .base = {TGS_PLUGIN_ABI, "conv_bwd_weights", "gradient of conv, to its weights", NULL, NULL},
    .buffers = "R X, R dY, W dW",
    .attrs = "kernel strides pads dilations group",
    .kernel = kernels,
};
