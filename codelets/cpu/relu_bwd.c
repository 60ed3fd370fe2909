/* relu_bwd.c -- dx = dy where y > 0, else 0. */
#ifdef real
static tgs_status FN(relu_bwd_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    const real *y = c->buffer[0].data, *dy = c->buffer[1].data;
    real *dx = c->buffer[2].data;

    for (int64_t i = 0; i < n; i++)
        dx[i] = y[i] > 0 ? dy[i] : 0;
    return TGS_OK;
}
#else
#define BODY "relu_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("relu_bwd", relu_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_relu_bwd = {
    .base = {TGS_PLUGIN_ABI, "relu_bwd", "gradient of relu", NULL, NULL},
    .buffers = "R Y, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
