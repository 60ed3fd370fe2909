/* t_merge.c -- models of one architecture merged operator by operator (T18): the outputs are those
 * of separate runs, the figures are those of Q18, and what is not of one architecture is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdlib.h>
#include <cmocka.h>
#include "internal.h"
#include "machine.h"
#include "nets.h"
#include "running.h"
#include "steps.h"

enum { COPIES = 3 };

/* ---- networks ---- */

static tgs_model *products(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(8, 16));
    net_stored(&n, "a", DIMS(16, 16));
    net_stored(&n, "b", DIMS(16, 16));
    net_stored(&n, "c", DIMS(16, 16));
    net_op(&n, "MatMul", "x a", "p", NULL);
    net_op(&n, "MatMul", "p b", "q", NULL);
    net_op(&n, "MatMul", "q c", "y", NULL);
    return net_model(&n, "y");
}

/* convolutions (one in groups, one of another branch), normalisation, pools, a residual sum, and a
 * classifier with bias */
static tgs_model *convolutions(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(2, 4, 9, 9));
    net_stored(&n, "k1", DIMS(6, 4, 3, 3));
    net_stored(&n, "b1", DIMS(6));
    net_stored(&n, "k2", DIMS(6, 3, 3, 3));
    net_stored(&n, "scale", DIMS(6));
    net_stored(&n, "shift", DIMS(6));
    net_stored(&n, "mean", DIMS(6));
    net_stored(&n, "k3", DIMS(6, 6, 1, 1));
    net_stored(&n, "w", DIMS(96, 5));
    net_stored(&n, "v", DIMS(5));
    net_op(&n, "Conv", "x k1 b1", "c", "pads=1,1,1,1");
    net_op(&n, "Relu", "c", "r", NULL);
    net_op(&n, "Conv", "r k2", "d", "group=2 pads=1,1,1,1");
    net_op(&n, "BatchNormalization", "d scale shift mean b1", "e", "epsilon=2");
    net_op(&n, "Conv", "r k3", "f", NULL);
    net_op(&n, "Add", "e f", "g", NULL);
    net_op(&n, "Tanh", "g", "h", NULL);
    net_op(&n, "MaxPool", "h", "i", "kernel_shape=2,2 strides=2,2");
    net_op(&n, "Flatten", "i", "j", NULL);
    net_op(&n, "Gemm", "j w v", "y", "alpha=0.5 beta=2");
    return net_model(&n, "y");
}

/* attention of two heads with transposed products, softmax and a transposed classifier */
static tgs_model *attention(void)
{
    static const int64_t heads[] = {2, 5, 2, 3}, joined[] = {2, 5, 6};
    net n = net_new();

    net_input(&n, "x", DIMS(2, 5, 6));
    net_stored(&n, "wq", DIMS(6, 6));
    net_stored(&n, "wk", DIMS(6, 6));
    net_stored(&n, "bias", DIMS(6));
    net_stored(&n, "wo", DIMS(4, 30));
    net_integers(&n, "heads", 4, heads);
    net_integers(&n, "joined", 3, joined);
    net_op(&n, "MatMul", "x wq", "q0", NULL);
    net_op(&n, "Add", "q0 bias", "q1", NULL);
    net_op(&n, "Reshape", "q1 heads", "q2", NULL);
    net_op(&n, "Transpose", "q2", "q", "perm=0,2,1,3");
    net_op(&n, "MatMul", "x wk", "k0", NULL);
    net_op(&n, "Reshape", "k0 heads", "k1", NULL);
    net_op(&n, "Transpose", "k1", "k", "perm=0,2,3,1");
    net_op(&n, "Transpose", "k1", "v", "perm=0,2,1,3");
    net_op(&n, "MatMul", "q k", "s", NULL);
    net_op(&n, "Softmax", "s", "a", "axis=-1");
    net_op(&n, "MatMul", "a v", "o", NULL);
    net_op(&n, "Transpose", "o", "p", "perm=0,2,1,3");
    net_op(&n, "Reshape", "p joined", "z", NULL);
    net_op(&n, "Concat", "z x", "t", "axis=-1");
    net_op(&n, "Sigmoid", "z", "u", NULL);
    net_op(&n, "Flatten", "u", "f", NULL);
    net_op(&n, "Gemm", "f wo", "y", "transB=1");
    return net_model(&n, "y t");
}

