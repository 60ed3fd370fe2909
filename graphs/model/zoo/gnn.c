/* gnn.c -- networks on graphs: nodes have features, edges (from, to) carry them. */
#include <string.h>
#include "core.h"

typedef struct graph {
    int64_t nodes, edges;
    int32_t from, to, weight; /* of the edges: GCN's normalisation, or one over a node's degree */
} graph;

/* the weighted sum of what the neighbours have */
static tgs_i_val gather(tgs_i_net *n, const graph *g, tgs_i_val x)
{
    char attrs[40];

    snprintf(attrs, sizeof attrs, "segments=%lld", (long long)g->nodes);
    tgs_i_net_enter(n, "neighbours");
    x.tensor = tgs_i_net_op(n, "send", "Gather", "axis=0", 2, x.tensor, g->from);
    x.tensor = tgs_i_net_op(n, "weigh", "Mul", NULL, 2, x.tensor, g->weight);
    x.tensor = tgs_i_net_op(n, "receive", "tgsched.SegmentSum", attrs, 2, x.tensor, g->to);
    tgs_i_net_leave(n);
    return x;
}

/* gcn: aggregate(x W) + b; the narrower side of the product is aggregated */
static tgs_i_val convolve(tgs_i_net *n, const graph *g, tgs_i_val x, int64_t out)
{
    x = gather(n, g, tgs_i_net_linear(n, "linear", x, out, false));
    x.tensor =
        tgs_i_net_op(n, "bias.add", "Add", NULL, 2, x.tensor, tgs_i_net_weight(n, "bias", 1, &out));
    return x;
}

/* graphsage: x W + mean of the neighbours V + b */
static tgs_i_val sample(tgs_i_net *n, const graph *g, tgs_i_val x, int64_t out)
{
    const tgs_i_val near = tgs_i_net_linear(n, "neighbour", gather(n, g, x), out, true);

    return tgs_i_net_add(n, "join", near, tgs_i_net_linear(n, "self", x, out, false));
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    const bool gcn = !strcmp(c->network, "gcn");
    const int64_t layers = tgs_arg_int(c->args, "layers"), hidden = tgs_arg_int(c->args, "hidden");
    graph g = {tgs_arg_int(c->args, "nodes"), tgs_arg_int(c->args, "edges"), -1, -1, -1};
    const int64_t features[] = {g.nodes, tgs_arg_int(c->args, "features")}, column[] = {g.edges, 1};
    tgs_i_net n;
    tgs_i_val x;

    tgs_i_net_open(&n, c);
    x = (tgs_i_val){tgs_i_net_input(&n, "features", TGS_F32, 2, features), features[1]};
    g.from = tgs_i_net_input(&n, "from", TGS_I64, 1, column);
    g.to = tgs_i_net_input(&n, "to", TGS_I64, 1, column);
    g.weight = tgs_i_net_input(&n, "weight", TGS_F32, 2, column);
    for (int64_t i = 0; i < layers; i++) {
        const int64_t out = i == layers - 1 ? tgs_arg_int(c->args, "classes") : hidden;

        tgs_i_net_enter(&n, "layer%lld", (long long)i);
        x = gcn ? convolve(&n, &g, x, out) : sample(&n, &g, x, out);
        if (i < layers - 1)
            x = tgs_i_net_act(&n, "relu", "Relu", x);
        tgs_i_net_leave(&n);
    }
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {
    {"nodes", "2708", TGS_PARAM_INT, 1, 1 << 30, "nodes of the graph"},
    {"edges", "13264", TGS_PARAM_INT, 1, 1 << 30, "edges in both directions, and each node's own"},
    {"features", "1433", TGS_PARAM_INT, 1, 1 << 24, "of a node"},
    {"hidden", "16", TGS_PARAM_INT, 1, 1 << 20, "width of the layers but the last"},
    {"layers", "2", TGS_PARAM_INT, 1, 1000, "layers"},
    {"classes", "7", TGS_PARAM_INT, 1, 1 << 20, "classes"},
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_gnn = {
    .base = {TGS_PLUGIN_ABI, "gnn", "networks on graphs, by default Cora's: gcn graphsage",
             "Kipf, Welling, ICLR 2017; Hamilton, Ying, Leskovec, NIPS 2017", params},
    .names = "gcn graphsage",
    .build = build,
};
