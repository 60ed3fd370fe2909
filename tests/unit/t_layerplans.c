/* t_layerplans.c -- planners that choose among transforms of layers: layer-merge (S8, P15) and
 * split-products (S1, P10), netfuse (T18, Q18), trust-split (T12, Q12), secure-edge (S4, P18). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>
#include "fixture.h"
#include "nets.h"

#define NEAR(a, b) assert_true(fabs((double)(a) - (b)) <= 1e-6 * (1 + fabs((double)(b))))

/* like devices but for their speeds, between which nothing takes time */
static tgs_platform *machine(int n, const double *speed)
{
    char text[20000] = "kind k flops=1e12 bandwidth=1e30\n", *at = text + strlen(text);

    for (int i = 0; i < n; i++)
        at += sprintf(at, "memory m%d\nprocessor p%d kind=k memory=m%d speed=%g\n", i, i, i,
                      speed ? speed[i] : 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j)
                at += sprintf(at, "link m%d m%d latency=0 bandwidth=1e30\n", i, j);
    return fixture_platform(text);
}

static tgs_proposal *planned(const tgs_model *m, const tgs_platform *p, const char *spec,
                             tgs_error *err)
{
    const tgs_plan_input in = {.model = &m, .models = 1, .platform = p};
    tgs_proposal *out;

    *err = (tgs_error){TGS_OK, ""};
    if (tgs_planner_make(&out, &in, spec, err))
        assert_null(out);
    return out;
}

static tgs_proposal *must(const tgs_model *m, const tgs_platform *p, const char *spec)
{
    tgs_error err;
    tgs_proposal *out = planned(m, p, spec, &err);

    if (!out)
        fail_msg("%s: %s", spec, err.text);
    return out;
}

/* a chain of layers that take so many seconds, forward and backward together */
static tgs_model *layers(int n, const int *seconds)
{
    char text[2000] = "", *at = text, *path;
    tgs_error err = {TGS_OK, ""};
    tgs_model *m;

    for (int i = 0; i < n; i++)
        at += sprintf(at,
                      "node%d -- L%d -- forward_compute_time=%g, backward_compute_time=%g, "
                      "activation_size=4.0, parameter_size=4.0\n",
                      i + 1, i, 400. * seconds[i], 600. * seconds[i]);
    for (int i = 1; i < n; i++)
        at += sprintf(at, "\tnode%d -- node%d\n", i, i + 1);
    path = fixture_file(text);
    if (tgs_model_read(&m, path, "pipedream", NULL, &err))
        fail_msg("%s", err.text);
    unlink(path);
    free(path);
    return m;
}

/* costs 4,2,3,5,1: the longest of two blocks is 9, of three 6, where blocks that close at their
 * share of what is left take 9 and 8; the speed-up is at most 15/6 */
static void p15(void **state)
{
    static const int costs[] = {4, 2, 3, 5, 1}, other[] = {5, 1, 4, 4};
    static const struct {
        int devices;
        double longest, greedy;
    } known[] = {{1, 15, 15}, {2, 9, 9}, {3, 6, 8}};
    tgs_model *m = layers(5, costs), *uneven = layers(4, other);
    tgs_error err;
    tgs_proposal *p;
    tgs_platform *machines;

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tgs_evaluation e;

        machines = machine(known[i].devices, NULL);
        p = must(m, machines, "layer-merge:unlock=1");
        NEAR(tgs_proposal_value(p, "longest_block_s"), known[i].longest);
        NEAR(tgs_proposal_value(p, "speedup_bound"), 15 / known[i].longest);
        NEAR(tgs_proposal_value(p, "greedy_s"), known[i].greedy);
        assert_true(tgs_proposal_evaluation(p, &e));
        assert_true((strstr(tgs_proposal_strategy(p), "unlock") != NULL) == (known[i].devices > 1));
        assert_true((tgs_proposal_note_at(p, 0) != NULL) == (known[i].devices > 1));
        tgs_proposal_free(p);
        tgs_platform_free(machines);
    }
    /* the exact blocks 5,1 | 4,4 take 8; a block that closes at its share of 7 holds 5,1,4 */
    machines = machine(2, NULL);
    p = must(uneven, machines, "layer-merge:blocks=2");
    NEAR(tgs_proposal_value(p, "longest_block_s"), 8);
    NEAR(tgs_proposal_value(p, "greedy_s"), 10);
    assert_null(strstr(tgs_proposal_strategy(p), "unlock")); /* never unasked */
    tgs_proposal_free(p);
    assert_null(planned(uneven, machines, "layer-merge:blocks=3", &err));
    assert_int_equal(err.status, TGS_ENOTAPPLICABLE);
    tgs_platform_free(machines);
    tgs_model_free(m);
    tgs_model_free(uneven);
}

