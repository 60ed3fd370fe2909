/* mlp.c -- fully connected layers with relu between them. */
#include "core.h"

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    const int64_t dim[] = {tgs_arg_int(c->args, "batch"), tgs_arg_int(c->args, "inputs")};
    const int64_t layers = tgs_arg_int(c->args, "layers"), hidden = tgs_arg_int(c->args, "hidden");
    tgs_i_net n;
    tgs_i_val x;
    char name[32];

    tgs_i_net_open(&n, c);
    x = (tgs_i_val){tgs_i_net_batch(&n, "features", TGS_F32, 2, dim), dim[1]};
    for (int64_t i = 0; i < layers; i++) {
        snprintf(name, sizeof name, "fc%lld", (long long)i + 1);
        x = tgs_i_net_linear(&n, name, x, hidden, true);
        snprintf(name, sizeof name, "relu%lld", (long long)i + 1);
        x = tgs_i_net_act(&n, name, "Relu", x);
    }
    x = tgs_i_net_linear(&n, "out", x, tgs_arg_int(c->args, "classes"), true);
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(32),
    {"inputs", "784", TGS_PARAM_INT, 1, 1 << 24, "features of a sample"},
    {"hidden", "512", TGS_PARAM_INT, 1, 1 << 20, "units of a hidden layer"},
    {"layers", "2", TGS_PARAM_INT, 0, 100000, "hidden layers"},
    {"classes", "10", TGS_PARAM_INT, 1, 1 << 20, "classes"},
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_mlp = {
    .base = {TGS_PLUGIN_ABI, "mlp", "fully connected layers", NULL, params},
    .names = "mlp",
    .build = build,
};
