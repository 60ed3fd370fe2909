/* reciprocal.c -- y = 1 / x. */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return 1 / x;
}

TGS_I_MAP(FN(reciprocal_run), FN(of), "", 0, "", 0)
#else
#define BODY "reciprocal.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("reciprocal", reciprocal_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_reciprocal = {
    .base = {TGS_PLUGIN_ABI, "reciprocal", "1 / x", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
