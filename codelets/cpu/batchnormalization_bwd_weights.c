/* batchnormalization_bwd_weights.c -- per channel, dscale = sum dy (x - mean) / sqrt(var + epsilon)
 * and dbias = sum dy. */
#ifdef real
static tgs_status FN(batchnormalization_bwd_weights_run)(const tgs_call *c)
{
    const tgs_i_shape shape = tgs_i_shape_of(&c->buffer[0]);
    const int64_t batch = shape.dim[0], channels = shape.dim[1];
    const int64_t plane = batch && channels ? shape.count / (batch * channels) : 0;
    const real *mean = c->buffer[1].data, *var = c->buffer[2].data;
    real *dscale = c->buffer[4].data, *dbias = c->buffer[5].data;
    const real epsilon = (real)tgs_attr_real(c->attrs, "epsilon", 1e-5);

    for (int64_t k = 0; k < channels; k++) {
        dscale[k] = dbias[k] = 0;
        for (int64_t b = 0; b < batch; b++) {
            const real *x = (const real *)c->buffer[0].data + (b * channels + k) * plane;
            const real *dy = (const real *)c->buffer[3].data + (b * channels + k) * plane;
            real product = 0, total = 0;

            for (int64_t i = 0; i < plane; i++) {
                product += dy[i] * (x[i] - mean[k]);
                total += dy[i];
            }
            dscale[k] += product;
            dbias[k] += total;
        }
        dscale[k] /= LIBM(sqrt)(var[k] + epsilon);
    }
    return TGS_OK;
}
#else
#define BODY "batchnormalization_bwd_weights.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), dy = tgs_i_shape_of(&c->buffer[3]);
    tgs_status status = tgs_i_check_type(c, 0, 6, err);

    if (!status)
        status = tgs_i_check_channels(c, 0, 1, 3, err);
    if (!status)
        status = tgs_i_check_channels(c, 0, 4, 6, err);
    if (!status && !tgs_i_shape_equal(&x, &dy))
        status = tgs_fail(err, TGS_EINVAL, "dY must have the shape of X");
    return status ? status : tgs_i_check_number(c, "epsilon", err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("batchnormalization_bwd_weights", batchnormalization_bwd_weights_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_batchnormalization_bwd_weights = {
    .base = {TGS_PLUGIN_ABI, "batchnormalization_bwd_weights",
             "gradient of batchnormalization, to its scale and bias", NULL, NULL},
    .buffers = "R X, R mean, R var, R dY, W dscale, W dB",
    .attrs = "epsilon",
    .kernel = kernels,
    .check = check,
};
#endif
