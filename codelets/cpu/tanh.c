/* tanh.c -- y = tanh(x). */
#ifdef real
static tgs_status FN(tanh_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    const real *x = c->buffer[0].data;
    real *y = c->buffer[1].data;

    for (int64_t i = 0; i < n; i++)
        y[i] = LIBM(tanh)(x[i]);
    return TGS_OK;
}
#else
#define BODY "tanh.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("tanh", tanh_run),
    {"tanh", "cpu", TGS_F32, "onednn", 10, tgs_i_onednn_tanh, tgs_i_onednn_tanh_prepare,
     tgs_i_onednn_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_tanh = {
    .base = {TGS_PLUGIN_ABI, "tanh", "hyperbolic tangent", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
