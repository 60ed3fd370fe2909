/* t_recut.c -- pipelines of replicas that are cut in different places: the same numbers, in other
 * memories; and planner hetpipe, which asks for them, with the waves of its paper (T0, Q0). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "fixture.h"
#include "nets.h"
#include "parts.h"

/* x [4,6] -> MatMul -> Tanh -> MatMul -> Tanh -> MatMul */
static tgs_model *three(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(4, 6));
    net_stored(&n, "w1", DIMS(6, 6));
    net_stored(&n, "w2", DIMS(6, 6));
    net_stored(&n, "w3", DIMS(6, 6));
    net_op(&n, "MatMul", "x w1", "h1", NULL);
    net_op(&n, "Tanh", "h1", "a1", NULL);
    net_op(&n, "MatMul", "a1 w2", "h2", NULL);
    net_op(&n, "Tanh", "h2", "a2", NULL);
    net_op(&n, "MatMul", "a2 w3", "y", NULL);
    return net_model(&n, "y");
}

static void the_mathematics_stays(void **state)
{
    static const struct form {
        const char *plain, *more;
    } forms[] = {
        {"train sgd lr=0.1; loss mse; micro-batches 2; replicas 2",
         "pipeline 2 message cuts=a1; recut 2 cuts=a2"},
        {"train adam lr=0.01; loss mse; micro-batches 4; replicas 3",
         "pipeline 2 message cuts=a1; recut 2 cuts=a2; recut 3 cuts=h1"},
        {"train sgd lr=0.1; loss mse; micro-batches 4; waves 2 D=1; replicas 2; pipeline 2 message",
         "recut 2 cuts=h1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        same_weights(three, forms[i].plain, forms[i].more);
}

static const char *memory_of(const tgs_graph *g, const char *task)
{
    const int32_t t = tgs_graph_find_task(g, task);

    if (t < 0 || g->v.task[t].constraint < 0)
        fail_msg("no task %s, or it may run anywhere", task);
    return tgs_text(&g->v, g->v.constraint[g->v.task[t].constraint].memory);
}

/* the operators between the cuts, and with them the weights that only this replica reads */
static void stages_move(void **state)
{
    static const struct at {
        const char *task, *memory;
    } all[] = {
        {"h1@r0.m0", "a"}, {"h2@r0.m0", "b"}, {"y@r0.m0", "b"},        {"h1@r1.m0", "c"},
        {"h2@r1.m0", "c"}, {"y@r1.m0", "d"},  {"h2.bwd.a@r0.m1", "b"}, {"h2.bwd.a@r1.m1", "c"},
    };
    tgs_model *m = three();
    tgs_graph *g = lowered(m, "train sgd; loss mse; micro-batches 2; pipeline 2 message cuts=a1; "
                              "recut 2 cuts=a2; replicas 2; place a,b,c,d");

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_string_equal(memory_of(g, all[i].task), all[i].memory);
    tgs_graph_free(g);
    g = lowered(m, "train sgd; loss mse; micro-batches 4; waves 2; pipeline 2 message cuts=a1; "
                   "recut 2 cuts=a2; replicas 2; place a,b,c,d");
    for (int32_t t = 0; t < g->v.tasks; t++) {
        const char *name = tgs_graph_task_name(g, t);

        if (!strncmp(name, "w2.own", 6) && strstr(name, "@r1"))
            assert_string_equal(memory_of(g, name), "c");
        if (!strncmp(name, "w2.own", 6) && strstr(name, "@r0"))
            assert_string_equal(memory_of(g, name), "b");
    }
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void what_is_wrong_is_said(void **state)
{
    static const refusal wrong[] = {
        {"train sgd; pipeline 2 message; replicas 2; recut 3 cuts=a1", "no replica 3 of 2"},
        {"train sgd; pipeline 2 message; recut 1 cuts=a1", "no replica 1 of 1"},
        {"train sgd; pipeline 2 1f1b; replicas 2; recut 2 cuts=a1",
         "a pipeline in the order message"},
        {"train sgd; replicas 2; recut 2 cuts=a1", "a pipeline in the order message"},
        {"train sgd; pipeline 2 message; replicas 2; recut 2", "cuts= is missing"},
        {"train sgd; pipeline 2 message; replicas 2; recut 2 cuts=a1,a2", "2 cuts make 3 parts"},
        {"train sgd; pipeline 2 message; replicas 2; recut 2 cuts=none", "no operator 'none'"},
    };
    tgs_model *m = three();

    (void)state;
    none_lowers(m, wrong, sizeof wrong / sizeof *wrong);
    tgs_model_free(m);
}

/* ---- hetpipe -------------------------------------------------------------------------------- */
/* two nodes whose devices have these speeds, with links that take no time */
static tgs_platform *nodes(double a, double b, double c, double d)
{
    const double speed[] = {a, b, c, d};
    char text[2000] = "kind gpu flops=1e12 bandwidth=1e30\n", *at = text + strlen(text);

    for (int i = 0; i < 4; i++)
        at += sprintf(at, "memory m%d node=%d\nprocessor p%d kind=gpu memory=m%d speed=%g\n", i,
                      i / 2, i, i, speed[i]);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (i != j)
                at += sprintf(at, "link m%d m%d latency=0 bandwidth=1e30\n", i, j);
    return fixture_platform(text);
}

static tgs_proposal *planned(const tgs_platform *p, const char *spec)
{
    tgs_plan_input in = {
        .models = 1, .platform = p, .training = "train sgd; loss mse", .batch = 64 * 32};
    tgs_error err = {TGS_OK, ""};
    tgs_proposal *out;
    tgs_model *m;

    assert_int_equal(tgs_model_read(&m,
                                    "zoo:mlp:batch=64:inputs=512:hidden=512:classes=512:layers=5",
                                    NULL, NULL, &err),
                     TGS_OK);
    in.model = (const tgs_model *const *)&m;
    if (tgs_planner_make(&out, &in, spec, &err))
        fail_msg("%s: %s", spec, err.text);
    tgs_model_free(m);
    return out;
}

static double step(const tgs_proposal *p)
{
    tgs_evaluation e;

    assert_true(tgs_proposal_evaluation(p, &e));
    return e.step;
}

/* 6 equal layers; {1, 1/2} is best cut 4|2 and {3/4, 3/4} 3|3, 4 units each, while one cut for both
 * takes 16/3.  Together they are as fast as 3 devices of speed 1. */
static void workers_have_their_own_cuts(void **state)
{
    tgs_platform *p = nodes(1, 0.5, 0.75, 0.75), *like = nodes(0.75, 0.75, 0.75, 0.75);
    tgs_proposal *own = planned(p, "hetpipe:policy=np:micro=64:Nm=2");
    tgs_proposal *same = planned(like, "hetpipe:policy=np:micro=64:Nm=2");

    (void)state;
    if (!strstr(tgs_proposal_strategy(own), "recut 2 cuts=")
        || strstr(tgs_proposal_strategy(own), "waves"))
        fail_msg("%s", tgs_proposal_strategy(own));
    assert_null(strstr(tgs_proposal_strategy(same), "recut"));
    /* as fast as four devices of 3/4, where nobody needs a cut of its own, but for the ends */
    if (fabs(step(own) / step(same) - 1) > 0.1)
        fail_msg("%g, and %g of like devices", step(own), step(same));
    tgs_proposal_free(own);
    tgs_proposal_free(same);
    tgs_platform_free(p);
    tgs_platform_free(like);
}

/* s_global = (D + 1) (s_local + 1) + s_local - 1 for all Nm and D, and the waves that it is of */
static void waves_are_lowered(void **state)
{
    static const int far[] = {0, 1, 4};
    tgs_platform *p = nodes(1, 1, 0.5, 0.5);

    (void)state;
    for (int nm = 1; nm <= 2; nm++)
        for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
            char spec[80], waves[40];
            tgs_proposal *x;

            snprintf(spec, sizeof spec, "hetpipe:policy=np:micro=64:waves=1:Nm=%d:D=%d", nm,
                     far[k]);
            snprintf(waves, sizeof waves, "waves size=%d D=%d\n", nm, far[k]);
            x = planned(p, spec);
            if (!strstr(tgs_proposal_strategy(x), waves))
                fail_msg("%s says %s", spec, tgs_proposal_strategy(x));
            assert_true(tgs_proposal_value(x, "s_local") == nm - 1);
            assert_true(tgs_proposal_value(x, "s_global") == (far[k] + 1) * nm + nm - 2);
            assert_non_null(tgs_proposal_note_at(x, 0));
            tgs_proposal_free(x);
        }
    tgs_platform_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mathematics_stays), cmocka_unit_test(stages_move),
        cmocka_unit_test(what_is_wrong_is_said), cmocka_unit_test(workers_have_their_own_cuts),
        cmocka_unit_test(waves_are_lowered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
