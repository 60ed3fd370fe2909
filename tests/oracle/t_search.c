/* t_search.c -- iterated local search reaches the known optima, whatever the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"

/* a file of examples/ on a platform there, or a spec */
static fixture example(const char *graph, const char *platform)
{
    const char *top = getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".";
    char path[1024];
    tgs_error err;
    fixture f;

    snprintf(path, sizeof path, "%s/examples/%s", top, graph);
    if (tgs_graph_read(&f.g, path, NULL, &err))
        fail_msg("%s", err.text);
    snprintf(path, sizeof path, "%s/examples/%s", top, platform);
    if (tgs_platform_open(&f.p, strchr(platform, ':') ? platform : path, &err))
        fail_msg("%s", err.text);
    f.pb = fixture_problem(f.g, f.p, "latbw");
    return f;
}

static double makespan_of(const tgs_problem *pb, const char *spec, uint64_t seed)
{
    tgs_schedule *s;
    tgs_error err;
    double makespan;

    if (tgs_schedule_make(&s, pb, spec, seed, &err))
        fail_msg("%s: %s", spec, err.text);
    makespan = tgs_schedule_makespan(s);
    tgs_schedule_free(s);
    return makespan;
}

static void reach(const char *graph, const char *platform, const char *spec, int32_t seeds,
                  double best)
{
    fixture f = example(graph, platform);

    for (int32_t seed = 1; seed <= seeds; seed++) {
        const double makespan = makespan_of(f.pb, spec, (uint64_t)seed);

        if (makespan != best)
            fail_msg("%s, seed %d on %s: %.17g instead of %g", spec, (int)seed, graph, makespan,
                     best);
    }
    fixture_close(&f);
}

static void published(void **state)
{
    (void)state;
    reach("topcuoglu.tg", "topcuoglu.tgp", "ils:evals=20000", 100, 73);
    reach("peft.tg", "peft.tgp", "ils:evals=200000", 100, 113);
    reach("kwok-ahmad.tg", "cpu:2/own link:1,0", "ils:evals=5000", 20, 17);
    reach("kwok-ahmad.tg", "cpu:4/own link:1,0", "ils:evals=5000", 20, 16);
}

/* a search never returns less than what it began with, nor less for a larger budget */
static void budgets(void **state)
{
    static const char *const specs[] = {"heft", "ils:evals=1", "ils:evals=100", "ils:evals=3000"};
    fixture f;
    bool improved = false;

    (void)state;
    f.p = fixture_platform("cpu:2 gpu:2/own link:4,2");
    for (uint64_t seed = 1; seed <= 10; seed++) {
        double before = INFINITY;

        assert_int_equal(
            tgs_graph_generate(&f.g, "layered:n=30:width=5:ccr=2:bandwidth=4", seed, NULL), 0);
        f.pb = fixture_problem(f.g, f.p, "latbw");
        for (int32_t i = 0; i < 4; i++) {
            const double makespan = makespan_of(f.pb, specs[i], seed);

            assert_true(makespan <= before);
            improved = improved || (i && makespan < before);
            before = makespan;
        }
        tgs_problem_free(f.pb);
        tgs_graph_free(f.g);
    }
    assert_true(improved);
    tgs_platform_free(f.p);
}

/* The two tasks of the group take 1 each in m1, 10 in m0; HEFT sends the first, which alone is as
 * fast in m0, there.  Only both together can move. */
static void groups_move_together(void **state)
{
    fixture f = fixture_open("kinds a b\n"
                             "task first time=1,1 group=1\ntask second time=10,1 group=1\n"
                             "after first second\n",
                             "kind a\nkind b\nmemory m0\nmemory m1\n"
                             "processor p0 kind=a memory=m0\nprocessor p1 kind=b memory=m1\n"
                             "link m0 m1 latency=1 bandwidth=1\n"
                             "link m1 m0 latency=1 bandwidth=1\n",
                             "latbw");

    (void)state;
    assert_true(makespan_of(f.pb, "heft", 1) == 11);
    assert_true(makespan_of(f.pb, "ils:evals=100", 1) == 2);
    assert_true(makespan_of(f.pb, "bnb", 1) == 2);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published),
        cmocka_unit_test(budgets),
        cmocka_unit_test(groups_move_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