/* ---- runs ---- */

static double *element_source(int64_t count)
{
    double *x = malloc((size_t)count * sizeof *x);

    for (int64_t i = 0; i < count; i++)
        x[i] = (double)((i * 37 + 11) % 101) / 101 - 0.5;
    return x;
}

static tgs_model *several(tgs_model *(*make)(void), int32_t count)
{
    tgs_model *m[8] = {NULL}, *all;
    tgs_error err = {TGS_OK, ""};

    for (int32_t i = 0; i < count; i++)
        m[i] = make();
    if (tgs_model_union(&all, (const tgs_model *const *)m, count, &err))
        fail_msg("%s", err.text);
    for (int32_t i = 0; i < count; i++)
        tgs_model_free(m[i]);
    return all;
}

/* copy c's values of x, where the merged model wants them */
static void place(const tgs_graph *merged, const tgs_tensor *x, int32_t c, const float *from,
                  float *to)
{
    const tgs_datum_extra *e = extra_of(merged, "x");
    const int64_t n = (int64_t)tgs_elements(x), sample = n / x->dim[0];

    for (int64_t i = 0; i < n; i++)
        to[e->rank > x->rank ? c * n + i : (i / sample * COPIES + c) * sample + i % sample] =
            from[i];
}

static void run_both(tgs_model *(*make)(void), const char *const *outputs)
{
    tgs_model *one = make(), *all = several(make, COPIES);
    const tgs_tensor *x = tensor_of(one, "x");
    const int64_t n = (int64_t)tgs_elements(x);
    double *source = element_source(n * COPIES);
    float *part = malloc((size_t)n * sizeof *part), *whole = malloc(COPIES * (size_t)n * 4);
    running apart, merged;
    tgs_error err = {TGS_OK, ""};

    begin(&apart, lowered(all, NULL));
    begin(&merged, lowered(all, "merge-models"));
    for (int32_t c = 0; c < COPIES; c++) {
        char name[8];

        for (int64_t i = 0; i < n; i++)
            part[i] = (float)source[c * n + i];
        snprintf(name, sizeof name, "%d.x", c);
        give(&apart, name, part, n);
        place(merged.g, x, c, part, whole);
    }
    give(&merged, "x", whole, COPIES * n);
    if (tgs_run_step(apart.r, &err) || tgs_run_step(merged.r, &err))
        fail_msg("%s", err.text);
    for (; *outputs; outputs++) {
        int64_t count, all_count;
        double *got = result_of(&merged, *outputs, &all_count);

        for (int32_t c = 0; c < COPIES; c++) {
            char name[16];
            double *want;

            snprintf(name, sizeof name, "%d.%s", c, *outputs);
            want = result_of(&apart, name, &count);
            assert_int_equal(count * COPIES, all_count);
            compare(got + c * count, want, count, name);
            free(want);
        }
        free(got);
    }
    end(&apart);
    end(&merged);
    free(source);
    free(part);
    free(whole);
    tgs_model_free(one);
    tgs_model_free(all);
}

static void same_outputs(void **state)
{
    (void)state;
    run_both(products, (const char *const[]){"y", NULL});
    run_both(convolutions, (const char *const[]){"y", NULL});
    run_both(attention, (const char *const[]){"y", "t", NULL});
}

/* ---- Q18 ---- */

static double serial_time(const tgs_graph *g, double rate)
{
    char text[160];
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};
    double makespan;

    snprintf(text, sizeof text,
             "kind k flops=%.17g bandwidth=1e30 overhead=2 least=1\nmemory m\n"
             "processor p kind=k memory=m\n",
             rate);
    p = machine(text);
    pb = priced(g, p, "zero");
    if (tgs_schedule_make(&s, pb, "heft", 1, &err))
        fail_msg("%s", err.text);
    makespan = tgs_schedule_makespan(s);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    return makespan;
}

/* M = 4 models of L = 3 products, launch 2, compute 1 s: 36 -> 9 when one fills a quarter of the
 * device, 36 -> 18 when it fills it; L nodes, and the weights of all */
