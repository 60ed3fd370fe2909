/* maxpool.c -- the largest value under each window: a work item per output. */
#include "core.h"

static const char *const source[] = {
    tgs_i_cl_window,
    "__kernel void maxpool(__global const float *x, __global float *y, const int16 sizes,\n"
    "                      const int16 more, const ulong n, const int unused)\n"
    "{\n"
    "    const ulong e = get_global_id(0);\n"
    "    window g;\n"
    "    int o[3];\n"
    "    if (e >= n)\n"
    "        return;\n"
    "    open(&g, sizes, more);\n"
    "    float top = -INFINITY;\n"
    "    unravel(e % g.outs, g.out, o);\n"
    "    x += e / g.outs * g.ins;\n"
    "    for (int tap = 0; tap < g.taps; tap++) {\n"
    "        const int at = input(&g, o, tap);\n"
    "        if (at >= 0 && x[at] > top)\n"
    "            top = x[at];\n"
    "    }\n"
    "    y[e] = top;\n"
    "}\n",
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"maxpool", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    tgs_i_cl_view v;
    const tgs_status status = tgs_i_cl_view_new(&v, c, &c->buffer[0], NULL, &c->buffer[1]);

    return status ? status : tgs_i_cl_window_launch(c, &v, 2, 1, 0);
}

static const tgs_kernel kernels[] = {
    {"maxpool", "opencl", TGS_F32, "plain", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_maxpool = {
    .base = {TGS_PLUGIN_ABI, "maxpool", "largest value of each window", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "kernel strides pads dilations",
    .kernel = kernels,
};
