/* log.c -- y = log(x). */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    (void)p;
    (void)q;
    return LIBM(log)(x);
}

TGS_I_MAP(FN(log_run), FN(of), "", 0, "", 0)
#else
#define BODY "log.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("log", log_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_log = {
    .base = {TGS_PLUGIN_ABI, "log", "natural logarithm", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