static tgs_model *square(int64_t size)
{
    net n = net_new();

    net_input(&n, "x", DIMS(size, size));
    net_stored(&n, "w", DIMS(size, size));
    net_op(&n, "MatMul", "x w", "y", NULL);
    return net_model(&n, "y");
}

/* N = 12, rates 1 and 1/2: k = (8, 4), 288 elements of 4 bytes whatever the slabs; blocks of rows
 * read W twice */
static void p10(void **state)
{
    static const double rates[] = {1, 0.5};
    tgs_platform *p = machine(2, rates), *like = machine(16, NULL);
    tgs_model *m = square(12), *larger = square(16);
    tgs_error err;
    tgs_proposal_line line;
    tgs_proposal *x = must(m, p, "split-products:way=k:parts=2");

    (void)state;
    assert_string_equal(tgs_proposal_strategy(x), "split y k=2 by=8,4\n");
    assert_true(tgs_proposal_row_at(x, 0, &line));
    NEAR(line.bytes, 4 * 288);
    tgs_proposal_free(x);
    x = must(m, p, "split-products:way=rows:parts=2");
    assert_true(tgs_proposal_row_at(x, 0, &line));
    NEAR(line.bytes, 4 * (144 + 2 * 144));
    assert_string_equal(tgs_proposal_strategy(x), "split y rows=2 by=8,4\n");
    tgs_proposal_free(x);
    x = must(larger, like, "split-products:way=k"); /* as many as there are */
    assert_string_equal(tgs_proposal_strategy(x),
                        "split y k=16 by=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n");
    assert_true(tgs_proposal_row_at(x, 0, &line));
    NEAR(line.bytes, 4 * 2 * 256);
    tgs_proposal_free(x);
    assert_null(planned(m, p, "split-products:way=x", &err));
    assert_int_equal(err.status, TGS_EINVAL);
    tgs_platform_free(p);
    p = fixture_platform("cpu:2/own link:1,1");
    assert_null(planned(m, p, "split-products", &err));
    assert_int_equal(err.status, TGS_ENOTAPPLICABLE);
    tgs_model_free(m);
    tgs_model_free(larger);
    tgs_platform_free(p);
    tgs_platform_free(like);
}

/* Q18: M = 4 copies of 3 products, launch 2, compute 1 s: 36 -> 9 when one uses a quarter of the
 * device, 36 -> 18 when it uses all of it; with memory for two copies they run by twos */