static void q18_netfuse(void **state)
{
    const double flops = 2 * 8 * 16 * 16;
    tgs_model *all = several(products, 4);
    tgs_graph *apart = lowered(all, NULL), *merged = lowered(all, "merge-models");
    tgs_graph_stats a, b;

    (void)state;
    assert_int_equal(apart->v.tasks, 12);
    assert_int_equal(merged->v.tasks, 3);
    tgs_graph_measure(apart, &a, NULL);
    tgs_graph_measure(merged, &b, NULL);
    assert_true(a.parameters == b.parameters && a.parameters == 4 * 3 * 256);
    assert_true(a.flops == b.flops && a.bytes == b.bytes);
    assert_true(serial_time(apart, 4 * flops) == 36 && serial_time(merged, 4 * flops) == 9);
    assert_true(serial_time(apart, flops) == 36 && serial_time(merged, flops) == 18);
    tgs_graph_free(apart);
    tgs_graph_free(merged);
    tgs_model_free(all);
}

/* copies of one model are what several of it are */
static void copies_of_one(void **state)
{
    tgs_model *one = convolutions(), *all = several(convolutions, 3);
    tgs_graph *a = lowered(one, "merge-models 3"), *b = lowered(all, "merge-models");

    (void)state;
    assert_true(tgs_graph_fingerprint(a) == tgs_graph_fingerprint(b));
    tgs_graph_free(a);
    tgs_graph_free(b);
    tgs_model_free(one);
    tgs_model_free(all);
}

static int32_t of_codelet(const tgs_graph *g, const char *codelet)
{
    return count_codelet(g, codelet);
}

/* values are turned where they must be, and nowhere else: here once, before the classifier; the
 * input is taken as the convolutions want it */
static void few_turns(void **state)
{
    tgs_model *one = convolutions();
    tgs_graph *g = lowered(one, "merge-models 3"), *plain = lowered(one, NULL);

    (void)state;
    assert_int_equal(of_codelet(g, "transpose"), 1);
    assert_int_equal(extra_of(g, "x")->rank, 4);
    assert_int_equal(g->v.dim[extra_of(g, "x")->dims + 1], 12);
    assert_int_equal(extra_of(g, "y")->rank, 3);
    assert_int_equal(of_codelet(g, "conv"), of_codelet(plain, "conv"));
    assert_int_equal(of_codelet(g, "batchnormalization"), 1);
    tgs_graph_free(g);
    tgs_graph_free(plain);
    tgs_model_free(one);
}

/* what trains apart trains merged: as many parameters and updates of as many elements */
static void steps_of_training(void **state)
{
    tgs_model *one = attention();
    tgs_graph *g = lowered(one, "merge-models 3; train sgd; loss sum");
    tgs_graph *plain = lowered(one, "train sgd; loss sum");

    (void)state;
    assert_int_equal(count_phase(g, TGS_PHASE_UPDATE), count_phase(plain, TGS_PHASE_UPDATE));
    assert_true(task_of(g, "wo.update")->flops == 3 * task_of(plain, "wo.update")->flops);
    tgs_graph_free(g);
    tgs_graph_free(plain);
    tgs_model_free(one);
}

/* networks of the zoo */
static void zoo(void **state)
{
    static const char *const spec[] = {"zoo:mlp", "zoo:resnet18:batch=2",
                                       "zoo:mobilenet-v2:batch=2", "zoo:vgg16:batch=1",
                                       "zoo:bert-base:batch=2:seq=8:layers=2"};

    (void)state;
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        tgs_model *m;
        tgs_error err = {TGS_OK, ""};
        tgs_graph_stats a, b;
        tgs_graph *g, *one;

        if (tgs_model_read(&m, spec[i], NULL, NULL, &err))
            fail_msg("%s", err.text);
        g = lowered(m, "merge-models 4");
        one = lowered(m, NULL);
        tgs_graph_measure(g, &a, NULL);
        tgs_graph_measure(one, &b, NULL);
        if (a.parameters != 4 * b.parameters)
            fail_msg("%s: %g parameters, %g alone", spec[i], a.parameters, b.parameters);
        assert_true(a.tasks < 2 * b.tasks);
        tgs_graph_free(g);
        tgs_graph_free(one);
        tgs_model_free(m);
    }
}

static tgs_model *narrow(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(8, 16));
    net_stored(&n, "a", DIMS(16, 4));
    net_op(&n, "MatMul", "x a", "y", NULL);
    return net_model(&n, "y");
}

