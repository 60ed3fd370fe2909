/* t_compress.c -- transforms that change what operators cost: fewer bits or weights (P21), fused
 * gradients (Q1), parameters that move on (Q9), a trusted part of low rank (Q12). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "problem.h"
#include "machine.h"
#include "nets.h"
#include "running.h"
#include "steps.h"

/* x [rows, k] -> Gemm w [k, n] -> y */
static tgs_model *layer(int64_t rows, int64_t k, int64_t columns)
{
    net n = net_new();

    net_input(&n, "x", DIMS(rows, k));
    net_stored(&n, "w", DIMS(k, columns));
    net_op(&n, "Gemm", "x w", "y", NULL);
    return net_model(&n, "y");
}

static double flops_of(const tgs_graph *g)
{
    tgs_graph_stats s;

    assert_int_equal(tgs_graph_measure(g, &s, NULL), TGS_OK);
    return s.flops;
}

static double bytes_of(const tgs_graph *g, const char *datum)
{
    return tgs_graph_datum_bytes(g, tgs_graph_find_datum(g, datum));
}

/* ---- P21 (S20) ---- */

static void p21_low_rank(void **state)
{
    tgs_model *m = layer(1024, 1024, 1024);
    tgs_graph *whole = lowered(m, NULL), *factors = lowered(m, "low-rank 128");
    tgs_graph *turned = lowered(m, "low-rank 128 ops=none*,y; train sgd; loss sum");

    (void)state;
    assert_true(flops_of(factors) / flops_of(whole) == 0.25);
    assert_int_equal(factors->v.tasks, 2);
    assert_int_equal(count_phase(turned, TGS_PHASE_UPDATE), 2);
    tgs_graph_free(whole);
    tgs_graph_free(factors);
    tgs_graph_free(turned);
    tgs_model_free(m);
}

static void p21_bits(void **state)
{
    tgs_model *m = layer(64, 32, 16);
    tgs_graph *plain = lowered(m, NULL), *g = lowered(m, "cost ops=y bits=8 density=0.5");
    tgs_graph *one = lowered(m, "cost ops=y* bits=1");

    (void)state;
    assert_true(bytes_of(g, "y") == bytes_of(plain, "y") / 4);
    assert_true(bytes_of(g, "w") == bytes_of(plain, "w") / 4);
    assert_true(bytes_of(g, "x") == bytes_of(plain, "x")); /* somebody else's */
    assert_true(flops_of(g) == flops_of(plain) / 2);
    assert_true(bytes_of(one, "y") == bytes_of(plain, "y") / 32);
    tgs_graph_free(plain);
    tgs_graph_free(g);
    tgs_graph_free(one);
    tgs_model_free(m);
}

