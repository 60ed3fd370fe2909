/* reducesum_bwd.c -- gradient of reducesum. */
#ifdef real
static tgs_status FN(reducesum_bwd_run)(const tgs_call *c)
{
    const real *dy = c->buffer[0].data;
    real *dx = c->buffer[1].data;
    tgs_i_walk w;
    const tgs_status status = tgs_i_reduction_new(&w, &c->buffer[1], &c->buffer[0], c, NULL);
    const int64_t n = status ? 0 : w.dim[w.rank - 1];

    for (int64_t r = 0; !status && r < tgs_i_walk_rows(&w); r++) {
        int64_t at, unused;

        tgs_i_walk_row(&w, r, &at, &unused);
        for (int64_t i = 0; i < n; i++, dx++, at += w.a[w.rank - 1])
            *dx = dy[at];
    }
    return status;
}
#else
#define BODY "reducesum_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_status status = tgs_i_check_type(c, 0, 2, err);
    tgs_i_walk w;

    return status ? status : tgs_i_reduction_new(&w, &c->buffer[1], &c->buffer[0], c, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("reducesum_bwd", reducesum_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_reducesum_bwd = {
    .base = {TGS_PLUGIN_ABI, "reducesum_bwd", "gradient of reducesum", NULL, NULL},
    .buffers = "R dY, W dX",
    .attrs = "axes",
    .kernel = kernels,
    .check = check,
};
#endif
