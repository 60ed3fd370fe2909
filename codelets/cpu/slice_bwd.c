/* slice_bwd.c -- gradient of slice: dY where it was taken, else 0. */
#ifdef real
static tgs_status FN(slice_bwd_run)(const tgs_call *c)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[1]), y = tgs_i_shape_of(&c->buffer[0]);
    int64_t start[TGS_I_RANK], step[TGS_I_RANK], at[TGS_I_RANK] = {0};
    const real *dy = c->buffer[0].data;
    real *dx = c->buffer[1].data;

    if (!tgs_i_sliced(c, x.rank, start, step))
        return TGS_EINVAL;
    memset(dx, 0, (size_t)x.count * sizeof *dx);
    for (int64_t i = 0; i < y.count; i++) {
        int64_t to = 0;

        for (int32_t k = 0; k < x.rank; k++)
            to = to * x.dim[k] + start[k] + at[k] * step[k];
        dx[to] = dy[i];
        for (int32_t k = y.rank - 1; k >= 0 && ++at[k] == y.dim[k]; k--)
            at[k] = 0;
    }
    return TGS_OK;
}
#else
#define BODY "slice_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_status status = tgs_i_check_type(c, 0, 2, err);

    return status ? status : tgs_i_check_sliced(c, &c->buffer[1], &c->buffer[0], err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("slice_bwd", slice_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_slice_bwd = {
    .base = {TGS_PLUGIN_ABI, "slice_bwd", "gradient of slice", NULL, NULL},
    .buffers = "R dY, W dX",
    .attrs = "starts steps",
    .kernel = kernels,
    .check = check,
};
#endif
