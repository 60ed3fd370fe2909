/* conv.c -- convolution (cross-correlation, as in ONNX Conv) with strides, pads, dilations, groups.
 */
#ifdef real
static tgs_status FN(conv_run)(const tgs_call *c)
{
    const real *x = c->buffer[0].data, *w = c->buffer[1].data;
    const real *bias = c->buffers > 3 ? c->buffer[2].data : NULL;
    const tgs_buffer *y = &c->buffer[c->buffers - 1];
    tgs_i_window g;
    const tgs_status status = tgs_i_window_new(&g, c, &c->buffer[0], &c->buffer[1], y, NULL);
    const int64_t in = g.in_channels / g.group, out = g.out_channels / g.group;

    if (status)
        return status;
    for (int64_t plane = 0; plane < g.batch * g.out_channels; plane++) {
        const int64_t k = plane % g.out_channels;
        const real *xs = x + (plane / g.out_channels * g.in_channels + k / out * in) * g.in_size;
        const real *ws = w + k * in * g.kernel_size;
        real *ys = (real *)y->data + plane * g.out_size;

        for (int64_t i = 0; i < g.out_size; i++)
            ys[i] = bias ? bias[k] : 0;
        for (int64_t i = 0; i < in; i++, xs += g.in_size, ws += g.kernel_size)
            for (tgs_i_line l = {0}; tgs_i_line_next(&g, &l);)
                for (int64_t j = 0; j < l.n; j++)
                    ys[l.y + j] += ws[l.tap] * xs[l.x + j * g.stride[2]];
    }
    return TGS_OK;
}
#else
#define BODY "conv.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    tgs_status status = tgs_i_check_type(c, 0, c->buffers, err);
    tgs_i_window g;

    if (!status)
        status =
            tgs_i_window_new(&g, c, &c->buffer[0], &c->buffer[1], &c->buffer[c->buffers - 1], err);
    if (!status && c->buffers > 3 && tgs_i_shape_of(&c->buffer[2]).count != g.out_channels)
        status = tgs_fail(err, TGS_EINVAL, "the bias must have one value per output channel");
    return status;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("conv", conv_run),
    {"conv", "cpu", TGS_F32, "onednn", 10, tgs_i_onednn_forward, tgs_i_onednn_forward_prepare,
     tgs_i_onednn_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_conv = {
    .base = {TGS_PLUGIN_ABI, "conv", "convolution", NULL, NULL},
    .buffers = "R X, R W, [R B], W Y",
    .attrs = "kernel strides pads dilations group",
    .kernel = kernels,
    .check = check,
};
#endif
