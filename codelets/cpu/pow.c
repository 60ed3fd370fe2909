/* pow.c -- y = a^b, with numpy broadcasting. */
#ifdef real
static real FN(of)(real a, real b)
{
    return LIBM(pow)(a, b);
}

TGS_I_BINARY(FN(pow_run), FN(of))
#else
#define BODY "pow.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("pow", pow_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_pow = {
    .base = {TGS_PLUGIN_ABI, "pow", "a to the b, broadcast", NULL, NULL},
    .buffers = "R A, R B, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_broadcast,
};
#endif
