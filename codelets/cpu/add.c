/* add.c -- y = a + b with numpy broadcasting. */
#ifdef real
static tgs_status FN(add_run)(const tgs_call *c)
{
    const tgs_i_shape a = tgs_i_shape_of(&c->buffer[0]), b = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[2]);
    tgs_i_walk w;
    int64_t n, rows;

    if (!tgs_i_walk_new(&w, &y, &a, &b))
        return TGS_EINVAL;
    n = w.dim[w.rank - 1];
    rows = tgs_i_walk_rows(&w);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t sa = w.a[w.rank - 1], sb = w.b[w.rank - 1];
        const real *pa = c->buffer[0].data, *pb = c->buffer[1].data;
        real *py = (real *)c->buffer[2].data + r * n;
        int64_t at, bt;

        tgs_i_walk_row(&w, r, &at, &bt);
        pa += at;
        pb += bt;
        if (sa == 1 && sb == 1)
            for (int64_t i = 0; i < n; i++)
                py[i] = pa[i] + pb[i];
        else
            for (int64_t i = 0; i < n; i++)
                py[i] = pa[i * sa] + pb[i * sb];
    }
    return TGS_OK;
}
#else
#define BODY "add.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("add", add_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_add = {
    .base = {TGS_PLUGIN_ABI, "add", "a + b, broadcast", NULL, NULL},
    .buffers = "R A, R B, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_broadcast,
};
#endif
