/* batchnormalization_bwd_data.c -- dx = scale dy / sqrt(var + epsilon), per channel. */
#ifdef real
static tgs_status FN(batchnormalization_bwd_data_run)(const tgs_call *c)
{
    const tgs_i_shape shape = tgs_i_shape_of(&c->buffer[2]);
    const int64_t channels = shape.dim[1], rows = shape.dim[0] * channels;
    const int64_t plane = rows ? shape.count / rows : 0;
    const real *scale = c->buffer[0].data, *var = c->buffer[1].data;
    const real epsilon = (real)tgs_attr_real(c->attrs, "epsilon", 1e-5);

    for (int64_t row = 0; row < rows; row++) {
        const int64_t k = row % channels;
        const real *dy = (const real *)c->buffer[2].data + row * plane;
        real *dx = (real *)c->buffer[3].data + row * plane;
        const real slope = scale[k] / LIBM(sqrt)(var[k] + epsilon);

        for (int64_t i = 0; i < plane; i++)
            dx[i] = slope * dy[i];
    }
    return TGS_OK;
}
#else
#define BODY "batchnormalization_bwd_data.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape dy = tgs_i_shape_of(&c->buffer[2]), dx = tgs_i_shape_of(&c->buffer[3]);
    tgs_status status = tgs_i_check_type(c, 0, 4, err);

    if (!status)
        status = tgs_i_check_channels(c, 2, 0, 2, err);
    if (!status && !tgs_i_shape_equal(&dy, &dx))
        status = tgs_fail(err, TGS_EINVAL, "the output must have the shape of dY");
    return status ? status : tgs_i_check_number(c, "epsilon", err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("batchnormalization_bwd_data", batchnormalization_bwd_data_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_batchnormalization_bwd_data = {
    .base = {TGS_PLUGIN_ABI, "batchnormalization_bwd_data",
             "gradient of batchnormalization, to its input", NULL, NULL},
    .buffers = "R scale, R var, R dY, W dX",
    .attrs = "epsilon",
    .kernel = kernels,
    .check = check,
};
#endif
