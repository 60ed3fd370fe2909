/* conv_bwd_weights.c -- gradient of a convolution with respect to its weights. */
#ifdef real
static tgs_status FN(conv_bwd_weights_run)(const tgs_call *c)
{
    const real *x = c->buffer[0].data, *dy = c->buffer[1].data;
    const tgs_buffer *dw = &c->buffer[2];
    tgs_i_window g;
    const tgs_status status = tgs_i_window_new(&g, c, &c->buffer[0], dw, &c->buffer[1], NULL);
    const int64_t in = g.in_channels / g.group, out = g.out_channels / g.group;

    if (status)
        return status;
    memset(dw->data, 0, (size_t)(g.out_channels * in * g.kernel_size) * sizeof(real));
    for (int64_t plane = 0; plane < g.batch * g.out_channels; plane++) {
        const int64_t k = plane % g.out_channels;
        const real *xs = x + (plane / g.out_channels * g.in_channels + k / out * in) * g.in_size;
        const real *ys = dy + plane * g.out_size;
        real *ws = (real *)dw->data + k * in * g.kernel_size;

        for (int64_t i = 0; i < in; i++, xs += g.in_size, ws += g.kernel_size)
            for (tgs_i_line l = {0}; tgs_i_line_next(&g, &l);) {
                real total = 0;

                for (int64_t j = 0; j < l.n; j++)
                    total += ys[l.y + j] * xs[l.x + j * g.stride[2]];
                ws[l.tap] += total;
            }
    }
    return TGS_OK;
}
#else
#define BODY "conv_bwd_weights.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_status status = tgs_i_check_type(c, 0, 3, err);
    tgs_i_window g;

    return status ? status
                  : tgs_i_window_new(&g, c, &c->buffer[0], &c->buffer[2], &c->buffer[1], err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("conv_bwd_weights", conv_bwd_weights_run),
    {"conv_bwd_weights", "cpu", TGS_F32, "onednn", 10, tgs_i_onednn_bwd_weights,
     tgs_i_onednn_bwd_weights_prepare, tgs_i_onednn_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_conv_bwd_weights = {
    .base = {TGS_PLUGIN_ABI, "conv_bwd_weights", "gradient of conv, to its weights", NULL, NULL},
    .buffers = "R X, R dY, W dW",
    .attrs = "kernel strides pads dilations group",
    .kernel = kernels,
    .check = check,
};
#endif