static tgs_model *other(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(8, 16));
    net_stored(&n, "a", DIMS(16, 4));
    net_op(&n, "MatMul", "x a", "z", NULL);
    net_op(&n, "Relu", "z", "y", NULL);
    return net_model(&n, "y");
}

static tgs_model *wide(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(8, 16));
    net_stored(&n, "a", DIMS(16, 5));
    net_op(&n, "MatMul", "x a", "y", NULL);
    return net_model(&n, "y");
}

static tgs_model *unruled(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(1, 8, 4, 4));
    net_op(&n, "LRN", "x", "y", "size=3");
    return net_model(&n, "y");
}

static void refuses(tgs_model *a, tgs_model *b, const char *text, const char *what)
{
    const tgs_model *both[] = {a, b};
    tgs_model *all = a;
    tgs_strategy *s;
    tgs_graph *g = NULL;
    tgs_error err = {TGS_OK, ""};

    if (b && tgs_model_union(&all, both, 2, &err))
        fail_msg("%s", err.text);
    assert_int_equal(tgs_strategy_parse(&s, text, NULL), TGS_OK);
    assert_true(tgs_model_lower(&g, all, s, &err) < 0);
    assert_null(g);
    if (!strstr(err.text, what))
        fail_msg("'%s', not '%s'", err.text, what);
    tgs_strategy_free(s);
    if (b) {
        tgs_model_free(all);
        tgs_model_free(b);
    }
    tgs_model_free(a);
}

static void refusals(void **state)
{
    (void)state;
    refuses(narrow(), other(), "merge-models", "differ in their operators");
    refuses(narrow(), wide(), "merge-models", "differ in their shapes");
    refuses(narrow(), NULL, "merge-models", "one model alone");
    refuses(narrow(), narrow(), "merge-models 2", "2 models already");
    refuses(unruled(), NULL, "merge-models 2", "node 'y' (LRN): it cannot be merged");
}

/* the initial value that is made of parts */
static void parts_of_a_value(void **state)
{
    static const struct {
        const char *init;
        bool good;
    } row[] = {
        {"join:2:4:zero10:constant:7", true},
        {"join:2:4:zero10:constant:", false},
        {"join:0:", false},
        {"join:2:4:zero", false},
        {"join:1:4:zero4:zero", false},
        {"join:1:99:zero", false},
        {"join:1:15:join:1:4:zero!!", false},
        {"join:2:13:join:1:4:zero6:file:x", false},
        {"join:2:13:join:1:4:zero14:random:3:0.001", true},
    };
    tgs_builder *b;
    tgs_graph *g;
    float value[6];
    int32_t d;

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        b = fresh();
        d = tgs_builder_datum(b, "d", 24);
        if ((tgs_builder_datum_set(b, d, "init", row[i].init) == TGS_OK) != row[i].good)
            fail_msg("%s", row[i].init);
        tgs_builder_free(b);
    }
    b = fresh();
    d = tgs_builder_datum(b, "d", 24);
    tgs_builder_datum_set(b, d, "init", "join:3:10:constant:713:values:1.5,-24:zero");
    tgs_builder_task(b, "t", NULL, 1);
    tgs_builder_access(b, 0, d, TGS_R);
    g = finished(b);
    assert_int_equal(tgs_datum_fill(&g->v, 0, value, NULL), TGS_OK);
    assert_true(value[0] == 7 && value[1] == 7 && value[2] == 1.5f && value[3] == -2
                && value[4] == 0 && value[5] == 0);
    tgs_graph_free(g);
    b = fresh();
    d = tgs_builder_datum(b, "d", 16); /* four in three parts */
    tgs_builder_datum_set(b, d, "init", "join:3:4:zero4:zero4:zero");
    tgs_builder_task(b, "t", NULL, 1);
    tgs_builder_access(b, 0, d, TGS_R);
    g = finished(b);
    assert_int_equal(tgs_datum_fill(&g->v, 0, value, NULL), TGS_EINVAL);
    tgs_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_value),
        cmocka_unit_test(same_outputs),
        cmocka_unit_test(q18_netfuse),
        cmocka_unit_test(copies_of_one),
        cmocka_unit_test(few_turns),
        cmocka_unit_test(steps_of_training),
        cmocka_unit_test(zoo),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
