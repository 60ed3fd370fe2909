/* adam.c -- Adam (Kingma and Ba, 2015, algorithm 1); t counts the steps done. */
#ifdef real
static tgs_status FN(adam_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    const double lr = tgs_attr_real(c->attrs, "lr", 0.001);
    const double beta1 = tgs_attr_real(c->attrs, "beta1", 0.9);
    const double beta2 = tgs_attr_real(c->attrs, "beta2", 0.999);
    const real eps = (real)tgs_attr_real(c->attrs, "eps", 1e-8);
    real *w = c->buffer[0].data, *m = c->buffer[1].data, *v = c->buffer[2].data;
    real *t = c->buffer[3].data;
    const real *g = c->buffer[4].data;
    const real b1 = (real)beta1, b2 = (real)beta2;
    real rate, unbias;

    *t += 1;
    rate = (real)(lr / (1 - pow(beta1, (double)*t)));
    unbias = (real)(1 / (1 - pow(beta2, (double)*t)));
    for (int64_t i = 0; i < n; i++) {
        m[i] = b1 * m[i] + (1 - b1) * g[i];
        v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
        w[i] -= rate * m[i] / (LIBM(sqrt)(v[i] * unbias) + eps);
    }
    return TGS_OK;
}
#else
#define BODY "adam.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_call tensors = {
        .buffer = (tgs_buffer[]){c->buffer[0], c->buffer[1], c->buffer[2], c->buffer[4]},
        .buffers = 4};
    tgs_status status = tgs_i_check_alike(&tensors, 0, 4, err);

    if (!status)
        status = tgs_i_check_type(c, 3, 5, err);
    if (!status)
        status = tgs_i_check_scalar(c, 3, err);
    if (!status)
        status = tgs_i_check_number(c, "lr", err);
    if (!status)
        status = tgs_i_check_number(c, "beta1", err);
    if (!status)
        status = tgs_i_check_number(c, "beta2", err);
    if (!status)
        status = tgs_i_check_number(c, "eps", err);
    return status;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("adam", adam_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_adam = {
    .base = {TGS_PLUGIN_ABI, "adam", "step of Adam", NULL, NULL},
    .buffers = "RW W, RW M, RW V, RW T, R G",
    .attrs = "lr beta1 beta2 eps",
    .kernel = kernels,
    .check = check,
};
#endif
