/* nequip.c -- equivariant message passing between atoms.  A feature is a scalar and a vector in
 * each channel: [atoms, 4, channels].  An edge's message is the tensor product of its sender's
 * feature with the edge's direction, each of its five paths weighted by a function of the length.
 */
#include "core.h"

enum { PARTS = 4, PATHS = 5, BASIS = 8, RADIAL = 64 };

/* The paths: scalar by scalar, vector by vector (dot), scalar by vector, vector by scalar, vector
 * by vector (cross).  table[direction part][path][output part][feature part]. */
static void couplings(double table[PARTS][PATHS][PARTS][PARTS])
{
    const double dot = 1 / sqrt(3.0), cross = 1 / sqrt(2.0);

    table[0][0][0][0] = 1;
    for (int i = 1; i < PARTS; i++) {
        const int j = i % 3 + 1, k = j % 3 + 1;

        table[i][1][0][i] = dot;
        table[i][2][i][0] = 1;
        table[0][3][i][i] = 1;
        table[j][4][k][i] = cross;
        table[i][4][k][j] = -cross;
    }
}

typedef struct molecule {
    int64_t atoms, edges, channels;
    int32_t from, to, lengths, directions, couplings;
} molecule;

/* each part's channels mixed: the scalars by one matrix, the vectors by another */
static int32_t mix(tgs_i_net *n, const molecule *m, const char *name, int32_t x)
{
    int32_t part[2];
    tgs_i_val y[2];

    tgs_i_net_enter(n, "%s", name);
    tgs_i_net_ops(n, "split", "Split", "axis=1", 2,
                  (const int32_t[]){x, tgs_i_net_ints(n, "parts", 2, (const int64_t[]){1, 3})}, 2,
                  part);
    y[0] = tgs_i_net_project(n, "scalars", (tgs_i_val){part[0], m->channels}, m->channels, false);
    y[1] = tgs_i_net_project(n, "vectors", (tgs_i_val){part[1], m->channels}, m->channels, false);
    x = tgs_i_net_concat(n, "concat", 2, y, 1).tensor;
    tgs_i_net_leave(n);
    return x;
}

/* [edges, paths, 1, channels]: what the length of an edge says of each path */
static int32_t radial(tgs_i_net *n, const molecule *m)
{
    const int64_t shape[] = {m->edges, PATHS, 1, m->channels};
    tgs_i_val x = {m->lengths, BASIS};

    tgs_i_net_enter(n, "radial");
    x = tgs_i_net_silu(n, "silu1", tgs_i_net_linear(n, "fc1", x, RADIAL, false));
    x = tgs_i_net_silu(n, "silu2", tgs_i_net_linear(n, "fc2", x, RADIAL, false));
    x = tgs_i_net_linear(n, "fc3", x, PATHS * m->channels, false);
    x.tensor = tgs_i_net_reshape(n, "paths", x.tensor, 4, shape);
    tgs_i_net_leave(n);
    return x.tensor;
}

static int32_t messages(tgs_i_net *n, const molecule *m, int32_t x)
{
    const int64_t paths[] = {m->edges, PATHS, PARTS, m->channels};
    char attrs[40];

    x = tgs_i_net_op(n, "send", "Gather", "axis=0", 2, x, m->from);
    x = tgs_i_net_op(n, "product", "MatMul", NULL, 2, m->couplings, x);
    x = tgs_i_net_reshape(n, "by_path", x, 4, paths);
    x = tgs_i_net_op(n, "weigh", "Mul", NULL, 2, x, radial(n, m));
    x = tgs_i_net_op(n, "paths", "ReduceSum", "axes=1 keepdims=0", 1, x);
    snprintf(attrs, sizeof attrs, "segments=%lld", (long long)m->atoms);
    return tgs_i_net_op(n, "receive", "tgsched.SegmentSum", attrs, 2, x, m->to);
}

/* scalars through silu; vectors times the sigmoid of a scalar made for them */
static int32_t gate(tgs_i_net *n, const molecule *m, int32_t x)
{
    int32_t part[2], open;
    tgs_i_val y[2];

    tgs_i_net_enter(n, "gate");
    tgs_i_net_ops(n, "split", "Split", "axis=1", 2,
                  (const int32_t[]){x, tgs_i_net_ints(n, "parts", 2, (const int64_t[]){1, 3})}, 2,
                  part);
    y[0] = (tgs_i_val){part[0], m->channels};
    open = tgs_i_net_project(n, "gates", y[0], m->channels, false).tensor;
    open = tgs_i_net_op(n, "sigmoid", "Sigmoid", NULL, 1, open);
    y[0] = tgs_i_net_silu(n, "silu", y[0]);
    y[1] = (tgs_i_val){tgs_i_net_op(n, "gated", "Mul", NULL, 2, part[1], open), m->channels};
    x = tgs_i_net_concat(n, "concat", 2, y, 1).tensor;
    tgs_i_net_leave(n);
    return x;
}

