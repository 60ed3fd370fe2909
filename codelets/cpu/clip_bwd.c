/* clip_bwd.c -- gradient of clip, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    return (real)(x >= p && x <= q);
}

TGS_I_SLOPE(FN(clip_bwd_run), FN(slope), "min", -INFINITY, "max", INFINITY)
#else
#define BODY "clip_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("clip_bwd", clip_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_clip_bwd = {
    .base = {TGS_PLUGIN_ABI, "clip_bwd", "gradient of clip", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "min max",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
