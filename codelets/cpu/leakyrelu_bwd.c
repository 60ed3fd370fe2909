/* leakyrelu_bwd.c -- gradient of leakyrelu, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    (void)q;
    return x < 0 ? p : 1;
}

TGS_I_SLOPE(FN(leakyrelu_bwd_run), FN(slope), "alpha", 0.01, "", 0)
#else
#define BODY "leakyrelu_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("leakyrelu_bwd", leakyrelu_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_leakyrelu_bwd = {
    .base = {TGS_PLUGIN_ABI, "leakyrelu_bwd", "gradient of leakyrelu", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "alpha",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
