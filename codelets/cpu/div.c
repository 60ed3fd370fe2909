/* div.c -- y = a / b, with numpy broadcasting. */
#ifdef real
static real FN(over)(real a, real b)
{
    return a / b;
}

TGS_I_BINARY(FN(div_run), FN(over))
#else
#define BODY "div.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("div", div_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_div = {
    .base = {TGS_PLUGIN_ABI, "div", "a / b, broadcast", NULL, NULL},
    .buffers = "R A, R B, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_broadcast,
};
#endif
