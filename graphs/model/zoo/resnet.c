/* resnet.c -- residual networks; a bottleneck has its stride in the 3 x 3 convolution. */
#include <string.h>
#include "core.h"

static const struct variant {
    const char *name;
    int stage[4]; /* blocks */
    bool bottleneck;
} variants[] = {{"resnet18", {2, 2, 2, 2}, false},
                {"resnet34", {3, 4, 6, 3}, false},
                {"resnet50", {3, 4, 6, 3}, true},
                {"resnet101", {3, 4, 23, 3}, true},
                {"resnet152", {3, 8, 36, 3}, true}};

static const double epsilon = 1e-5;

static tgs_i_val conv(tgs_i_net *n, const char *name, tgs_i_val x, int64_t out, int64_t kernel,
                      int64_t stride, const char *act)
{
    const tgs_i_conv c = {.out = out, .high = kernel, .stride = stride, .pad_high = -1};

    return tgs_i_net_conv_bn(n, name, x, c, epsilon, act);
}

static tgs_i_val block(tgs_i_net *n, tgs_i_val x, int64_t width, int64_t stride, bool bottleneck)
{
    const int64_t out = bottleneck ? 4 * width : width;
    tgs_i_val y = x;

    if (bottleneck) {
        y = conv(n, "conv1", y, width, 1, 1, "Relu");
        y = conv(n, "conv2", y, width, 3, stride, "Relu");
        y = conv(n, "conv3", y, out, 1, 1, NULL);
    } else {
        y = conv(n, "conv1", y, width, 3, stride, "Relu");
        y = conv(n, "conv2", y, width, 3, 1, NULL);
    }
    if (stride != 1 || x.width != out)
        x = conv(n, "shortcut", x, out, 1, stride, NULL);
    return tgs_i_net_act(n, "relu", "Relu", tgs_i_net_add(n, "add", y, x));
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    const struct variant *v = variants;
    tgs_i_net n;
    tgs_i_val x;

    while (strcmp(v->name, c->network))
        v++;
    tgs_i_net_open(&n, c);
    x = tgs_i_net_image(&n, 3, tgs_arg_int(c->args, "side"));
    x = conv(&n, "stem", x, 64, 7, 2, "Relu");
    x = tgs_i_net_pool(&n, "maxpool", "MaxPool", x, 3, 2, 1);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < v->stage[i]; j++) {
            tgs_i_net_enter(&n, "layer%d.%d", i + 1, j);
            x = block(&n, x, 64 << i, i && !j ? 2 : 1, v->bottleneck);
            tgs_i_net_leave(&n);
        }
    x = tgs_i_net_classify(&n, x, tgs_arg_int(c->args, "classes"));
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(32),
    {"side", "224", TGS_PARAM_INT, 32, 8192, "pixels of a side of an image"},
    TGS_I_NET_CLASSES,
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_resnet = {
    .base = {TGS_PLUGIN_ABI, "resnet",
             "residual networks: resnet18 resnet34 resnet50 resnet101 resnet152",
             "He, Zhang, Ren, Sun, Deep residual learning, CVPR 2016", params},
    .names = "resnet18 resnet34 resnet50 resnet101 resnet152",
    .build = build,
};
