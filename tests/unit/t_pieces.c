/* t_pieces.c -- pieces of unequal size: whatever the sizes of micro-batches and the shares of
 * replicas, the step computes what the whole batch does, in double on the serial backend to 1e-10;
 * and each piece costs what a batch of its size does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"
#include "steps.h"

enum {
    SAMPLES = 13,
    INPUTS = 6,
    CLASSES = 4,
    STEPS = 2,
    WEIGHTS = INPUTS * 5 + 5 + 5 * CLASSES + INPUTS + 9
};

/* p and q are broadcast over the samples, unless there is one: their gradients are sums then, too
 */
static tgs_model *classifier(int64_t batch)
{
    net n = net_new();

    net_input(&n, "x", DIMS(batch, INPUTS));
    net_stored(&n, "w", DIMS(INPUTS, 5));
    net_stored(&n, "b", DIMS(5));
    net_stored(&n, "v", DIMS(5, CLASSES));
    net_stored(&n, "p", DIMS(1, 2, INPUTS / 2));
    net_stored(&n, "q", DIMS(1, INPUTS / 2, INPUTS / 2));
    net_integers(&n, "halves", 3, (const int64_t[]){batch, 2, INPUTS / 2});
    net_integers(&n, "whole", 2, (const int64_t[]){batch, INPUTS});
    net_op(&n, "Reshape", "x halves", "h", NULL);
    net_op(&n, "Add", "h p", "k", NULL);
    net_op(&n, "MatMul", "k q", "i", NULL);
    net_op(&n, "Tanh", "i", "t", NULL);
    net_op(&n, "Reshape", "t whole", "f", NULL);
    net_op(&n, "Gemm", "f w b", "g", NULL);
    net_op(&n, "Tanh", "g", "s", NULL);
    net_op(&n, "MatMul", "s v", "y", NULL);
    return net_model(&n, "y");
}

typedef struct form {
    const char *strategy;
    int replicas, pieces;
    int64_t size[8]; /* [replicas * pieces] */
} form;

/* the datum of a copy: "x@r1.m2" */
static int32_t copy_of(const tgs_graph *g, const form *f, const char *name, int i)
{
    const int r = i / f->pieces, m = i % f->pieces;
    char text[60];
    int32_t d;

    if (f->replicas > 1 && f->pieces > 1)
        snprintf(text, sizeof text, "%s@r%d.m%d", name, r, m);
    else if (f->replicas > 1)
        snprintf(text, sizeof text, "%s@r%d", name, r);
    else if (f->pieces > 1)
        snprintf(text, sizeof text, "%s@m%d", name, m);
    else
        snprintf(text, sizeof text, "%s", name);
    d = tgs_graph_find_datum(g, text);
    if (d < 0)
        fail_msg("no %s", text);
    return d;
}

typedef struct result {
    double w[WEIGHTS], loss[STEPS];
} result;

static tgs_run *open_run(const tgs_graph *g, tgs_problem **pb, tgs_schedule **s)
{
    tgs_platform *p;
    tgs_run *r = NULL;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_platform_parse(&p, "cpu:3", &err), 0);
    if (tgs_problem_new(pb, g, p, NULL, "latbw", &err) || tgs_schedule_make(s, *pb, "heft", 1, &err)
        || tgs_run_open(&r, *pb, *s, NULL, "serial:precision=f64", &err))
        fail_msg("%s", err.text);
    tgs_platform_free(p);
    return r;
}

/* replica -1: all share them */
static void read_weights(double *to, tgs_run *r, const tgs_graph *g, int replica)
{
    static const char *const names[] = {"w", "b", "v", "p", "q"};
    static const int at[] = {0, INPUTS * 5, INPUTS * 5 + 5, INPUTS * 5 + 5 + 5 * CLASSES,
                             INPUTS * 5 + 5 + 5 * CLASSES + INPUTS};

    for (int i = 0; i < 5; i++) {
        char name[20];
        int32_t d;

        snprintf(name, sizeof name, replica < 0 ? "%s" : "%s@r%d", names[i], replica);
        d = tgs_graph_find_datum(g, name);
        if (d < 0)
            fail_msg("no %s", name);
        assert_int_equal(tgs_run_read_f64(r, d, to + at[i], NULL), 0);
    }
}

