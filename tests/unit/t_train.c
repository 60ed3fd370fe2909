/* t_train.c -- a step in micro-batches and replicas computes what the whole batch does: run on the
 * serial backend with real kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"

enum { SAMPLES = 12, INPUTS = 6, CLASSES = 4, STEPS = 3 };

static tgs_model *classifier(int64_t batch)
{
    net n = net_new();

    net_input(&n, "x", DIMS(batch, INPUTS));
    net_stored(&n, "w", DIMS(INPUTS, 5));
    net_stored(&n, "b", DIMS(5));
    net_stored(&n, "v", DIMS(5, CLASSES));
    net_op(&n, "Gemm", "x w b", "h", NULL);
    net_op(&n, "Tanh", "h", "t", NULL);
    net_op(&n, "MatMul", "t v", "y", NULL);
    return net_model(&n, "y");
}

typedef struct result {
    float w[INPUTS * 5], b[5], v[5 * CLASSES], loss[STEPS];
} result;

/* the samples that a copy of the input sees, from its name: "x@r1.m2" */
static void bind_samples(tgs_run *r, const tgs_graph *g, int32_t replicas, int32_t pieces,
                         int64_t batch, float *x, int32_t *labels)
{
    for (int32_t i = 0; i < replicas; i++)
        for (int32_t j = 0; j < pieces; j++) {
            const int64_t first = (i * pieces + j) * batch;
            char suffix[40] = "", name[60];
            int32_t d;

            if (replicas > 1 && pieces > 1)
                snprintf(suffix, sizeof suffix, "@r%d.m%d", (int)i, (int)j);
            else if (replicas > 1)
                snprintf(suffix, sizeof suffix, "@r%d", (int)i);
            else if (pieces > 1)
                snprintf(suffix, sizeof suffix, "@m%d", (int)j);
            snprintf(name, sizeof name, "x%s", suffix);
            d = tgs_graph_find_datum(g, name);
            assert_true(d >= 0);
            assert_int_equal(tgs_run_bind(r, d, x + first * INPUTS, NULL), 0);
            snprintf(name, sizeof name, "labels%s", suffix);
            d = tgs_graph_find_datum(g, name);
            assert_true(d >= 0);
            assert_int_equal(tgs_run_bind(r, d, labels + first, NULL), 0);
        }
}

static void train(result *out, int32_t replicas, int32_t pieces, const char *strategy)
{
    const int64_t batch = SAMPLES / (replicas * pieces);
    tgs_model *m = classifier(batch);
    tgs_graph *g = lowered(m, strategy);
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_run *r;
    tgs_error err = {TGS_OK, ""};
    float x[SAMPLES * INPUTS];
    int32_t labels[SAMPLES];

    for (int i = 0; i < SAMPLES * INPUTS; i++)
        x[i] = (float)((i * 37) % 19 - 9) / 9;
    for (int i = 0; i < SAMPLES; i++)
        labels[i] = i % CLASSES;
    assert_int_equal(tgs_platform_parse(&p, "cpu:3", &err), 0);
    if (tgs_problem_new(&pb, g, p, NULL, "latbw", &err)
        || tgs_schedule_make(&s, pb, "heft", 1, &err)
        || tgs_run_open(&r, pb, s, NULL, "serial", &err))
        fail_msg("%s", err.text);
    bind_samples(r, g, replicas, pieces, batch, x, labels);
    for (int i = 0; i < STEPS; i++) {
        if (tgs_run_step(r, &err))
            fail_msg("%s", err.text);
        tgs_run_read(r, tgs_graph_find_datum(g, "loss"), &out->loss[i], NULL);
    }
    tgs_run_read(r, tgs_graph_find_datum(g, "w"), out->w, NULL);
    tgs_run_read(r, tgs_graph_find_datum(g, "b"), out->b, NULL);
    tgs_run_read(r, tgs_graph_find_datum(g, "v"), out->v, NULL);
    assert_int_equal(tgs_run_close(r, NULL, NULL), 0);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* norm of the difference against the norm of the reference */
static void assert_close(const float *x, const float *reference, int n, const char *what)
{
    double difference = 0, norm = 0;

    for (int i = 0; i < n; i++) {
        difference += ((double)x[i] - (double)reference[i]) * ((double)x[i] - (double)reference[i]);
        norm += (double)reference[i] * (double)reference[i];
    }
    if (!(norm > 0) || !(sqrt(difference) <= 1e-5 * sqrt(norm)))
        fail_msg("%s: off by %g of %g", what, sqrt(difference), sqrt(norm));
}

static const struct form {
    const char *strategy;
    int32_t replicas, pieces;
} forms[] = {
    {"micro-batches 3", 1, 3},
    {"micro-batches 6; accumulate tree", 1, 6},
    {"micro-batches 4; accumulate tree fan=3", 1, 4},
    {"replicas 2", 2, 1},
    {"replicas 3 tree=3", 3, 1},
    {"replicas 3; micro-batches 2", 3, 2},
    {"replicas 2; micro-batches 6; accumulate tree", 2, 6},
};

static void copies_compute_what_the_batch_does(const char *optimizer)
{
    result whole, parts;
    char strategy[200];

    train(&whole, 1, 1, optimizer);
    assert_true(whole.loss[STEPS - 1] < whole.loss[0]);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        snprintf(strategy, sizeof strategy, "%s; %s", optimizer, forms[i].strategy);
        train(&parts, forms[i].replicas, forms[i].pieces, strategy);
        assert_close(parts.loss, whole.loss, STEPS, strategy);
        assert_close(parts.w, whole.w, INPUTS * 5, strategy);
        assert_close(parts.b, whole.b, 5, strategy);
        assert_close(parts.v, whole.v, 5 * CLASSES, strategy);
    }
}

static void with_sgd(void **state)
{
    (void)state;
    copies_compute_what_the_batch_does("train sgd lr=0.5");
}

static void with_momentum(void **state)
{
    (void)state;
    copies_compute_what_the_batch_does("train momentum lr=0.2 mu=0.9");
}

static void with_adam(void **state)
{
    (void)state;
    copies_compute_what_the_batch_does("train adam lr=0.01 eps=1e-3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_sgd),
        cmocka_unit_test(with_momentum),
        cmocka_unit_test(with_adam),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
