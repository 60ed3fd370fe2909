/* t_lenet.c -- the gradient that a lowered training step gives each parameter of a small LeNet,
 * against central differences of its loss: the model's rules, the lowering, the codelets and the
 * serial backend together, in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"
#include "internal.h"

enum { BATCH = 2, CLASSES = 3, MOST = 32 };

/* 10x10 images: two convolutions and pools, three dense layers, every activation */
static tgs_model *lenet(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(BATCH, 1, 10, 10));
    net_stored(&n, "conv1.w", DIMS(2, 1, 3, 3));
    net_stored(&n, "conv1.b", DIMS(2));
    net_stored(&n, "conv2.w", DIMS(4, 2, 2, 2));
    net_stored(&n, "conv2.b", DIMS(4));
    net_stored(&n, "fc1.w", DIMS(16, 6));
    net_stored(&n, "fc1.b", DIMS(6));
    net_stored(&n, "fc2.w", DIMS(5, 6));
    net_stored(&n, "fc2.b", DIMS(5));
    net_stored(&n, "fc3.w", DIMS(5, CLASSES));
    net_stored(&n, "fc3.b", DIMS(CLASSES));
    net_op(&n, "Conv", "x conv1.w conv1.b", "c1", "pads=1,1,1,1");
    net_op(&n, "Tanh", "c1", "t1", NULL);
    net_op(&n, "AveragePool", "t1", "p1", "kernel_shape=2,2 strides=2,2");
    net_op(&n, "Conv", "p1 conv2.w conv2.b", "c2", NULL);
    net_op(&n, "Tanh", "c2", "t2", NULL);
    net_op(&n, "MaxPool", "t2", "p2", "kernel_shape=2,2 strides=2,2");
    net_op(&n, "Flatten", "p2", "f", "axis=1");
    net_op(&n, "Gemm", "f fc1.w fc1.b", "g1", NULL);
    net_op(&n, "Sigmoid", "g1", "s", NULL);
    net_op(&n, "Gemm", "s fc2.w fc2.b", "g2", "transB=1");
    net_op(&n, "Relu", "g2", "r", NULL);
    net_op(&n, "MatMul", "r fc3.w", "m", NULL);
    net_op(&n, "Add", "m fc3.b", "y", NULL);
    return net_model(&n, "y");
}

/* the same graph with float64 data, of which none has an initial value */
static tgs_graph *in_double(const tgs_graph_view *g)
{
    tgs_builder *b;
    tgs_graph *wide;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    for (int32_t d = 0; d < g->data; d++) {
        const tgs_datum_extra *x = &g->extra[g->datum[d].extra];

        tgs_builder_datum(b, tgs_datum_name(g, d, TGS_ROOM), 0);
        tgs_builder_datum_shape(b, d, x->dtype == TGS_F32 ? TGS_F64 : (tgs_dtype)x->dtype, x->rank,
                                g->dim + x->dims);
        tgs_builder_datum_set(b, d, "persistent", x->persistent ? "1" : "0");
    }
    for (int32_t t = 0; t < g->tasks; t++) {
        tgs_builder_task(b, tgs_task_name(g, t, TGS_ROOM), tgs_task_codelet(g, t), 1e-3);
        tgs_builder_task_attrs(b, t, tgs_text(g, g->task[t].attrs));
    }
    for (int32_t i = 0; i < g->tasks; i++)
        for (int32_t a = g->access_at[g->topo[i]]; a < g->access_at[g->topo[i] + 1]; a++)
            tgs_builder_access(b, g->topo[i], (int32_t)g->access[a].datum,
                               (tgs_mode)g->access[a].mode);
    if (tgs_builder_finish(&wide, b, &err))
        fail_msg("%s", err.text);
    return wide;
}

typedef struct training {
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_run *r;
    int32_t loss, parameters, parameter[MOST];
    int64_t count[MOST];
    double *value[MOST]; /* bound */
    double x[BATCH * 100];
    int32_t labels[BATCH];
} training;

static void open_training(training *v, tgs_graph *g, tgs_rng *rng)
{
    tgs_error err = {TGS_OK, ""};

    *v = (training){.g = g, .labels = {0, 2}};
    assert_int_equal(tgs_platform_parse(&v->p, "cpu:1", NULL), TGS_OK);
    assert_int_equal(tgs_problem_new(&v->pb, g, v->p, NULL, "latbw", NULL), TGS_OK);
    assert_int_equal(tgs_schedule_make(&v->s, v->pb, "heft", 1, NULL), TGS_OK);
    if (tgs_run_open(&v->r, v->pb, v->s, NULL, "serial", &err))
        fail_msg("%s", err.text);
    v->loss = tgs_graph_find_datum(g, "loss");
    for (int i = 0; i < BATCH * 100; i++)
        v->x[i] = tgs_rng_real(rng);
    assert_int_equal(tgs_run_bind(v->r, tgs_graph_find_datum(g, "x"), v->x, NULL), TGS_OK);
    if (tgs_graph_find_datum(g, "labels") >= 0)
        assert_int_equal(tgs_run_bind(v->r, tgs_graph_find_datum(g, "labels"), v->labels, NULL),
                         TGS_OK);
    for (int32_t d = 0; d < g->v.data; d++) {
        const tgs_datum_extra *x = &g->v.extra[g->v.datum[d].extra];
        const int32_t i = v->parameters;

        if (!x->persistent)
            continue;
        assert_true(i < MOST && x->dtype == TGS_F64);
        v->parameter[i] = d;
        v->count[i] = (int64_t)g->v.datum[d].bytes / 8;
        v->value[i] = malloc((size_t)v->count[i] * sizeof *v->value[i]);
        for (int64_t j = 0; j < v->count[i]; j++)
            v->value[i][j] = 1.2 * tgs_rng_real(rng) - 0.5;
        v->parameters++;
    }
}

