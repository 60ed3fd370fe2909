/* gpt.c -- GPT-2: causal attention and a feed-forward part, each normalised before it; the output
 * layer is the table of the words again. */
#include <string.h>
#include "core.h"

enum { WORDS = 50257, POSITIONS = 1024 };
static const double epsilon = 1e-5;
static const char norm[] = "LayerNormalization";

static const struct variant {
    const char *name;
    int64_t layers, width, heads;
} variants[] = {{"gpt2", 12, 768, 12},
                {"gpt2-medium", 24, 1024, 16},
                {"gpt2-large", 36, 1280, 20},
                {"gpt2-xl", 48, 1600, 25}};

static tgs_i_val layer(tgs_i_net *n, const tgs_i_heads *h, tgs_i_val x)
{
    int32_t joined, part[3];
    tgs_i_val y;

    tgs_i_net_enter(n, "attention");
    y = tgs_i_net_norm(n, "norm", norm, epsilon, x);
    joined = tgs_i_net_project(n, "qkv", y, 3 * x.width, true).tensor;
    tgs_i_net_ops(n, "split", "Split", "axis=2", 1, &joined, 3, part);
    y = tgs_i_net_attend(n, h, (tgs_i_val){part[0], x.width}, (tgs_i_val){part[1], x.width},
                         (tgs_i_val){part[2], x.width});
    y = tgs_i_net_project(n, "output", y, x.width, true);
    x = tgs_i_net_add(n, "residual", x, y);
    tgs_i_net_leave(n);
    tgs_i_net_enter(n, "feed");
    y = tgs_i_net_norm(n, "norm", norm, epsilon, x);
    y = tgs_i_net_project(n, "up", y, 4 * x.width, true);
    y = tgs_i_net_act(n, "gelu", "Gelu", y);
    y = tgs_i_net_project(n, "down", y, x.width, true);
    x = tgs_i_net_add(n, "residual", x, y);
    tgs_i_net_leave(n);
    return x;
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    const struct variant *v = variants;
    int64_t layers, width, words[2], positions[2], tokens[2], places[2], rows[2];
    tgs_i_heads h = {.cos = -1, .sin = -1};
    int32_t table, at;
    tgs_i_net n;
    tgs_i_val x, y;
    tgs_status status;

    while (strcmp(v->name, c->network))
        v++;
    tgs_i_net_open(&n, c);
    layers = tgs_i_net_arg(&n, "layers", v->layers);
    h.batch = tokens[0] = tgs_arg_int(c->args, "batch");
    h.seq = tokens[1] = places[1] = tgs_arg_int(c->args, "seq");
    width = tgs_i_net_arg(&n, "width", v->width);
    h.heads = h.groups = tgs_i_net_arg(&n, "heads", v->heads);
    h.size = width / h.heads;
    words[0] = tgs_i_net_arg(&n, "words", WORDS);
    positions[0] = tgs_i_net_arg(&n, "positions", POSITIONS);
    status = tgs_i_net_sizes(&n, width, h.heads, positions[0], err);
    if (status)
        return status;
    places[0] = 1;
    words[1] = positions[1] = rows[1] = width;
    rows[0] = h.batch * h.seq;
    table = tgs_i_net_weight(&n, "wte", 2, words);
    at = tgs_i_net_batch(&n, "tokens", TGS_I64, 2, tokens);
    x = tgs_i_net_embed(&n, "embed", table, width, at);
    at = tgs_i_net_input(&n, "positions", TGS_I64, 2, places);
    y = tgs_i_net_embed(&n, "position", tgs_i_net_weight(&n, "wpe", 2, positions), width, at);
    x = tgs_i_net_add(&n, "embeddings", x, y);
    h.mask = tgs_i_net_causal(&n, h.seq);
    for (int64_t i = 0; i < layers; i++) {
        tgs_i_net_enter(&n, "layer%lld", (long long)i);
        x = layer(&n, &h, x);
        tgs_i_net_leave(&n);
    }
    x = tgs_i_net_norm(&n, "norm", norm, epsilon, x);
    x.tensor = tgs_i_net_reshape(&n, "rows", x.tensor, 2, rows);
    x.tensor = tgs_i_net_op(&n, "head", "Gemm", "transB=1", 2, x.tensor, table);
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(8), {"seq", "1024", TGS_PARAM_INT, 1, 1 << 20, "tokens of a sample"},
    TGS_I_NET_LAYERS,   TGS_I_NET_SIZES,
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_gpt = {
    .base = {TGS_PLUGIN_ABI, "gpt", "GPT-2: gpt2 gpt2-medium gpt2-large gpt2-xl",
             "Radford, Wu, Child, Luan, Amodei, Sutskever, Language models are unsupervised "
             "multitask learners, 2019",
             params},
    .names = "gpt2 gpt2-medium gpt2-large gpt2-xl",
    .build = build,
};
