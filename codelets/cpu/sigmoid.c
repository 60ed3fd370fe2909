/* sigmoid.c -- y = 1 / (1 + exp(-x)). */
#ifdef real
static tgs_status FN(sigmoid_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    const real *x = c->buffer[0].data;
    real *y = c->buffer[1].data;

    for (int64_t i = 0; i < n; i++)
        y[i] = 1 / (1 + LIBM(exp)(-x[i]));
    return TGS_OK;
}
#else
#define BODY "sigmoid.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("sigmoid", sigmoid_run),
    {"sigmoid", "cpu", TGS_F32, "onednn", 10, tgs_i_onednn_sigmoid, tgs_i_onednn_sigmoid_prepare,
     tgs_i_onednn_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_sigmoid = {
    .base = {TGS_PLUGIN_ABI, "sigmoid", "1 / (1 + exp(-x))", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