/* measured times of an operator shrink with its weights */
static void p21_times(void **state)
{
    net n = net_new();
    tgs_model *m;
    tgs_graph *g;

    (void)state;
    net_input(&n, "x", DIMS(4, 4));
    net_stored(&n, "w", DIMS(4, 4));
    net_op(&n, "MatMul", "x w", "y", NULL);
    tgs_model_time(n.b, 0, NULL, 8, 16);
    m = net_model(&n, "y");
    g = lowered(m, "cost density=0.25");
    assert_true(task_of(g, "y")->work == 2);
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* ---- Q1 (T1) ---- */

enum { PIECES = 32, ROWS = 500, INNER = 4, OUTER = 8 };

/* seconds of the tasks that make the gradient of w, by a roofline with 1 s a launch, and how many
 */
static double gradient_time(const tgs_graph *g, double rate, int32_t *tasks)
{
    char text[160];
    tgs_platform *p;
    tgs_problem *pb;
    double sum = 0;

    snprintf(
        text, sizeof text,
        "kind k flops=%.17g bandwidth=1e30 overhead=1\nmemory m\nprocessor p kind=k memory=m\n",
        rate);
    p = machine(text);
    pb = priced(g, p, "zero");
    *tasks = 0;
    for (int32_t t = 0; t < g->v.tasks; t++)
        if (g->v.task[t].phase == TGS_PHASE_BACKWARD
            && strncmp(tgs_graph_task_name(g, t), "loss", 4)) {
            sum += pb->v.time[t];
            ++*tasks;
        }
    tgs_problem_free(pb);
    tgs_platform_free(p);
    return sum;
}

/* B = 32 products and a sum, launch 1 and update work 0.1 each: 36.2 (and the sum's own work, which
 * the check leaves out) -> one of 4.2; 33 tasks -> 1 */
static void q1_fused_update(void **state)
{
    const double product = 2. * ROWS * INNER * OUTER, rate = product / 0.1;
    const double sums = (PIECES - 1) * INNER * OUTER / rate;
    tgs_model *m = layer(ROWS, INNER, OUTER);
    tgs_graph *apart = lowered(m, "train sgd; loss sum; micro-batches 32; accumulate tree 32");
    tgs_graph *fused = lowered(m, "train sgd; loss sum; micro-batches 32; accumulate tree 32; "
                                  "fuse-update-aggregate");
    int32_t tasks;
    double seconds = gradient_time(apart, rate, &tasks);

    (void)state;
    assert_int_equal(tasks, 33);
    assert_true(fabs(seconds - sums - 36.2) < 1e-9 && sums < 0.01);
    seconds = gradient_time(fused, rate, &tasks);
    assert_int_equal(tasks, 1);
    assert_true(fabs(seconds - 4.2) < 1e-9);
    tgs_graph_free(apart);
    tgs_graph_free(fused);
    tgs_model_free(m);
}

static double *after_a_step(const tgs_model *m, const char *strategy, const char *datum,
                            int64_t *count)
{
    running x;
    tgs_error err = {TGS_OK, ""};
    double *value;

    begin(&x, lowered(m, strategy));
    if (tgs_run_step(x.r, &err))
        fail_msg("%s: %s", strategy, err.text);
    value = result_of(&x, datum, count);
    end(&x);
    return value;
}

/* the sum of the products is the product of all rows, whatever the shape of the sum */
static void q1_same_numbers(void **state)
{
    static const char *const shape[] = {"", "; accumulate tree 3", "; replicas 2"};
    tgs_model *m = mlp();

    (void)state;
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        char plain[120], fused[160];
        int64_t count;
        double *a, *b;

        snprintf(plain, sizeof plain, "train sgd lr=0.5; loss mse; micro-batches 5%s", shape[i]);
        snprintf(fused, sizeof fused, "%s; fuse-update-aggregate", plain);
        for (int k = 0; k < 2; k++) {
            a = after_a_step(m, plain, k ? "w" : "v", &count);
            b = after_a_step(m, fused, k ? "w" : "v", &count);
            compare(b, a, count, fused);
            free(a);
            free(b);
        }
    }
    tgs_model_free(m);
}

/* ---- Q9 (T9) ---- */

/* w(t-1) = 1, w(t) = 3, horizon 1: 5 */
static void q9_extrapolation(void **state)
{
    tgs_builder *b = fresh();
    const int64_t one = 1;
    int64_t count;
    running x;
    double *w;
    tgs_error err = {TGS_OK, ""};

    (void)state;
    for (int32_t d = 0; d < 2; d++) {
        tgs_builder_datum(b, d ? "p" : "w", 4);
        tgs_builder_datum_shape(b, d, TGS_F32, 1, &one);
        tgs_builder_datum_set(b, d, "init", d ? "constant:1" : "constant:3");
    }
    tgs_builder_task(b, "t", "extrapolate", 1);
    tgs_builder_access(b, 0, 0, TGS_RW);
    tgs_builder_access(b, 0, 1, TGS_RW);
    begin(&x, finished(b));
    if (tgs_run_step(x.r, &err))
        fail_msg("%s", err.text);
    w = result_of(&x, "w", &count);
    assert_true(*w == 5);
    free(w);
    w = result_of(&x, "p", &count);
    assert_true(*w == 5);
    free(w);
    end(&x);
}

/* y = x a + z b, whose gradients are the same at every step */
static tgs_model *two_layers(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(3, 2));
    net_input(&n, "z", DIMS(3, 4));
    net_stored(&n, "a", DIMS(2, 5));
    net_stored(&n, "b", DIMS(4, 5));
    net_op(&n, "MatMul", "x a", "p", NULL);
    net_op(&n, "MatMul", "z b", "q", NULL);
    net_op(&n, "Add", "p q", "y", NULL);
    return net_model(&n, "y");
}

