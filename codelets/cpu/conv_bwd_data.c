/* conv_bwd_data.c -- gradient of a convolution with respect to its input. */
#ifdef real
static tgs_status FN(conv_bwd_data_run)(const tgs_call *c)
{
    const real *dy = c->buffer[0].data, *w = c->buffer[1].data;
    const tgs_buffer *dx = &c->buffer[2];
    tgs_i_window g;
    const tgs_status status = tgs_i_window_new(&g, c, dx, &c->buffer[1], &c->buffer[0], NULL);
    const int64_t in = g.in_channels / g.group, out = g.out_channels / g.group;

    if (status)
        return status;
    memset(dx->data, 0, (size_t)(g.batch * g.in_channels * g.in_size) * sizeof(real));
    for (int64_t plane = 0; plane < g.batch * g.out_channels; plane++) {
        const int64_t k = plane % g.out_channels;
        const int64_t first = plane / g.out_channels * g.in_channels + k / out * in;
        const real *ws = w + k * in * g.kernel_size, *ys = dy + plane * g.out_size;
        real *xs = (real *)dx->data + first * g.in_size;

        for (int64_t i = 0; i < in; i++, xs += g.in_size, ws += g.kernel_size)
            for (tgs_i_line l = {0}; tgs_i_line_next(&g, &l);)
                for (int64_t j = 0; j < l.n; j++)
                    xs[l.x + j * g.stride[2]] += ws[l.tap] * ys[l.y + j];
    }
    return TGS_OK;
}
#else
#define BODY "conv_bwd_data.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_status status = tgs_i_check_type(c, 0, 3, err);
    tgs_i_window g;

    return status ? status
                  : tgs_i_window_new(&g, c, &c->buffer[2], &c->buffer[1], &c->buffer[0], err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("conv_bwd_data", conv_bwd_data_run),
    {"conv_bwd_data", "cpu", TGS_F32, "onednn", 10, tgs_i_onednn_bwd_data,
     tgs_i_onednn_bwd_data_prepare, tgs_i_onednn_release, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_conv_bwd_data = {
    .base = {TGS_PLUGIN_ABI, "conv_bwd_data", "gradient of conv, to its input", NULL, NULL},
    .buffers = "R dY, R W, W dX",
    .attrs = "kernel strides pads dilations group",
    .kernel = kernels,
    .check = check,
};
#endif
