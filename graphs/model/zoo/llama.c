/* llama.c -- decoders with rotary positions, groups of heads and gated feed-forward parts, either
 * one or a mixture of experts of which a router chooses two. */
#include <string.h>
#include "core.h"

static const double epsilon = 1e-5;
static const char norm[] = "RMSNormalization";

typedef struct variant {
    const char *name;
    int64_t layers, width, heads, groups, feed, words, experts;
} variant;
static const variant variants[] = {
    {"llama-7b", 32, 4096, 32, 32, 11008, 32000, 0},
    {"llama-13b", 40, 5120, 40, 40, 13824, 32000, 0},
    {"llama2-70b", 80, 8192, 64, 8, 28672, 32000, 0},
    {"llama3-8b", 32, 4096, 32, 8, 14336, 128256, 0},
    {"tinyllama", 22, 2048, 32, 4, 5632, 32000, 0},
    {"mistral-7b", 32, 4096, 32, 8, 14336, 32000, 0},
    {"mixtral-8x7b", 32, 4096, 32, 8, 14336, 32000, 8},
};

static tgs_i_val attention(tgs_i_net *n, const tgs_i_heads *h, tgs_i_val x)
{
    tgs_i_val q, k, v, y;

    tgs_i_net_enter(n, "attention");
    y = tgs_i_net_norm(n, "norm", norm, epsilon, x);
    q = tgs_i_net_project(n, "q", y, h->heads * h->size, false);
    k = tgs_i_net_project(n, "k", y, h->groups * h->size, false);
    v = tgs_i_net_project(n, "v", y, h->groups * h->size, false);
    y = tgs_i_net_project(n, "o", tgs_i_net_attend(n, h, q, k, v), x.width, false);
    x = tgs_i_net_add(n, "residual", x, y);
    tgs_i_net_leave(n);
    return x;
}

/* down(silu(gate(x)) * up(x)) */
static tgs_i_val gated(tgs_i_net *n, tgs_i_val x, int64_t feed)
{
    const tgs_i_val gate = tgs_i_net_silu(n, "silu", tgs_i_net_project(n, "gate", x, feed, false));
    tgs_i_val y = tgs_i_net_project(n, "up", x, feed, false);

    y.tensor = tgs_i_net_op(n, "gated", "Mul", NULL, 2, gate.tensor, y.tensor);
    return tgs_i_net_project(n, "down", y, x.width, false);
}

/* Each expert sees a buffer of as many tokens as it gets when they are spread evenly, times the
 * parameter `capacity`; what does not fit is dropped. */
static tgs_i_val mixture(tgs_i_net *n, const tgs_i_heads *h, tgs_i_val x, int64_t experts,
                         int64_t feed)
{
    enum { CHOSEN = 2, MOST = 64 };
    const int64_t tokens = h->batch * h->seq, rows[] = {tokens, x.width};
    const int64_t shape[] = {h->batch, h->seq, x.width}, two[] = {CHOSEN};
    const double each = (double)(tokens * CHOSEN) / (double)experts;
    const int64_t room = (int64_t)ceil(each * tgs_arg_real(n->call->args, "capacity"));
    int32_t flat, scores, top[2], routed, part[MOST], joined;
    tgs_i_val made[MOST], y;
    char attrs[80];

    flat = tgs_i_net_reshape(n, "tokens", x.tensor, 2, rows);
    y = tgs_i_net_linear(n, "router", (tgs_i_val){flat, x.width}, experts, false);
    scores = y.tensor;
    tgs_i_net_ops(n, "top", "TopK", "axis=-1", 2,
                  (const int32_t[]){scores, tgs_i_net_ints(n, "chosen", 1, two)}, 2, top);
    top[0] = tgs_i_net_op(n, "weights", "Softmax", "axis=-1", 1, top[0]);
    snprintf(attrs, sizeof attrs, "experts=%lld capacity=%lld", (long long)experts,
             (long long)(room > tokens ? tokens : room));
    routed = tgs_i_net_op(n, "dispatch", "tgsched.Dispatch", attrs, 2, flat, top[1]);
    tgs_i_net_ops(n, "experts", "Split", "axis=0", 1, &routed, (int32_t)experts, part);
    for (int64_t i = 0; i < experts; i++) {
        tgs_i_net_enter(n, "expert%lld", (long long)i);
        made[i] = gated(n, (tgs_i_val){part[i], x.width}, feed);
        tgs_i_net_leave(n);
    }
    joined = tgs_i_net_concat(n, "outputs", (int32_t)experts, made, 0).tensor;
    x.tensor = tgs_i_net_op(n, "combine", "tgsched.Combine", NULL, 3, joined, top[1], top[0]);
    x.tensor = tgs_i_net_reshape(n, "combined", x.tensor, 3, shape);
    return x;
}

