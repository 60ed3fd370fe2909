/* exp_bwd.c -- gradient of exp, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return LIBM(exp)(x);
}

TGS_I_SLOPE(FN(exp_bwd_run), FN(slope), "", 0, "", 0)
#else
#define BODY "exp_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("exp_bwd", exp_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_exp_bwd = {
    .base = {TGS_PLUGIN_ABI, "exp_bwd", "gradient of exp", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
