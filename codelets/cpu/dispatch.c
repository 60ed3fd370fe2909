/* dispatch.c -- tokens to the buffers of the experts that are chosen for them, in order while
 * there is room. */
#ifdef real
static tgs_status FN(dispatch_run)(const tgs_call *c)
{
    const tgs_i_shape buffer = tgs_i_shape_of(&c->buffer[2]);
    const tgs_i_shape chosen = tgs_i_shape_of(&c->buffer[1]);
    const int64_t room = buffer.dim[1], width = buffer.dim[2], k = chosen.dim[1];
    const real *x = c->buffer[0].data;
    real *y = c->buffer[2].data;

    memset(y, 0, (size_t)buffer.count * sizeof *y);
    for (int64_t e = 0; e < buffer.dim[0]; e++)
        for (int64_t i = 0, slot = e * room; i < chosen.count && slot < (e + 1) * room; i++) {
            if (tgs_i_pick_at(&c->buffer[1], i, buffer.dim[0]) != e)
                continue;
            memcpy(y + slot * width, x + i / k * width, (size_t)width * sizeof *y);
            slot++;
        }
    return TGS_OK;
}
#else
#define BODY "dispatch.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    return tgs_i_check_mixture(c, 0, 2, 1, -1, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("dispatch", dispatch_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_dispatch = {
    .base = {TGS_PLUGIN_ABI, "dispatch", "tokens to their experts", NULL, NULL},
    .buffers = "R X, R I, W Y",
    .attrs = "experts capacity",
    .kernel = kernels,
    .check = check,
};
#endif
