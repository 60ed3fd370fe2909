/* exp.c -- y = exp(x). */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return LIBM(exp)(x);
}

TGS_I_MAP(FN(exp_run), FN(of), "", 0, "", 0)
#else
#define BODY "exp.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("exp", exp_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_exp = {
    .base = {TGS_PLUGIN_ABI, "exp", "exponential", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
