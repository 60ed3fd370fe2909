/* unet.c -- U-Net with padded convolutions and batch normalisation. */
#include "core.h"

static tgs_i_val twice(tgs_i_net *n, tgs_i_val x, int64_t out)
{
    const tgs_i_conv c = {.out = out, .high = 3, .pad_high = -1};

    x = tgs_i_net_conv_bn(n, "conv1", x, c, 1e-5, "Relu");
    return tgs_i_net_conv_bn(n, "conv2", x, c, 1e-5, "Relu");
}

/* to twice the size and half the channels */
static tgs_i_val enlarge(tgs_i_net *n, tgs_i_val x)
{
    const int64_t out = x.width / 2, dim[] = {x.width, out, 2, 2};
    const int32_t w = tgs_i_net_weight(n, "up.weight", 4, dim);
    const int32_t b = tgs_i_net_weight(n, "up.bias", 1, &out);

    return (tgs_i_val){
        tgs_i_net_op(n, "up", "ConvTranspose", "kernel_shape=2,2 strides=2,2", 3, x.tensor, w, b),
        out};
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    const int64_t side = tgs_arg_int(c->args, "side");
    const tgs_i_conv last = {.out = tgs_arg_int(c->args, "classes"), .high = 1, .bias = true};
    tgs_i_val skip[5], x;
    tgs_i_net n;

    if (side % 16)
        return tgs_fail(err, TGS_EINVAL, "unet: side=%lld is no multiple of 16", (long long)side);
    tgs_i_net_open(&n, c);
    x = tgs_i_net_image(&n, tgs_arg_int(c->args, "channels"), side);
    for (int i = 0; i < 5; i++) {
        tgs_i_net_enter(&n, "down%d", i);
        if (i)
            x = tgs_i_net_pool(&n, "pool", "MaxPool", x, 2, 2, 0);
        skip[i] = x = twice(&n, x, 64 << i);
        tgs_i_net_leave(&n);
    }
    for (int i = 3; i >= 0; i--) {
        tgs_i_val both[2] = {skip[i]};

        tgs_i_net_enter(&n, "up%d", i);
        both[1] = enlarge(&n, x);
        x = twice(&n, tgs_i_net_concat(&n, "concat", 2, both, 1), 64 << i);
        tgs_i_net_leave(&n);
    }
    x = tgs_i_net_conv(&n, "out", x, last);
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(1),
    {"side", "256", TGS_PARAM_INT, 16, 8192, "pixels of a side of an image, a multiple of 16"},
    {"channels", "3", TGS_PARAM_INT, 1, 4096, "channels of the image"},
    {"classes", "2", TGS_PARAM_INT, 1, 4096, "classes of a pixel"},
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_unet = {
    .base = {TGS_PLUGIN_ABI, "unet", "U-Net with padded convolutions and batch normalisation",
             "Ronneberger, Fischer, Brox, MICCAI 2015", params},
    .names = "unet",
    .build = build,
};
