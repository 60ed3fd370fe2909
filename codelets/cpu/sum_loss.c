/* sum_loss.c -- loss = scale * sum y, and its gradient: dy = scale. */
#ifdef real
static tgs_status FN(sum_loss_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    const real scale = (real)tgs_attr_real(c->attrs, "scale", 1);
    const real *y = c->buffer[0].data;
    real *dy = c->buffer[2].data;
    double loss = 0;

    for (int64_t i = 0; i < n; i++) {
        loss += y[i];
        dy[i] = scale;
    }
    *(real *)c->buffer[1].data = (real)(scale * loss);
    return TGS_OK;
}
#else
#define BODY "sum_loss.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_buffer tensor[2] = {c->buffer[0], c->buffer[2]};
    tgs_status status = tgs_i_check_alike(&(tgs_call){.buffer = tensor, .buffers = 2}, 0, 2, err);

    if (!status)
        status = tgs_i_check_type(c, 0, 3, err);
    if (!status)
        status = tgs_i_check_scalar(c, 1, err);
    return status ? status : tgs_i_check_number(c, "scale", err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("sum_loss", sum_loss_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_sum_loss = {
    .base = {TGS_PLUGIN_ABI, "sum_loss", "sum as a loss, and its gradient", NULL, NULL},
    .buffers = "R Y, W loss, W dY",
    .attrs = "scale",
    .kernel = kernels,
    .check = check,
};
#endif
