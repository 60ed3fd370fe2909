/* t_oom_plan.c -- memory runs out while planners plan: for a model, for a graph, and while a
 * strategy that does not fit is refused.
 *
 * A planner evaluates many strategies, and each allocates thousands of times: after the first
 * few every so-many-th allocation fails, so that there are about SAMPLES in all (with TGS_LONG ten
 * times as many, which is every one of most planners). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "oom.h"
#include "tgsched/plan.h"
#include "tgsched/planner.h"

enum { SAMPLES = 200, FIRST = 25 };

/* what is asked of a planner: auto is brief, and small products are split, too */
static const char *spec_of(const char *planner)
{
    return !strcmp(planner, "auto")              ? "auto:work=2000:evals=3:starts=2"
           : !strcmp(planner, "tensor-parallel") ? "tensor-parallel:all=1"
                                                 : planner;
}

static tgs_model *model;
static tgs_graph *graph;
static tgs_platform *platform, *small;
static int64_t calls; /* allocations of a call that succeeds */

static tgs_status plan(const void *planner)
{
    const tgs_model *const m = model;
    const tgs_plugin *found;
    tgs_plan_input in = {.platform = platform, .training = "train sgd", .batch = 4};
    tgs_error err = {TGS_OK, ""};
    tgs_proposal *p;
    tgs_status status;

    if (tgs_i_find(&found, "planner", planner, &err))
        return err.status; /* which does not allocate */
    if (((const tgs_planner *)found)->needs & TGS_PLANS_GRAPH)
        in.graph = graph;
    else {
        in.model = &m;
        in.models = 1;
    }
    status = tgs_planner_make(&p, &in, spec_of(planner), &err);
    assert_true(!status || err.status == status); /* what was tried on the way may be told */
    assert_int_equal(!p, status != TGS_OK);
    tgs_proposal_free(p);
    return status;
}

static tgs_status refuse(const void *strategy)
{
    const tgs_model *const m = model;
    const tgs_plan_input in = {
        .model = &m, .models = 1, .platform = small, .training = "train sgd", .batch = 4};
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = tgs_strategy_fits(&in, strategy, &err);

    assert_int_equal(err.status, status);
    return status == TGS_EINFEASIBLE ? TGS_OK : status;
}

static int64_t next(int64_t n)
{
    const int64_t samples = getenv("TGS_LONG") ? 10 * SAMPLES : SAMPLES;

    return n < FIRST ? n + 1 : n + 1 + calls / samples;
}

/* as oom_every, of some allocations */
static void some(const char *what, tgs_status (*call)(const void *), const void *data)
{
    int64_t tried = 0;
    tgs_status status;

    oom_left = INT64_MAX;
    if (call(data)) /* of another kind of input */
        return;
    calls = INT64_MAX - oom_left;
    oom_left = -1;
    for (int64_t n = 0; n < calls; n = next(n), tried++)
        oom_at(what, call, data, n, &status);
    print_message("%s: %d of %d allocations\n", what, (int)tried, (int)calls);
}

static void test_planners(void **state)
{
    const char *name;
    int32_t planned = 0;

    (void)state;
    for (int32_t i = 0; (name = tgs_plugin_name("planner", i)); i++) {
        const tgs_plugin *found;

        assert_int_equal(tgs_i_find(&found, "planner", name, NULL), 0);
        if (((const tgs_planner *)found)->needs & TGS_PLANS_FILE)
            continue;
        some(name, plan, name);
        planned++;
    }
    assert_true(planned > 10);
}

static void test_refusal(void **state)
{
    (void)state;
    some("a strategy that does not fit", refuse, "micro-batches 1");
    some("replicas that do not fit", refuse, "replicas 2; place ram,cpu1.mem");
}

static int prepare(void **state)
{
    (void)state;
    if (tgs_model_read(&model, "zoo:mlp:batch=2:hidden=4:inputs=4:layers=1", NULL, NULL, NULL)
        || tgs_graph_generate(&graph, "forkjoin:n=3", 0, NULL)
        || tgs_platform_parse(&platform, "cpu:2/own link:1e9,1e-5", NULL)
        || tgs_platform_parse(&small, "cpu:2/own link:1e9,1e-5", NULL))
        return -1;
    for (int32_t i = 0; i < small->v.memories; i++)
        ((tgs_memory *)small->v.memory)[i].capacity = 200;
    return 0;
}

static int clean(void **state)
{
    (void)state;
    tgs_platform_free(small);
    tgs_platform_free(platform);
    tgs_graph_free(graph);
    tgs_model_free(model);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planners),
                                       cmocka_unit_test(test_refusal)};

    return cmocka_run_group_tests(tests, prepare, clean);
}
