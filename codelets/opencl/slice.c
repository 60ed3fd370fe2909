/* slice.c -- part of a tensor of any dtype, y[i] = x[starts + i * steps] in every dim: a work item
 * copies a word of four bytes, or a byte where elements are no words. */
#include "core.h"

static const char body[] = /* of elements of type T, or of several for one of the tensor */
    "__kernel void slice(__global const T *x, __global T *y, const ulong n, const ulong units,\n"
    "                    const long start, const int rank, const ulong8 dims, const ulong8 "
    "strides)\n"
    "{\n"
    "    const ulong e = get_global_id(0);\n"
    "    ulong dim[8], rest = e / units;\n"
    "    long stride[8], at = start;\n"
    "    if (e >= n)\n"
    "        return;\n"
    "    vstore8(dims, 0, dim);\n"
    "    vstore8(as_long8(strides), 0, stride);\n"
    "    for (int k = rank - 1; k >= 0; k--) {\n"
    "        at += (long)(rest % dim[k]) * stride[k];\n"
    "        rest /= dim[k];\n"
    "    }\n"
    "    y[e] = x[at * (long)units + (long)(e % units)];\n"
    "}\n";

static const char *const source[] = {
    "#define T uint\n#define slice words\n",
    body,
    "#undef T\n#undef slice\n#define T uchar\n#define slice bytes\n",
    body,
    NULL,
};

static tgs_status prepare(tgs_call *c)
{
    static const char *const kernels[] = {"words", "bytes", NULL};

    return tgs_i_cl_prepare(c, source, kernels, 0);
}

/* how far apart in x neighbours along each dim of y are, and where the first lies; in elements */
static int64_t walk(const tgs_call *c, const tgs_i_shape *x, int64_t *stride)
{
    int64_t start[TGS_I_RANK] = {0}, step[TGS_I_RANK], first = 0, inner = 1;
    const int32_t steps = tgs_attr_ints(c->attrs, "steps", step, TGS_I_RANK);

    tgs_attr_ints(c->attrs, "starts", start, TGS_I_RANK);
    for (int32_t k = x->rank - 1; k >= 0; k--) {
        stride[k] = inner * (steps ? step[k] : 1);
        first += inner * start[k];
        inner *= x->dim[k];
    }
    return first;
}

static tgs_status run(const tgs_call *c)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[1]);
    const int64_t size = tgs_dtype_size(c->buffer[0].dtype);
    const int whole = size % 4 == 0 ? 0 : 1; /* which kernel */
    const cl_ulong units = (cl_ulong)(whole == 0 ? size / 4 : size);
    const cl_ulong n = (cl_ulong)y.count * units;
    const cl_int rank = y.rank;
    int64_t stride[TGS_I_RANK];
    const cl_long first = walk(c, &x, stride);
    const cl_ulong8 dims = tgs_i_cl_dims(y.dim, rank), strides = tgs_i_cl_dims(stride, rank);

    return tgs_i_cl_launch(
        c, whole, (size_t)n, 1,
        (tgs_i_cl_arg[]){TGS_I_CL_ARG(c->buffer[0].data), TGS_I_CL_ARG(c->buffer[1].data),
                         TGS_I_CL_ARG(n), TGS_I_CL_ARG(units), TGS_I_CL_ARG(first),
                         TGS_I_CL_ARG(rank), TGS_I_CL_ARG(dims), TGS_I_CL_ARG(strides)},
        8);
}

static const tgs_kernel kernels[] = {
    {"slice", "opencl", TGS_BYTES, "words", 0, run, prepare, tgs_i_cl_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_slice = {
    .base = {TGS_PLUGIN_ABI, "slice", "part of a tensor", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "starts steps",
    .kernel = kernels,
};
