/* hardsigmoid_bwd.c -- gradient of hardsigmoid, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    return p * x + q <= 0 || p * x + q >= 1 ? 0 : p;
}

TGS_I_SLOPE(FN(hardsigmoid_bwd_run), FN(slope), "alpha", 0.2, "beta", 0.5)
#else
#define BODY "hardsigmoid_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("hardsigmoid_bwd", hardsigmoid_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_hardsigmoid_bwd = {
    .base = {TGS_PLUGIN_ABI, "hardsigmoid_bwd", "gradient of hardsigmoid", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "alpha beta",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
