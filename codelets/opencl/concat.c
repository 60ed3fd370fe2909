/* concat.c -- tensors side by side along an axis: rows copied, no kernel. */
#include "core.h"

static tgs_status run(const tgs_call *c)
{
    const int32_t last = c->buffers - 1;
    const size_t whole = (size_t)c->buffer[last].bytes;
    tgs_i_axis a;
    tgs_status status = tgs_i_axis_new(&a, c, NULL);
    size_t at = 0;

    for (int32_t k = 0; k < last && !status && a.outer; k++) {
        const size_t rows = (size_t)a.outer, row = (size_t)c->buffer[k].bytes / rows;

        status = tgs_i_cl_copy_rows(
            c, k, last,
            (tgs_i_cl_rows){
                .from_pitch = row, .to = at, .to_pitch = whole / rows, .bytes = row, .rows = rows});
        at += row;
    }
    return status;
}

static const tgs_kernel kernels[] = {
    {"concat", "opencl", TGS_F32, "copy", 0, run, NULL, NULL, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_opencl_concat = {
    .base = {TGS_PLUGIN_ABI, "concat", "tensors side by side along an axis", NULL, NULL},
    .buffers = "R X..., W Y",
    .attrs = "axis",
    .kernel = kernels,
};
