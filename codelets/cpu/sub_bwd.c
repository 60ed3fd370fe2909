/* sub_bwd.c -- gradient of sub to one of its operands, summed where that was repeated. */
#ifdef real
static real FN(slope)(real a, real b, bool second)
{
    (void)a;
    (void)b;
    return second ? -1 : 1;
}

TGS_I_BINARY_BWD(FN(sub_bwd_run), FN(slope))
#else
#define BODY "sub_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("sub_bwd", sub_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_sub_bwd = {
    .base = {TGS_PLUGIN_ABI, "sub_bwd", "gradient of sub, to one operand", NULL, NULL},
    .buffers = "R A, R B, R dY, W dX",
    .attrs = "input",
    .kernel = kernels,
    .check = tgs_i_check_operand,
};
#endif
