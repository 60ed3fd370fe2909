/* hardsigmoid.c -- y = min(max(alpha x + beta, 0), 1). */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    return p * x + q <= 0 ? 0 : p * x + q >= 1 ? 1 : p * x + q;
}

TGS_I_MAP(FN(hardsigmoid_run), FN(of), "alpha", 0.2, "beta", 0.5)
#else
#define BODY "hardsigmoid.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("hardsigmoid", hardsigmoid_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_hardsigmoid = {
    .base = {TGS_PLUGIN_ABI, "hardsigmoid", "min(max(alpha x + beta, 0), 1)", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "alpha beta",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
