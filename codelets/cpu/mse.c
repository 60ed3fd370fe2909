/* mse.c -- loss = scale * sum (y - t)^2 / 2, and its gradient: dy = scale (y - t). */
#ifdef real
static tgs_status FN(mse_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    const real scale = (real)tgs_attr_real(c->attrs, "scale", 1);
    const real *y = c->buffer[0].data, *t = c->buffer[1].data;
    real *dy = c->buffer[3].data;
    double loss = 0;

    for (int64_t i = 0; i < n; i++) {
        const real d = y[i] - t[i];

        loss += (double)d * d / 2;
        dy[i] = scale * d;
    }
    *(real *)c->buffer[2].data = (real)(scale * loss);
    return TGS_OK;
}
#else
#define BODY "mse.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_buffer tensor[3] = {c->buffer[0], c->buffer[1], c->buffer[3]};
    tgs_status status = tgs_i_check_alike(&(tgs_call){.buffer = tensor, .buffers = 3}, 0, 3, err);

    if (!status)
        status = tgs_i_check_type(c, 0, 4, err);
    if (!status)
        status = tgs_i_check_scalar(c, 2, err);
    return status ? status : tgs_i_check_number(c, "scale", err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("mse", mse_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_mse = {
    .base = {TGS_PLUGIN_ABI, "mse", "half squared error, and its gradient", NULL, NULL},
    .buffers = "R Y, R T, W loss, W dY",
    .attrs = "scale",
    .kernel = kernels,
    .check = check,
};
#endif
