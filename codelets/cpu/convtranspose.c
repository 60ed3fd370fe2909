/* convtranspose.c -- transposed convolution, plus a bias per output channel: what the gradient of
 * a convolution with respect to its input does. */
#ifdef real
static tgs_status FN(convtranspose_run)(const tgs_call *c)
{
    const tgs_buffer *x = &c->buffer[0], *y = &c->buffer[c->buffers - 1];
    const real *bias = c->buffers > 3 ? c->buffer[2].data : NULL;
    const real *w = c->buffer[1].data;
    tgs_i_window g;
    const tgs_status status = tgs_i_window_new(&g, c, y, &c->buffer[1], x, NULL);
    const int64_t in = status ? 0 : g.in_channels / g.group;
    const int64_t out = status ? 0 : g.out_channels / g.group;

    if (status)
        return status;
    for (int64_t plane = 0; plane < g.batch * g.in_channels; plane++)
        for (int64_t i = 0; i < g.in_size; i++)
            ((real *)y->data)[plane * g.in_size + i] = bias ? bias[plane % g.in_channels] : 0;
    for (int64_t plane = 0; plane < g.batch * g.out_channels; plane++) {
        const int64_t k = plane % g.out_channels;
        const int64_t first = plane / g.out_channels * g.in_channels + k / out * in;
        const real *ws = w + k * in * g.kernel_size;
        const real *xs = (const real *)x->data + plane * g.out_size;
        real *ys = (real *)y->data + first * g.in_size;

        for (int64_t i = 0; i < in; i++, ys += g.in_size, ws += g.kernel_size)
            for (tgs_i_line l = {0}; tgs_i_line_next(&g, &l);)
                for (int64_t j = 0; j < l.n; j++)
                    ys[l.x + j * g.stride[2]] += ws[l.tap] * xs[l.y + j];
    }
    return TGS_OK;
}
#else
#define BODY "convtranspose.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const int32_t y = c->buffers - 1;
    const tgs_status status = tgs_i_check_type(c, 0, c->buffers, err);
    tgs_i_window g;

    if (!status && y > 2 && c->buffer[y].rank > 1
        && tgs_i_shape_of(&c->buffer[2]).count != c->buffer[y].dims[1])
        return tgs_fail(err, TGS_EINVAL, "the bias must have one value per output channel");
    return status ? status
                  : tgs_i_window_new(&g, c, &c->buffer[y], &c->buffer[1], &c->buffer[0], err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("convtranspose", convtranspose_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_convtranspose = {
    .base = {TGS_PLUGIN_ABI, "convtranspose", "transposed convolution, with bias", NULL, NULL},
    .buffers = "R X, R W, [R B], W Y",
    .attrs = "kernel strides pads dilations group",
    .kernel = kernels,
    .check = check,
};
#endif