static int32_t layer(tgs_i_net *n, const molecule *m, int32_t x)
{
    const int32_t y = mix(n, m, "after", messages(n, m, mix(n, m, "before", x)));

    x = tgs_i_net_op(n, "residual", "Add", NULL, 2, mix(n, m, "self", x), y);
    return gate(n, m, x);
}

static void inputs(tgs_i_net *n, molecule *m)
{
    const int64_t edges[] = {m->edges}, lengths[] = {m->edges, BASIS};
    const int64_t directions[] = {m->edges, PARTS}, flat[] = {PARTS, PATHS * PARTS * PARTS};
    const int64_t each[] = {m->edges, PATHS * PARTS, PARTS};
    double table[PARTS][PATHS][PARTS][PARTS] = {{{{0}}}};
    int32_t t;

    m->from = tgs_i_net_input(n, "from", TGS_I64, 1, edges);
    m->to = tgs_i_net_input(n, "to", TGS_I64, 1, edges);
    m->lengths = tgs_i_net_input(n, "lengths", TGS_F32, 2, lengths);
    m->directions = tgs_i_net_input(n, "directions", TGS_F32, 2, directions);
    couplings(table);
    t = tgs_i_net_weight(n, "couplings.table", 2, flat);
    tgs_model_reals(n->b, t, &table[0][0][0][0], true);
    t = tgs_i_net_op(n, "couplings", "MatMul", NULL, 2, m->directions, t);
    m->couplings = tgs_i_net_reshape(n, "couplings.edges", t, 3, each);
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    molecule m = {.atoms = tgs_arg_int(c->args, "atoms"),
                  .edges = tgs_arg_int(c->args, "edges"),
                  .channels = tgs_arg_int(c->args, "channels")};
    const int64_t atoms[] = {m.atoms}, species[] = {tgs_arg_int(c->args, "species"), m.channels};
    const int64_t rows[] = {m.atoms, 1, m.channels}, spread[] = {m.atoms, 3, m.channels};
    tgs_i_val x, part[2];
    tgs_i_net n;
    int32_t y, last[2];

    tgs_i_net_open(&n, c);
    y = tgs_i_net_input(&n, "atoms", TGS_I64, 1, atoms);
    inputs(&n, &m);
    y = tgs_i_net_embed(&n, "embed", tgs_i_net_weight(&n, "species", 2, species), m.channels, y)
            .tensor;
    part[0] = (tgs_i_val){tgs_i_net_reshape(&n, "scalars", y, 3, rows), m.channels};
    part[1] = (tgs_i_val){tgs_i_net_input(&n, "vectors", TGS_F32, 3, spread), m.channels};
    y = tgs_i_net_concat(&n, "features", 2, part, 1).tensor;
    for (int64_t i = 0; i < tgs_arg_int(c->args, "layers"); i++) {
        tgs_i_net_enter(&n, "layer%lld", (long long)i);
        y = layer(&n, &m, y);
        tgs_i_net_leave(&n);
    }
    tgs_i_net_ops(&n, "invariant", "Split", "axis=1", 2,
                  (const int32_t[]){y, tgs_i_net_ints(&n, "parts", 2, (const int64_t[]){1, 3})}, 2,
                  last);
    x = tgs_i_net_project(&n, "energy", (tgs_i_val){last[0], m.channels}, 1, false);
    x.tensor = tgs_i_net_op(&n, "total", "ReduceSum", "keepdims=1", 1, x.tensor);
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {
    {"atoms", "64", TGS_PARAM_INT, 1, 1 << 24, "atoms"},
    {"edges", "1024", TGS_PARAM_INT, 1, 1 << 28, "pairs of atoms within the cut-off"},
    {"channels", "32", TGS_PARAM_INT, 1, 4096, "features of a kind"},
    {"layers", "4", TGS_PARAM_INT, 1, 1000, "layers"},
    {"species", "4", TGS_PARAM_INT, 1, 200, "chemical elements"},
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_nequip = {
    .base = {TGS_PLUGIN_ABI, "nequip", "equivariant message passing between atoms, like NequIP",
             "Batzner et al., E(3)-equivariant graph neural networks, 2022", params},
    .names = "nequip",
    .build = build,
};
