/* erf.c -- y = erf(x). */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return LIBM(erf)(x);
}

TGS_I_MAP(FN(erf_run), FN(of), "", 0, "", 0)
#else
#define BODY "erf.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("erf", erf_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_erf = {
    .base = {TGS_PLUGIN_ABI, "erf", "error function", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
