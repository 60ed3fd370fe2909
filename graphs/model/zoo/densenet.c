/* densenet.c -- densely connected networks: each layer reads what all before it made. */
#include <string.h>
#include "core.h"

static const struct variant {
    const char *name;
    int block[4]; /* layers */
} variants[] = {{"densenet121", {6, 12, 24, 16}},
                {"densenet169", {6, 12, 32, 32}},
                {"densenet201", {6, 12, 48, 32}}};

enum { GROWTH = 32, BOTTLENECK = 4 * GROWTH };

/* normalised and rectified before the convolution, not after it */
static tgs_i_val bn_conv(tgs_i_net *n, const char *name, tgs_i_val x, int64_t out, int64_t kernel)
{
    const tgs_i_conv c = {.out = out, .high = kernel, .pad_high = -1};

    tgs_i_net_enter(n, "%s", name);
    x = tgs_i_net_batchnorm(n, "bn", x, 1e-5);
    x = tgs_i_net_act(n, "relu", "Relu", x);
    x = tgs_i_net_conv(n, "conv", x, c);
    tgs_i_net_leave(n);
    return x;
}

static tgs_i_val dense_block(tgs_i_net *n, tgs_i_val x, int index, int layers)
{
    for (int j = 0; j < layers; j++) {
        tgs_i_val both[2] = {x};

        tgs_i_net_enter(n, "block%d.%d", index + 1, j);
        both[1] = bn_conv(n, "squeeze", x, BOTTLENECK, 1);
        both[1] = bn_conv(n, "grow", both[1], GROWTH, 3);
        x = tgs_i_net_concat(n, "concat", 2, both, 1);
        tgs_i_net_leave(n);
    }
    return x;
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    const struct variant *v = variants;
    const tgs_i_conv stem = {.out = 64, .high = 7, .stride = 2, .pad_high = -1};
    tgs_i_net n;
    tgs_i_val x;

    while (strcmp(v->name, c->network))
        v++;
    tgs_i_net_open(&n, c);
    x = tgs_i_net_image(&n, 3, tgs_arg_int(c->args, "side"));
    x = tgs_i_net_conv_bn(&n, "stem", x, stem, 1e-5, "Relu");
    x = tgs_i_net_pool(&n, "maxpool", "MaxPool", x, 3, 2, 1);
    for (int i = 0; i < 4; i++) {
        x = dense_block(&n, x, i, v->block[i]);
        if (i == 3)
            break;
        tgs_i_net_enter(&n, "transition%d", i + 1);
        x = bn_conv(&n, "halve", x, x.width / 2, 1);
        x = tgs_i_net_pool(&n, "pool", "AveragePool", x, 2, 2, 0);
        tgs_i_net_leave(&n);
    }
    x = tgs_i_net_batchnorm(&n, "bn", x, 1e-5);
    x = tgs_i_net_act(&n, "relu", "Relu", x);
    x = tgs_i_net_classify(&n, x, tgs_arg_int(c->args, "classes"));
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(32),
    {"side", "224", TGS_PARAM_INT, 32, 8192, "pixels of a side of an image"},
    TGS_I_NET_CLASSES,
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_densenet = {
    .base = {TGS_PLUGIN_ABI, "densenet",
             "densely connected networks: densenet121 densenet169 densenet201",
             "Huang, Liu, van der Maaten, Weinberger, CVPR 2017", params},
    .names = "densenet121 densenet169 densenet201",
    .build = build,
};
