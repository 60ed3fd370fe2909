/* add.c -- y = a + b with numpy broadcasting: a work item takes a piece of a row of the last dim.
 */
#include "core.h"

static const char *const source[] = {
    "#define PIECE 16\n"
    "__kernel void add(__global const float *a, __global const float *b, __global float *y,\n"
    "                  const uint rank, const ulong8 dims, const ulong8 as, const ulong8 bs)\n"
    "{\n"
    "    ulong dim[8], sa[8], sb[8];\n"
    "    vstore8(dims, 0, dim);\n"
    "    vstore8(as, 0, sa);\n"
    "    vstore8(bs, 0, sb);\n"
    "    const ulong n = dim[rank - 1], ta = sa[rank - 1], tb = sb[rank - 1];\n"
    "    const ulong from = get_global_id(0) * PIECE;\n"
    "    const ulong to = min(from + PIECE, n);\n"
    "    ulong row = get_global_id(1);\n"
    "    y += row * n;\n"
    "    for (int k = (int)rank - 2; k >= 0; k--) {\n"
    "        a += row % dim[k] * sa[k];\n"
    "        b += row % dim[k] * sb[k];\n"
    "        row /= dim[k];\n"
    "    }\n"
    "    if (from + PIECE <= n && ta == 1 && tb == 1) {\n"
    "        vstore16(vload16(0, a + from) + vload16(0, b + from), 0, y + from);\n"
    "    } else {\n"
    "        for (ulong j = from; j < to; j++)\n"
    "            y[j] = a[j * ta] + b[j * tb];\n"
    "    }\n"
    "}\n",
    NULL,
};
enum { PIECE = 16 };

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"add", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    const tgs_i_shape a = tgs_i_shape_of(&c->buffer[0]), b = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[2]);
    cl_ulong8 dim, sa, sb;
    cl_uint rank;
    tgs_i_walk w;

    if (!tgs_i_walk_new(&w, &y, &a, &b))
        return TGS_EINVAL;
    rank = (cl_uint)w.rank;
    dim = tgs_i_cl_dims(w.dim, w.rank);
    sa = tgs_i_cl_dims(w.a, w.rank);
    sb = tgs_i_cl_dims(w.b, w.rank);
    return tgs_i_cl_launch(
        c, 0, (size_t)(w.dim[w.rank - 1] + PIECE - 1) / PIECE, (size_t)tgs_i_walk_rows(&w),
        (tgs_i_cl_arg[]){TGS_I_CL_ARG(c->buffer[0].data), TGS_I_CL_ARG(c->buffer[1].data),
                         TGS_I_CL_ARG(c->buffer[2].data), TGS_I_CL_ARG(rank), TGS_I_CL_ARG(dim),
                         TGS_I_CL_ARG(sa), TGS_I_CL_ARG(sb)},
        7);
}

static const tgs_kernel kernels[] = {
    {"add", "opencl", TGS_F32, "vector", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_add = {
    .base = {TGS_PLUGIN_ABI, "add", "a + b, broadcast", NULL, NULL},
    .buffers = "R A, R B, W Y",
    .attrs = "",
    .kernel = kernels,
};
