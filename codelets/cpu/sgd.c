/* sgd.c -- w -= lr g. */
#ifdef real
static tgs_status FN(sgd_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    const real lr = (real)tgs_attr_real(c->attrs, "lr", 0.01);
    real *w = c->buffer[0].data;
    const real *g = c->buffer[1].data;

    for (int64_t i = 0; i < n; i++)
        w[i] -= lr * g[i];
    return TGS_OK;
}
#else
#define BODY "sgd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    tgs_status status = tgs_i_check_elementwise(c, err);

    if (!status)
        status = tgs_i_check_number(c, "lr", err);
    return status;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("sgd", sgd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_sgd = {
    .base = {TGS_PLUGIN_ABI, "sgd", "step of gradient descent", NULL, NULL},
    .buffers = "RW W, R G",
    .attrs = "lr",
    .kernel = kernels,
    .check = check,
};
#endif
