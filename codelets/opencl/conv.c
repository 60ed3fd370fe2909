/* conv.c -- convolution: a work item per output. */
#include "core.h"

static const char *const source[] = {
    tgs_i_cl_window,
    "__kernel void conv(__global const float *x, __global const float *w,\n"
    "                   __global const float *bias, __global float *y, const int16 sizes,\n"
    "                   const int16 more, const ulong n, const int biased)\n"
    "{\n"
    "    const ulong e = get_global_id(0);\n"
    "    window g;\n"
    "    int o[3], base[3], lo[3], hi[3];\n"
    "    if (e >= n)\n"
    "        return;\n"
    "    open(&g, sizes, more);\n"
    "    const ulong plane = e / g.outs;\n"
    "    const int k = plane % g.out_channels, in = g.in_channels / g.group;\n"
    "    const int first = k / (g.out_channels / g.group) * in;\n"
    "    float sum = biased ? bias[k] : 0;\n"
    "    unravel(e % g.outs, g.out, o);\n"
    "    for (int d = 0; d < 3; d++) {\n"
    "        base[d] = o[d] * g.stride[d] - g.pad[d];\n"
    "        inside(base[d], g.dilation[d], g.in[d], g.kernel_size[d], &lo[d], &hi[d]);\n"
    "    }\n"
    "    x += (plane / g.out_channels * g.in_channels + first) * g.ins;\n"
    "    w += (ulong)k * in * g.taps;\n"
    "    for (int i = 0; i < in; i++, x += g.ins, w += g.taps)\n"
    "        for (int a = lo[0]; a < hi[0]; a++)\n"
    "            for (int b = lo[1]; b < hi[1]; b++) {\n"
    "                const int row = (base[0] + a * g.dilation[0]) * g.in[1];\n"
    "                __global const float *from =\n"
    "                    x + (row + base[1] + b * g.dilation[1]) * g.in[2] + base[2];\n"
    "                __global const float *by = w + (a * g.kernel_size[1] + b) * "
    "g.kernel_size[2];\n"
    "                for (int c = lo[2]; c < hi[2]; c++)\n"
    "                    sum += by[c] * from[c * g.dilation[2]];\n"
    "            }\n"
    "    y[e] = sum;\n"
    "}\n",
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"conv", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    const int32_t last = c->buffers - 1;
    const tgs_buffer buffer[] = {c->buffer[0], c->buffer[1], c->buffer[last > 2 ? 2 : 1],
                                 c->buffer[last]}; /* without a bias: anything that is not read */
    tgs_call whole = *c;
    tgs_i_cl_view v;
    const tgs_status status =
        tgs_i_cl_view_new(&v, c, &c->buffer[0], &c->buffer[1], &c->buffer[last]);

    whole.buffer = buffer;
    return status ? status : tgs_i_cl_window_launch(&whole, &v, 4, 3, last > 2);
}

static const tgs_kernel kernels[] = {
    {"conv", "opencl", TGS_F32, "plain", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_conv = {
    .base = {TGS_PLUGIN_ABI, "conv", "convolution", NULL, NULL},
    .buffers = "R X, R W, [R B], W Y",
    .attrs = "kernel strides pads dilations group",
    .kernel = kernels,
};
