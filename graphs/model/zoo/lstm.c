/* lstm.c -- language models of recurrent layers, and GNMT: translation by an encoder, a decoder and
 * the attention between them.  Values are [time, batch, width]. */
#include <string.h>
#include "core.h"

typedef struct sizes {
    int64_t batch, seq, hidden, vocabulary;
} sizes;

/* both has a second direction, whose states are appended */
static tgs_i_val recurrent(tgs_i_net *n, const sizes *s, tgs_i_val x, bool both)
{
    const int64_t d = both ? 2 : 1, h = s->hidden;
    const int64_t w[] = {d, 4 * h, x.width}, r[] = {d, 4 * h, h}, b[] = {d, 8 * h};
    const int64_t joined[] = {s->seq, s->batch, d * h};
    char attrs[64];
    int32_t y;

    snprintf(attrs, sizeof attrs, "hidden_size=%lld direction=%s", (long long)h,
             both ? "bidirectional" : "forward");
    y = tgs_i_net_op(n, "lstm", "LSTM", attrs, 4, x.tensor, tgs_i_net_weight(n, "weight_ih", 3, w),
                     tgs_i_net_weight(n, "weight_hh", 3, r), tgs_i_net_weight(n, "bias", 2, b));
    if (both)
        y = tgs_i_net_transpose(n, "directions", y, "0,2,1,3");
    return (tgs_i_val){tgs_i_net_reshape(n, "joined", y, 3, joined), d * h};
}

static tgs_i_val layer(tgs_i_net *n, const sizes *s, const char *name, int64_t index, tgs_i_val x,
                       bool both)
{
    tgs_i_net_enter(n, "%s%lld", name, (long long)index);
    x = recurrent(n, s, x, both);
    tgs_i_net_leave(n);
    return x;
}

static int32_t tokens(tgs_i_net *n, const sizes *s, const char *name)
{
    const int64_t dim[] = {s->seq, s->batch};

    const int32_t t = tgs_i_net_input(n, name, TGS_I64, 2, dim);

    tgs_model_samples(n->b, t, 1);
    return t;
}

/* from [seq, batch, width] to a score for each word and token */
static tgs_i_val words(tgs_i_net *n, const sizes *s, tgs_i_val x)
{
    const int64_t rows[] = {s->seq * s->batch, x.width};

    x.tensor = tgs_i_net_reshape(n, "rows", x.tensor, 2, rows);
    return tgs_i_net_linear(n, "classifier", x, s->vocabulary, true);
}

static tgs_i_val language_model(tgs_i_net *n, const sizes *s)
{
    const int64_t dim[] = {s->vocabulary, s->hidden}, layers = tgs_i_net_arg(n, "layers", 2);
    const int32_t index = tokens(n, s, "tokens"), table = tgs_i_net_weight(n, "embedding", 2, dim);
    tgs_i_val x = tgs_i_net_embed(n, "embed", table, s->hidden, index);

    for (int64_t i = 0; i < layers; i++)
        x = layer(n, s, "layer", i, x, false);
    return words(n, s, x);
}

/* normalised additive attention of q over the keys x: tanh(q + k + b) v, v = g u / |u| */
static tgs_i_val additive(tgs_i_net *n, const sizes *s, tgs_i_val q, tgs_i_val x)
{
    const int64_t h = s->hidden, column[] = {h, 1}, one[] = {1};
    const int64_t query[] = {s->seq, 1, s->batch, h}, key[] = {1, s->seq, s->batch, h};
    const int64_t grid[] = {s->seq, s->seq, s->batch};
    int32_t a, v, u;

    a = tgs_i_net_op(
        n, "sum", "Add", NULL, 2,
        tgs_i_net_reshape(n, "queries", tgs_i_net_project(n, "q", q, h, false).tensor, 4, query),
        tgs_i_net_reshape(n, "keys", tgs_i_net_project(n, "k", x, h, false).tensor, 4, key));
    a = tgs_i_net_op(n, "shift", "Add", NULL, 2, a, tgs_i_net_weight(n, "bias", 1, &h));
    a = tgs_i_net_op(n, "tanh", "Tanh", NULL, 1, a);
    u = tgs_i_net_weight(n, "direction", 2, column);
    v = tgs_i_net_op(n, "unit", "Div", NULL, 2, u,
                     tgs_i_net_op(n, "length", "ReduceL2", NULL, 1, u));
    v = tgs_i_net_op(n, "scaled", "Mul", NULL, 2, v, tgs_i_net_weight(n, "scale", 1, one));
    a = tgs_i_net_reshape(n, "scores", tgs_i_net_op(n, "score", "MatMul", NULL, 2, a, v), 3, grid);
    a = tgs_i_net_op(n, "softmax", "Softmax", "axis=-1", 1,
                     tgs_i_net_transpose(n, "by_sample", a, "2,0,1"));
    a = tgs_i_net_op(n, "context", "MatMul", NULL, 2, a,
                     tgs_i_net_transpose(n, "values", x.tensor, "1,0,2"));
    return (tgs_i_val){tgs_i_net_transpose(n, "by_time", a, "1,0,2"), h};
}

