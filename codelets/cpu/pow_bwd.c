/* pow_bwd.c -- gradient of pow to one of its operands, summed where that was repeated. */
#ifdef real
static real FN(slope)(real a, real b, bool second)
{
    if (second) /* where the base is 0 the power does not move */
        return a == 0 ? 0 : LIBM(pow)(a, b) * LIBM(log)(a);
    return b == 0 ? 0 : b * LIBM(pow)(a, b - 1);
}

TGS_I_BINARY_BWD(FN(pow_bwd_run), FN(slope))
#else
#define BODY "pow_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("pow_bwd", pow_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_pow_bwd = {
    .base = {TGS_PLUGIN_ABI, "pow_bwd", "gradient of pow, to one operand", NULL, NULL},
    .buffers = "R A, R B, R dY, W dX",
    .attrs = "input",
    .kernel = kernels,
    .check = tgs_i_check_operand,
};
#endif
