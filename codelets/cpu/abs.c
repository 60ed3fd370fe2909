/* abs.c -- y = |x|. */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return LIBM(fabs)(x);
}

TGS_I_MAP(FN(abs_run), FN(of), "", 0, "", 0)
#else
#define BODY "abs.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("abs", abs_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_abs = {
    .base = {TGS_PLUGIN_ABI, "abs", "absolute value", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
