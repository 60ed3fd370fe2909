/* bert.c -- encoders: attention and a feed-forward part, each normalised after its residual sum. */
#include <string.h>
#include "core.h"

enum { WORDS = 30522, POSITIONS = 512, SEGMENTS = 2 };
static const double epsilon = 1e-12;
static const char norm[] = "LayerNormalization";

static tgs_i_val embed(tgs_i_net *n, int64_t batch, int64_t seq, int64_t width)
{
    const int64_t dim[] = {batch, seq}, word[] = {tgs_i_net_arg(n, "words", WORDS), width};
    const int64_t position[] = {tgs_i_net_arg(n, "positions", POSITIONS), width};
    const int64_t segment[] = {SEGMENTS, width}, row[] = {1, seq};
    const int32_t tokens = tgs_i_net_batch(n, "tokens", TGS_I64, 2, dim);
    const int32_t types = tgs_i_net_batch(n, "segments", TGS_I64, 2, dim);
    const int32_t positions = tgs_i_net_input(n, "positions", TGS_I64, 2, row);
    tgs_i_val x, y;

    tgs_i_net_enter(n, "embeddings");
    x = tgs_i_net_embed(n, "word", tgs_i_net_weight(n, "word.weight", 2, word), width, tokens);
    y = tgs_i_net_embed(n, "segment", tgs_i_net_weight(n, "segment.weight", 2, segment), width,
                        types);
    x = tgs_i_net_add(n, "add1", x, y);
    y = tgs_i_net_embed(n, "position", tgs_i_net_weight(n, "position.weight", 2, position), width,
                        positions);
    x = tgs_i_net_add(n, "add2", x, y);
    x = tgs_i_net_norm(n, "norm", norm, epsilon, x);
    tgs_i_net_leave(n);
    return x;
}

static tgs_i_val layer(tgs_i_net *n, const tgs_i_heads *h, tgs_i_val x)
{
    tgs_i_val q, k, v, y;

    tgs_i_net_enter(n, "attention");
    q = tgs_i_net_project(n, "query", x, x.width, true);
    k = tgs_i_net_project(n, "key", x, x.width, true);
    v = tgs_i_net_project(n, "value", x, x.width, true);
    y = tgs_i_net_project(n, "output", tgs_i_net_attend(n, h, q, k, v), x.width, true);
    x = tgs_i_net_norm(n, "norm", norm, epsilon, tgs_i_net_add(n, "residual", y, x));
    tgs_i_net_leave(n);
    tgs_i_net_enter(n, "feed");
    y = tgs_i_net_project(n, "up", x, 4 * x.width, true);
    y = tgs_i_net_act(n, "gelu", "Gelu", y);
    y = tgs_i_net_project(n, "down", y, x.width, true);
    x = tgs_i_net_norm(n, "norm", norm, epsilon, tgs_i_net_add(n, "residual", y, x));
    tgs_i_net_leave(n);
    return x;
}

/* the first token of each sample through a tanh layer */
static tgs_i_val pool(tgs_i_net *n, tgs_i_val x)
{
    static const int64_t first[] = {0};
    const int32_t zero = tgs_i_net_stored(n, "first", TGS_I64, 0, NULL);

    tgs_model_integers(n->b, zero, first);
    x.tensor = tgs_i_net_op(n, "pooler.first", "Gather", "axis=1", 2, x.tensor, zero);
    x = tgs_i_net_linear(n, "pooler.fc", x, x.width, true);
    return tgs_i_net_act(n, "pooler.tanh", "Tanh", x);
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    const bool large = !strcmp(c->network, "bert-large");
    tgs_i_heads h = {.mask = -1, .cos = -1, .sin = -1};
    int64_t layers, width;
    tgs_status status;
    tgs_i_net n;
    tgs_i_val x;

    tgs_i_net_open(&n, c);
    width = tgs_i_net_arg(&n, "width", large ? 1024 : 768);
    h.heads = h.groups = tgs_i_net_arg(&n, "heads", large ? 16 : 12);
    h.size = width / h.heads;
    status = tgs_i_net_sizes(&n, width, h.heads, tgs_i_net_arg(&n, "positions", POSITIONS), err);
    if (status)
        return status;
    h.batch = tgs_arg_int(c->args, "batch");
    h.seq = tgs_arg_int(c->args, "seq");
    layers = tgs_i_net_arg(&n, "layers", large ? 24 : 12);
    x = embed(&n, h.batch, h.seq, width);
    for (int64_t i = 0; i < layers; i++) {
        tgs_i_net_enter(&n, "layer%lld", (long long)i);
        x = layer(&n, &h, x);
        tgs_i_net_leave(&n);
    }
    return tgs_i_net_close(&n, pool(&n, x), output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(8), {"seq", "128", TGS_PARAM_INT, 1, 1 << 20, "tokens of a sample"},
    TGS_I_NET_LAYERS,   TGS_I_NET_SIZES,
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_bert = {
    .base = {TGS_PLUGIN_ABI, "bert", "BERT encoders with their pooler: bert-base bert-large",
             "Devlin, Chang, Lee, Toutanova, NAACL 2019", params},
    .names = "bert-base bert-large",
    .build = build,
};
