/* erf_bwd.c -- gradient of erf, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return (real)1.1283791670955126 * LIBM(exp)(-x * x);
}

TGS_I_SLOPE(FN(erf_bwd_run), FN(slope), "", 0, "", 0)
#else
#define BODY "erf_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("erf_bwd", erf_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_erf_bwd = {
    .base = {TGS_PLUGIN_ABI, "erf_bwd", "gradient of erf", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
