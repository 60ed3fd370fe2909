/* momentum.c -- v = mu v + g; w -= lr v (Polyak, 1964). */
#ifdef real
static tgs_status FN(momentum_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    const real lr = (real)tgs_attr_real(c->attrs, "lr", 0.01);
    const real mu = (real)tgs_attr_real(c->attrs, "mu", 0.9);
    real *w = c->buffer[0].data, *v = c->buffer[1].data;
    const real *g = c->buffer[2].data;

    for (int64_t i = 0; i < n; i++) {
        v[i] = mu * v[i] + g[i];
        w[i] -= lr * v[i];
    }
    return TGS_OK;
}
#else
#define BODY "momentum.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    tgs_status status = tgs_i_check_elementwise(c, err);

    if (!status)
        status = tgs_i_check_number(c, "lr", err);
    if (!status)
        status = tgs_i_check_number(c, "mu", err);
    return status;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("momentum", momentum_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_momentum = {
    .base = {TGS_PLUGIN_ABI, "momentum", "step of gradient descent with momentum", NULL, NULL},
    .buffers = "RW W, RW V, R G",
    .attrs = "lr mu",
    .kernel = kernels,
    .check = check,
};
#endif
