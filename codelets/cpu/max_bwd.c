/* max_bwd.c -- gradient of max to one of its operands, summed where that was repeated. */
#ifdef real
static real FN(slope)(real a, real b, bool second)
{
    return (real)(second ? b > a : a >= b); /* of equal ones the first */
}

TGS_I_BINARY_BWD(FN(max_bwd_run), FN(slope))
#else
#define BODY "max_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("max_bwd", max_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_max_bwd = {
    .base = {TGS_PLUGIN_ABI, "max_bwd", "gradient of max, to one operand", NULL, NULL},
    .buffers = "R A, R B, R dY, W dX",
    .attrs = "input",
    .kernel = kernels,
    .check = tgs_i_check_operand,
};
#endif
