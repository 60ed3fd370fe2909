/* gelu_bwd.c -- gradient of gelu, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    const real root = (real)0.7978845608028654, cube = (real)0.044715; /* sqrt(2 / pi) */
    const real t = p != 0 ? LIBM(tanh)(root * (x + cube * x * x * x)) : 0;

    (void)q;
    if (p != 0)
        return (1 + t) / 2 + x / 2 * (1 - t * t) * root * (1 + 3 * cube * x * x);
    return (1 + LIBM(erf)(x * (real)0.7071067811865476)) / 2 + x * root / 2 * LIBM(exp)(-x * x / 2);
}

TGS_I_SLOPE(FN(gelu_bwd_run), FN(slope), "tanh", 0, "", 0)
#else
#define BODY "gelu_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("gelu_bwd", gelu_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_gelu_bwd = {
    .base = {TGS_PLUGIN_ABI, "gelu_bwd", "gradient of gelu", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "tanh",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
