/* alexnet.c -- AlexNet in one column. */
#include "core.h"

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    static const struct {
        int64_t out, kernel, stride, pad;
        bool pool;
    } conv[] = {{64, 11, 4, 2, true},
                {192, 5, 1, 2, true},
                {384, 3, 1, 1, false},
                {256, 3, 1, 1, false},
                {256, 3, 1, 1, true}};
    tgs_i_net n;
    tgs_i_val x;

    tgs_i_net_open(&n, c);
    x = tgs_i_net_image(&n, 3, 224);
    for (int i = 0; i < 5; i++) {
        const tgs_i_conv k = {.out = conv[i].out,
                              .high = conv[i].kernel,
                              .stride = conv[i].stride,
                              .pad_high = conv[i].pad,
                              .bias = true};

        tgs_i_net_enter(&n, "features%d", i + 1);
        x = tgs_i_net_conv(&n, "conv", x, k);
        x = tgs_i_net_act(&n, "relu", "Relu", x);
        if (conv[i].pool)
            x = tgs_i_net_pool(&n, "pool", "MaxPool", x, 3, 2, 0);
        tgs_i_net_leave(&n);
    }
    x = tgs_i_net_flatten(&n, "flatten", x, 6 * 6);
    x = tgs_i_net_linear(&n, "fc1", x, 4096, true);
    x = tgs_i_net_act(&n, "relu1", "Relu", x);
    x = tgs_i_net_linear(&n, "fc2", x, 4096, true);
    x = tgs_i_net_act(&n, "relu2", "Relu", x);
    x = tgs_i_net_linear(&n, "fc3", x, tgs_arg_int(c->args, "classes"), true);
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {TGS_I_NET_BATCH(32), TGS_I_NET_CLASSES, TGS_I_NET_END};

const tgs_zoo tgs_zoo_alexnet = {
    .base = {TGS_PLUGIN_ABI, "alexnet", "AlexNet in one column",
             "Krizhevsky, One weird trick for parallelizing convolutional neural networks, 2014",
             params},
    .names = "alexnet",
    .build = build,
};
