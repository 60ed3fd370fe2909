/* sqrt.c -- y = sqrt(x). */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return LIBM(sqrt)(x);
}

TGS_I_MAP(FN(sqrt_run), FN(of), "", 0, "", 0)
#else
#define BODY "sqrt.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("sqrt", sqrt_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_sqrt = {
    .base = {TGS_PLUGIN_ABI, "sqrt", "square root", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