/* the loss of one step from the bound parameters, which the step does not change */
static double loss_of(training *v)
{
    double loss;
    tgs_error err = {TGS_OK, ""};

    for (int32_t i = 0; i < v->parameters; i++) /* persistent: bound anew for each step */
        assert_int_equal(tgs_run_bind(v->r, v->parameter[i], v->value[i], NULL), TGS_OK);
    if (tgs_run_step(v->r, &err))
        fail_msg("%s", err.text);
    assert_int_equal(tgs_run_read(v->r, v->loss, &loss, NULL), TGS_OK);
    return loss;
}

static void close_training(training *v)
{
    assert_int_equal(tgs_run_close(v->r, NULL, NULL), TGS_OK);
    for (int32_t i = 0; i < v->parameters; i++)
        free(v->value[i]);
    tgs_schedule_free(v->s);
    tgs_problem_free(v->pb);
    tgs_platform_free(v->p);
    tgs_graph_free(v->g);
}

/* with lr=1 the step of a parameter is its gradient */
static void check_parameter(training *v, int32_t i)
{
    const double h = 1e-6;
    double *after = malloc((size_t)v->count[i] * sizeof *after), error = 0, norm = 0;

    loss_of(v);
    assert_int_equal(tgs_run_read(v->r, v->parameter[i], after, NULL), TGS_OK);
    for (int64_t j = 0; j < v->count[i]; j++) {
        const double at = v->value[i][j], gradient = at - after[j];
        double up, down;

        v->value[i][j] = at + h;
        up = loss_of(v);
        v->value[i][j] = at - h;
        down = loss_of(v);
        v->value[i][j] = at;
        error += pow((up - down) / (2 * h) - gradient, 2);
        norm += gradient * gradient;
    }
    if (!(norm > 0 && sqrt(error) <= 1e-6 * sqrt(norm)))
        fail_msg("gradient of %s is off by %g of %g", tgs_graph_datum_name(v->g, v->parameter[i]),
                 sqrt(error), sqrt(norm));
    free(after);
}

/* nothing is synthetic */
static void assert_all_real(const tgs_graph *g)
{
    tgs_codelets *set;

    assert_int_equal(tgs_codelets_new(&set, NULL), TGS_OK);
    for (int32_t t = 0; t < g->v.tasks; t++)
        if (!tgs_task_kernel(set, &g->v, t, "cpu"))
            fail_msg("no kernel for %s", tgs_task_codelet(&g->v, t));
    tgs_codelets_free(set);
}

static void check_strategy(const char *strategy)
{
    tgs_model *m = lenet();
    tgs_graph *g = lowered(m, strategy);
    training v;
    tgs_rng rng;

    tgs_rng_seed(&rng, 3);
    open_training(&v, in_double(&g->v), &rng);
    assert_int_equal(v.parameters, 10);
    assert_all_real(v.g);
    for (int32_t i = 0; i < v.parameters; i++)
        check_parameter(&v, i);
    close_training(&v);
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void test_cross_entropy(void **state)
{
    (void)state;
    check_strategy("train sgd lr=1; loss xent");
}

static void test_sum(void **state)
{
    (void)state;
    check_strategy("train sgd lr=1; loss sum");
}

/* the models of the demo: every task of a training step has a kernel that takes its shapes */
static void test_shipped_models(void **state)
{
    static const char *const names[] = {"mlp.onnx", "lenet.onnx", "mnist-8.onnx"};
    static const char *const strategies[] = {"train sgd lr=0.1; loss xent",
                                             "train momentum lr=0.1; loss xent; micro-batches 2",
                                             "train adam; loss xent; replicas 2 tree=2"};
    tgs_error err = {TGS_OK, ""};
    char path[600];

    (void)state;
    for (int i = 0; i < 9; i++) {
        tgs_model *m = NULL;
        training v = {0};
        tgs_status status;

        snprintf(path, sizeof path, "%s/tests/data/onnx/%s", getenv("TGS_SRCDIR"), names[i / 3]);
        status = tgs_model_read(&m, path, "onnx", i / 3 < 2 ? "batch=4" : NULL, &err);
        if (status == TGS_EBACKEND || status == TGS_ENOTFOUND) {
            print_message("no reader of ONNX here: %s\n", err.text);
            skip();
        }
        if (status)
            fail_msg("%s", err.text);
        v.g = lowered(m, strategies[i % 3]);
        assert_all_real(v.g);
        assert_int_equal(tgs_platform_parse(&v.p, "cpu:2", NULL), TGS_OK);
        assert_int_equal(tgs_problem_new(&v.pb, v.g, v.p, NULL, "latbw", NULL), TGS_OK);
        assert_int_equal(tgs_schedule_make(&v.s, v.pb, "heft", 1, NULL), TGS_OK);
        if (tgs_run_open(&v.r, v.pb, v.s, NULL, "serial", &err))
            fail_msg("%s, %s: %s", path, strategies[i % 3], err.text);
        close_training(&v);
        tgs_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cross_entropy),
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_shipped_models),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