static double *after_steps(const tgs_model *m, const char *strategy, int32_t steps, int64_t *count)
{
    running x;
    tgs_error err = {TGS_OK, ""};
    double *value;

    begin(&x, lowered(m, strategy));
    for (int32_t i = 0; i < steps; i++)
        if (tgs_run_step(x.r, &err))
            fail_msg("%s", err.text);
    value = result_of(&x, "a", count);
    end(&x);
    return value;
}

/* in `steps` steps a parameter whose gradient is constant goes steps + floor(steps / every) of its
 * ways: a task of each layer moves it on floor(steps / every) times */
static void q9_period(void **state)
{
    static const int32_t every[] = {1, 2, 3, 7}, steps = 7;
    tgs_model *m = two_layers();
    int64_t count;
    double *one = after_steps(m, "train sgd lr=0.25; loss sum", 1, &count);
    double *two = after_steps(m, "train sgd lr=0.25; loss sum", 2, &count);

    (void)state;
    for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
        char text[80];
        double *w;

        snprintf(text, sizeof text, "train sgd lr=0.25; loss sum; extrapolate %d", every[i]);
        w = after_steps(m, text, steps, &count);
        for (int64_t k = 0; k < count; k++) {
            const double way = two[k] - one[k], start = one[k] - way;

            assert_true(fabs(w[k] - start - (steps + steps / every[i]) * way) < 1e-12);
        }
        free(w);
    }
    free(one);
    free(two);
    tgs_model_free(m);
}

/* a task for each layer, a copy of the parameters, and one more update on the critical path */
static void q9_shape(void **state)
{
    tgs_model *m = two_layers();
    tgs_graph *plain = lowered(m, "train sgd; loss sum");
    tgs_graph *g = lowered(m, "train sgd; loss sum; extrapolate");
    tgs_graph_stats a, b;

    (void)state;
    tgs_graph_measure(plain, &a, NULL);
    tgs_graph_measure(g, &b, NULL);
    assert_int_equal(b.tasks, a.tasks + 2);
    assert_int_equal(b.depth, a.depth + 1);
    assert_true(b.bytes == a.bytes + 4 * a.parameters);
    tgs_graph_free(plain);
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* ---- Q12 (T12) ---- */

enum { N = 64, K = 50, M = 200 };

/* the layer takes 20 s in the enclave and 1 s on the GPU; a transfer takes 0.5 s */
static tgs_platform *enclave(void)
{
    const double flops = 2. * N * K * M;
    char text[400];

    snprintf(text, sizeof text,
             "kind cpu flops=%.17g bandwidth=1e30\nkind gpu flops=%.17g bandwidth=1e30\n"
             "memory e trust=in\nmemory g\nprocessor c kind=cpu memory=e\n"
             "processor d kind=gpu memory=g\nlink e g latency=0.5 bandwidth=1e30\n"
             "link g e latency=0.5 bandwidth=1e30\n",
             flops / 20, flops);
    return machine(text);
}

static double best(const tgs_graph *g)
{
    tgs_platform *p = enclave();
    tgs_problem *pb = priced(g, p, "latbw");
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};
    double makespan;

    if (tgs_schedule_make(&s, pb, "bnb", 1, &err))
        fail_msg("%s", err.text);
    makespan = tgs_schedule_makespan(s);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    return makespan;
}

static void q12_trust_split(void **state)
{
    static const struct {
        const char *strategy;
        double makespan;
    } row[] = {
        {"trust in", 20}, {"trust-split in share=0.1", 3.2}, {"trust-split in share=0.2", 5.2}};
    tgs_model *m = layer(N, K, M);

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tgs_graph *g = lowered(m, row[i].strategy);

        if (fabs(best(g) - row[i].makespan) > 1e-9)
            fail_msg("%s: %.17g", row[i].strategy, best(g));
        tgs_graph_free(g);
    }
    tgs_model_free(m);
}

