/* topk_bwd.c -- gradient of topk: to where the entries stood, else 0. */
#ifdef real
static tgs_status FN(topk_bwd_run)(const tgs_call *c)
{
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[0]), x = tgs_i_shape_of(&c->buffer[2]);
    const int64_t axis = tgs_attr_int(c->attrs, "axis", 0);
    const real *dy = c->buffer[0].data;
    real *dx = c->buffer[2].data;

    memset(dx, 0, (size_t)x.count * sizeof *dx);
    for (int64_t i = 0; i < y.count; i++) {
        const int64_t chosen = tgs_i_pick_at(&c->buffer[1], i, x.dim[axis]);
        int64_t at = 0, rest = i, stride = 1;

        if (chosen < 0)
            return TGS_EINVAL;
        for (int32_t d = y.rank - 1; d >= 0; d--) {
            at += stride * (d == axis ? chosen : rest % y.dim[d]);
            rest /= y.dim[d];
            stride *= x.dim[d];
        }
        dx[at] += dy[i];
    }
    return TGS_OK;
}
#else
#define BODY "topk_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("topk_bwd", topk_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_topk_bwd = {
    .base = {TGS_PLUGIN_ABI, "topk_bwd", "gradient of topk", NULL, NULL},
    .buffers = "R dY, R I, W dX",
    .attrs = "axis",
    .kernel = kernels,
    .check = tgs_i_check_placed,
};
#endif
