/* t_slopes.c -- the gradients of a lowered step in double, against central differences of its loss:
 * what the kernels' own tests cannot see is how the backward pass puts them together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"

enum { MOST = 400 }; /* elements of a parameter */

typedef struct running {
    tgs_model *m;
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_run *r;
} running;

static running start(tgs_model *m, const char *strategy)
{
    running x = {.m = m, .g = lowered(m, strategy)};
    tgs_codelets *codelets;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_platform_parse(&x.p, "cpu:2", &err), 0);
    if (tgs_problem_new(&x.pb, x.g, x.p, NULL, "latbw", &err)
        || tgs_schedule_make(&x.s, x.pb, "heft", 1, &err)
        || tgs_run_open(&x.r, x.pb, x.s, NULL, "serial", &err))
        fail_msg("%s", err.text);
    assert_int_equal(tgs_codelets_new(&codelets, &err), 0);
    for (int32_t t = 0; t < x.g->v.tasks; t++) /* no task is left out of the computation */
        assert_non_null(tgs_task_kernel(codelets, &x.g->v, t, "cpu"));
    tgs_codelets_free(codelets);
    return x;
}

static void end(running *x)
{
    assert_int_equal(tgs_run_close(x->r, NULL, NULL), 0);
    tgs_schedule_free(x->s);
    tgs_problem_free(x->pb);
    tgs_platform_free(x->p);
    tgs_graph_free(x->g);
    tgs_model_free(x->m);
}

static void read_datum(running *x, const char *name, double *to)
{
    const int32_t d = tgs_graph_find_datum(x->g, name);

    if (d < 0)
        fail_msg("no datum %s", name);
    assert_int_equal(tgs_run_read(x->r, d, to, NULL), 0);
}

static double loss_with(running *x, int32_t parameter, double *value)
{
    tgs_error err = {TGS_OK, ""};
    double loss;

    if (tgs_run_bind(x->r, parameter, value, &err) || tgs_run_step(x->r, &err))
        fail_msg("%s", err.text);
    read_datum(x, "loss", &loss);
    return loss;
}

/* every element of a parameter is moved a little in both directions */
static void check_parameter(running *x, const tgs_tensor *t)
{
    const int32_t datum = tgs_graph_find_datum(x->g, t->name), n = (int32_t)tgs_elements(t);
    static double value[MOST]; /* bound until the run closes */
    double gradient[MOST], difference = 0, norm = 0;
    char name[80];

    assert_true(datum >= 0 && n <= MOST);
    read_datum(x, t->name, value);
    loss_with(x, datum, value);
    snprintf(name, sizeof name, "%s.grad", t->name);
    read_datum(x, name, gradient);
    for (int32_t i = 0; i < n; i++) {
        const double at = value[i], step = 1e-5;
        double slope;

        value[i] = at + step;
        slope = loss_with(x, datum, value);
        value[i] = at - step;
        slope = (slope - loss_with(x, datum, value)) / (2 * step);
        value[i] = at;
        difference += (slope - gradient[i]) * (slope - gradient[i]);
        norm += slope * slope;
    }
    loss_with(x, datum, value);
    if (!(norm > 0) || !(sqrt(difference) <= 1e-7 * sqrt(norm)))
        fail_msg("%s: off by %g of %g", t->name, sqrt(difference), sqrt(norm));
}

/* with a learning rate of 0 the parameters stay; smooth: no kinks near the values at hand */
static void check(net *n, const char *output, const char *strategy, int32_t parameters)
{
    running x = start(net_model(n, output), strategy);
    tgs_error err = {TGS_OK, ""};
    int32_t checked = 0;

    if (tgs_run_step(x.r, &err))
        fail_msg("%s", err.text);
    for (int32_t i = 0; i < x.m->v.tensors; i++)
        if (x.m->v.tensor[i].role == TGS_ROLE_PARAMETER) {
            check_parameter(&x, &x.m->v.tensor[i]);
            checked++;
        }
    assert_int_equal(checked, parameters);
    end(&x);
}

static void input(net *n, const char *name, const int64_t *dims)
{
    tgs_model_input(n->b, net_tensor(n, name, TGS_F64, dims));
}

static void stored(net *n, const char *name, const int64_t *dims)
{
    char init[60]; /* a seed of its own for each */

    snprintf(init, sizeof init, "random:%d:0.5", (int)name[0] * 7 + (int)name[1]);
    tgs_model_stored(n->b, net_tensor(n, name, TGS_F64, dims), init);
}

