/* t_tensorplan.c -- planner tensor-parallel (T5): the costs of splitting a product in 1 to 3
 * dimensions are those of Q5 and of the published table, and of modes, shards and layers those are
 * chosen that are the fastest once simulated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "fixture.h"
#include "nets.h"
#include "../heuristics/plan/step.h"

#define NEAR(a, b) assert_true(fabs((double)(a) - (b)) <= 1e-9 * (1 + fabs((double)(b))))

static double square(tgs_i_tensor mode, int32_t p, int32_t depth, bool hops)
{
    const tgs_i_product x = {.rows = 1, .columns = 1, .inner = 1};
    tgs_i_grid g;

    assert_true(tgs_i_tensor_grid(&g, mode, p, depth));
    return tgs_i_tensor_volume(&g, &x, hops);
}

/* P = 64, in units of N^2; and 12 elements a device for q = 2, N = 4 */
static void q5(void **state)
{
    const tgs_i_product four = {.rows = 4, .columns = 4, .inner = 4};
    tgs_i_grid g;

    (void)state;
    NEAR(square(TGS_I_3D, 64, 1, false), 0.28125);
    NEAR(square(TGS_I_2D, 64, 1, false), 0.65625);
    NEAR(square(TGS_I_2D, 64, 1, true), 5.25);
    NEAR(square(TGS_I_1D, 64, 1, false), 1.96875);
    assert_true(tgs_i_tensor_grid(&g, TGS_I_3D, 8, 1));
    NEAR(tgs_i_tensor_volume(&g, &four, false), 12);
}

/* the published table, per layer and N^2: bandwidth and latency */
static void table(void **state)
{
    (void)state;
    for (int32_t q = 2; q <= 5; q++) {
        const double r = q;
        tgs_i_grid g;

        NEAR(square(TGS_I_1D, q * q, 1, true), 2 * (r * r - 1) / (r * r));
        NEAR(square(TGS_I_2D, q * q, 1, true), 6 * (r - 1) / r);
        NEAR(square(TGS_I_3D, q * q * q, 1, true), 6 * (r - 1) / (r * r * r));
        for (int32_t d = 2; d <= 4; d++) /* and the sum of dW, which the table leaves out */
            NEAR(square(TGS_I_25D, d * q * q, d, true),
                 3 * (r - 1) * (d + 1) / (d * r) + 2. * (d - 1) / d / (r * r));
        assert_true(tgs_i_tensor_grid(&g, TGS_I_3D, q * q * q, 1) && g.side == q);
        NEAR(tgs_i_tensor_messages(&g), 6 * (r - 1));
        assert_true(tgs_i_tensor_grid(&g, TGS_I_1D, q, 1));
        NEAR(tgs_i_tensor_messages(&g), 2 * (r - 1));
        assert_false(tgs_i_tensor_grid(&g, TGS_I_2D, q * q + 1, 1));
        assert_false(tgs_i_tensor_grid(&g, TGS_I_3D, q * q, 1) && q != 8);
        assert_false(tgs_i_tensor_grid(&g, TGS_I_25D, q * q, 1));
    }
}

/* ---- the planner ---- */
/* 8 devices that each send through one port, and samples that cost nothing to fetch */
static tgs_platform *machine(double latency, double bandwidth, double capacity)
{
    static char text[8000];
    size_t n =
        (size_t)snprintf(text, sizeof text, "kind gpu flops=1e13 bandwidth=1e12\nmemory ram\n");

    for (int i = 0; i < 8; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "memory m%d capacity=%g\nprocessor g%d kind=gpu memory=m%d\n"
                              "bus b%d bandwidth=%g\nlink ram m%d latency=0 bandwidth=1e15\n",
                              i, capacity, i, i, i, bandwidth, i);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++)
            if (i != k)
                n += (size_t)snprintf(text + n, sizeof text - n,
                                      "link m%d m%d latency=%g bandwidth=%g bus=b%d\n", i, k,
                                      latency, bandwidth, i);
    return fixture_platform(text);
}

/* NULL: infeasible or not applicable, and why says so */
static tgs_proposal *planned_for(const tgs_model *m, const tgs_platform *p, const char *spec,
                                 tgs_error *why)
{
    const tgs_plan_input in = {
        .model = &m, .models = 1, .platform = p, .training = "train sgd; loss mse"};
    tgs_proposal *out;

    *why = (tgs_error){TGS_OK, ""};
    if (tgs_planner_make(&out, &in, spec, why))
        assert_null(out);
    return out;
}

static tgs_proposal *planned(const char *model, const tgs_platform *p, const char *spec,
                             tgs_error *why)
{
    tgs_proposal *out;
    tgs_model *m;

    assert_int_equal(tgs_model_read(&m, model, NULL, NULL, why), TGS_OK);
    out = planned_for(m, p, spec, why);
    tgs_model_free(m);
    return out;
}

static double step(const tgs_proposal *p)
{
    tgs_evaluation e;

    assert_true(tgs_proposal_evaluation(p, &e));
    return e.step;
}

static bool says(const tgs_proposal *p, const char *what)
{
    return strstr(tgs_proposal_strategy(p), what) != NULL;
}

/* the best mode is the best of the four, each asked for by name; the formulas rank them as the
 * simulation does */
