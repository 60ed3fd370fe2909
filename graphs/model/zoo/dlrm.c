/* dlrm.c -- recommendation: dense features and many embedding tables, joined by their products. */
#include "core.h"

enum { DENSE = 13, TABLES = 26, PAIRS = (TABLES + 1) * TABLES / 2 };

/* entries of the categorical features of the Criteo Kaggle data */
static const int64_t entries[TABLES] = {
    1460, 583,   10131227, 2202608, 305,  24,   12517, 633,     3,  93145, 5683,   8351593, 3194,
    27,   14992, 5461306,  10,      5652, 2173, 4,     7046547, 18, 15,    286181, 105,     142572};

static tgs_i_val perceptron(tgs_i_net *n, const char *scope, tgs_i_val x, const int64_t *units,
                            bool scores)
{
    char name[32];

    tgs_i_net_enter(n, "%s", scope);
    for (int i = 0; units[i]; i++) {
        snprintf(name, sizeof name, "fc%d", i + 1);
        x = tgs_i_net_linear(n, name, x, units[i], true);
        snprintf(name, sizeof name, "act%d", i + 1);
        x = tgs_i_net_act(n, name, scores && !units[i + 1] ? "Sigmoid" : "Relu", x);
    }
    tgs_i_net_leave(n);
    return x;
}

/* the rows of a table that a sample names, summed */
static tgs_i_val bag(tgs_i_net *n, int index, int64_t width, int64_t batch, int64_t rows)
{
    const int64_t dim[] = {entries[index], width}, chosen[] = {batch, rows};
    char name[32];
    int32_t x;

    snprintf(name, sizeof name, "category%d", index);
    x = tgs_i_net_batch(n, name, TGS_I64, 2, chosen);
    tgs_i_net_enter(n, "table%d", index);
    x = tgs_i_net_embed(n, "lookup", tgs_i_net_weight(n, "weight", 2, dim), width, x).tensor;
    x = tgs_i_net_op(n, "sum", "ReduceSum", "axes=1 keepdims=1", 1, x);
    tgs_i_net_leave(n);
    return (tgs_i_val){x, width};
}

/* the products of each pair of vectors of [batch, 27, width], beside the first vector */
static tgs_i_val interact(tgs_i_net *n, tgs_i_val dense, int32_t all, int64_t batch)
{
    const int64_t side = TABLES + 1, flat[] = {batch, side * side};
    int64_t pair[PAIRS];
    int32_t count = 0, x;
    tgs_i_val both[2] = {dense, {-1, PAIRS}};

    for (int64_t i = 0; i < side; i++)
        for (int64_t j = 0; j < i; j++)
            pair[count++] = i * side + j;
    tgs_i_net_enter(n, "interact");
    x = tgs_i_net_op(n, "products", "MatMul", NULL, 2, all,
                     tgs_i_net_transpose(n, "turned", all, "0,2,1"));
    x = tgs_i_net_reshape(n, "flat", x, 2, flat);
    both[1].tensor =
        tgs_i_net_op(n, "pairs", "Gather", "axis=1", 2, x, tgs_i_net_ints(n, "below", PAIRS, pair));
    dense = tgs_i_net_concat(n, "concat", 2, both, 1);
    tgs_i_net_leave(n);
    return dense;
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    const int64_t batch = tgs_arg_int(c->args, "batch"), width = tgs_arg_int(c->args, "width");
    const int64_t dense[] = {batch, DENSE}, row[] = {batch, 1, width};
    const int64_t bottom[] = {512, 256, 64, width, 0}, top[] = {512, 256, 1, 0};
    tgs_i_val all[TABLES + 1], x;
    int32_t joined;
    tgs_i_net n;

    tgs_i_net_open(&n, c);
    x = (tgs_i_val){tgs_i_net_batch(&n, "dense", TGS_F32, 2, dense), DENSE};
    x = perceptron(&n, "bottom", x, bottom, false);
    all[0] = (tgs_i_val){tgs_i_net_reshape(&n, "row", x.tensor, 3, row), width};
    for (int i = 0; i < TABLES; i++)
        all[i + 1] = bag(&n, i, width, batch, tgs_arg_int(c->args, "rows"));
    joined = tgs_i_net_concat(&n, "vectors", TABLES + 1, all, 1).tensor;
    x = perceptron(&n, "top", interact(&n, x, joined, batch), top, true);
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(128),
    {"width", "16", TGS_PARAM_INT, 1, 4096, "of an embedding"},
    {"rows", "1", TGS_PARAM_INT, 1, 4096, "entries of each category that a sample names"},
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_dlrm = {
    .base = {TGS_PLUGIN_ABI, "dlrm", "recommendation with the tables of the Criteo Kaggle data",
             "Naumov et al., Deep learning recommendation model, 2019", params},
    .names = "dlrm",
    .build = build,
};
