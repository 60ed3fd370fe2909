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

/* ---- independent tasks with release times and deadlines -------------------------------------- */
enum { DUE = 5 };

typedef struct due_search { /* every order on every processor, appended */
    const tgs_view *v;
    double free[4], best; /* INFINITY: deadlines cannot be met */
    bool placed[DUE];
} due_search;

static void due_extend(due_search *x, double makespan)
{
    const tgs_graph_view *g = x->v->g;
    bool all = true;

    for (int32_t j = 0; j < x->v->n; j++) {
        const tgs_constraint *k = &g->constraint[g->task[j].constraint];

        all = all && x->placed[j];
        for (int32_t p = 0; p < x->v->m && !x->placed[j]; p++) {
            const double was = x->free[p];

            x->free[p] = fmax(was, k->release) + tgs_w(x->v, j, p);
            x->placed[j] = true;
            if (x->free[p] <= k->deadline)
                due_extend(x, fmax(makespan, x->free[p]));
            x->placed[j] = false;
            x->free[p] = was;
        }
    }
    if (all)
        x->best = fmin(x->best, makespan);
}

static void deadlines(void **state)
{
    static const char *const machines[] = {"cpu:1", "cpu:2", "cpu:1 gpu:1x2 link:1,0"};
    int feasible = 0, refused = 0;
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 3);
    for (int i = 0; i < 150; i++) {
        char graph[1000] = "";
        due_search x = {.best = INFINITY};
        tgs_schedule *s;
        tgs_error err;
        tgs_status status;
        fixture f;

        for (int j = 0; j < DUE; j++)
            sprintf(graph + strlen(graph), "task t%d work=%d release=%d deadline=%d\n", j,
                    (int)tgs_rng_int(&r, 1, 6), (int)tgs_rng_int(&r, 0, 8),
                    (int)tgs_rng_int(&r, 8, i % 3 ? 16 : 26));
        f = fixture_open(graph, machines[i % 3], "latbw");
        x.v = &f.pb->v;
        due_extend(&x, 0);
        status = tgs_schedule_make(&s, f.pb, "fj:work=20000", 1, &err);
        if (status && status != TGS_EINFEASIBLE)
            fail_msg("%s", err.text);
        if ((status == TGS_OK) != (x.best < INFINITY))
            fail_msg("%s: fj %s, the optimum is %g\n%s", machines[i % 3],
                     status ? err.text : "made a schedule", x.best, graph);
        if (!status && tgs_schedule_makespan(s) > x.best * (1 + 2e-3))
            fail_msg("fj %g, optimum %g\n%s", tgs_schedule_makespan(s), x.best, graph);
        feasible += !status;
        refused += status && strstr(err.text, "every schedule exceeds a deadline");
        tgs_schedule_free(s);
        fixture_close(&f);
    }
    assert_true(feasible > 30 && refused > 30); /* both are tested */
}

/* ---- cases ---------------------------------------------------------------------------------- */
static void cases(void **state)
{
    fixture f = fixture_open("task s work=0\ntask a work=10\ntask b work=10\ntask t work=0\n"
                             "edge s a 6\nedge s b 6\nedge a t 6\nedge b t 6\n",
                             "cpu:2/own link:1,0", "latbw");
    tgs_plan plan, other;
    tgs_schedule *s;
    tgs_case k;

    (void)state;
    assert_int_equal(tgs_schedule_make(&s, f.pb, "fj-eptas", 1, NULL), TGS_OK);
    assert_int_equal(tgs_schedule_cases(s), 2);
    for (int i = 0; i < 2; i++) { /* the bound of the case together is lower, so it comes first */
        tgs_schedule_case(s, i, &k);
        assert_string_equal(k.what,
                            i ? "source in ram, sink in cpu1.mem" : "source and sink in ram");
        assert_int_equal(k.skipped, 0);
        assert_true(k.upper == (i ? 16 : 20) && k.lower == k.upper);
        assert_true(*k.bound);
    }
    tgs_schedule_case(s, 2, &k);
    assert_string_equal(k.what, "");
    tgs_schedule_free(s);
    /* they go along when a plan is assigned, and are gone when it begins afresh */
    assert_int_equal(tgs_i_plan_new(&plan, 4), TGS_OK);
    assert_int_equal(tgs_i_plan_new(&other, 4), TGS_OK);
    assert_int_equal(tgs_plan_case(&other, &(tgs_case){"x", 1, 2, NULL, NULL, 0}), TGS_OK);
    assert_int_equal(tgs_plan_assign(&f.pb->v, &plan, &other), TGS_OK);
    tgs_i_plan_free(&other);
    for (int32_t t = 0; t < 4; t++) {
        plan.proc[t] = 0;
        plan.start[t] = 100 * t;
    }
    assert_int_equal(tgs_i_schedule_build(&s, f.pb, &plan, "x", NULL), TGS_OK);
    assert_int_equal(tgs_schedule_cases(s), 1);
    tgs_schedule_case(s, 0, &k);
    assert_true(!strcmp(k.what, "x") && k.lower == 1 && k.upper == 2 && !*k.bound && !*k.theorem);
    tgs_schedule_free(s);
    tgs_i_plan_clear(&plan, 4);
    assert_null(plan.cases);
    tgs_i_plan_free(&plan);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs), cmocka_unit_test(positions), cmocka_unit_test(pinned_cuts),
        cmocka_unit_test(initial_data),  cmocka_unit_test(coarse),    cmocka_unit_test(deadlines),
        cmocka_unit_test(cases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
