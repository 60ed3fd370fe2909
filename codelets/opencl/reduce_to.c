/* reduce_to.c -- sum x over the dims along which y is broadcast to its shape: a work item per
 * element of y, which walks the reduced dims in order. */
#include "core.h"

static const char *const source[] = {
    tgs_i_cl_wide,
    "__kernel void reduce(__global const float *x, __global float *y, const ulong n,\n"
    "                     const uint kept, const ulong8 kept_dims, const ulong8 kept_strides,\n"
    "                     const uint gone, const ulong8 gone_dims, const ulong8 gone_strides,\n"
    "                     const ulong times)\n"
    "{\n"
    "    const ulong item = get_global_id(0);\n"
    "    if (item >= n)\n"
    "        return;\n"
    "    ulong dim[8], stride[8], rest = item;\n"
    "    vstore8(kept_dims, 0, dim);\n"
    "    vstore8(kept_strides, 0, stride);\n"
    "    for (int k = (int)kept - 1; k >= 0; k--) {\n"
    "        x += rest % dim[k] * stride[k];\n"
    "        rest /= dim[k];\n"
    "    }\n"
    "    vstore8(gone_dims, 0, dim);\n"
    "    vstore8(gone_strides, 0, stride);\n"
    "    const ulong last = dim[gone - 1], step = stride[gone - 1];\n"
    "    wide total = 0;\n"
    "    for (ulong t = 0; t < times; t++) {\n"
    "        __global const float *from = x;\n"
    "        rest = t;\n"
    "        for (int k = (int)gone - 2; k >= 0; k--) {\n"
    "            from += rest % dim[k] * stride[k];\n"
    "            rest /= dim[k];\n"
    "        }\n"
    "        for (ulong j = 0; j < last; j++)\n"
    "            total += from[j * step];\n"
    "    }\n"
    "    y[item] = (float)total;\n"
    "}\n",
    NULL,
};

typedef struct dims {
    cl_uint count;
    int64_t dim[TGS_I_RANK], stride[TGS_I_RANK];
} dims;

static void put(dims *d, int64_t dim, int64_t stride)
{
    d->dim[d->count] = dim;
    d->stride[d->count++] = stride;
}

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"reduce", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

static tgs_status run(const tgs_call *c)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[1]);
    const cl_ulong n = (cl_ulong)y.count;
    cl_ulong8 kept_dims, kept_strides, gone_dims, gone_strides;
    dims kept = {0}, gone = {0};
    cl_ulong times = 1;
    tgs_i_walk w;

    if (!tgs_i_walk_new(&w, &x, &y, NULL))
        return TGS_EINVAL;
    for (int32_t k = 0; k < w.rank; k++) /* a: the strides of y, b: those of x */
        put(w.a[k] ? &kept : &gone, w.dim[k], w.b[k]);
    if (gone.count == 0)
        put(&gone, 1, 0);
    for (cl_uint k = 0; k + 1 < gone.count; k++)
        times *= (cl_ulong)gone.dim[k];
    kept_dims = tgs_i_cl_dims(kept.dim, (int32_t)kept.count);
    kept_strides = tgs_i_cl_dims(kept.stride, (int32_t)kept.count);
    gone_dims = tgs_i_cl_dims(gone.dim, (int32_t)gone.count);
    gone_strides = tgs_i_cl_dims(gone.stride, (int32_t)gone.count);
    return tgs_i_cl_launch(
        c, 0, (size_t)n, 1,
        (tgs_i_cl_arg[]){TGS_I_CL_ARG(c->buffer[0].data), TGS_I_CL_ARG(c->buffer[1].data),
                         TGS_I_CL_ARG(n), TGS_I_CL_ARG(kept.count), TGS_I_CL_ARG(kept_dims),
                         TGS_I_CL_ARG(kept_strides), TGS_I_CL_ARG(gone.count),
                         TGS_I_CL_ARG(gone_dims), TGS_I_CL_ARG(gone_strides), TGS_I_CL_ARG(times)},
        10);
}

static const tgs_kernel kernels[] = {
    {"reduce_to", "opencl", TGS_F32, "vector", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_reduce_to = {
    .base = {TGS_PLUGIN_ABI, "reduce_to", "sum over broadcast dims", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
};
