/* binarize_bwd.c -- gradient of binarize, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return (real)(x >= -1 && x <= 1);
}

TGS_I_SLOPE(FN(binarize_bwd_run), FN(slope), "", 0, "", 0)
#else
#define BODY "binarize_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("binarize_bwd", binarize_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_binarize_bwd = {
    .base = {TGS_PLUGIN_ABI, "binarize_bwd", "gradient of binarize", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
