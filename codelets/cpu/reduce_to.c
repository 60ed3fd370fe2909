/* reduce_to.c -- sum x over the dims along which y is broadcast to its shape. */
#ifdef real
static tgs_status FN(reduce_to_run)(const tgs_call *c)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[1]);
    real *out = c->buffer[1].data;
    tgs_i_walk w;
    int64_t n, rows;

    if (!tgs_i_walk_new(&w, &x, &y, NULL))
        return TGS_EINVAL;
    memset(out, 0, (size_t)y.count * sizeof *out);
    n = w.dim[w.rank - 1];
    rows = tgs_i_walk_rows(&w);
    for (int64_t r = 0; r < rows; r++) {
        const real *px = (const real *)c->buffer[0].data + r * n;
        double total = 0;
        int64_t at, unused;

        tgs_i_walk_row(&w, r, &at, &unused);
        if (w.a[w.rank - 1] == 1) {
            for (int64_t i = 0; i < n; i++)
                out[at + i] += px[i];
            continue;
        }
        for (int64_t i = 0; i < n; i++)
            total += px[i];
        out[at] += (real)total;
    }
    return TGS_OK;
}
#else
#define BODY "reduce_to.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[1]);
    const tgs_status status = tgs_i_check_type(c, 0, 2, err);
    tgs_i_walk w;

    if (!status && !tgs_i_walk_new(&w, &x, &y, NULL))
        return tgs_fail(err, TGS_EINVAL, "the output does not broadcast to the input's shape");
    return status;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("reduce_to", reduce_to_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_reduce_to = {
    .base = {TGS_PLUGIN_ABI, "reduce_to", "sum over broadcast dims", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = check,
};
#endif