static tgs_i_val layer(tgs_i_net *n, const tgs_i_heads *h, const variant *v, tgs_i_val x)
{
    tgs_i_val y;

    x = attention(n, h, x);
    tgs_i_net_enter(n, v->experts ? "moe" : "feed");
    y = tgs_i_net_norm(n, "norm", norm, epsilon, x);
    y = v->experts ? mixture(n, h, y, v->experts, v->feed) : gated(n, y, v->feed);
    x = tgs_i_net_add(n, "residual", x, y);
    tgs_i_net_leave(n);
    return x;
}

/* the shapes of a variant, or of parameters for those of one's own ("llama", "moe") */
static void choose(tgs_i_net *n, variant *v)
{
    const variant own = {"", 4, 512, 8, 4, 1408, 32000, 0};
    size_t i = 0;

    while (i < sizeof variants / sizeof *variants && strcmp(variants[i].name, n->call->network))
        i++;
    *v = i < sizeof variants / sizeof *variants ? variants[i] : own;
    if (!strcmp(n->call->network, "moe"))
        v->experts = 8;
    v->layers = tgs_i_net_arg(n, "layers", v->layers);
    v->width = tgs_i_net_arg(n, "width", v->width);
    v->heads = tgs_i_net_arg(n, "heads", v->heads);
    v->groups = tgs_i_net_arg(n, "groups", v->groups);
    v->feed = tgs_i_net_arg(n, "feed", v->feed);
    v->words = tgs_i_net_arg(n, "words", v->words);
    if (v->experts)
        v->experts = tgs_i_net_arg(n, "experts", v->experts);
}

static tgs_i_val decode(tgs_i_net *n, const variant *v, tgs_i_heads *h)
{
    const int64_t tokens[] = {h->batch, h->seq}, words[] = {v->words, v->width};
    const int64_t angles[] = {h->seq, h->size / 2}, rows[] = {h->batch * h->seq, v->width};
    const int32_t at = tgs_i_net_batch(n, "tokens", TGS_I64, 2, tokens);
    tgs_i_val x;

    h->cos = tgs_i_net_input(n, "cos", TGS_F32, 2, angles);
    h->sin = tgs_i_net_input(n, "sin", TGS_F32, 2, angles);
    x = tgs_i_net_embed(n, "embed", tgs_i_net_weight(n, "embedding", 2, words), v->width, at);
    h->mask = tgs_i_net_causal(n, h->seq);
    for (int64_t i = 0; i < v->layers; i++) {
        tgs_i_net_enter(n, "layer%lld", (long long)i);
        x = layer(n, h, v, x);
        tgs_i_net_leave(n);
    }
    x = tgs_i_net_norm(n, "norm", norm, epsilon, x);
    x.tensor = tgs_i_net_reshape(n, "rows", x.tensor, 2, rows);
    return tgs_i_net_linear(n, "head", x, v->words, false);
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    tgs_i_heads h = {.batch = tgs_arg_int(c->args, "batch"), .seq = tgs_arg_int(c->args, "seq")};
    tgs_i_net n;
    variant v;

    tgs_i_net_open(&n, c);
    choose(&n, &v);
    if (v.width % v.heads || v.width / v.heads % 2 || v.heads % v.groups)
        return tgs_fail(err, TGS_EINVAL,
                        "%s: width=%lld, heads=%lld, groups=%lld do not divide one another",
                        c->network, (long long)v.width, (long long)v.heads, (long long)v.groups);
    h.heads = v.heads;
    h.groups = v.groups;
    h.size = v.width / v.heads;
    return tgs_i_net_close(&n, decode(&n, &v, &h), output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(1),
    TGS_I_NET_SEQ(2048),
    TGS_I_NET_LAYERS,
    {"width", "0", TGS_PARAM_INT, 0, 1 << 20, "of a token; 0: as published"},
    {"heads", "0", TGS_PARAM_INT, 0, 4096, "heads of the queries; 0: as published"},
    {"groups", "0", TGS_PARAM_INT, 0, 4096, "heads of keys and values; 0: as published"},
    {"feed", "0", TGS_PARAM_INT, 0, 1 << 20,
     "inner width of the feed-forward part; 0: as published"},
    {"words", "0", TGS_PARAM_INT, 0, 1 << 24, "of the vocabulary; 0: as published"},
    {"experts", "0", TGS_PARAM_INT, 0, 64, "of a mixture; 0: as published"},
    {"capacity", "1.25", TGS_PARAM_REAL, 0.01, 64,
     "room of an expert over its even share of tokens"},
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_llama = {
    .base = {TGS_PLUGIN_ABI, "llama",
             "gated decoders: llama (sizes of your own), llama-7b llama-13b llama2-70b llama3-8b "
             "tinyllama mistral-7b; mixtures of experts: moe mixtral-8x7b",
             "Touvron et al., LLaMA, 2023; Jiang et al., Mixtral of experts, 2024", params},
    .names = "llama moe llama-7b llama-13b llama2-70b llama3-8b tinyllama mistral-7b mixtral-8x7b",
    .build = build,
};