static void q18(void **state)
{
    static const struct {
        double flops, capacity, all;
        int group;
    } known[] = {{4 * 4096, 1e9, 9, 4}, {4096, 1e9, 18, 4}, {4 * 4096, 12000, 18, 2}};
    tgs_model *m;
    net n = net_new();

    (void)state;
    net_input(&n, "x", DIMS(8, 16));
    net_stored(&n, "w1", DIMS(16, 16));
    net_stored(&n, "w2", DIMS(16, 16));
    net_stored(&n, "w3", DIMS(16, 16));
    net_op(&n, "MatMul", "x w1", "h1", NULL);
    net_op(&n, "MatMul", "h1 w2", "h2", NULL);
    net_op(&n, "MatMul", "h2 w3", "y", NULL);
    m = net_model(&n, "y");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tgs_plan_input in = {.model = (const tgs_model *const *)&m, .models = 1, .training = ""};
        char text[300];
        tgs_platform *p;
        tgs_proposal *x;
        tgs_error err;

        snprintf(text, sizeof text,
                 "kind k flops=%g bandwidth=1e30 overhead=2 least=1\nmemory m capacity=%g\n"
                 "processor p kind=k memory=m\n",
                 known[i].flops, known[i].capacity);
        p = fixture_platform(text);
        in.platform = p;
        if (tgs_planner_make(&x, &in, "netfuse:copies=4", &err))
            fail_msg("%s", err.text);
        NEAR(tgs_proposal_value(x, "one_by_one_s"), 36);
        if (tgs_proposal_value(x, "group") != known[i].group)
            fail_msg("case %d: groups of %g", (int)i, tgs_proposal_value(x, "group"));
        NEAR(tgs_proposal_value(x, "all_copies_s"), known[i].all);
        tgs_proposal_free(x);
        if (i == 0)
            assert_int_equal(tgs_planner_make(&x, &in, "netfuse:copies=1", &err), TGS_OK);
        if (i == 0)
            tgs_proposal_free(x);
        tgs_platform_free(p);
    }
    tgs_model_free(m);
}

/* Q12: a layer takes 20 s in the enclave and 1 s on the GPU, a transfer 0.5 s: 3.2 s with a tenth
 * of the rank, 5.2 with a fifth; where transfers take long it stays inside */
static void q12(void **state)
{
    static const struct {
        const char *spec;
        double latency, step;
        const char *strategy;
    } known[] = {{"trust-split", 0.5, 3.2, "trust-split in ops=y share=0.1"},
                 {"trust-split:share=0.2", 0.5, 5.2, "trust-split in ops=y share=0.2"},
                 {"trust-split:label=in", 30, 20, "trust in rest=1\n"}};
    const double flops = 2. * 64 * 50 * 200;
    tgs_model *m;
    net n = net_new();

    (void)state;
    net_input(&n, "x", DIMS(64, 50));
    net_stored(&n, "w", DIMS(50, 200));
    net_op(&n, "MatMul", "x w", "y", NULL);
    m = net_model(&n, "y");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tgs_plan_input in = {.model = (const tgs_model *const *)&m, .models = 1, .training = ""};
        char text[400];
        tgs_platform *p;
        tgs_proposal *x;
        tgs_evaluation e;
        tgs_error err;

        snprintf(text, sizeof text,
                 "kind cpu flops=%.17g bandwidth=1e30\nkind gpu flops=%.17g bandwidth=1e30\n"
                 "memory e trust=in\nmemory g\nprocessor c kind=cpu memory=e\n"
                 "processor d kind=gpu memory=g\nlink e g latency=%g bandwidth=1e30\n"
                 "link g e latency=%g bandwidth=1e30\n",
                 flops / 20, flops, known[i].latency, known[i].latency);
        p = fixture_platform(text);
        in.platform = p;
        if (tgs_planner_make(&x, &in, known[i].spec, &err))
            fail_msg("%s", err.text);
        if (!strstr(tgs_proposal_strategy(x), known[i].strategy))
            fail_msg("%s, not %s", tgs_proposal_strategy(x), known[i].strategy);
        assert_true(tgs_proposal_evaluation(x, &e));
        NEAR(e.step, known[i].step);
        NEAR(tgs_proposal_value(x, "inside_s"), 20);
        NEAR(tgs_proposal_value(x, "speedup"), 20 / known[i].step);
        tgs_proposal_free(x);
        tgs_platform_free(p);
    }
    {
        tgs_platform *p = machine(2, NULL);
        tgs_error err;

        assert_null(planned(m, p, "trust-split", &err));
        assert_int_equal(err.status, TGS_ENOTAPPLICABLE);
        tgs_platform_free(p);
    }
    tgs_model_free(m);
}

/* layers A and B of 5 s each whose value of a byte takes 2 s to any other memory, 1 s to encrypt
 * and 1 s to decrypt; of the domain x there are two devices, of y one */
