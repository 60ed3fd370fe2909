/* gather.c -- entries of a tensor of any dtype, chosen by indices along an axis. */
#include "core.h"

static tgs_status gather_run(const tgs_call *c)
{
    const size_t size = (size_t)tgs_dtype_size(c->buffer[0].dtype);
    const char *x = c->buffer[0].data;
    char *y = c->buffer[2].data;
    tgs_i_pick p;
    const tgs_status status = tgs_i_pick_new(&p, c, 0, 1, 2, NULL);
    const size_t row = status ? 0 : (size_t)p.inner * size;

    for (int64_t o = 0; !status && o < p.outer; o++)
        for (int64_t i = 0; i < p.count; i++, y += row) {
            const int64_t at = tgs_i_pick_at(&c->buffer[1], i, p.size);

            if (at < 0)
                return TGS_EINVAL;
            memcpy(y, x + (size_t)(o * p.size + at) * row, row);
        }
    return status;
}

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    tgs_i_pick p;

    return tgs_i_pick_new(&p, c, 0, 1, 2, err);
}

static const tgs_kernel kernels[] = {
    {"gather", "cpu", TGS_BYTES, "plain", 0, gather_run, NULL, NULL, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_gather = {
    .base = {TGS_PLUGIN_ABI, "gather", "entries chosen by indices", NULL, NULL},
    .buffers = "R X, R I, W Y",
    .attrs = "axis",
    .kernel = kernels,
    .check = check,
};
