/* relu.c -- y = max(x, 0); NaN stays NaN. */
#ifdef real
static tgs_status FN(relu_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    const real *x = c->buffer[0].data;
    real *y = c->buffer[1].data;

    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] < 0 ? 0 : x[i];
    return TGS_OK;
}
#else
#define BODY "relu.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("relu", relu_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_relu = {
    .base = {TGS_PLUGIN_ABI, "relu", "max(x, 0)", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
