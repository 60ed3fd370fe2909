/* slice.c -- part of a tensor of any dtype: y[i] = x[starts + i * steps], in every dim. */
#include "core.h"

static tgs_status slice_run(const tgs_call *c)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[1]);
    const size_t size = (size_t)tgs_dtype_size(c->buffer[0].dtype);
    const int64_t row = y.rank ? y.dim[y.rank - 1] : 1;
    int64_t start[TGS_I_RANK], step[TGS_I_RANK], at[TGS_I_RANK] = {0};
    const char *from = c->buffer[0].data;
    char *to = c->buffer[1].data;

    if (!tgs_i_sliced(c, x.rank, start, step))
        return TGS_EINVAL;
    for (int64_t done = 0; done < y.count; done += row) {
        int64_t offset = 0;

        for (int32_t k = 0; k < x.rank; k++)
            offset = offset * x.dim[k] + start[k] + at[k] * step[k];
        if (!y.rank || step[y.rank - 1] == 1)
            memcpy(to, from + (size_t)offset * size, (size_t)row * size);
        else
            for (int64_t i = 0; i < row; i++)
                memcpy(to + (size_t)i * size,
                       from + (offset + i * step[y.rank - 1]) * (int64_t)size, size);
        to += (size_t)row * size;
        for (int32_t k = y.rank - 2; k >= 0 && ++at[k] == y.dim[k]; k--)
            at[k] = 0;
    }
    return TGS_OK;
}

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    return tgs_i_check_sliced(c, &c->buffer[0], &c->buffer[1], err);
}

static const tgs_kernel kernels[] = {
    {"slice", "cpu", TGS_BYTES, "plain", 0, slice_run, NULL, NULL, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_slice = {
    .base = {TGS_PLUGIN_ABI, "slice", "part of a tensor", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "starts steps",
    .kernel = kernels,
    .check = check,
};