static tgs_i_val encode(tgs_i_net *n, const sizes *s, int32_t table, int64_t layers)
{
    tgs_i_val x = tgs_i_net_embed(n, "encoder.embed", table, s->hidden, tokens(n, s, "source"));
    char name[40];

    for (int64_t i = 0; i < layers; i++) {
        const tgs_i_val y = layer(n, s, "encoder", i, x, i == 0);

        snprintf(name, sizeof name, "encoder%lld.skip", (long long)i);
        x = i < 2 ? y : tgs_i_net_add(n, name, y, x);
    }
    return x;
}

static tgs_i_val decode(tgs_i_net *n, const sizes *s, int32_t table, int64_t layers, tgs_i_val keys)
{
    tgs_i_val both[2], x;
    char name[40];

    x = tgs_i_net_embed(n, "decoder.embed", table, s->hidden, tokens(n, s, "target"));
    x = layer(n, s, "decoder", 0, x, false);
    tgs_i_net_enter(n, "attention");
    both[1] = additive(n, s, x, keys);
    tgs_i_net_leave(n);
    for (int64_t i = 1; i < layers; i++) { /* each sees the context again */
        tgs_i_val y;

        both[0] = x;
        snprintf(name, sizeof name, "decoder%lld.input", (long long)i);
        y = layer(n, s, "decoder", i, tgs_i_net_concat(n, name, 2, both, 2), false);
        snprintf(name, sizeof name, "decoder%lld.skip", (long long)i);
        x = i < 2 ? y : tgs_i_net_add(n, name, y, x);
    }
    return x;
}

static tgs_i_val translator(tgs_i_net *n, const sizes *s)
{
    const int64_t dim[] = {s->vocabulary, s->hidden}, layers = tgs_i_net_arg(n, "layers", 4);
    const int32_t table = tgs_i_net_weight(n, "embedding", 2, dim); /* of both languages */

    return words(n, s, decode(n, s, table, layers, encode(n, s, table, layers)));
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    const bool gnmt = !strcmp(c->network, "gnmt");
    tgs_i_net n;
    sizes s;

    tgs_i_net_open(&n, c);
    s.batch = tgs_arg_int(c->args, "batch");
    s.seq = tgs_arg_int(c->args, "seq");
    s.hidden = tgs_i_net_arg(&n, "hidden", gnmt ? 1024 : 650);
    s.vocabulary = tgs_i_net_arg(&n, "vocabulary", gnmt ? 32320 : 10000);
    return tgs_i_net_close(&n, gnmt ? translator(&n, &s) : language_model(&n, &s), output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(20),
    TGS_I_NET_SEQ(35),
    TGS_I_NET_LAYERS,
    {"hidden", "0", TGS_PARAM_INT, 0, 1 << 20, "units of a layer; 0: 650, of gnmt 1024"},
    {"vocabulary", "0", TGS_PARAM_INT, 0, 1 << 24, "words; 0: 10000, of gnmt 32320"},
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_lstm = {
    .base = {TGS_PLUGIN_ABI, "lstm", "recurrent: lstm, a language model; gnmt, translation",
             "Zaremba, Sutskever, Vinyals 2014; Wu et al., Google's neural machine translation "
             "system, 2016",
             params},
    .names = "lstm gnmt",
    .build = build,
};
