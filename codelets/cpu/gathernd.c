/* gathernd.c -- entries of a tensor of any dtype, each at the coordinates that an index tells. */
#include "core.h"

static tgs_status gathernd_run(const tgs_call *c)
{
    const size_t size = (size_t)tgs_dtype_size(c->buffer[0].dtype);
    const char *x = c->buffer[0].data;
    char *y = c->buffer[2].data;
    tgs_i_coordinates p;
    const tgs_status status = tgs_i_coordinates_new(&p, c, 0, 1, 2, NULL);

    for (int64_t i = 0; !status && i < p.count; i++) {
        const int64_t at = tgs_i_coordinates_at(&p, &c->buffer[1], i);

        if (at < 0)
            return TGS_EINVAL;
        memcpy(y + (size_t)(i * p.entry) * size, x + (size_t)at * size, (size_t)p.entry * size);
    }
    return status;
}

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    tgs_i_coordinates p;

    return tgs_i_coordinates_new(&p, c, 0, 1, 2, err);
}

static const tgs_kernel kernels[] = {
    {"gathernd", "cpu", TGS_BYTES, "plain", 0, gathernd_run, NULL, NULL, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_gathernd = {
    .base = {TGS_PLUGIN_ABI, "gathernd", "entries at coordinates", NULL, NULL},
    .buffers = "R X, R I, W Y",
    .attrs = "batch_dims",
    .kernel = kernels,
    .check = check,
};
