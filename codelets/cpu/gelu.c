/* gelu.c -- y = x Phi(x), Phi the normal distribution, or (tanh=1) its approximation by tanh. */
#ifdef real
static real FN(of)(real x, real p, real q)
{
    const real inner = (real)0.7978845608028654 * (x + (real)0.044715 * x * x * x);

    (void)q;
    return x / 2 * (1 + (p != 0 ? LIBM(tanh)(inner) : LIBM(erf)(x * (real)0.7071067811865476)));
}

TGS_I_MAP(FN(gelu_run), FN(of), "tanh", 0, "", 0)
#else
#define BODY "gelu.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("gelu", gelu_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_gelu = {
    .base = {TGS_PLUGIN_ABI, "gelu", "x times the normal distribution up to x", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "tanh",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
