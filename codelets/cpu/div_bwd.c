/* div_bwd.c -- gradient of div to one of its operands, summed where that was repeated. */
#ifdef real
static real FN(slope)(real a, real b, bool second)
{
    return second ? -a / (b * b) : 1 / b;
}

TGS_I_BINARY_BWD(FN(div_bwd_run), FN(slope))
#else
#define BODY "div_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("div_bwd", div_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_div_bwd = {
    .base = {TGS_PLUGIN_ABI, "div_bwd", "gradient of div, to one operand", NULL, NULL},
    .buffers = "R A, R B, R dY, W dX",
    .attrs = "input",
    .kernel = kernels,
    .check = tgs_i_check_operand,
};
#endif
