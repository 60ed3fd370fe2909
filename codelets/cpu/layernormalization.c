/* layernormalization.c -- rows normalised: y = (x - mean) / sqrt(variance + epsilon) scale +
 * bias, with the means and the inverse deviations where they are asked for. */
#ifdef real
static tgs_status FN(layernormalization_run)(const tgs_call *c)
{
    const real epsilon = (real)tgs_attr_real(c->attrs, "epsilon", 1e-5);
    const real *x = c->buffer[0].data, *scale = c->buffer[1].data;
    const tgs_buffer *bias = bias_of(c), *y = &c->buffer[bias ? 3 : 2];
    const real *shift = bias ? bias->data : NULL;
    real *to = y->data, *means = y + 1 < c->buffer + c->buffers ? y[1].data : NULL;
    real *inverses = y + 2 < c->buffer + c->buffers ? y[2].data : NULL;
    tgs_i_norm n;
    const tgs_status status = tgs_i_norm_new(&n, c, &c->buffer[1], bias, NULL);
    const int32_t last = status ? 0 : n.w.rank - 1;

    for (int64_t row = 0; !status && row < n.rows; row++, x += n.size) {
        real mean, inverse;

        FN(tgs_i_statistics)(x, n.size, true, epsilon, &mean, &inverse);
        for (int64_t j = 0; j < n.size; j++, to++) {
            const int64_t r = j / n.w.dim[last], i = j % n.w.dim[last];
            int64_t at, bt;

            tgs_i_walk_row(&n.w, r, &at, &bt);
            *to = (x[j] - mean) * inverse * scale[at + i * n.w.a[last]]
                  + (shift ? shift[bt + i * n.w.b[last]] : 0);
        }
        if (means)
            means[row] = mean;
        if (inverses)
            inverses[row] = inverse;
    }
    return status;
}
#else
#define BODY "layernormalization.c"
#include "../shape.h"

/* the optional bias, which is read while statistics are written */
static const tgs_buffer *bias_of(const tgs_call *c)
{
    return c->buffers > 3 && c->buffer[2].mode == TGS_R ? &c->buffer[2] : NULL;
}

#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_buffer *bias = bias_of(c);
    const int32_t y = bias ? 3 : 2;
    const tgs_i_shape from = tgs_i_shape_of(&c->buffer[0]), to = tgs_i_shape_of(&c->buffer[y]);
    tgs_status status = tgs_i_check_type(c, 0, c->buffers, err);
    tgs_i_norm n = {0};

    if (!status)
        status = tgs_i_norm_new(&n, c, &c->buffer[1], bias, err);
    if (!status && !tgs_i_shape_equal(&from, &to))
        status = tgs_fail(err, TGS_EINVAL, "the output must have the shape of the input");
    for (int32_t i = y + 1; i < c->buffers && !status; i++)
        if (tgs_i_shape_of(&c->buffer[i]).count != n.rows)
            status = tgs_fail(err, TGS_EINVAL, "buffer %d must have one value per row", (int)i);
    return status ? status : tgs_i_check_number(c, "epsilon", err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("layernormalization", layernormalization_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_layernormalization = {
    .base = {TGS_PLUGIN_ABI, "layernormalization", "rows normalised by their mean and variance",
             NULL, NULL},
    .buffers = "R X, R S, [R B], W Y, [W M], [W D]",
    .attrs = "axis epsilon",
    .kernel = kernels,
    .check = check,
};
#endif
