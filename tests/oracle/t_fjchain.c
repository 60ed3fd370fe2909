/* t_fjchain.c -- any graph as a chain of blocks: cuts against reachability, the chain bound where
 * it is known by hand, and fj against heft. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include "fixture.h"
#include "random.h"
#include "../heuristics/forkjoin/chain.h"

/* reach[a * n + b]: a path leads from a to b */
static bool *reachability(const tgs_graph_view *g)
{
    const int32_t n = g->tasks;
    bool *reach = calloc((size_t)n * (size_t)n + 1, sizeof *reach);

    assert_non_null(reach);
    for (int32_t i = n - 1; i >= 0; i--) {
        const int32_t a = g->topo[i];

        for (int32_t k = g->succ_at[a]; k < g->succ_at[a + 1]; k++) {
            reach[a * n + g->succ[k]] = true;
            for (int32_t b = 0; b < n; b++)
                reach[a * n + b] |= reach[g->succ[k] * n + b];
        }
    }
    return reach;
}

static void check_cuts(const tgs_view *v)
{
    const tgs_graph_view *g = v->g;
    const int32_t n = v->n;
    bool *reach = reachability(g);
    tgs_i_chain c;
    int32_t next = 0;

    assert_int_equal(tgs_i_chain_open(&c, v, NULL), TGS_OK);
    for (int32_t i = 0; i < n; i++) {
        const int32_t a = g->topo[i];
        bool comparable = true;

        for (int32_t b = 0; b < n; b++)
            comparable = comparable && (a == b || reach[a * n + b] || reach[b * n + a]);
        assert_int_equal(comparable, next < c.cuts && c.cut[next] == i);
        next += comparable;
    }
    assert_int_equal(next, c.cuts);
    tgs_i_chain_close(&c);
    free(reach);
}

static double makespan(const tgs_problem *pb, const char *heuristic)
{
    tgs_schedule *s;
    tgs_error err;
    double end;

    if (tgs_schedule_make(&s, pb, heuristic, 1, &err))
        fail_msg("%s: %s", heuristic, err.text);
    end = tgs_schedule_makespan(s);
    if (tgs_schedule_lower_bound(s) > end)
        fail_msg("%s: lower bound %.17g above %.17g", heuristic, tgs_schedule_lower_bound(s), end);
    tgs_schedule_free(s);
    return end;
}

static void random_graphs(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 11);
    for (int i = 0; i < 300; i++) {
        tgs_platform *p = random_platform(&r);
        tgs_graph *g = random_graph(&r, p, (int32_t)tgs_rng_int(&r, 0, 25),
                                    (int32_t)tgs_rng_int(&r, 0, 4), false);
        tgs_problem *pb = fixture_problem(g, p, "latbw");

        check_cuts(&pb->v);
        assert_true(makespan(pb, "fj:work=3000") <= makespan(pb, "heft"));
        tgs_problem_free(pb);
        tgs_graph_free(g);
        tgs_platform_free(p);
    }
}

/* two blocks of two tasks of 10, edges of 6, on two processors: a block takes 16 when its cuts are
 * on different processors, 20 (or 22) when they are on one */
static void positions(void **state)
{
    fixture f;
    double bound;

    (void)state;
    f = fixture_open("task s work=0\ntask a work=10\ntask b work=10\ntask c work=0\n"
                     "task d work=10\ntask e work=10\ntask t work=0\n"
                     "edge s a 6\nedge s b 6\nedge a c 6\nedge b c 6\n"
                     "edge c d 6\nedge c e 6\nedge d t 6\nedge e t 6\n",
                     "cpu:2/own link:1,0", "latbw");
    assert_int_equal(tgs_bound(&bound, f.pb, "fj-chain", NULL), TGS_OK);
    assert_true(fabs(bound - 32) < 1e-9);
    assert_true(fabs(makespan(f.pb, "fj") - 32) < 1e-9);
    fixture_close(&f);
}

/* a runs where t is: its input comes over, 1 + 3 + 5 + 2; where s is it would be 1 + 5 + 4 + 2 */
static void pinned_cuts(void **state)
{
    fixture f;
    double bound;

    (void)state;
    f = fixture_open("task s work=1 memory=m0\ntask a work=5\ntask t work=2 memory=m1\n"
                     "edge s a 3\nedge a t 4\n",
                     "kind k\nmemory m0\nmemory m1\nprocessor p kind=k memory=m0\n"
                     "processor q kind=k memory=m1\n"
                     "link m0 m1 latency=0 bandwidth=1\nlink m1 m0 latency=0 bandwidth=1\n",
                     "latbw");
    assert_int_equal(tgs_bound(&bound, f.pb, "fj-chain", NULL), TGS_OK);
    assert_true(fabs(bound - 11) < 1e-9);
    assert_true(fabs(makespan(f.pb, "fj") - 11) < 1e-9);
    fixture_close(&f);
}

/* a block that begins when its data come from another memory, not when its cut ends */
static void initial_data(void **state)
{
    fixture f;
    double bound;

    (void)state;
    f = fixture_open("data x bytes=50 home=m0\ntask s work=1 memory=m1\n"
                     "task a work=5 memory=m1\naccess a r x\ntask t work=2\n"
                     "edge s a 0\nedge a t 0\n",
                     "kind k\nmemory m0\nmemory m1\nprocessor p kind=k memory=m0\n"
                     "processor q kind=k memory=m1\n"
                     "link m0 m1 latency=0 bandwidth=1\nlink m1 m0 latency=0 bandwidth=1\n",
                     "latbw");
    assert_int_equal(tgs_bound(&bound, f.pb, "fj-chain", NULL), TGS_OK);
    assert_true(fabs(bound - 57) < 1e-9);
    assert_true(fabs(makespan(f.pb, "fj") - 57) < 1e-9);
    fixture_close(&f);
}

/* more memories than positions are told apart for: still a bound, still a schedule */
static void coarse(void **state)
{
    static const char *const graphs[] = {"cholesky:n=6", "forkjoin:n=40", "layered:n=80"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        tgs_platform *p =
            fixture_platform("a:1/own b:1/own c:1/own d:1/own e:1/own f:1/own g:1/own "
                             "h:1/own link:1,0");
        tgs_graph *g;
        tgs_problem *pb;
        double bound;

        assert_int_equal(tgs_graph_generate(&g, graphs[i], 1, NULL), TGS_OK);
        pb = fixture_problem(g, p, "latbw");
        assert_int_equal(tgs_bound(&bound, pb, "fj-chain", NULL), TGS_OK);
        assert_true(bound > 0 && bound <= makespan(pb, "fj:work=20000"));
        tgs_problem_free(pb);
        tgs_graph_free(g);
        tgs_platform_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs), cmocka_unit_test(positions), cmocka_unit_test(pinned_cuts),
        cmocka_unit_test(initial_data),  cmocka_unit_test(coarse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
