/* where_bwd.c -- gradient of where to one of its two inputs (1 or 2), summed where that was
 * repeated. */
#ifdef real
static tgs_status FN(where_bwd_run)(const tgs_call *c)
{
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[0]), flag = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[2]);
    const bool first = tgs_attr_int(c->attrs, "input", 1) == 1;
    const uint8_t *holds = c->buffer[1].data;
    const real *dy = c->buffer[0].data;
    real *dx = c->buffer[2].data;
    tgs_i_walk w;

    if (!tgs_i_walk_new(&w, &y, &flag, &x))
        return TGS_EINVAL;
    memset(dx, 0, (size_t)x.count * sizeof *dx);
    for (int64_t r = 0; r < tgs_i_walk_rows(&w); r++) {
        const int64_t n = w.dim[w.rank - 1], sa = w.a[w.rank - 1], sb = w.b[w.rank - 1];
        int64_t at, bt;

        tgs_i_walk_row(&w, r, &at, &bt);
        for (int64_t i = 0; i < n; i++)
            dx[bt + i * sb] += (holds[at + i * sa] != 0) == first ? dy[r * n + i] : 0;
    }
    return TGS_OK;
}
#else
#define BODY "where_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_call ends = {.buffer = (tgs_buffer[]){c->buffer[0], c->buffer[2]}, .buffers = 2};
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[0]), flag = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[2]);
    const tgs_status status = tgs_i_check_type(&ends, 0, 2, err);
    tgs_i_walk w;

    if (!status && c->buffer[1].dtype != TGS_BOOL)
        return tgs_fail(err, TGS_EINVAL, "the condition is %s, not bool",
                        tgs_dtype_name(c->buffer[1].dtype));
    if (!status && !tgs_i_walk_new(&w, &y, &flag, &x))
        return tgs_fail(err, TGS_EINVAL, "the inputs do not broadcast to the output's shape");
    return status;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("where_bwd", where_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_where_bwd = {
    .base = {TGS_PLUGIN_ABI, "where_bwd", "gradient of where, to one input", NULL, NULL},
    .buffers = "R dY, R C, W dX",
    .attrs = "input",
    .kernel = kernels,
    .check = check,
};
#endif
