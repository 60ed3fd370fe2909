/* reducel2_bwd.c -- gradient of reducel2, 0 where the norm is. */
#ifdef real
static tgs_status FN(reducel2_bwd_run)(const tgs_call *c)
{
    const real *x = c->buffer[0].data, *y = c->buffer[1].data;
    const real *dy = c->buffer[2].data;
    real *dx = c->buffer[3].data;
    tgs_i_walk w;
    const tgs_status status = tgs_i_reduction_new(&w, &c->buffer[3], &c->buffer[2], c, NULL);
    const int64_t n = status ? 0 : w.dim[w.rank - 1];

    for (int64_t r = 0; !status && r < tgs_i_walk_rows(&w); r++) {
        int64_t at, unused;

        tgs_i_walk_row(&w, r, &at, &unused);
        for (int64_t i = 0; i < n; i++, dx++, x++, at += w.a[w.rank - 1])
            *dx = y[at] == 0 ? 0 : dy[at] * *x / y[at];
    }
    return status;
}
#else
#define BODY "reducel2_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape dy = tgs_i_shape_of(&c->buffer[2]), dx = tgs_i_shape_of(&c->buffer[3]);
    const tgs_status status = tgs_i_check_type(c, 0, 4, err);
    tgs_i_walk w;

    if (!status && (!tgs_i_shape_equal(&x, &dx) || !tgs_i_shape_equal(&y, &dy)))
        return tgs_fail(err, TGS_EINVAL, "gradients must have the shapes of what they are of");
    return status ? status : tgs_i_reduction_new(&w, &c->buffer[0], &c->buffer[1], c, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("reducel2_bwd", reducel2_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_reducel2_bwd = {
    .base = {TGS_PLUGIN_ABI, "reducel2_bwd", "gradient of reducel2, 0 where the norm is", NULL,
             NULL},
    .buffers = "R X, R Y, R dY, W dX",
    .attrs = "axes",
    .kernel = kernels,
    .check = check,
};
#endif
