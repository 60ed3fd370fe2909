/* max.c -- the largest of all operands, with numpy broadcasting. */
#ifdef real
static real FN(of)(real a, real b)
{
    return b > a ? b : a;
}

TGS_I_MANY(FN(max_run), FN(of))
#else
#define BODY "max.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("max", max_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_max = {
    .base = {TGS_PLUGIN_ABI, "max", "the largest of all operands, broadcast", NULL, NULL},
    .buffers = "R X..., W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_many,
};
#endif
