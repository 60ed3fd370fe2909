/* t_search.c -- searches reach the known optima, whatever the seed; what they count and prove. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
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

static void other_methods(void **state)
{
    (void)state;
    reach("topcuoglu.tg", "topcuoglu.tgp", "tabu:evals=20000", 50, 73);
    reach("topcuoglu.tg", "topcuoglu.tgp", "ga:evals=20000", 50, 73);
    reach("topcuoglu.tg", "topcuoglu.tgp", "ga:evals=20000:descent=1", 50, 73);
    reach("topcuoglu.tg", "topcuoglu.tgp", "sa", 20, 73);
    reach("peft.tg", "peft.tgp", "tabu", 20, 113);
    reach("peft.tg", "peft.tgp", "ga", 5, 113);
    reach("peft.tg", "peft.tgp", "sa", 20, 113);
    reach("topcuoglu.tg", "topcuoglu.tgp", "ils:chains=7:evals=80000", 20, 73);
}

/* ---- rgpos: random graphs on equal processors, cut from full timelines of length 1000 ----------
 */
/* false: there is no such file */
static bool read_rgpos(fixture *f, int32_t procs)
{
    const char *top = getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".";
    char path[1024], machine[32];

    snprintf(path, sizeof path, "%s/../shared/data/rgpos/rgpos100-p%d.txt", top, (int)procs);
    if (access(path, R_OK))
        return false;
    assert_int_equal(tgs_graph_read(&f->g, path, NULL, NULL), 0);
    snprintf(machine, sizeof machine, "cpu:%d", procs);
    f->p = fixture_platform(machine);
    f->pb = fixture_problem(f->g, f->p, "latbw");
    return true;
}

/* Found with the default budget: 1000, 1000, 1000, 1000, 1000 or 1001, and 1001 or 1002.  Where a
 * schedule is as short as the bound, the search stops and says that it is optimal. */
static void rgpos(void **state)
{
    static const int32_t procs[] = {2, 3, 4, 6, 8, 10};
    int32_t optimal = 0;

    (void)state;
    for (int32_t i = 0; i < 6; i++) {
        tgs_schedule *s;
        fixture f;

        if (!read_rgpos(&f, procs[i])) {
            printf("skipped: no ../shared/data/rgpos beside the sources\n");
            skip();
        }
        assert_int_equal(tgs_schedule_make(&s, f.pb, "ils", 1, NULL), 0);
        assert_true(tgs_schedule_makespan(s) >= 1000 && tgs_schedule_makespan(s) <= 1003);
        if (tgs_schedule_makespan(s) == 1000) {
            assert_text(tgs_schedule_note(s), "optimal: equal to a lower bound; *");
            assert_true(tgs_schedule_lower_bound(s) == 1000);
            optimal++;
        }
        tgs_schedule_free(s);
        fixture_close(&f);
    }
    assert_true(optimal >= 4);
}

/* the budget is kept to the evaluation, and shared by the chains */
static void counted(void **state)
{
    static const char *const names[] = {"ils", "sa", "tabu", "ga", "ga:descent=1"};
    fixture f = example("peft.tg", "peft.tgp");

    (void)state;
    for (int32_t i = 0; i < 5; i++)
        for (int32_t chains = 1; chains <= 9; chains += 4) {
            long long decodes, estimates;
            tgs_schedule *s;
            char spec[80];

            snprintf(spec, sizeof spec, "%s:evals=12345:chains=%d", names[i], (int)chains);
            assert_int_equal(tgs_schedule_make(&s, f.pb, spec, 1, NULL), 0);
            assert_int_equal(sscanf(tgs_schedule_note(s), "%lld decodings, %lld estimates",
                                    &decodes, &estimates),
                             2);
            /* the last step of a chain may end with a decoding */
            assert_true(decodes + estimates >= 12345 && decodes + estimates <= 12345 + 2 * chains);
            assert_true(strncmp(spec, "ga:e", 4) ? estimates > 0 : !estimates);
            tgs_schedule_free(s);
        }
    fixture_close(&f);
}

static void seeds(void **state)
{
    fixture f = example("peft.tg", "peft.tgp");
    tgs_schedule *s;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_schedule_make(&s, f.pb, "ils:seeds=heft+nothing", 1, &err), TGS_ENOTFOUND);
    assert_int_equal(tgs_schedule_make(&s, f.pb, "ils:seeds=", 1, &err), TGS_ENOTFOUND);
    assert_int_equal(tgs_schedule_make(&s, f.pb, "ils:seeds=fj-prefix", 1, &err),
                     TGS_ENOTAPPLICABLE);
    assert_true(makespan_of(f.pb, "ils:seeds=fj-prefix+heft:evals=1", 1) == 133);
    assert_true(makespan_of(f.pb, "ils:seeds=heft+peft:evals=1", 1) == 122);
    fixture_close(&f);
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
        cmocka_unit_test(other_methods),
        cmocka_unit_test(rgpos),
        cmocka_unit_test(counted),
        cmocka_unit_test(seeds),
        cmocka_unit_test(budgets),
        cmocka_unit_test(groups_move_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
