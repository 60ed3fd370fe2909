/* conv_bwd_bias.c -- gradient of a convolution with respect to its bias: dy summed per channel. */
#ifdef real
static tgs_status FN(conv_bwd_bias_run)(const tgs_call *c)
{
    const tgs_i_shape shape = tgs_i_shape_of(&c->buffer[0]);
    const int64_t batch = shape.dim[0], channels = shape.dim[1];
    const int64_t plane = batch && channels ? shape.count / (batch * channels) : 0;
    real *db = c->buffer[1].data;

    for (int64_t k = 0; k < channels; k++) {
        db[k] = 0;
        for (int64_t b = 0; b < batch; b++) {
            const real *dy = (const real *)c->buffer[0].data + (b * channels + k) * plane;
            real total = 0;

            for (int64_t i = 0; i < plane; i++)
                total += dy[i];
            db[k] += total;
        }
    }
    return TGS_OK;
}
#else
#define BODY "conv_bwd_bias.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape dy = tgs_i_shape_of(&c->buffer[0]), db = tgs_i_shape_of(&c->buffer[1]);
    const tgs_status status = tgs_i_check_type(c, 0, 2, err);

    if (!status && (dy.rank < 2 || db.count != dy.dim[1]))
        return tgs_fail(err, TGS_EINVAL, "the output must have one value per channel of dY");
    return status;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("conv_bwd_bias", conv_bwd_bias_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_conv_bwd_bias = {
    .base = {TGS_PLUGIN_ABI, "conv_bwd_bias", "gradient of conv, to its bias", NULL, NULL},
    .buffers = "R dY, W dB",
    .attrs = "",
    .kernel = kernels,
    .check = check,
};
#endif
