/* neg.c -- y = -x. */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return -x;
}

TGS_I_MAP(FN(neg_run), FN(of), "", 0, "", 0)
#else
#define BODY "neg.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("neg", neg_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_neg = {
    .base = {TGS_PLUGIN_ABI, "neg", "-x", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
