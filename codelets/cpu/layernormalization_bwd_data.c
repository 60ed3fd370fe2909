/* layernormalization_bwd_data.c -- gradient of layernormalization to its input: with g = dy scale
 * and h the normalised x, dx = (g - mean g - h mean(g h)) / deviation. */
#ifdef real
static tgs_status FN(layernormalization_bwd_data_run)(const tgs_call *c)
{
    const real epsilon = (real)tgs_attr_real(c->attrs, "epsilon", 1e-5);
    const real *x = c->buffer[0].data, *scale = c->buffer[1].data, *dy = c->buffer[2].data;
    real *dx = c->buffer[3].data;
    tgs_i_norm n;
    const tgs_status status = tgs_i_norm_new(&n, c, &c->buffer[1], NULL, NULL);
    const int32_t last = status ? 0 : n.w.rank - 1;

    for (int64_t row = 0; !status && row < n.rows; row++) {
        real mean, inverse, total = 0, product = 0;

        FN(tgs_i_statistics)(x, n.size, true, epsilon, &mean, &inverse);
        for (int64_t j = 0; j < n.size; j++) {
            int64_t at, unused;
            real g;

            tgs_i_walk_row(&n.w, j / n.w.dim[last], &at, &unused);
            g = dx[j] = dy[j] * scale[at + j % n.w.dim[last] * n.w.a[last]];
            total += g;
            product += g * (x[j] - mean) * inverse;
        }
        for (int64_t j = 0; j < n.size; j++)
            dx[j] =
                inverse
                * (dx[j] - total / (real)n.size - (x[j] - mean) * inverse * product / (real)n.size);
        x += n.size;
        dy += n.size;
        dx += n.size;
    }
    return status;
}
#else
#define BODY "layernormalization_bwd_data.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]);
    tgs_status status = tgs_i_check_type(c, 0, 4, err);
    tgs_i_norm n;

    if (!status)
        status = tgs_i_norm_new(&n, c, &c->buffer[1], NULL, err);
    for (int32_t i = 2; i < 4 && !status; i++) {
        const tgs_i_shape s = tgs_i_shape_of(&c->buffer[i]);

        if (!tgs_i_shape_equal(&x, &s))
            status = tgs_fail(err, TGS_EINVAL, "buffer %d must have the shape of X", (int)i);
    }
    return status ? status : tgs_i_check_number(c, "epsilon", err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("layernormalization_bwd_data", layernormalization_bwd_data_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_layernormalization_bwd_data = {
    .base = {TGS_PLUGIN_ABI, "layernormalization_bwd_data",
             "gradient of layernormalization, to its input", NULL, NULL},
    .buffers = "R X, R S, R dY, W dX",
    .attrs = "axis epsilon",
    .kernel = kernels,
    .check = check,
};
#endif
