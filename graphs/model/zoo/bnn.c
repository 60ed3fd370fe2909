/* bnn.c -- a binarised network: weights and activations are signs, gradients pass straight through.
 */
#include "core.h"

static int32_t binary(tgs_i_net *n, const char *name, int32_t x)
{
    return tgs_i_net_op(n, name, "tgsched.Binarize", NULL, 1, x);
}

static tgs_i_val conv(tgs_i_net *n, tgs_i_val x, int64_t out, bool pool)
{
    const int64_t dim[] = {out, x.width, 3, 3};
    const int32_t w = binary(n, "weight.sign", tgs_i_net_weight(n, "weight", 4, dim));

    x.tensor = tgs_i_net_op(n, "conv", "Conv", "kernel_shape=3,3 pads=1,1,1,1", 2, x.tensor, w);
    x.width = out;
    if (pool)
        x = tgs_i_net_pool(n, "pool", "MaxPool", x, 2, 2, 0);
    x = tgs_i_net_batchnorm(n, "bn", x, 1e-4);
    x.tensor = binary(n, "sign", x.tensor);
    return x;
}

static tgs_i_val full(tgs_i_net *n, tgs_i_val x, int64_t out, bool last)
{
    const int64_t dim[] = {out, x.width};
    const int32_t w = binary(n, "weight.sign", tgs_i_net_weight(n, "weight", 2, dim));

    x.tensor = tgs_i_net_op(n, "fc", "Gemm", "transB=1", 2, x.tensor, w);
    x.width = out;
    x = tgs_i_net_batchnorm(n, "bn", x, 1e-4);
    if (!last)
        x.tensor = binary(n, "sign", x.tensor);
    return x;
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    tgs_i_net n;
    tgs_i_val x;

    tgs_i_net_open(&n, c);
    x = tgs_i_net_image(&n, 3, 32);
    for (int i = 0; i < 6; i++) {
        tgs_i_net_enter(&n, "conv%d", i + 1);
        x = conv(&n, x, 128 << i / 2, i % 2);
        tgs_i_net_leave(&n);
    }
    x = tgs_i_net_flatten(&n, "flatten", x, 4 * 4);
    for (int i = 0; i < 3; i++) {
        tgs_i_net_enter(&n, "fc%d", i + 1);
        x = full(&n, x, i < 2 ? 1024 : tgs_arg_int(c->args, "classes"), i == 2);
        tgs_i_net_leave(&n);
    }
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(50),
    {"classes", "10", TGS_PARAM_INT, 1, 1 << 20, "classes"},
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_bnn = {
    .base = {TGS_PLUGIN_ABI, "bnn", "a binarised network for images of 32 x 32",
             "Courbariaux, Hubara, Soudry, El-Yaniv, Bengio, Binarized neural networks, 2016",
             params},
    .names = "bnn",
    .build = build,
};
