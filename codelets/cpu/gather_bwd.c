/* gather_bwd.c -- gradient of gather: what was chosen several times adds up. */
#ifdef real
static tgs_status FN(gather_bwd_run)(const tgs_call *c)
{
    const real *dy = c->buffer[0].data;
    real *dx = c->buffer[2].data;
    tgs_i_pick p;
    const tgs_status status = tgs_i_pick_new(&p, c, 2, 1, 0, NULL);

    if (status)
        return status;
    memset(dx, 0, (size_t)tgs_i_shape_of(&c->buffer[2]).count * sizeof *dx);
    for (int64_t o = 0; o < p.outer; o++)
        for (int64_t i = 0; i < p.count; i++, dy += p.inner) {
            const int64_t at = tgs_i_pick_at(&c->buffer[1], i, p.size);
            real *to = dx + (o * p.size + at) * p.inner;

            if (at < 0)
                return TGS_EINVAL;
            for (int64_t k = 0; k < p.inner; k++)
                to[k] += dy[k];
        }
    return TGS_OK;
}
#else
#define BODY "gather_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_call ends = {.buffer = (tgs_buffer[]){c->buffer[0], c->buffer[2]}, .buffers = 2};
    const tgs_status status = tgs_i_check_type(&ends, 0, 2, err);
    tgs_i_pick p;

    return status ? status : tgs_i_pick_new(&p, c, 2, 1, 0, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("gather_bwd", gather_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_gather_bwd = {
    .base = {TGS_PLUGIN_ABI, "gather_bwd", "gradient of gather", NULL, NULL},
    .buffers = "R dY, R I, W dX",
    .attrs = "axis",
    .kernel = kernels,
    .check = check,
};
#endif
