/* mul_bwd.c -- gradient of mul to one of its operands, summed where that was repeated. */
#ifdef real
static real FN(slope)(real a, real b, bool second)
{
    return second ? a : b;
}

TGS_I_BINARY_BWD(FN(mul_bwd_run), FN(slope))
#else
#define BODY "mul_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("mul_bwd", mul_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_mul_bwd = {
    .base = {TGS_PLUGIN_ABI, "mul_bwd", "gradient of mul, to one operand", NULL, NULL},
    .buffers = "R A, R B, R dY, W dX",
    .attrs = "input",
    .kernel = kernels,
    .check = tgs_i_check_operand,
};
#endif
