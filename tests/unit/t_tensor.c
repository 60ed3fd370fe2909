/* t_tensor.c -- split and tensor: operators in parts compute what they computed whole (the weights
 * after some steps, in double on the serial backend), and move, store and multiply what the papers'
 * formulas say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"
#include "parts.h"

/* x [8,6] -> Gemm with bias -> Tanh -> Gemm, transposed, with bias -> Tanh -> MatMul */
static tgs_model *dense(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(8, 6));
    net_stored(&n, "w1", DIMS(6, 12));
    net_stored(&n, "b1", DIMS(12));
    net_stored(&n, "w2", DIMS(8, 12));
    net_stored(&n, "b2", DIMS(8));
    net_stored(&n, "w3", DIMS(8, 4));
    net_op(&n, "Gemm", "x w1 b1", "h1", NULL);
    net_op(&n, "Tanh", "h1", "a1", NULL);
    net_op(&n, "Gemm", "a1 w2 b2", "h2", "transB=1 alpha=0.5");
    net_op(&n, "Tanh", "h2", "a2", NULL);
    net_op(&n, "MatMul", "a2 w3", "y", NULL);
    return net_model(&n, "y");
}

/* two heads of 4 over sequences of 4, a residual, and a feed-forward pair, of batches of 4 */
static tgs_model *attention(void)
{
    static const int64_t heads[] = {4, 4, 2, 4}, joined[] = {4, 4, 8};
    net n = net_new();

    net_input(&n, "x", DIMS(4, 4, 8));
    net_stored(&n, "wq", DIMS(8, 8));
    net_stored(&n, "wk", DIMS(8, 8));
    net_stored(&n, "wv", DIMS(8, 8));
    net_stored(&n, "wo", DIMS(8, 8));
    net_stored(&n, "wu", DIMS(8, 16));
    net_stored(&n, "wd", DIMS(16, 8));
    net_integers(&n, "heads", 4, heads);
    net_integers(&n, "joined", 3, joined);
    net_op(&n, "MatMul", "x wq", "q", NULL);
    net_op(&n, "MatMul", "x wk", "k", NULL);
    net_op(&n, "MatMul", "x wv", "v", NULL);
    net_op(&n, "Reshape", "q heads", "qh", NULL);
    net_op(&n, "Reshape", "k heads", "kh", NULL);
    net_op(&n, "Reshape", "v heads", "vh", NULL);
    net_op(&n, "Transpose", "qh", "qt", "perm=0,2,1,3");
    net_op(&n, "Transpose", "kh", "kt", "perm=0,2,3,1");
    net_op(&n, "Transpose", "vh", "vt", "perm=0,2,1,3");
    net_op(&n, "MatMul", "qt kt", "s", NULL);
    net_op(&n, "Softmax", "s", "p", "axis=-1");
    net_op(&n, "MatMul", "p vt", "c", NULL);
    net_op(&n, "Transpose", "c", "ct", "perm=0,2,1,3");
    net_op(&n, "Reshape", "ct joined", "cj", NULL);
    net_op(&n, "MatMul", "cj wo", "o", NULL);
    net_op(&n, "Add", "x o", "r", NULL);
    net_op(&n, "MatMul", "r wu", "u", NULL);
    net_op(&n, "Tanh", "u", "g", NULL);
    net_op(&n, "MatMul", "g wd", "d", NULL);
    net_op(&n, "Add", "r d", "y", NULL);
    return net_model(&n, "y");
}