static void of_a_convolutional_net(void **state)
{
    net n = net_new();

    (void)state;
    input(&n, "x", DIMS(2, 2, 7, 6));
    stored(&n, "k1", DIMS(4, 2, 3, 3));
    stored(&n, "b1", DIMS(4));
    stored(&n, "k2", DIMS(6, 2, 2, 2));
    stored(&n, "w3", DIMS(5, 24));
    stored(&n, "c3", DIMS(5));
    net_op(&n, "Conv", "x k1 b1", "a", "pads=1,1,1,1");
    net_op(&n, "Tanh", "a", "b", NULL);
    net_op(&n, "AveragePool", "b", "c", "kernel_shape=2,2 strides=2,2 pads=0,0,1,0");
    net_op(&n, "Conv", "c k2", "d", "group=2 auto_pad=SAME_UPPER strides=2,1");
    net_op(&n, "Sigmoid", "d", "e", NULL);
    net_op(&n, "MaxPool", "e", "f", "kernel_shape=2,2 strides=2,2 ceil_mode=1");
    net_op(&n, "GlobalAveragePool", "e", "g", NULL);
    net_op(&n, "Flatten", "f", "h", "axis=1");
    net_op(&n, "Flatten", "g", "i", "axis=1");
    net_op(&n, "Add", "h h2", "j", NULL); /* [2,12] and [2,1] */
    net_op(&n, "MatMul", "i w4", "h2", NULL);
    stored(&n, "w4", DIMS(6, 1));
    net_op(&n, "Reshape", "j two", "k", NULL);
    net_integers(&n, "two", 2, (const int64_t[]){1, -1});
    net_op(&n, "Gemm", "k w3 c3", "y", "transB=1 alpha=0.5");
    check(&n, "y", "train sgd lr=0; loss xent", 6);
}

static void of_products_and_shared_weights(void **state)
{
    net n = net_new();

    (void)state;
    input(&n, "x", DIMS(3, 4));
    stored(&n, "a1", DIMS(5, 4));
    stored(&n, "b1", DIMS(3, 5));
    stored(&n, "w1", DIMS(5, 5));
    stored(&n, "s1", DIMS(2, 1, 5));
    net_op(&n, "Gemm", "a1 x c1t", "p", "transA=0 transB=1"); /* [5,3]: the weight comes first */
    stored(&n, "c1t", DIMS(5, 1));
    net_op(&n, "Gemm", "p b1 c2", "q", "transA=1 transB=1 alpha=2"); /* needs [5,3]^T = [3,5] */
    stored(&n, "c2", DIMS(3));
    net_op(&n, "MatMul", "q w5", "r", NULL); /* [3,3] x [3,5] */
    stored(&n, "w5", DIMS(3, 5));
    net_op(&n, "Tanh", "r", "t", NULL);
    net_op(&n, "MatMul", "t w1", "u", NULL);
    net_op(&n, "Sum", "u r c5", "v", NULL); /* r and w1 have several readers */
    stored(&n, "c5", DIMS(3, 5));
    net_op(&n, "MatMul", "v w1", "o", NULL);
    net_op(&n, "Add", "o s1", "z", NULL); /* broadcast to [2,3,5] */
    net_op(&n, "Softmax", "z", "y", "axis=-1");
    check(&n, "y", "train sgd lr=0; loss mse", 8);
}

static void of_micro_batches_and_replicas(void **state)
{
    net n = net_new();

    (void)state;
    input(&n, "x", DIMS(2, 3));
    stored(&n, "w1", DIMS(3, 4));
    stored(&n, "v1", DIMS(4, 2));
    net_op(&n, "MatMul", "x w1", "h", NULL);
    net_op(&n, "Sigmoid", "h", "s", NULL);
    net_op(&n, "Dropout", "s", "d", NULL);
    net_op(&n, "MatMul", "d v1", "y", NULL);
    check(&n, "y", "train adam lr=0; loss mse; micro-batches 3; replicas 2", 2);
}

static void of_normalised_channels(void **state)
{
    net n = net_new();
    const int32_t variance = net_tensor(&n, "var", TGS_F64, DIMS(5));

    (void)state;
    tgs_model_stored(n.b, variance, "constant:0.75");
    input(&n, "x", DIMS(2, 3, 4, 4));
    stored(&n, "k1", DIMS(2, 3, 1, 1));
    stored(&n, "s1", DIMS(5));
    stored(&n, "b1", DIMS(5));
    stored(&n, "mean", DIMS(5));
    net_op(&n, "Conv", "x k1", "a", NULL);
    net_op(&n, "Concat", "x a", "c", "axis=1"); /* as in a DenseNet */
    net_op(&n, "BatchNormalization", "c s1 b1 mean var", "d", "epsilon=0.01");
    net_op(&n, "Transpose", "d", "e", "perm=0,2,3,1");
    net_op(&n, "Tanh", "e", "f", NULL);
    net_op(&n, "Concat", "f e", "g", "axis=-1");
    net_op(&n, "Transpose", "g", "y", NULL);
    check(&n, "y", "train sgd lr=0; loss mse", 3);
}

/* before opset 13 a softmax took all dimensions from its axis on */
static void of_an_old_softmax(void **state)
{
    net n = net_new();

    (void)state;
    tgs_model_opset(n.b, 11);
    input(&n, "x", DIMS(2, 3, 4));
    stored(&n, "w1", DIMS(4, 4));
    net_op(&n, "MatMul", "x w1", "a", NULL);
    net_op(&n, "Softmax", "a", "b", "axis=1");
    net_op(&n, "MatMul", "b w2", "y", NULL);
    stored(&n, "w2", DIMS(4, 2));
    check(&n, "y", "train sgd lr=0; loss mse", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_convolutional_net),
        cmocka_unit_test(of_products_and_shared_weights),
        cmocka_unit_test(of_an_old_softmax),
        cmocka_unit_test(of_normalised_channels),
        cmocka_unit_test(of_micro_batches_and_replicas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
