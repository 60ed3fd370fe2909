/* hardswish.c -- y = x min(max(x / 6 + 1/2, 0), 1). */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6;
}

TGS_I_MAP(FN(hardswish_run), FN(of), "", 0, "", 0)
#else
#define BODY "hardswish.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("hardswish", hardswish_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_hardswish = {
    .base = {TGS_PLUGIN_ABI, "hardswish", "x min(max(x / 6 + 1/2, 0), 1)", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
