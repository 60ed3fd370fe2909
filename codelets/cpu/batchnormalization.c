/* batchnormalization.c -- y = scale (x - mean) / sqrt(var + epsilon) + bias, per channel. */
#ifdef real
static tgs_status FN(batchnormalization_run)(const tgs_call *c)
{
    const tgs_i_shape shape = tgs_i_shape_of(&c->buffer[0]);
    const int64_t channels = shape.dim[1], rows = shape.dim[0] * channels;
    const int64_t plane = rows ? shape.count / rows : 0;
    const real *scale = c->buffer[1].data, *bias = c->buffer[2].data;
    const real *mean = c->buffer[3].data, *var = c->buffer[4].data;
    const real epsilon = (real)tgs_attr_real(c->attrs, "epsilon", 1e-5);

    for (int64_t row = 0; row < rows; row++) {
        const int64_t k = row % channels;
        const real *x = (const real *)c->buffer[0].data + row * plane;
        real *y = (real *)c->buffer[5].data + row * plane;
        const real slope = scale[k] / LIBM(sqrt)(var[k] + epsilon);

        for (int64_t i = 0; i < plane; i++)
            y[i] = slope * (x[i] - mean[k]) + bias[k];
    }
    return TGS_OK;
}
#else
#define BODY "batchnormalization.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[5]);
    tgs_status status = tgs_i_check_type(c, 0, 6, err);

    if (!status)
        status = tgs_i_check_channels(c, 0, 1, 5, err);
    if (!status && !tgs_i_shape_equal(&x, &y))
        status = tgs_fail(err, TGS_EINVAL, "the output must have the shape of the input");
    return status ? status : tgs_i_check_number(c, "epsilon", err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("batchnormalization", batchnormalization_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_batchnormalization = {
    .base = {TGS_PLUGIN_ABI, "batchnormalization", "batch normalisation by given statistics", NULL,
             NULL},
    .buffers = "R X, R scale, R B, R mean, R var, W Y",
    .attrs = "epsilon",
    .kernel = kernels,
    .check = check,
};
#endif
