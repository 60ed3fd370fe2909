/* vgg.c -- VGG: stages of 3 x 3 convolutions, each ended by a pool. */
#include <string.h>
#include "core.h"

static const struct variant {
    const char *name;
    int stage[5]; /* convolutions */
} variants[] = {{"vgg11", {1, 1, 2, 2, 2}},
                {"vgg13", {2, 2, 2, 2, 2}},
                {"vgg16", {2, 2, 3, 3, 3}},
                {"vgg19", {2, 2, 4, 4, 4}}};

static tgs_i_val stage(tgs_i_net *n, tgs_i_val x, int index, int convolutions)
{
    const int64_t out = index < 3 ? 64 << index : 512;
    char name[32];

    tgs_i_net_enter(n, "stage%d", index + 1);
    for (int i = 1; i <= convolutions; i++) {
        snprintf(name, sizeof name, "conv%d", i);
        x = tgs_i_net_conv(n, name, x,
                           (tgs_i_conv){.out = out, .high = 3, .pad_high = -1, .bias = true});
        snprintf(name, sizeof name, "relu%d", i);
        x = tgs_i_net_act(n, name, "Relu", x);
    }
    x = tgs_i_net_pool(n, "pool", "MaxPool", x, 2, 2, 0);
    tgs_i_net_leave(n);
    return x;
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    const struct variant *v = variants;
    tgs_i_net n;
    tgs_i_val x;

    while (strcmp(v->name, c->network))
        v++;
    tgs_i_net_open(&n, c);
    x = tgs_i_net_image(&n, 3, 224);
    for (int i = 0; i < 5; i++)
        x = stage(&n, x, i, v->stage[i]);
    x = tgs_i_net_flatten(&n, "flatten", x, 7 * 7);
    x = tgs_i_net_linear(&n, "fc1", x, 4096, true);
    x = tgs_i_net_act(&n, "relu1", "Relu", x);
    x = tgs_i_net_linear(&n, "fc2", x, 4096, true);
    x = tgs_i_net_act(&n, "relu2", "Relu", x);
    x = tgs_i_net_linear(&n, "fc3", x, tgs_arg_int(c->args, "classes"), true);
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {TGS_I_NET_BATCH(32), TGS_I_NET_CLASSES, TGS_I_NET_END};

const tgs_zoo tgs_zoo_vgg = {
    .base = {TGS_PLUGIN_ABI, "vgg", "VGG: vgg11 vgg13 vgg16 vgg19",
             "Simonyan, Zisserman, Very deep convolutional networks, ICLR 2015", params},
    .names = "vgg11 vgg13 vgg16 vgg19",
    .build = build,
};