/* the step of a model that is bound to `batch` samples */
static void train(result *out, const form *f, int64_t batch, const char *base)
{
    tgs_model *m = classifier(batch);
    float x[SAMPLES * INPUTS];
    int32_t labels[SAMPLES];
    int64_t first = 0;
    char strategy[200];
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_graph *g;
    tgs_run *r;

    for (int i = 0; i < SAMPLES * INPUTS; i++)
        x[i] = (float)((i * 37) % 19 - 9) / 9;
    for (int i = 0; i < SAMPLES; i++)
        labels[i] = i % CLASSES;
    snprintf(strategy, sizeof strategy, "%s; %s", base, f->strategy);
    g = lowered(m, strategy);
    r = open_run(g, &pb, &s);
    for (int i = 0; i < f->replicas * f->pieces; i++) {
        const int32_t d = copy_of(g, f, "x", i), l = copy_of(g, f, "labels", i);

        assert_true(tgs_graph_datum_bytes(g, d) == (double)(4 * INPUTS * f->size[i]));
        assert_int_equal(tgs_run_bind(r, d, x + first * INPUTS, NULL), 0);
        assert_int_equal(tgs_run_bind(r, l, labels + first, NULL), 0);
        first += f->size[i];
    }
    assert_int_equal(first, SAMPLES);
    for (int i = 0; i < STEPS; i++) {
        assert_int_equal(tgs_run_step(r, NULL), 0);
        tgs_run_read_f64(r, tgs_graph_find_datum(g, "loss"), &out->loss[i], NULL);
    }
    read_weights(out->w, r, g, strstr(f->strategy, "ring") ? f->replicas - 1 : -1);
    assert_int_equal(tgs_run_close(r, NULL, NULL), 0);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    tgs_model_free(m);
}

static double off(const double *x, const double *reference, int n)
{
    double difference = 0, norm = 0;

    for (int i = 0; i < n; i++) {
        difference += (x[i] - reference[i]) * (x[i] - reference[i]);
        norm += reference[i] * reference[i];
    }
    assert_true(norm > 0);
    return sqrt(difference / norm);
}

static const form forms[] = {
    {"micro-batches 3 sizes=6,6,1", 1, 3, {6, 6, 1}},
    {"micro-batches size=4", 1, 4, {4, 4, 4, 1}},
    {"micro-batches 2 sizes=12,1; accumulate tree", 1, 2, {12, 1}},
    {"replicas 2 shares=9,4", 2, 1, {9, 4}},
    {"replicas 3 shares=7,5,1 tree=3", 3, 1, {7, 5, 1}},
    {"replicas 2 shares=8,5; micro-batches 3", 2, 3, {3, 3, 2, 2, 2, 1}},
    {"replicas 2 shares=9,4; micro-batches 2; recompute", 2, 2, {5, 4, 2, 2}},
    {"replicas 2 shares=7,6; micro-batches 2; pipeline 2", 2, 2, {4, 3, 3, 3}},
    {"replicas 2 shares=9,4 reduce=ring", 2, 1, {9, 4}},
    {"replicas 3 shares=7,5,1 reduce=ring", 3, 1, {7, 5, 1}},
    {"replicas 6 shares=3,2,2,2,2,2 reduce=ring", 6, 1, {3, 2, 2, 2, 2, 2}}, /* b has 5 elements */
    {"replicas 2 shares=8,5 reduce=ring; micro-batches 3", 2, 3, {3, 3, 2, 2, 2, 1}},
    {"replicas 5 shares=3,3,3,2,2 reduce=hierarchical groups=2", 5, 1, {3, 3, 3, 2, 2}},
    {"replicas 2 shares=9,4; merge", 2, 1, {9, 4}},
    {"replicas 3 shares=7,5,1 reduce=ring; merge ends=v", 3, 1, {7, 5, 1}},
    {"replicas 2 shares=8,5; micro-batches 3; merge 2", 2, 3, {3, 3, 2, 2, 2, 1}},
};

