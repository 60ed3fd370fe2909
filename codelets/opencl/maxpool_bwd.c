/* maxpool_bwd.c -- dy goes to the first of the largest values of its window: a work item per
 * input, which looks whether it is that one in each window it lies in. */
#include "core.h"

static const char *const source[] = {
    tgs_i_cl_window,
    "__kernel void maxpool_bwd(__global const float *x, __global const float *y,\n"
    "                          __global const float *dy, __global float *dx, const int16 sizes,\n"
    "                          const int16 more, const ulong n, const int unused)\n"
    "{\n"
    "    const ulong e = get_global_id(0);\n"
    "    window g;\n"
    "    int i[3], o[3];\n"
    "    if (e >= n)\n"
    "        return;\n"
    "    open(&g, sizes, more);\n"
    "    const ulong plane = e / g.ins;\n"
    "    const int own = e % g.ins;\n"
    "    float sum = 0;\n"
    "    unravel(own, g.in, i);\n"
    "    x += plane * g.ins;\n"
    "    for (int tap = g.taps - 1; tap >= 0; tap--) { /* outputs in their order */\n"
    "        const int at = output(&g, i, tap, o);\n"
    "        int first = -1;\n"
    "        if (at < 0 || x[own] != y[plane * g.outs + at])\n"
    "            continue;\n"
    "        for (int t = 0; t <= tap && first < 0; t++) {\n"
    "            const int other = input(&g, o, t);\n"
    "            if (other >= 0 && x[other] == y[plane * g.outs + at])\n"
    "                first = other;\n"
    "        }\n"
    "        if (first == own)\n"
    "            sum += dy[plane * g.outs + at];\n"
    "    }\n"
    "    dx[e] = sum;\n"
    "}\n",
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"maxpool_bwd", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    tgs_i_cl_view v;
    const tgs_status status = tgs_i_cl_view_new(&v, c, &c->buffer[0], NULL, &c->buffer[1]);

    return status ? status : tgs_i_cl_window_launch(c, &v, 4, 3, 0);
}

static const tgs_kernel kernels[] = {
    {"maxpool_bwd", "opencl", TGS_F32, "plain", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_maxpool_bwd = {
    .base = {TGS_PLUGIN_ABI, "maxpool_bwd", "gradient of maxpool", NULL, NULL},
    .buffers = "R X, R Y, R dY, W dX",
    .attrs = "kernel strides pads dilations",
    .kernel = kernels,
};
