/* tanh_bwd.c -- dx = dy (1 - y^2). */
#ifdef real
static tgs_status FN(tanh_bwd_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    const real *y = c->buffer[0].data, *dy = c->buffer[1].data;
    real *dx = c->buffer[2].data;

    for (int64_t i = 0; i < n; i++)
        dx[i] = dy[i] * (1 - y[i] * y[i]);
    return TGS_OK;
}
#else
#define BODY "tanh_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("tanh_bwd", tanh_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_tanh_bwd = {
    .base = {TGS_PLUGIN_ABI, "tanh_bwd", "gradient of tanh", NULL, NULL},
    .buffers = "R Y, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
