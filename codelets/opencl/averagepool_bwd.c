/* averagepool_bwd.c -- each dy is spread evenly over its window: a work item per input. */
#include "core.h"

static const char *const source[] = {
    tgs_i_cl_window,
    "__kernel void averagepool_bwd(__global const float *dy, __global float *dx, const int16 "
    "sizes,\n"
    "                              const int16 more, const ulong n, const int padded)\n"
    "{\n"
    "    const ulong e = get_global_id(0);\n"
    "    window g;\n"
    "    int i[3], o[3];\n"
    "    if (e >= n)\n"
    "        return;\n"
    "    open(&g, sizes, more);\n"
    "    float sum = 0;\n"
    "    unravel(e % g.ins, g.in, i);\n"
    "    dy += e / g.ins * g.outs;\n"
    "    for (int tap = g.taps - 1; tap >= 0; tap--) { /* outputs in their order */\n"
    "        const int at = output(&g, i, tap, o);\n"
    "        sum += at < 0 ? 0 : dy[at] / counted(&g, o, padded);\n"
    "    }\n"
    "    dx[e] = sum;\n"
    "}\n",
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"averagepool_bwd", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    tgs_i_cl_view v;
    const tgs_status status = tgs_i_cl_view_new(&v, c, &c->buffer[1], NULL, &c->buffer[0]);

    return status
               ? status
               : tgs_i_cl_window_launch(c, &v, 2, 1, tgs_attr_int(c->attrs, "include_pad", 0) != 0);
}

static const tgs_kernel kernels[] = {
    {"averagepool_bwd", "opencl", TGS_F32, "plain", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_averagepool_bwd = {
    .base = {TGS_PLUGIN_ABI, "averagepool_bwd", "gradient of averagepool", NULL, NULL},
    .buffers = "R dY, W dX",
    .attrs = "kernel strides pads dilations include_pad",
    .kernel = kernels,
};
