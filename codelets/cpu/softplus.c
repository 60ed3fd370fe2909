/* softplus.c -- y = log(1 + exp(x)), without overflow. */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return x > 0 ? x + LIBM(log1p)(LIBM(exp)(-x)) : LIBM(log1p)(LIBM(exp)(x));
}

TGS_I_MAP(FN(softplus_run), FN(of), "", 0, "", 0)
#else
#define BODY "softplus.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("softplus", softplus_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_softplus = {
    .base = {TGS_PLUGIN_ABI, "softplus", "log(1 + exp(x))", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
