/* reducemean_bwd.c -- gradient of reducemean. */
#ifdef real
static tgs_status FN(reducemean_bwd_run)(const tgs_call *c)
{
    const real *dy = c->buffer[0].data;
    real *dx = c->buffer[1].data;
    tgs_i_walk w;
    const tgs_status status = tgs_i_reduction_new(&w, &c->buffer[1], &c->buffer[0], c, NULL);
    const int64_t n = status ? 0 : w.dim[w.rank - 1];
    const real share =
        (real)tgs_i_shape_of(&c->buffer[0]).count / (real)tgs_i_shape_of(&c->buffer[1]).count;

    for (int64_t r = 0; !status && r < tgs_i_walk_rows(&w); r++) {
        int64_t at, unused;

        tgs_i_walk_row(&w, r, &at, &unused);
        for (int64_t i = 0; i < n; i++, dx++, at += w.a[w.rank - 1])
            *dx = dy[at] * share;
    }
    return status;
}
#else
#define BODY "reducemean_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_status status = tgs_i_check_type(c, 0, 2, err);
    tgs_i_walk w;

    return status ? status : tgs_i_reduction_new(&w, &c->buffer[1], &c->buffer[0], c, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("reducemean_bwd", reducemean_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_reducemean_bwd = {
    .base = {TGS_PLUGIN_ABI, "reducemean_bwd", "gradient of reducemean", NULL, NULL},
    .buffers = "R dY, W dX",
    .attrs = "axes",
    .kernel = kernels,
    .check = check,
};
#endif