static void unequal_pieces_compute_what_the_batch_does(void **state)
{
    static const char *const bases[] = {"train sgd lr=0.5; loss xent",
                                        "train adam lr=0.01 eps=1e-3; loss xent"};
    static const form whole = {"accumulate chain", 1, 1, {SAMPLES}};

    (void)state;
    for (int k = 0; k < 2; k++) {
        result reference, got;

        train(&reference, &whole, SAMPLES, bases[k]);
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
            train(&got, &forms[i], SAMPLES, bases[k]);
            if (!(off(got.w, reference.w, WEIGHTS) <= 1e-10)
                || !(off(got.loss, reference.loss, STEPS) <= 1e-10))
                fail_msg("%s: weights are off by %g, losses by %g", forms[i].strategy,
                         off(got.w, reference.w, WEIGHTS), off(got.loss, reference.loss, STEPS));
        }
    }
}

/* MBS: n = floor((M - model) / item) = (17 - 5) / 3 = 4 samples fit; Q13 */
static void samples_weigh_the_same(void **state)
{
    static const float value[] = {1, 1, 1, 1, 1, 1, 1, 1, 6, 6}; /* losses of the pieces: 1, 1, 6 */
    const form f = {"", 1, 3, {4, 4, 2}};
    const double weight[] = {.4, .4, .2}, naive = (1 + 1 + 6) / 3.0;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_model *m;
    tgs_graph *g;
    tgs_run *r;
    double loss;
    int first = 0;
    net n = net_new();

    (void)state;
    net_input(&n, "x", DIMS(10, 1));
    net_op(&n, "Relu", "x", "y", NULL);
    m = net_model(&n, "y");
    g = lowered(m, "loss sum; micro-batches size=4");
    assert_int_equal(count_codelet(g, "sum_loss"), 3);
    for (int i = 0; i < 3; i++) {
        char name[20];
        double scale;

        snprintf(name, sizeof name, "loss@m%d", i);
        assert_true(tgs_attr_text(tgs_text(&g->v, task_of(g, name)->attrs), "scale", name, 20));
        scale = atof(name);
        assert_true(scale * (double)f.size[i] == weight[i]); /* of the piece's mean */
    }
    r = open_run(g, &pb, &s);
    for (int i = 0; i < 3; first += (int)f.size[i++])
        assert_int_equal(tgs_run_bind(r, copy_of(g, &f, "x", i), (void *)(value + first), NULL), 0);
    assert_int_equal(tgs_run_step(r, NULL), 0);
    tgs_run_read_f64(r, tgs_graph_find_datum(g, "loss"), &loss, NULL);
    assert_true(fabs(loss - 2) < 1e-12 && fabs(naive - 8 / 3.0) < 1e-12);
    assert_int_equal(tgs_run_close(r, NULL, NULL), 0);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* the replica of a task, from its name; -1 none */
static int replica_of(const tgs_graph *g, int32_t task)
{
    const char *at = strstr(tgs_graph_task_name(g, task), "@r");

    return at ? atoi(at + 2) : -1;
}

/* bytes that each replica reads of what another one wrote, the same for all of them; the sums of
 * the losses are of no replica */
static double most_received(const tgs_graph *g, int replicas)
{
    double *got = calloc((size_t)replicas, sizeof *got), most = 0;
    int32_t *writer = calloc((size_t)g->v.data, sizeof *writer);

    for (int32_t t = 0; t < g->v.tasks; t++)
        for (int32_t a = g->v.access_at[t]; a < g->v.access_at[t + 1]; a++) {
            const tgs_access x = g->v.access[a];

            if (x.mode != TGS_W && writer[x.datum] && replica_of(g, writer[x.datum] - 1) >= 0
                && replica_of(g, t) >= 0 && replica_of(g, writer[x.datum] - 1) != replica_of(g, t))
                got[replica_of(g, t)] += g->v.datum[x.datum].bytes;
            if (x.mode != TGS_R)
                writer[x.datum] = t + 1;
        }
    for (int i = 0; i < replicas; i++) {
        assert_true(!i || got[i] == got[0]);
        most = fmax(most, got[i]);
    }
    free(got);
    free(writer);
    return most;
}

/* 2 (N - 1) / N of the gradients' bytes come into each replica, and as many leave */
static void a_ring_moves_what_the_formula_says(void **state)
{
    net n = net_new();
    tgs_model *m;

    (void)state;
    net_input(&n, "x", DIMS(2, 12));
    net_stored(&n, "w", DIMS(12, 10));
    net_op(&n, "MatMul", "x w", "y", NULL);
    m = net_model(&n, "y");
    for (int replicas = 2; replicas <= 6; replicas++) {
        const double bytes = 4 * 12 * 10;
        char strategy[100];
        tgs_graph *g;

        snprintf(strategy, sizeof strategy, "train sgd; loss mse; replicas %d reduce=ring",
                 replicas);
        g = lowered(m, strategy);
        assert_true(most_received(g, replicas) == 2 * (replicas - 1) * bytes / replicas);
        tgs_graph_free(g);
    }
    tgs_model_free(m);
}

/* y = ((x w0) w1) w2: gradients are made from the last one on */
static void gradients_are_summed_in_groups(void **state)
{
    static const struct {
        const char *strategy;
        int sums; /* of gradients over two replicas */
    } cases[] = {
        {"replicas 2", 3},
        {"replicas 2; merge", 1},
        {"replicas 2; merge 2", 2},
        {"replicas 2; merge 3", 3},
        {"replicas 2; merge ends=w2", 2},
        {"replicas 2; merge ends=w2,w1", 3},
    };
    net n = net_new();
    tgs_model *m;
    tgs_graph *g;
    tgs_strategy *s;
    tgs_error err;

    (void)state;
    net_input(&n, "x", DIMS(2, 4));
    net_stored(&n, "w0", DIMS(4, 4));
    net_stored(&n, "w1", DIMS(4, 4));
    net_stored(&n, "w2", DIMS(4, 4));
    net_op(&n, "MatMul", "x w0", "a", NULL);
    net_op(&n, "MatMul", "a w1", "b", NULL);
    net_op(&n, "MatMul", "b w2", "y", NULL);
    m = net_model(&n, "y");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char strategy[100];

        snprintf(strategy, sizeof strategy, "train sgd; loss mse; %s", cases[i].strategy);
        g = lowered(m, strategy);
        assert_int_equal(count_codelet(g, "sum"), cases[i].sums + 1); /* and of the loss */
        assert_int_equal(count_codelet(g, "sgd"), 3);
        tgs_graph_free(g);
    }
    /* the first message is there before the backward pass is over */
    g = lowered(m, "train sgd; loss mse; replicas 2; merge ends=w1");
    assert_task(g, "merged0.grad@r1",
                "concat axis=0 | R w2.grad.flat@r1, R w1.grad.flat@r1, W merged0.grad@r1");
    assert_task(g, "merged0.grad.reduce",
                "sum | R merged0.grad@r0, R merged0.grad@r1, W merged0.grad");
    assert_task(g, "w1.grad.merged.flat",
                "concat_bwd axis=0 offset=16 | R merged0.grad, W w1.grad.merged.flat");
    assert_task(g, "w1.update", "sgd lr=0.01 | RW w1, R w1.grad.merged");
    assert_task(g, "w0.update", "sgd lr=0.01 | RW w0, R w0.grad");
    tgs_graph_free(g);
    assert_int_equal(tgs_strategy_parse(&s, "merge ends=w0,w1; loss mse; replicas 2", &err), 0);
    assert_int_equal(tgs_model_lower(&g, m, s, &err), TGS_EINVAL);
    assert_non_null(strstr(err.text, "no gradient of 'w1' comes after"));
    tgs_strategy_free(s);
    tgs_model_free(m);
}

