/* conv_bwd_data.c -- gradient of a convolution with respect to its input: a work item per input. */
#include "core.h"

static const char *const source[] = {
    tgs_i_cl_window,
    "__kernel void conv_bwd_data(__global const float *dy, __global const float *w,\n"
    "                            __global float *dx, const int16 sizes, const int16 more,\n"
    "                            const ulong n, const int unused)\n"
    "{\n"
    "    const ulong e = get_global_id(0);\n"
    "    window g;\n"
    "    int i[3];\n"
    "    if (e >= n)\n"
    "        return;\n"
    "    open(&g, sizes, more);\n"
    "    const ulong plane = e / g.ins;\n"
    "    const int c = plane % g.in_channels;\n"
    "    const int in = g.in_channels / g.group, out = g.out_channels / g.group;\n"
    "    const int first = c / in * out, each = in * g.taps;\n"
    "    float sum = 0;\n"
    "    unravel(e % g.ins, g.in, i);\n"
    "    dy += (plane / g.in_channels * g.out_channels + first) * g.outs;\n"
    "    w += ((ulong)first * in + c % in) * g.taps;\n"
    "    for (int a = 0; a < g.kernel_size[0]; a++) {\n"
    "        const int p = meets(&g, 0, i[0], a);\n"
    "        for (int b = 0; p >= 0 && b < g.kernel_size[1]; b++) {\n"
    "            const int q = meets(&g, 1, i[1], b);\n"
    "            for (int r = 0; q >= 0 && r < g.kernel_size[2]; r++) {\n"
    "                const int s = meets(&g, 2, i[2], r);\n"
    "                __global const float *from = dy + (p * g.out[1] + q) * g.out[2] + s;\n"
    "                __global const float *by = w + (a * g.kernel_size[1] + b) * g.kernel_size[2] "
    "+ r;\n"
    "                for (int k = 0; s >= 0 && k < out; k++)\n"
    "                    sum += by[k * each] * from[k * g.outs];\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "    dx[e] = sum;\n"
    "}\n",
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"conv_bwd_data", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    tgs_i_cl_view v;
    const tgs_status status = tgs_i_cl_view_new(&v, c, &c->buffer[2], &c->buffer[1], &c->buffer[0]);

    return status ? status : tgs_i_cl_window_launch(c, &v, 3, 2, 0);
}

static const tgs_kernel kernels[] = {
    {"conv_bwd_data", "opencl", TGS_F32, "plain", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_conv_bwd_data = {
    .base = {TGS_PLUGIN_ABI, "conv_bwd_data", "gradient of conv, to its input", NULL, NULL},
    .buffers = "R dY, R W, W dX",
    .attrs = "kernel strides pads dilations group",
    .kernel = kernels,
};
