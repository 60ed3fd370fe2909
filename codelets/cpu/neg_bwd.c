/* neg_bwd.c -- gradient of neg, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    (void)x;
    (void)p;
    (void)q;
    return -1;
}

TGS_I_SLOPE(FN(neg_bwd_run), FN(slope), "", 0, "", 0)
#else
#define BODY "neg_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("neg_bwd", neg_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_neg_bwd = {
    .base = {TGS_PLUGIN_ABI, "neg_bwd", "gradient of neg", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
