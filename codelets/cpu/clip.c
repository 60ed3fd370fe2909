/* clip.c -- y = x, at least min and at most max. */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    return x < p ? p : x > q ? q : x;
}

TGS_I_MAP(FN(clip_run), FN(of), "min", -INFINITY, "max", INFINITY)
#else
#define BODY "clip.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("clip", clip_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_clip = {
    .base = {TGS_PLUGIN_ABI, "clip", "x within limits", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "min max",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
