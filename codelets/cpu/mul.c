/* mul.c -- y = a b, with numpy broadcasting. */
#ifdef real
static real FN(times)(real a, real b)
{
    return a * b;
}

TGS_I_BINARY(FN(mul_run), FN(times))
#else
#define BODY "mul.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("mul", mul_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_mul = {
    .base = {TGS_PLUGIN_ABI, "mul", "a * b, broadcast", NULL, NULL},
    .buffers = "R A, R B, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_broadcast,
};
#endif
