/* softplus_bwd.c -- gradient of softplus, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return 1 / (1 + LIBM(exp)(-x));
}

TGS_I_SLOPE(FN(softplus_bwd_run), FN(slope), "", 0, "", 0)
#else
#define BODY "softplus_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("softplus_bwd", softplus_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_softplus_bwd = {
    .base = {TGS_PLUGIN_ABI, "softplus_bwd", "gradient of softplus", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
