/* log_bwd.c -- gradient of log, from its input. */
#ifdef real
static real FN(slope)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return 1 / x;
}

TGS_I_SLOPE(FN(log_bwd_run), FN(slope), "", 0, "", 0)
#else
#define BODY "log_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("log_bwd", log_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_log_bwd = {
    .base = {TGS_PLUGIN_ABI, "log_bwd", "gradient of log", NULL, NULL},
    .buffers = "R X, R dY, W dX",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
