/* t_milp.c -- the integer program against branch and bound on small random problems with
 * everything there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"
#include "problems.h"
#include "tgsched/lp.h"

static tgs_status makespan(const tgs_problem *pb, const char *spec, tgs_schedule **s, double *out)
{
    tgs_error err;
    const tgs_status status = tgs_schedule_make(s, pb, spec, 1, &err);

    if (status && status != TGS_EINFEASIBLE)
        fail_msg("%s: %s", spec, err.text);
    if (status)
        assert_text(err.text, "there is no schedule (*");
    *out = status ? INFINITY : tgs_schedule_makespan(*s);
    return status;
}

static void compare(const tgs_problem *pb, const char *spec, int32_t *bounded, int32_t *infeasible)
{
    tgs_schedule *exact, *s;
    double best, found;

    makespan(pb, "bnb", &exact, &best);
    makespan(pb, spec, &s, &found);
    if (best < INFINITY ? fabs(found - best) > 1e-6 * best : found < INFINITY)
        fail_msg("%s: %.17g instead of %.17g", spec, found, best);
    if (best < INFINITY) {
        const bool bound = !isnan(s->lower_bound);

        assert_text(s->note, bound ? "optimal to 1e-6, says CBC after * nodes"
                                   : "optimal where data goes its usual way to 1e-6, *");
        assert_true(bound == !isnan(exact->lower_bound));
        assert_true(!(s->lower_bound > best));
        *bounded += bound;
    } else {
        ++*infeasible;
    }
    tgs_schedule_free(exact);
    tgs_schedule_free(s);
}

/* like cards that are dealt: every start with every platform */
static void as_branch_and_bound(void **state)
{
    static const char *const spec[] = {"milp", "milp:start=none", "milp:start=heft"};
    static const char routes[] = "kind a\nmemory m0\nmemory m1\nmemory m2\n"
                                 "processor p0 kind=a memory=m0\nprocessor p1 kind=a memory=m1\n"
                                 "processor p2 kind=a memory=m2 speed=2\n"
                                 "link m0 m1 latency=4 bandwidth=1\n"
                                 "link m1 m2 latency=4 bandwidth=1\n";
    static const char relays[] =
        "kind a\nkind b\nmemory m0\nmemory m1\nmemory m2\n"
        "processor p0 kind=a memory=m0\nprocessor p1 kind=b memory=m1\n"
        "processor p2 kind=a memory=m2\n"
        "link m0 m1 latency=1 bandwidth=4\nlink m1 m0 latency=1 bandwidth=4\n"
        "link m1 m2 latency=1 bandwidth=4\nlink m2 m1 latency=1 bandwidth=4\n"
        "link m0 m2 latency=0 bandwidth=1\nlink m2 m0 latency=0 bandwidth=1\n";
    static const char *const text[] = {"cpu:2/own link:1,0",
                                       "cpu:3/own link:1,1",
                                       "cpu:3",
                                       "cpu:1",
                                       "a:1/own b:1/own c:1x2/own link:2,1",
                                       "cpu:2 gpu:1x3 link:1,0.5",
                                       "cpu:1 gpu:2/own link:1,0.5",
                                       routes,
                                       relays};
    const int32_t platforms = sizeof text / sizeof *text;
    int32_t bounded = 0, infeasible = 0, count = 0;
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 11);
    for (int32_t i = 0; i < 120; i++) {
        tgs_platform *p = fixture_platform(text[i % platforms]);
        tgs_graph *g = random_graph(&r, &p->v, 6, i % 4);
        tgs_problem *pb;
        const tgs_status status = tgs_problem_new(&pb, g, p, NULL, "latbw", NULL);

        assert_true(!status || status == TGS_EINFEASIBLE); /* groups and pins may contradict */
        if (!status) {
            compare(pb, spec[(i + i / platforms) % 3], &bounded, &infeasible);
            count++;
        }
        tgs_problem_free(pb);
        tgs_graph_free(g);
        tgs_platform_free(p);
    }
    print_message("%d problems, %d bounded, %d infeasible\n", (int)count, (int)bounded,
                  (int)infeasible);
    assert_true(count >= 100 && bounded > 60);
}

/* nothing comes back from where the first task must be */
static void dead_ends(void **state)
{
    fixture f = fixture_open("task u work=1 memory=m1\ntask v work=1 memory=m0\nedge u v 1\n",
                             "kind a\nmemory m0\nmemory m1\nprocessor p0 kind=a memory=m0\n"
                             "processor p1 kind=a memory=m1\nlink m0 m1 latency=1 bandwidth=1\n",
                             "latbw");
    int32_t bounded = 0, infeasible = 0;

    (void)state;
    compare(f.pb, "milp", &bounded, &infeasible);
    assert_int_equal(infeasible, 1);
    fixture_close(&f);
}

/* HEFT puts the long task first, and the short one misses its deadline */
static void deadlines(void **state)
{
    fixture f = fixture_open("task long work=9\ntask short work=2 deadline=2\n", "cpu:1", "latbw");
    tgs_schedule *s;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_schedule_make(&s, f.pb, "heft", 1, &err), TGS_EINFEASIBLE);
    if (tgs_schedule_make(&s, f.pb, "milp", 1, &err))
        fail_msg("%s", err.text);
    assert_real(tgs_schedule_makespan(s), 11);
    assert_real(tgs_schedule_start(s, fixture_task(&f, "short")), 0);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void few_nodes_and_refusals(void **state)
{
    fixture f;
    tgs_schedule *s;
    tgs_error err;

    (void)state;
    example(&f, "peft.tg", "peft.tgp");
    assert_int_equal(tgs_schedule_make(&s, f.pb, "milp:nodes=1:start=heft", 1, &err), TGS_OK);
    assert_true(tgs_schedule_makespan(s) >= 113 && tgs_schedule_makespan(s) <= 133);
    assert_true(s->lower_bound >= 86 && s->lower_bound <= 113); /* not below the OCT path */
    assert_text(s->note, "not proven optimal in * nodes: at most * above the optimum, says CBC");
    tgs_schedule_free(s);
    assert_int_equal(tgs_schedule_make(&s, f.pb, "milp:rows=10", 1, &err), TGS_ENOTAPPLICABLE);
    assert_text(err.text, "*rows*");
    assert_int_equal(tgs_schedule_make(&s, f.pb, "milp:start=best", 1, &err), TGS_EINVAL);
    fixture_close(&f);
}

static void without_a_solver(void **state)
{
    fixture f = fixture_open("task a work=1\n", "cpu:1", "latbw");
    tgs_schedule *s;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_schedule_make(&s, f.pb, "milp", 1, &err), TGS_ENOTAPPLICABLE);
    assert_text(err.text, "*without CBC*");
    assert_int_equal(tgs_program_write(f.pb, "milp", 1, "/dev/null", &err), TGS_OK);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_branch_and_bound),
        cmocka_unit_test(dead_ends),
        cmocka_unit_test(deadlines),
        cmocka_unit_test(few_nodes_and_refusals),
    };
    const struct CMUnitTest none[] = {cmocka_unit_test(without_a_solver)};

    return tgs_lp_available() ? cmocka_run_group_tests(tests, NULL, NULL)
                              : cmocka_run_group_tests(none, NULL, NULL);
}
