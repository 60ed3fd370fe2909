/* binarize.c -- y = 1 where x is at least 0, else -1. */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return (real)(x < 0 ? -1 : 1);
}

TGS_I_MAP(FN(binarize_run), FN(of), "", 0, "", 0)
#else
#define BODY "binarize.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("binarize", binarize_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_binarize = {
    .base = {TGS_PLUGIN_ABI, "binarize", "signs", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
