/* window.c -- the geometry of convolutions and pools, as kernels see it: every work item computes
 * one element, and sums in a fixed order. */
#include "core.h"

const char tgs_i_cl_window[] =
    "typedef struct {\n"
    "    int in[3], out[3], kernel_size[3], stride[3], pad[3], group;\n"
    "    int dilation[3], pad_end[3], in_channels, out_channels, batch;\n"
    "    int ins, outs, taps;\n"
    "} window;\n"
    "void open(window *g, const int16 sizes, const int16 more)\n"
    "{\n"
    "    int a[16], b[16];\n"
    "    vstore16(sizes, 0, a);\n"
    "    vstore16(more, 0, b);\n"
    "    g->ins = g->outs = g->taps = 1;\n"
    "    for (int d = 0; d < 3; d++) {\n"
    "        g->ins *= g->in[d] = a[d];\n"
    "        g->outs *= g->out[d] = a[3 + d];\n"
    "        g->taps *= g->kernel_size[d] = a[6 + d];\n"
    "        g->stride[d] = a[9 + d];\n"
    "        g->pad[d] = a[12 + d];\n"
    "        g->dilation[d] = b[d];\n"
    "        g->pad_end[d] = b[3 + d];\n"
    "    }\n"
    "    g->group = a[15];\n"
    "    g->in_channels = b[6];\n"
    "    g->out_channels = b[7];\n"
    "    g->batch = b[8];\n"
    "}\n"
    "void unravel(int i, const int *size, int *at)\n"
    "{\n"
    "    at[2] = i % size[2];\n"
    "    at[1] = i / size[2] % size[1];\n"
    "    at[0] = i / size[2] / size[1];\n"
    "}\n"
    "int ravel(const int *at, const int *size)\n"
    "{\n"
    "    return (at[0] * size[1] + at[1]) * size[2] + at[2];\n"
    "}\n"
    /* where in its plane output o meets kernel element tap; -1: in the padding */
    "int input(const window *g, const int *o, int tap)\n"
    "{\n"
    "    int k[3], i[3];\n"
    "    unravel(tap, g->kernel_size, k);\n"
    "    for (int d = 0; d < 3; d++) {\n"
    "        i[d] = o[d] * g->stride[d] - g->pad[d] + k[d] * g->dilation[d];\n"
    "        if (i[d] < 0 || i[d] >= g->in[d])\n"
    "            return -1;\n"
    "    }\n"
    "    return ravel(i, g->in);\n"
    "}\n"
    /* the output along dim d that meets input i with kernel element k; -1: none does */
    "int meets(const window *g, int d, int i, int k)\n"
    "{\n"
    "    const int far = i + g->pad[d] - k * g->dilation[d];\n"
    "    const int o = g->stride[d] == 1 ? far : far / g->stride[d];\n"
    "    return far < 0 || o * g->stride[d] != far || o >= g->out[d] ? -1 : o;\n"
    "}\n"
    /* the same along all dims, also as o; tap numbers the kernel elements */
    "int output(const window *g, const int *i, int tap, int *o)\n"
    "{\n"
    "    int k[3];\n"
    "    unravel(tap, g->kernel_size, k);\n"
    "    for (int d = 0; d < 3; d++)\n"
    "        if ((o[d] = meets(g, d, i[d], k[d])) < 0)\n"
    "            return -1;\n"
    "    return ravel(o, g->out);\n"
    "}\n"
    /* those of [0, most) that fall into [0, limit), a step apart and the first at base */
    "void inside(int base, int step, int limit, int most, int *lo, int *hi)\n"
    "{\n"
    "    *lo = base >= 0 ? 0 : (step - 1 - base) / step;\n"
    "    *hi = limit <= base ? 0 : min(most, (limit - base + step - 1) / step);\n"
    "}\n"
    /* how many values an average over the window of output o counts */
    "int counted(const window *g, const int *o, int padded)\n"
    "{\n"
    "    int all = 1;\n"
    "    for (int d = 0; d < 3; d++) {\n"
    "        int here = 0;\n"
    "        for (int k = 0; k < g->kernel_size[d]; k++) {\n"
    "            const int i = o[d] * g->stride[d] - g->pad[d] + k * g->dilation[d];\n"
    "            here += padded ? i < g->in[d] + g->pad_end[d] : i >= 0 && i < g->in[d];\n"
    "        }\n"
    "        all *= here;\n"
    "    }\n"
    "    return all;\n"
    "}\n";

tgs_status tgs_i_cl_view_new(tgs_i_cl_view *v, const tgs_call *c, const tgs_buffer *x,
                             const tgs_buffer *w, const tgs_buffer *y)
{
    tgs_i_window g;
    const tgs_status status = tgs_i_window_new(&g, c, x, w, y, NULL);

    if (status)
        return status;
    if (g.in_size > INT32_MAX || g.out_size > INT32_MAX || g.kernel_size > INT32_MAX
        || g.in_channels > INT32_MAX || g.out_channels > INT32_MAX || g.batch > INT32_MAX)
        return TGS_EINVAL; /* a plane beyond the kernels' int */
    *v = (tgs_i_cl_view){.sizes.s[15] = (cl_int)g.group,
                         .more.s[6] = (cl_int)g.in_channels,
                         .more.s[7] = (cl_int)g.out_channels,
                         .more.s[8] = (cl_int)g.batch};
    for (int32_t d = 0; d < 3; d++) {
        v->sizes.s[d] = (cl_int)g.in[d];
        v->sizes.s[3 + d] = (cl_int)g.out[d];
        v->sizes.s[6 + d] = (cl_int)g.kernel[d];
        v->sizes.s[9 + d] = (cl_int)g.stride[d];
        v->sizes.s[12 + d] = (cl_int)g.pad[d];
        v->more.s[d] = (cl_int)g.dilation[d];
        v->more.s[3 + d] = (cl_int)g.pad_end[d];
    }
    return TGS_OK;
}

tgs_status tgs_i_cl_window_launch(const tgs_call *c, const tgs_i_cl_view *v, int32_t n, int32_t to,
                                  cl_int last)
{
    const cl_ulong count = (cl_ulong)tgs_i_shape_of(&c->buffer[to]).count;
    tgs_i_cl_arg arg[8];

    for (int32_t i = 0; i < n; i++)
        arg[i] = (tgs_i_cl_arg)TGS_I_CL_ARG(c->buffer[i].data);
    arg[n++] = (tgs_i_cl_arg)TGS_I_CL_ARG(v->sizes);
    arg[n++] = (tgs_i_cl_arg)TGS_I_CL_ARG(v->more);
    arg[n++] = (tgs_i_cl_arg)TGS_I_CL_ARG(count);
    arg[n++] = (tgs_i_cl_arg)TGS_I_CL_ARG(last);
    return tgs_i_cl_launch(c, 0, (size_t)count, 1, arg, n);
}
