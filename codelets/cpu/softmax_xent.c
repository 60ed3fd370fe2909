/* softmax_xent.c -- loss = scale * sum over rows of the cross entropy of softmax(logits) with the
 * label, and its gradient: dlogits = scale (softmax - onehot). */
#ifdef real
static tgs_status FN(softmax_xent_run)(const tgs_call *c)
{
    const tgs_i_shape shape = tgs_i_shape_of(&c->buffer[0]);
    const int64_t rows = shape.dim[0], n = shape.dim[1];
    const real scale = (real)tgs_attr_real(c->attrs, "scale", 1);
    const int32_t *label = c->buffer[1].data;
    double loss = 0; /* sums in double: what is rounded is the result, once */

    for (int64_t r = 0; r < rows; r++) {
        const real *x = (const real *)c->buffer[0].data + r * n;
        real *dx = (real *)c->buffer[3].data + r * n;
        real top = -INFINITY;
        double total = 0;

        if (label[r] < 0 || label[r] >= n)
            return TGS_EINVAL;
        for (int64_t i = 0; i < n; i++)
            top = x[i] > top ? x[i] : top;
        for (int64_t i = 0; i < n; i++)
            total += dx[i] = LIBM(exp)(x[i] - top);
        for (int64_t i = 0; i < n; i++)
            dx[i] = (real)(dx[i] * (scale / total));
        dx[label[r]] -= scale;
        loss += log(total) - ((double)x[label[r]] - top);
    }
    *(real *)c->buffer[2].data = (real)(scale * loss);
    return TGS_OK;
}
#else
#define BODY "softmax_xent.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), label = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape dx = tgs_i_shape_of(&c->buffer[3]);
    const tgs_buffer real[3] = {c->buffer[0], c->buffer[2], c->buffer[3]};
    tgs_status status = tgs_i_check_type(&(tgs_call){.buffer = real, .buffers = 3}, 0, 3, err);

    if (!status && c->buffer[1].dtype != TGS_I32)
        status = tgs_fail(err, TGS_EINVAL, "labels are %s, must be i32",
                          tgs_dtype_name(c->buffer[1].dtype));
    if (!status && (x.rank != 2 || label.count != x.dim[0] || !tgs_i_shape_equal(&x, &dx)))
        status = tgs_fail(err, TGS_EINVAL,
                          "logits and their gradient must be rows x classes, with "
                          "a label for each row");
    if (!status)
        status = tgs_i_check_scalar(c, 2, err);
    return status ? status : tgs_i_check_number(c, "scale", err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("softmax_xent", softmax_xent_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_softmax_xent = {
    .base = {TGS_PLUGIN_ABI, "softmax_xent", "cross entropy of softmax, and its gradient", NULL,
             NULL},
    .buffers = "R X, R labels, W loss, W dX",
    .attrs = "scale",
    .kernel = kernels,
    .check = check,
};
#endif
