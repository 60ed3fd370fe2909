/* reducesum.c -- sums along axes. */
#ifdef real
static tgs_status FN(reducesum_run)(const tgs_call *c)
{
    const int64_t count = tgs_i_shape_of(&c->buffer[1]).count;
    const real *x = c->buffer[0].data;
    real *y = c->buffer[1].data;
    tgs_i_walk w;
    const tgs_status status = tgs_i_reduction_new(&w, &c->buffer[0], &c->buffer[1], c, NULL);
    const int64_t n = status ? 0 : w.dim[w.rank - 1];

    memset(y, 0, (size_t)count * sizeof *y);
    for (int64_t r = 0; !status && r < tgs_i_walk_rows(&w); r++) {
        int64_t at, unused;

        tgs_i_walk_row(&w, r, &at, &unused);
        for (int64_t i = 0; i < n; i++, x++)
            y[at + i * w.a[w.rank - 1]] += *x;
    }
    return status;
}
#else
#define BODY "reducesum.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_status status = tgs_i_check_type(c, 0, 2, err);
    tgs_i_walk w;

    return status ? status : tgs_i_reduction_new(&w, &c->buffer[0], &c->buffer[1], c, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("reducesum", reducesum_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_reducesum = {
    .base = {TGS_PLUGIN_ABI, "reducesum", "sums along axes", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "axes",
    .kernel = kernels,
    .check = check,
};
#endif