static void the_mathematics_stays(void **state)
{
    static const struct form {
        const char *plain, *more;
    } forms[] = {
        {"train sgd lr=0.1; loss mse", "split h1 k=2"},
        {"train sgd lr=0.1; loss mse", "split h1,h2,y k=3 by=3,1,1"},
        {"train sgd lr=0.1; loss mse", "split h1,h2 rows=3 columns=2"},
        {"train momentum lr=0.1; loss mse", "split h2 columns=4"},
        {"train adam lr=0.01; loss mse", "split h1,h2 rows=2 columns=2 k=2"},
        {"train sgd lr=0.1; loss mse; micro-batches 2; replicas 2", "split h1,h2 k=2"},
        {"train sgd lr=0.1; loss mse", "tensor 1d 1"},
        {"train sgd lr=0.1; loss mse", "tensor 1d 2"},
        {"train sgd lr=0.1; loss mse", "tensor 1d 3"},
        {"train momentum lr=0.1; loss mse", "tensor 1d 4"},
        {"train adam lr=0.01; loss mse", "tensor 1d 2"},
        {"train adam lr=0.01; loss mse", "tensor 1d 2 ops=h2"},
        {"train adam lr=0.01; loss mse", "tensor 2d 4"},
        {"train sgd lr=0.1; loss mse", "tensor 2d 9"},
        {"train sgd lr=0.1; loss mse", "tensor 2.5d 8"},
        {"train adam lr=0.01; loss mse", "tensor 2.5d 12 depth=3"},
        {"train adam lr=0.01; loss mse", "tensor 3d 8"},
        {"train sgd lr=0.1; loss xent", "tensor 1d 2"},
        {"train sgd lr=0.1; loss xent", "tensor 3d 8"},
        {"train sgd lr=0.1; loss mse; micro-batches 3; accumulate tree", "tensor 2d 4"},
        {"train sgd lr=0.1; loss mse; micro-batches 2; replicas 2", "tensor 1d 2; pipeline 2"},
        {"train sgd lr=0.1; loss mse; micro-batches 2", "tensor 3d 8; recompute 3"},
        {"train sgd lr=0.1; loss mse", "split y k=2; tensor 1d 2 ops=h1,h2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        same_weights(dense, forms[i].plain, forms[i].more);
    }
}

static void attention_stays(void **state)
{
    static const char *const forms[] = {
        "tensor 1d 2",    "tensor 2d 4", "tensor 2.5d 8", "tensor 3d 8", "tensor 1d 2; recompute",
        "split o,u,d k=4"};

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        same_weights(attention, "train sgd lr=0.1; loss mse", forms[i]);
}

/* ---- volumes -------------------------------------------------------------------------------- */
/* the rank in "name@r0.s2.m1"; 0 none */
static int32_t rank_of(const char *name)
{
    const char *at = strrchr(name, '@'), *rank = at ? strstr(at, "@s") : NULL;

    rank = at && !rank ? strstr(at, ".s") : rank;
    return rank ? (int32_t)strtol(rank + 2, NULL, 10) : 0;
}

static int64_t elements_of(const tgs_graph *g, int32_t d)
{
    return (int64_t)(g->v.datum[d].bytes / 4);
}

/* elements that each shard reads of what other shards have, once for each version; what no shard
 * has yet, and sums of single numbers, do not count.  received: [shards + 1] */
static int64_t receive(const tgs_graph *g, int32_t phase, int32_t shards, int64_t *received)
{
    int32_t *owner = calloc((size_t)g->v.data, sizeof *owner);
    bool *there = calloc((size_t)g->v.data * (size_t)(shards + 1), sizeof *there);
    int64_t all = 0;

    for (int32_t d = 0; d < g->v.data; d++)
        owner[d] = rank_of(tgs_datum_name(&g->v, d, TGS_ROOM));
    memset(received, 0, (size_t)(shards + 1) * sizeof *received);
    for (int32_t t = 0; t < g->v.tasks; t++) {
        const int32_t own = rank_of(tgs_graph_task_name(g, t));

        for (int32_t a = g->v.access_at[t]; a < g->v.access_at[t + 1]; a++) {
            const int32_t d = g->v.access[a].datum;
            bool *here = &there[(int64_t)d * (shards + 1)];

            if (g->v.access[a].mode != TGS_W && own && owner[d] && owner[d] != own && !here[own]
                && elements_of(g, d) > 1 && (phase < 0 || g->v.task[t].phase == phase)) {
                received[own] += elements_of(g, d);
                all += elements_of(g, d);
                here[own] = true;
            }
            if (g->v.access[a].mode != TGS_R) {
                owner[d] = own;
                memset(here, 0, (size_t)(shards + 1) * sizeof *here);
            }
        }
    }
    free(owner);
    free(there);
    return all;
}

static tgs_model *square(int64_t size, int32_t layers)
{
    net n = net_new();
    char weight[16], in[16], list[40], out[16];

    net_input(&n, "h0", DIMS(size, size));
    for (int32_t i = 1; i <= layers; i++) {
        snprintf(weight, sizeof weight, "w%d", i);
        net_stored(&n, weight, DIMS(size, size));
        snprintf(in, sizeof in, "h%d", i - 1);
        snprintf(list, sizeof list, "%s %s", in, weight);
        snprintf(out, sizeof out, "h%d", i);
        net_op(&n, "MatMul", list, out, NULL);
    }
    snprintf(out, sizeof out, "h%d", layers);
    return net_model(&n, out);
}

/* bytes of the parameters that a shard stores */
static int64_t stored(const tgs_graph *g, int32_t shard)
{
    int64_t n = 0;

    for (int32_t d = 0; d < g->v.data; d++) {
        const tgs_datum_extra *x = &g->v.extra[g->v.datum[d].extra];

        if (x->persistent && x->class_ == TGS_CLASS_PARAMETER
            && rank_of(tgs_datum_name(&g->v, d, TGS_ROOM)) == shard)
            n += elements_of(g, d);
    }
    return n;
}

static double products(const tgs_graph *g)
{
    double flops = 0;

    for (int32_t t = 0; t < g->v.tasks; t++) {
        const char *codelet = g->v.codelet_name[g->v.task[t].codelet];

        if (!strcmp(codelet, "matmul") || !strcmp(codelet, "gemm"))
            flops += g->v.task[t].flops;
    }
    return flops;
}

/* T5, per layer with its backward pass and N x N matrices: what a shard receives.  The gradient of
 * the input of the model, which nobody asks for, is not made. */
static void volumes_are_those_of_t5(void **state)
{
    enum { N = 16, MOST = 64 };
    static const struct mode {
        const char *text;
        int32_t shards, layers;
        double all;        /* elements received in a step over N^2, by all shards together */
        bool balanced;     /* every shard receives as much */
        double parameters; /* of a shard, over all parameters */
    } modes[] = {
        /* 2 (P-1)/P a layer, 2 (P-1)/P less for the input */
        {"1d 4", 4, 4, 4 * (4 * 2 * 0.75 - 2 * 0.75), true, 0.25},
        {"1d 8", 8, 2, 8 * (2 * 2 * 0.875 - 2 * 0.875), true, 0.125},
        /* 6 (q-1)/q^2 a layer, 2 (q-1)/q^2 less */
        {"2d 4", 4, 2, 4 * (2 * 6 - 2) / 4., true, 0.25},
        {"2d 16", 16, 3, 16 * (3 * 6 - 2) * 3 / 16., true, 1 / 16.},
        /* 3 (q-1)(d+1)/(d q^2) a layer and, in all, 2 (d-1) for the sum of dW over d grids;
         * (q-1)(d+1)/(d q^2) less */
        {"2.5d 8", 8, 2, 8 * (2 * 3 - 1) * 3 / 8. + 2 * 2, false, 0.25},
        /* 6 (q-1)/q^3 a layer, 2 (q-1)/q^3 less: the gather of dY serves dW too */
        {"3d 8", 8, 2, 8 * (2 * 6 - 1) / 8., true, 0.125},
        {"3d 64", 64, 2, 64 * (2 * 6 - 1) * 3 / 64., true, 1 / 64.},
    };

    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        tgs_model *m = square(N, modes[i].layers);
        tgs_graph *plain = lowered(m, "train sgd; loss mse"), *g;
        int64_t received[MOST + 1], all;
        char strategy[100];

        snprintf(strategy, sizeof strategy, "train sgd; loss mse; tensor %s", modes[i].text);
        g = lowered(m, strategy);
        all = receive(g, -1, modes[i].shards, received);
        if (fabs((double)all - modes[i].all * N * N) > 1e-6)
            fail_msg("%s: %g received, not %g", strategy, (double)all / (N * N), modes[i].all);
        for (int32_t s = 1; s <= modes[i].shards; s++) {
            if (modes[i].balanced && received[s] * modes[i].shards != all)
                fail_msg("%s: shard %d receives %d", strategy, (int)s, (int)received[s]);
            assert_true(stored(g, s) == modes[i].parameters * modes[i].layers * N * N);
        }
        assert_true(products(g) == products(plain));
        tgs_graph_free(plain);
        tgs_graph_free(g);
        tgs_model_free(m);
    }
}

