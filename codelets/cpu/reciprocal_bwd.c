/* reciprocal_bwd.c -- gradient of reciprocal, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return -1 / (x * x);
}

TGS_I_SLOPE(FN(reciprocal_bwd_run), FN(slope), "", 0, "", 0)
#else
#define BODY "reciprocal_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("reciprocal_bwd", reciprocal_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_reciprocal_bwd = {
    .base = {TGS_PLUGIN_ABI, "reciprocal_bwd", "gradient of reciprocal", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
