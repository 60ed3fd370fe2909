/* sub.c -- y = a - b, with numpy broadcasting. */
#ifdef real
static real FN(minus)(real a, real b)
{
    return a - b;
}

TGS_I_BINARY(FN(sub_run), FN(minus))
#else
#define BODY "sub.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("sub", sub_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_sub = {
    .base = {TGS_PLUGIN_ABI, "sub", "a - b, broadcast", NULL, NULL},
    .buffers = "R A, R B, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_broadcast,
};
#endif
