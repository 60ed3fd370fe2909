/* rmsnormalization_bwd_weights.c -- gradients of rmsnormalization to its scale. */
#ifdef real
static tgs_status FN(rmsnormalization_bwd_weights_run)(const tgs_call *c)
{
    const real epsilon = (real)tgs_attr_real(c->attrs, "epsilon", 1e-5);
    const tgs_buffer *scale = &c->buffer[2];
    const real *x = c->buffer[0].data, *dy = c->buffer[1].data;
    real *dscale = scale->data;
    tgs_i_norm n;
    const tgs_status status = tgs_i_norm_new(&n, c, scale, NULL, NULL);
    const int32_t last = status ? 0 : n.w.rank - 1;

    memset(dscale, 0, (size_t)tgs_i_shape_of(scale).count * sizeof *dscale);
    for (int64_t row = 0; !status && row < n.rows; row++, x += n.size, dy += n.size) {
        real mean, inverse;

        FN(tgs_i_statistics)(x, n.size, false, epsilon, &mean, &inverse);
        for (int64_t j = 0; j < n.size; j++) {
            const int64_t i = j % n.w.dim[last];
            int64_t at, bt;

            tgs_i_walk_row(&n.w, j / n.w.dim[last], &at, &bt);
            dscale[at + i * n.w.a[last]] += dy[j] * (x[j] - mean) * inverse;
        }
    }
    return status;
}
#else
#define BODY "rmsnormalization_bwd_weights.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), dy = tgs_i_shape_of(&c->buffer[1]);
    tgs_status status = tgs_i_check_type(c, 0, c->buffers, err);
    tgs_i_norm n;

    if (!status)
        status = tgs_i_norm_new(&n, c, &c->buffer[2], c->buffers > 3 ? &c->buffer[3] : NULL, err);
    if (!status && !tgs_i_shape_equal(&x, &dy))
        status = tgs_fail(err, TGS_EINVAL, "dY must have the shape of X");
    return status ? status : tgs_i_check_number(c, "epsilon", err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("rmsnormalization_bwd_weights", rmsnormalization_bwd_weights_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_rmsnormalization_bwd_weights = {
    .base = {TGS_PLUGIN_ABI, "rmsnormalization_bwd_weights",
             "gradient of rmsnormalization, to its scale", NULL, NULL},
    .buffers = "R X, R dY, W dS",
    .attrs = "axis epsilon",
    .kernel = kernels,
    .check = check,
};
#endif
