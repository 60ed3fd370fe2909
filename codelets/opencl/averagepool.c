/* averagepool.c -- the mean under each window; include_pad counts padding as zeros: a work item
 * per output. */
#include "core.h"

static const char *const source[] = {
    tgs_i_cl_window,
    "__kernel void averagepool(__global const float *x, __global float *y, const int16 sizes,\n"
    "                          const int16 more, const ulong n, const int padded)\n"
    "{\n"
    "    const ulong e = get_global_id(0);\n"
    "    window g;\n"
    "    int o[3];\n"
    "    if (e >= n)\n"
    "        return;\n"
    "    open(&g, sizes, more);\n"
    "    float sum = 0;\n"
    "    unravel(e % g.outs, g.out, o);\n"
    "    x += e / g.outs * g.ins;\n"
    "    for (int tap = 0; tap < g.taps; tap++) {\n"
    "        const int at = input(&g, o, tap);\n"
    "        sum += at < 0 ? 0 : x[at];\n"
    "    }\n"
    "    const int count = counted(&g, o, padded);\n"
    "    y[e] = count > 0 ? sum / count : 0;\n"
    "}\n",
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"averagepool", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    tgs_i_cl_view v;
    const tgs_status status = tgs_i_cl_view_new(&v, c, &c->buffer[0], NULL, &c->buffer[1]);

    return status
               ? status
               : tgs_i_cl_window_launch(c, &v, 2, 1, tgs_attr_int(c->attrs, "include_pad", 0) != 0);
}

static const tgs_kernel kernels[] = {
    {"averagepool", "opencl", TGS_F32, "plain", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_averagepool = {
    .base = {TGS_PLUGIN_ABI, "averagepool", "mean of each window", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "kernel strides pads dilations include_pad",
    .kernel = kernels,
};
