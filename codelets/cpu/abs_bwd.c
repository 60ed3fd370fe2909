/* abs_bwd.c -- gradient of abs, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return (real)((x > 0) - (x < 0));
}

TGS_I_SLOPE(FN(abs_bwd_run), FN(slope), "", 0, "", 0)
#else
#define BODY "abs_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("abs_bwd", abs_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_abs_bwd = {
    .base = {TGS_PLUGIN_ABI, "abs_bwd", "gradient of abs", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
