/* concat_bwd.c -- the part of dY that one input of a concat gave: rows copied, no kernel. */
#include "core.h"

static tgs_status run(const tgs_call *c)
{
    tgs_i_axis a;
    const tgs_status status = tgs_i_axis_new(&a, c, NULL);
    const size_t element = (size_t)tgs_dtype_size(c->buffer[0].dtype);
    tgs_i_cl_rows r;

    if (status || !a.outer)
        return status;
    r = (tgs_i_cl_rows){.from = (size_t)(tgs_attr_int(c->attrs, "offset", 0) * a.inner) * element,
                        .from_pitch = (size_t)(a.size * a.inner) * element,
                        .to_pitch = (size_t)c->buffer[1].bytes / (size_t)a.outer,
                        .bytes = (size_t)c->buffer[1].bytes / (size_t)a.outer,
                        .rows = (size_t)a.outer};
    return tgs_i_cl_copy_rows(c, 0, 1, r);
}

static const tgs_kernel kernels[] = {
    {"concat_bwd", "opencl", TGS_F32, "copy", 0, run, NULL, NULL, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_concat_bwd = {
    .base = {TGS_PLUGIN_ABI, "concat_bwd", "gradient of concat, to one input", NULL, NULL},
    .buffers = "R dY, W dX",
    .attrs = "axis offset",
    .kernel = kernels,
};