/* a copy has the flops, bytes and shapes of its size */
static void pieces_cost_what_their_size_does(void **state)
{
    tgs_model *m = mlp();
    tgs_graph *g = lowered(m, "train sgd; micro-batches 2 sizes=6,1; replicas 2");

    (void)state;
    assert_true(task_of(g, "h@r1.m0")->flops == 2 * 6 * 6 * 5 + 6 * 5);
    assert_true(task_of(g, "h@r1.m1")->flops == 2 * 1 * 6 * 5 + 1 * 5);
    assert_true(task_of(g, "h@r0.m0")->bytes == 4 * (6 * 6 + 6 * 5 + 5 + 6 * 5));
    assert_task(
        g, "loss@r0.m1",
        "softmax_xent scale=0.071428571428571425 | R y@r0.m1, R labels@r0.m1, W loss@r0.m1, "
        "W y.grad@r0.m1");
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* seconds that were measured for four samples */
static void measured_times_follow_the_size(void **state)
{
    net n = net_new();
    tgs_model *m;
    tgs_graph *g;
    int32_t in, out;

    (void)state;
    net_input(&n, "x", DIMS(4, 3));
    in = tgs_model_tensor(n.b, "x");
    out = tgs_model_tensor(n.b, "y");
    tgs_model_time(n.b, tgs_model_operator(n.b, "y", "Relu", NULL, 1, &in, 1, &out), NULL, 2, 4);
    m = net_model(&n, "y");
    g = lowered(m, "loss mse; micro-batches 3 sizes=2,4,6");
    assert_true(task_of(g, "y@m0")->work == 1);
    assert_true(task_of(g, "y@m1")->work == 2);
    assert_true(task_of(g, "y@m2")->work == 3);
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void what_does_not_add_up_is_refused(void **state)
{
    static const struct {
        const char *strategy, *what;
    } cases[] = {
        {"micro-batches 3 sizes=4,4", "3 numbers are wanted"},
        {"micro-batches 2 sizes=4,4,2", "2 numbers are wanted"},
        {"micro-batches 2 sizes=4,0", "no list"},
        {"micro-batches 2 sizes=4,x", "no list"},
        {"micro-batches 2 sizes=4,", "no list"},
        {"micro-batches 2 sizes=4,2 size=3", "exclude each other"},
        {"micro-batches 2 size=3", "their number follows"},
        {"micro-batches 1 sizes=3", "use 'batch'"},
        {"micro-batches 3; replicas 2 shares=5,2", "a share of 2 samples in 3 pieces"},
        {"micro-batches 2 sizes=3,1; replicas 2 shares=5,2", "exclude each other"},
        {"replicas 2 shares=5,2,1", "2 numbers are wanted"},
        {"replicas 1 shares=5", "one replica"},
        {"replicas 2 reduce=star", "no reduction 'star'"},
        {"replicas 2 groups=2", "go with each other"},
        {"replicas 2 reduce=hierarchical", "go with each other"},
    };
    tgs_model *m = mlp();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tgs_strategy *s;
        tgs_graph *g = NULL;
        tgs_error err = {TGS_OK, ""};

        assert_int_equal(tgs_strategy_parse(&s, cases[i].strategy, NULL), 0);
        assert_int_equal(tgs_model_lower(&g, m, s, &err), TGS_EINVAL);
        if (g || !strstr(err.text, cases[i].what))
            fail_msg("%s: '%s', not '%s'", cases[i].strategy, err.text, cases[i].what);
        tgs_strategy_free(s);
    }
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unequal_pieces_compute_what_the_batch_does),
        cmocka_unit_test(samples_weigh_the_same),
        cmocka_unit_test(gradients_are_summed_in_groups),
        cmocka_unit_test(a_ring_moves_what_the_formula_says),
        cmocka_unit_test(pieces_cost_what_their_size_does),
        cmocka_unit_test(measured_times_follow_the_size),
        cmocka_unit_test(what_does_not_add_up_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