static tgs_proposal *secured(const char *spec, double speed, tgs_error *err)
{
    static const char profile[] = "node1 -- A -- forward_compute_time=5000, "
                                  "backward_compute_time=0, activation_size=1, parameter_size=0\n"
                                  "node2 -- B -- forward_compute_time=5000, "
                                  "backward_compute_time=0, activation_size=1, parameter_size=0\n"
                                  "\tnode1 -- node2\n";
    static const char *const memory[] = {"a", "b", "c"};
    char text[1000], *at = text, *path = fixture_file(profile);
    tgs_plan_input in = {.models = 1, .training = ""};
    tgs_platform *p;
    tgs_proposal *out = NULL;
    tgs_model *m;

    at += sprintf(at,
                  "kind k\nmemory a trust=x\nmemory b trust=x\nmemory c trust=y\n"
                  "processor pa kind=k memory=a\nprocessor pb kind=k memory=b\n"
                  "processor pc kind=k memory=c speed=%g\n",
                  speed);
    for (int i = 0; i < 9; i++)
        if (i / 3 != i % 3)
            at += sprintf(at, "link %s %s latency=1 bandwidth=1\n", memory[i / 3], memory[i % 3]);
    if (tgs_model_read(&m, path, "pipedream", NULL, err))
        fail_msg("%s", err->text);
    unlink(path);
    free(path);
    p = fixture_platform(text);
    in.model = (const tgs_model *const *)&m;
    in.platform = p;
    if (tgs_planner_make(&out, &in, spec, err))
        assert_null(out);
    tgs_platform_free(p);
    tgs_model_free(m);
    return out;
}

/* P18: 10 on one device; 14 where B must leave the domain of A, which is the only legal answer; and
 * it leaves where that is shorter: on a device ten times as fast, 5 + 1 + 2 + (1 + 5) / 10 */
static void p18(void **state)
{
    static const struct {
        const char *spec;
        double speed, step, away;
        const char *strategy;
    } known[] = {
        {"secure-edge:seconds=1:rate=1e18", 1, 10, 0, "trust x rest=1\n"},
        {"secure-edge:seconds=1:rate=1e18:go=node2", 1, 14, 1, "trust y ops=node2\n"},
        {"secure-edge:seconds=1:rate=1e18:go=node2:label=x:other=y", 1, 14, 1, "secure-edge "},
        {"secure-edge:seconds=1:rate=1e18", 10, 8.6, 1, "trust y ops=node2\n"},
        {"secure-edge:seconds=2:rate=1e18", 10, 9.7, 1, "trust y ops=node2\n"},
        {"secure-edge:seconds=3:rate=1e18", 10, 10, 0, "trust x rest=1\n"},
        {"secure-edge:seconds=1:rate=1e18:stay=node*", 10, 10, 0, "trust x rest=1\n"},
        {"secure-edge:seconds=1:rate=1e18:evals=1", 10, 10, 0, "trust x rest=1\n"},
    };
    static const char *const refused[][2] = {
        {"secure-edge:stay=node1:go=node*", "is to stay and to go"},
        {"secure-edge:go=none", "go=none: no operator"},
    };
    tgs_error err;

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tgs_proposal *x = secured(known[i].spec, known[i].speed, &err);
        tgs_evaluation e;

        if (!x)
            fail_msg("%s: %s", known[i].spec, err.text);
        assert_true(tgs_proposal_evaluation(x, &e));
        if (fabs(e.step - known[i].step) > 1e-9
            || tgs_proposal_value(x, "operators_away") != known[i].away
            || !strstr(tgs_proposal_strategy(x), known[i].strategy))
            fail_msg("%s, speed %g: %.17g s, %s", known[i].spec, known[i].speed, e.step,
                     tgs_proposal_strategy(x));
        assert_true(tgs_proposal_value(x, "encrypted_edges") == known[i].away);
        tgs_proposal_free(x);
    }
    for (int i = 0; i < 2; i++) {
        assert_null(secured(refused[i][0], 1, &err));
        assert_int_equal(err.status, TGS_EINVAL);
        assert_non_null(strstr(err.text, refused[i][1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p15), cmocka_unit_test(p10), cmocka_unit_test(q18),
        cmocka_unit_test(q12), cmocka_unit_test(p18),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
