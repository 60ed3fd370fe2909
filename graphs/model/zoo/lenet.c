/* lenet.c -- LeNet-5 with relu and maximum pools, as frameworks teach it. */
#include "core.h"

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    tgs_i_net n;
    tgs_i_val x;

    tgs_i_net_open(&n, c);
    x = tgs_i_net_image(&n, 1, 28);
    x = tgs_i_net_conv(&n, "conv1", x,
                       (tgs_i_conv){.out = 6, .high = 5, .pad_high = 2, .bias = true});
    x = tgs_i_net_act(&n, "relu1", "Relu", x);
    x = tgs_i_net_pool(&n, "pool1", "MaxPool", x, 2, 2, 0);
    x = tgs_i_net_conv(&n, "conv2", x, (tgs_i_conv){.out = 16, .high = 5, .bias = true});
    x = tgs_i_net_act(&n, "relu2", "Relu", x);
    x = tgs_i_net_pool(&n, "pool2", "MaxPool", x, 2, 2, 0);
    x = tgs_i_net_flatten(&n, "flatten", x, 5 * 5);
    x = tgs_i_net_linear(&n, "fc1", x, 120, true);
    x = tgs_i_net_act(&n, "relu3", "Relu", x);
    x = tgs_i_net_linear(&n, "fc2", x, 84, true);
    x = tgs_i_net_act(&n, "relu4", "Relu", x);
    x = tgs_i_net_linear(&n, "fc3", x, tgs_arg_int(c->args, "classes"), true);
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(32),
    {"classes", "10", TGS_PARAM_INT, 1, 1 << 20, "classes"},
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_lenet = {
    .base = {TGS_PLUGIN_ABI, "lenet", "images of 28 x 28: lenet5",
             "LeCun, Bottou, Bengio, Haffner 1998", params},
    .names = "lenet5",
    .build = build,
};
