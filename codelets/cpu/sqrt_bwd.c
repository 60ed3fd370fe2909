/* sqrt_bwd.c -- gradient of sqrt, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return (real)0.5 / LIBM(sqrt)(x);
}

TGS_I_SLOPE(FN(sqrt_bwd_run), FN(slope), "", 0, "", 0)
#else
#define BODY "sqrt_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("sqrt_bwd", sqrt_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_sqrt_bwd = {
    .base = {TGS_PLUGIN_ABI, "sqrt_bwd", "gradient of sqrt", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