static void the_best_mode(void **state)
{
    static const struct {
        const char *model, *best;
    } cases[] = {
        /* few rows: 1d, which moves activations alone; many: all three in 3d; yet more: 2.5d, which
         * moves less of them */
        {"zoo:mlp:batch=64:inputs=64:hidden=4096:classes=4096:layers=2", "tensor 1d 8"},
        {"zoo:mlp:batch=1024:inputs=64:hidden=2048:classes=2048:layers=3", "tensor 3d 8"},
        {"zoo:mlp:batch=4096:inputs=64:hidden=1024:classes=1024:layers=2", "tensor 2.5d 8"},
    };
    static const char *const modes[] = {"1d", "2d:shards=4", "2.5d", "3d"};
    tgs_platform *p = machine(1e-9, 2e10, 1e12);
    tgs_error why;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *rows = strstr(cases[i].model, "batch=") + strlen("batch=");
        char spec[100];
        tgs_proposal *best;
        double least = INFINITY;

        snprintf(spec, sizeof spec, "tensor-parallel:shards=8:all=1:micro=%d", atoi(rows));
        best = planned(cases[i].model, p, spec, &why);
        if (!best)
            fail_msg("%s", why.text);
        for (size_t k = 0; k < 4; k++) {
            tgs_proposal *one;

            snprintf(spec, sizeof spec, "tensor-parallel:all=1:micro=%d:mode=%s%s", atoi(rows),
                     modes[k], k == 1 ? "" : ":shards=8");
            one = planned(cases[i].model, p, spec, &why);
            if (!one)
                fail_msg("%s: %s", spec, why.text);
            least = fmin(least, step(one));
            /* within what tasks that begin late and the forms of sums leave open */
            assert_true(tgs_proposal_value(one, "step_s") < 1.5 * step(one));
            assert_true(tgs_proposal_value(one, "step_s") > 0.5 * step(one));
            tgs_proposal_free(one);
        }
        if (!says(best, cases[i].best))
            fail_msg("%s: %s, not %s", cases[i].model, tgs_proposal_strategy(best), cases[i].best);
        assert_true(step(best) == least);
        tgs_proposal_free(best);
    }
    tgs_platform_free(p);
}

/* 512 x 4096 -> 512 -> 4096 -> 512: to send the wide input round takes longer than the first
 * product, which stays whole; the others send little and compute as much */
static tgs_model *narrow(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(512, 4096));
    net_stored(&n, "w1", DIMS(4096, 512));
    net_stored(&n, "w2", DIMS(512, 4096));
    net_stored(&n, "w3", DIMS(4096, 512));
    net_op(&n, "MatMul", "x w1", "h1", NULL);
    net_op(&n, "MatMul", "h1 w2", "h2", NULL);
    net_op(&n, "MatMul", "h2 w3", "y", NULL);
    return net_model(&n, "y");
}

/* only what is worth its transfers is split; where links are slow nothing is */
static void layers_that_pay(void **state)
{
    static const char wide[] = "zoo:mlp:batch=512:inputs=4096:hidden=512:classes=32768";
    tgs_platform *fast = machine(1e-9, 1e10, 1e12), *slow = machine(1, 1e6, 1e12);
    tgs_model *m = narrow();
    tgs_error why;
    tgs_proposal *some, *all;

    (void)state;
    some = planned_for(m, fast, "tensor-parallel:mode=1d:shards=8:micro=512", &why);
    if (!some)
        fail_msg("%s", why.text);
    all = planned_for(m, fast, "tensor-parallel:mode=1d:shards=8:micro=512:all=1", &why);
    assert_non_null(all);
    if (!says(some, "tensor 1d 8 ops=h2,y\n") || !says(all, "tensor 1d 8\n"))
        fail_msg("%s%s", tgs_proposal_strategy(some), tgs_proposal_strategy(all));
    if (step(some) >= step(all))
        fail_msg("%g s, and %g s when all are split", step(some), step(all));
    assert_true(tgs_proposal_value(some, "shards") == 8);
    tgs_model_free(m);
    tgs_proposal_free(some);
    tgs_proposal_free(all);
    assert_null(planned(wide, slow, "tensor-parallel", &why));
    assert_int_equal(why.status, TGS_ENOTAPPLICABLE);
    assert_non_null(strstr(why.text, "no product with a parameter is faster"));
    assert_null(planned(wide, slow, "tensor-parallel:mode=4d", &why));
    assert_int_equal(why.status, TGS_EINVAL);
    assert_null(planned(wide, slow, "tensor-parallel:volume=x", &why));
    assert_int_equal(why.status, TGS_EINVAL);
    tgs_platform_free(slow);
    tgs_platform_free(fast);
}

/* 3 matrices of 16.8 MB with their gradients do not fit in 30 MB, nor does half of them; an eighth
 * does, and what is missing of the others is told */
static void memory_decides(void **state)
{
    static const char wide[] = "zoo:mlp:batch=64:inputs=2048:hidden=2048:classes=2048";
    tgs_platform *p = machine(1e-9, 1e11, 30e6);
    tgs_error why;
    tgs_proposal *some = planned(wide, p, "tensor-parallel:mode=1d:shards=8", &why);

    (void)state;
    if (!some)
        fail_msg("%s", why.text);
    tgs_proposal_free(some);
    assert_null(planned(wide, p, "tensor-parallel:mode=1d:shards=2", &why));
    assert_int_equal(why.status, TGS_EINFEASIBLE);
    assert_non_null(strstr(why.text, "bytes are missing"));
    tgs_platform_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(q5),
        cmocka_unit_test(table),
        cmocka_unit_test(the_best_mode),
        cmocka_unit_test(layers_that_pay),
        cmocka_unit_test(memory_decides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
