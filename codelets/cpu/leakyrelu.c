/* leakyrelu.c -- y = x, alpha x where x is negative. */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    (void)q;
    return x < 0 ? p * x : x;
}

TGS_I_MAP(FN(leakyrelu_run), FN(of), "alpha", 0.01, "", 0)
#else
#define BODY "leakyrelu.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("leakyrelu", leakyrelu_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_leakyrelu = {
    .base = {TGS_PLUGIN_ABI, "leakyrelu", "x, or alpha x where it is negative", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "alpha",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
