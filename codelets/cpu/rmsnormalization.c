/* rmsnormalization.c -- y = x / sqrt(mean of x^2 + epsilon) scale, in each row, and the
 * inverse roots where they are asked for. */
#ifdef real
static tgs_status FN(rmsnormalization_run)(const tgs_call *c)
{
    const real epsilon = (real)tgs_attr_real(c->attrs, "epsilon", 1e-5);
    const real *x = c->buffer[0].data, *scale = c->buffer[1].data;
    real *to = c->buffer[2].data, *inverses = c->buffers > 3 ? c->buffer[3].data : NULL;
    tgs_i_norm n;
    const tgs_status status = tgs_i_norm_new(&n, c, &c->buffer[1], NULL, NULL);
    const int32_t last = status ? 0 : n.w.rank - 1;

    for (int64_t row = 0; !status && row < n.rows; row++, x += n.size) {
        real mean, inverse;

        FN(tgs_i_statistics)(x, n.size, false, epsilon, &mean, &inverse);
        for (int64_t j = 0; j < n.size; j++, to++) {
            const int64_t r = j / n.w.dim[last], i = j % n.w.dim[last];
            int64_t at, bt;

            tgs_i_walk_row(&n.w, r, &at, &bt);
            *to = (x[j] - mean) * inverse * scale[at + i * n.w.a[last]];
        }
        if (inverses)
            inverses[row] = inverse;
    }
    return status;
}
#else
#define BODY "rmsnormalization.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape from = tgs_i_shape_of(&c->buffer[0]), to = tgs_i_shape_of(&c->buffer[2]);
    tgs_status status = tgs_i_check_type(c, 0, c->buffers, err);
    tgs_i_norm n;

    if (!status)
        status = tgs_i_norm_new(&n, c, &c->buffer[1], NULL, err);
    if (!status && !tgs_i_shape_equal(&from, &to))
        status = tgs_fail(err, TGS_EINVAL, "the output must have the shape of the input");
    if (!status && c->buffers > 3 && tgs_i_shape_of(&c->buffer[3]).count != n.rows)
        status = tgs_fail(err, TGS_EINVAL, "buffer 3 must have one value per row");
    return status ? status : tgs_i_check_number(c, "epsilon", err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("rmsnormalization", rmsnormalization_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_rmsnormalization = {
    .base = {TGS_PLUGIN_ABI, "rmsnormalization", "rows divided by their root mean square", NULL,
             NULL},
    .buffers = "R X, R S, W Y, [W D]",
    .attrs = "axis epsilon",
    .kernel = kernels,
    .check = check,
};
#endif
