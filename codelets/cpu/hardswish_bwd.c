/* hardswish_bwd.c -- gradient of hardswish, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return x <= -3 ? 0 : x >= 3 ? 1 : (2 * x + 3) / 6;
}

TGS_I_SLOPE(FN(hardswish_bwd_run), FN(slope), "", 0, "", 0)
#else
#define BODY "hardswish_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("hardswish_bwd", hardswish_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_hardswish_bwd = {
    .base = {TGS_PLUGIN_ABI, "hardswish_bwd", "gradient of hardswish", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