/* Q5: q = 2, N = 4: 6 elements received forward; with the backward pass 12, 2 less for the input */
static void three_dimensions_of_q5(void **state)
{
    tgs_model *m = square(4, 2);
    tgs_graph *g = lowered(m, "train sgd; loss mse; tensor 3d 8");
    int64_t forward[9], all[9];

    (void)state;
    receive(g, TGS_PHASE_FORWARD, 8, forward);
    receive(g, -1, 8, all);
    for (int32_t s = 1; s <= 8; s++) {
        assert_int_equal(forward[s], 2 * 6);
        assert_int_equal(all[s], 2 * 12 - 2);
    }
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void assert_shape(const tgs_graph *g, const char *name, int64_t rows, int64_t columns)
{
    const int32_t d = tgs_graph_find_datum(g, name);
    const tgs_datum_extra *x;

    if (d < 0)
        fail_msg("no datum %s", name);
    x = &g->v.extra[g->v.datum[d].extra];
    if (x->rank != 2 || g->v.dim[x->dims] != rows || g->v.dim[x->dims + 1] != columns)
        fail_msg("%s is %d x %d", name, (int)g->v.dim[x->dims], (int)g->v.dim[x->dims + 1]);
}

/* Q5: q = 2, batch 16, 256 -> 1024 -> 256 */
static void shapes_of_q5(void **state)
{
    net n = net_new();
    tgs_model *m;
    tgs_graph *g;
    char name[16];

    (void)state;
    net_input(&n, "x", DIMS(16, 256));
    net_stored(&n, "u", DIMS(256, 1024));
    net_stored(&n, "v", DIMS(1024, 256));
    net_op(&n, "MatMul", "x u", "h", NULL);
    net_op(&n, "MatMul", "h v", "y", NULL);
    m = net_model(&n, "y");
    g = lowered(m, "train sgd; loss mse; tensor 3d 8");
    for (int s = 1; s <= 8; s++) {
        static const struct shape {
            const char *name;
            int64_t rows, columns;
        } shapes[] = {{"u", 128, 256}, {"v", 512, 64}, {"x", 4, 128}, {"h", 4, 512}, {"y", 4, 128}};

        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            snprintf(name, sizeof name, "%s@s%d", shapes[i].name, s);
            assert_shape(g, name, shapes[i].rows, shapes[i].columns);
        }
    }
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* elements that the products read, and that sums read */
static void read_by(const tgs_graph *g, int64_t *product, int64_t *sum)
{
    *product = *sum = 0;
    for (int32_t t = 0; t < g->v.tasks; t++) {
        const char *codelet = g->v.codelet_name[g->v.task[t].codelet];

        for (int32_t a = g->v.access_at[t]; a < g->v.access_at[t + 1]; a++)
            if (g->v.access[a].mode == TGS_R)
                *(!strcmp(codelet, "matmul") ? product : sum) +=
                    strcmp(codelet, "matmul") && strcmp(codelet, "sum")
                        ? 0
                        : elements_of(g, g->v.access[a].datum);
    }
}

/* P10 of S1: N = 12, speeds 1 and 1/2: k = (8, 4), which end at once; 2 N^2 = 288 read whatever the
 * speeds; blocks on p = 4, 16, 25 read 2 N^2 sqrt(p), so that slabs save 50, 75, 80 % */
static void slabs_of_p10(void **state)
{
    tgs_model *m = square(12, 1), *larger = square(20, 1);
    tgs_graph *g = lowered(m, "split h1 k=2 by=2,1");
    int64_t product, sum, slabs;
    int32_t first, second;

    (void)state;
    read_by(g, &product, &sum);
    assert_int_equal(product, 288);
    assert_int_equal(sum, 2 * 144); /* the join, which the volume of the paper leaves out */
    first = tgs_graph_find_task(g, "h1.0");
    second = tgs_graph_find_task(g, "h1.1");
    assert_true(first >= 0 && second >= 0);
    assert_true(g->v.task[first].flops == 2 * 12 * 12 * 8);
    assert_true(g->v.task[first].flops / 2 == g->v.task[second].flops / 1);
    tgs_graph_free(g);
    g = lowered(m, "split h1 k=3 by=5,1,1");
    read_by(g, &product, &sum);
    assert_int_equal(product, 288);
    tgs_graph_free(g);
    for (int side = 2; side <= 5; side += side == 2 ? 2 : 1) {
        static const double saved[] = {[2] = 0.5, [4] = 0.75, [5] = 0.8};
        char strategy[60];

        snprintf(strategy, sizeof strategy, "split h1 k=%d", side * side > 20 ? 20 : side * side);
        g = lowered(larger, strategy);
        read_by(g, &slabs, &sum);
        tgs_graph_free(g);
        snprintf(strategy, sizeof strategy, "split h1 rows=%d columns=%d", side, side);
        g = lowered(larger, strategy);
        read_by(g, &product, &sum);
        tgs_graph_free(g);
        assert_int_equal(slabs, 800);
        assert_true(fabs(1 - (double)slabs / (double)product - saved[side]) < 1e-12);
        assert_int_equal(sum, 0);
    }
    tgs_model_free(m);
    tgs_model_free(larger);
}

static void what_is_wrong_is_said(void **state)
{
    static const refusal wrong[] = {
        {"train sgd; split", "no operator is named"},
        {"train sgd; split h1", "k, rows or columns must be 2 or more"},
        {"train sgd; split none k=2", "no operator 'none'"},
        {"train sgd; split a1 k=2", "is no product with a matrix"},
        {"train sgd; split h1 k=2 by=1,2,3", "as many parts"},
        {"train sgd; split h1 k=2 rows=2 by=1,2", "as many parts"},
        {"train sgd; split h1 k=2 by=0,2", "whole numbers from 1"},
        {"train sgd; split h1 k=7", "operator 'h1': 6 do not make k=7 parts"},
        {"train sgd; tensor 4d 2", "no mode '4d' (there are: 1d, 2d, 2.5d, 3d)"},
        {"train sgd; tensor 2d 6", "6 shards are no q^2 grid"},
        {"train sgd; tensor 3d 4", "4 shards are no q^3 grid"},
        {"train sgd; tensor 2.5d 9", "9 shards are no depth q^2 grid"},
        {"train sgd; tensor 1d 16 ops=h1", "N is 12, which does not make 16 parts"},
        {"train sgd; tensor 3d 729", "no product with a parameter is large enough"},
    };
    tgs_model *m = dense();

    (void)state;
    none_lowers(m, wrong, sizeof wrong / sizeof *wrong);
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mathematics_stays),
        cmocka_unit_test(attention_stays),
        cmocka_unit_test(volumes_are_those_of_t5),
        cmocka_unit_test(three_dimensions_of_q5),
        cmocka_unit_test(shapes_of_q5),
        cmocka_unit_test(slabs_of_p10),
        cmocka_unit_test(what_is_wrong_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