/* the GPU must not have the trusted product */
static void q12_is_checked(void **state)
{
    static const char *const on[] = {"d", "c"};
    tgs_model *m = layer(N, K, M);
    tgs_graph *g = lowered(m, "trust-split in");
    tgs_platform *p = enclave();
    tgs_problem *pb = priced(g, p, "latbw");
    tgs_error err = {TGS_OK, ""};

    (void)state;
    for (int i = 0; i < 2; i++) {
        char path[] = "/tmp/tgsched-enclave-XXXXXX.csv";
        FILE *f = fdopen(mkstemps(path, 4), "w");
        tgs_schedule *s;

        fprintf(f, "task,processor,start\ny.split,c,0\ny.trusted,%s,10\ny.rest,d,20\ny.join,c,40\n",
                on[i]);
        fclose(f);
        if (tgs_schedule_read(&s, path, pb, &err))
            fail_msg("%s", err.text);
        assert_int_equal(tgs_schedule_check(s, pb, &err), i ? TGS_OK : TGS_ECHECK);
        tgs_schedule_free(s);
        remove(path);
    }
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* only the rest of an activation, parameters and what is made of them are where anybody may be */
static void q12_nothing_leaks(void **state)
{
    tgs_model *m = mlp();
    tgs_graph *g = lowered(m, "train sgd; loss sum; trust-split in");

    (void)state;
    assert_int_equal(count_codelet(g, "low_rank_split"), 2);
    for (int32_t t = 0; t < g->v.tasks; t++) {
        const int32_t c = g->v.task[t].constraint;

        if (c >= 0 && g->v.constraint[c].trust)
            continue;
        for (int32_t a = g->v.access_at[t]; a < g->v.access_at[t + 1]; a++) {
            const int32_t d = g->v.access[a].datum;
            const char *name = tgs_graph_datum_name(g, d);
            const tgs_class k = (tgs_class)g->v.extra[g->v.datum[d].extra].class_;

            if (!strstr(name, ".rest") && k != TGS_CLASS_PARAMETER && k != TGS_CLASS_STATE
                && strcmp(name, "w.grad") && strcmp(name, "v.grad") && strcmp(name, "b.grad"))
                fail_msg("%s touches %s", tgs_graph_task_name(g, t), name);
        }
    }
    tgs_graph_free(g);
    tgs_model_free(m);
}

static tgs_model *image(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(2, 3, 6, 6));
    net_stored(&n, "k", DIMS(4, 3, 3, 3));
    net_stored(&n, "b", DIMS(4));
    net_stored(&n, "w", DIMS(64, 3));
    net_op(&n, "Conv", "x k b", "c", NULL);
    net_op(&n, "Tanh", "c", "r", NULL);
    net_op(&n, "Flatten", "r", "f", NULL);
    net_op(&n, "Gemm", "f w", "y", NULL);
    return net_model(&n, "y");
}

static void q12_same_numbers(void **state)
{
    tgs_model *m = image();
    int64_t count;
    double *a = after_a_step(m, NULL, "y", &count);

    (void)state;
    for (int i = 0; i < 3; i++) {
        static const char *const share[] = {"0.01", "0.3", "1"};
        char text[60];
        double *b;

        snprintf(text, sizeof text, "trust-split in share=%s", share[i]);
        b = after_a_step(m, text, "y", &count);
        compare(b, a, count, text);
        free(b);
    }
    free(a);
    tgs_model_free(m);
}

static void refusals(void **state)
{
    static const struct {
        const char *text, *what;
    } row[] = {
        {"low-rank 9 ops=w", "none is a product"},
        {"cost ops=w", "no operator"},
        {"trust-split in ops=w", "no linear operator"},
        {"trust-split", "a label"},
        {"low-rank 8", "more than 8"},
    };
    tgs_model *m = layer(8, 8, 8);

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tgs_strategy *s;
        tgs_graph *g;
        tgs_error err = {TGS_OK, ""};

        assert_int_equal(tgs_strategy_parse(&s, row[i].text, NULL), TGS_OK);
        if (tgs_model_lower(&g, m, s, &err) >= 0 || g || !strstr(err.text, row[i].what))
            fail_msg("%s: '%s'", row[i].text, err.text);
        tgs_strategy_free(s);
    }
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p21_low_rank),      cmocka_unit_test(p21_bits),
        cmocka_unit_test(p21_times),         cmocka_unit_test(q1_fused_update),
        cmocka_unit_test(q1_same_numbers),   cmocka_unit_test(q9_extrapolation),
        cmocka_unit_test(q9_period),         cmocka_unit_test(q9_shape),
        cmocka_unit_test(q12_trust_split),   cmocka_unit_test(q12_is_checked),
        cmocka_unit_test(q12_nothing_leaks), cmocka_unit_test(q12_same_numbers),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
