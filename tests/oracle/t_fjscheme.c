/* t_fjscheme.c -- the fork-join scheme, its fluid bound, and all fork-join heuristics against the
 * optimum of tiny instances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "fixture.h"
#include "../heuristics/forkjoin/fluid.h"
#include "../heuristics/forkjoin/scheme.h"
#include "forms.h"

/* equal or related machines, with and without classes that pay nothing */
static instance *random_related(tgs_rng *r)
{
    instance *x = open_instance((int32_t)tgs_rng_int(r, 1, 3));
    const int64_t spread = tgs_rng_int(r, 0, 12);
    const bool equal_speeds = tgs_rng_int(r, 0, 1);
    double a[JOBS], b[JOBS], w[JOBS];

    x->f.n = (int32_t)tgs_rng_int(r, 1, 5);
    for (int32_t j = 0; j < x->f.n; j++) {
        a[j] = some(r, spread);
        b[j] = some(r, spread);
        w[j] = 1 + some(r, 9);
    }
    for (int32_t g = 0; g < x->f.classes; g++) {
        const double factor = equal_speeds ? 1 : (double)(1 << tgs_rng_int(r, 0, 2)) / 2;
        const bool in = g && tgs_rng_int(r, 0, 3), out = g && tgs_rng_int(r, 0, 3);

        x->at[g + 1] = x->at[g] + (int32_t)tgs_rng_int(r, 1, 2);
        for (int32_t j = 0; j < x->f.n; j++)
            put(x, j, g, w[j] * factor, in ? a[j] : 0, out ? b[j] : 0);
    }
    return x;
}

/* the fluid test allows the optimum, and what it refuses no schedule reaches; the scheme's bound is
 * below the optimum, its schedule above, and with enough nodes they meet */
static void scheme_and_fluid(void **state)
{
    tgs_rng r;
    int64_t refused = 0, met = 0;

    (void)state;
    tgs_rng_seed(&r, 8);
    for (int trial = 0; trial < 600; trial++) {
        static const tgs_i_fj_effort none = {0, 0, 0, 0, NULL}, little = {0, 0, 300, 0, NULL},
                                     full = {0, 1000000, 300, 0, NULL};
        const tgs_i_fj_effort *effort[] = {&none, &little, &full};
        instance *x = random_related(&r);
        const double best = optimum(&x->f);
        tgs_i_fj_fluid fluid;
        bool fits, feasible;

        assert_int_equal(tgs_i_fj_fluid_open(&fluid, &x->f, &fits), TGS_OK);
        assert_true(fits);
        assert_int_equal(tgs_i_fj_fluid_test(&fluid, best, &feasible), TGS_OK);
        assert_true(feasible);
        assert_int_equal(tgs_i_fj_fluid_test(&fluid, best * 0.9, &feasible), TGS_OK);
        refused += !feasible;
        tgs_i_fj_fluid_close(&fluid);
        for (int32_t i = 0; i < 3; i++) {
            tgs_i_fj_answer a;

            assert_int_equal(tgs_i_fj_answer_new(&a, x->f.n), TGS_OK);
            assert_int_equal(tgs_i_fj_scheme(&x->f, effort[i], INFINITY, &a), TGS_OK);
            check(&x->f, &a);
            assert_true(a.lower <= best * (1 + 1e-9) && a.L >= best * (1 - 1e-9));
            met += i == 1 && a.L <= best * (1 + 1e-9);
            if (i == 2)
                assert_true(a.L <= best * (1 + 1e-9) && a.lower >= best * (1 - 1e-9));
            tgs_i_fj_answer_free(&a);
        }
        free(x);
    }
    assert_true(refused > 150 && met > 300); /* neither is idle */
}

/* unrelated times: the same of the scheme */
static void scheme_unrelated(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 9);
    for (int trial = 0; trial < 500; trial++) {
        static const tgs_i_fj_effort little = {0, 0, 300, 0, NULL};
        instance *x = open_instance((int32_t)tgs_rng_int(&r, 2, 3));
        tgs_i_fj_answer a;
        double best;

        x->f.n = (int32_t)tgs_rng_int(&r, 1, 5);
        for (int32_t g = 0; g < x->f.classes; g++) {
            x->at[g + 1] = x->at[g] + (int32_t)tgs_rng_int(&r, 1, 2);
            for (int32_t j = 0; j < x->f.n; j++)
                put(x, j, g, g && !tgs_rng_int(&r, 0, 7) ? INFINITY : 1 + some(&r, 9), some(&r, 6),
                    some(&r, 6));
        }
        best = optimum(&x->f);
        assert_int_equal(tgs_i_fj_answer_new(&a, x->f.n), TGS_OK);
        assert_int_equal(tgs_i_fj_scheme(&x->f, &little, INFINITY, &a), TGS_OK);
        check(&x->f, &a);
        assert_true(a.lower <= best * (1 + 1e-9) && a.L >= best * (1 - 1e-9));
        tgs_i_fj_answer_free(&a);
        free(x);
    }
}

/* tiny instances: each solver's bound is below the optimum, its schedule is checked and above */
static void every_solver(void **state)
{
    static const char *const solvers[] = {
        "fj-prefix",     "fj-eptas:eps=0", "fj-eptas:nodes=0:work=50", "fj-eptas:eps=0.2",
        "fjs",           "fj-ls",          "fj-ls:rule=ls:priority=c", "fj-ls:rule=lc:priority=ccc",
        "fj-ls:rule=ln", "fj-ls:rule=d",   "fj-ls:rule=dv:priority=c"};
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 10);
    for (int trial = 0; trial < 2000; trial++) {
        char tasks[300] = "", platform[60];
        const int32_t n = (int32_t)tgs_rng_int(&r, 1, 6), m = (int32_t)tgs_rng_int(&r, 1, 4);
        const int64_t spread = tgs_rng_int(&r, 1, 20);
        tgs_schedule *exact, *s;
        tgs_error err = {TGS_OK, ""};
        fixture x;

        for (int32_t j = 0; j < n; j++)
            sprintf(tasks + strlen(tasks), "%d,%d,%d ", (int)tgs_rng_int(&r, 0, spread),
                    (int)tgs_rng_int(&r, 1, 10), (int)tgs_rng_int(&r, 0, spread));
        tasks[strlen(tasks) - 1] = 0;
        sprintf(platform, "cpu:%d/own link:1,0", (int)m);
        x = star(platform, tasks);
        assert_int_equal(tgs_schedule_make(&exact, x.pb, "fj-exact", 1, &err), TGS_OK);
        assert_true(exact->lower_bound == tgs_schedule_makespan(exact));
        for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
            if (tgs_schedule_make(&s, x.pb, solvers[i], 1, &err))
                fail_msg("%s: %s", solvers[i], err.text);
            assert_true(tgs_schedule_makespan(s) >= exact->v.makespan * (1 - 1e-9));
            assert_true(isnan(s->lower_bound) || s->lower_bound <= exact->v.makespan * (1 + 1e-9));
            if ((!strcmp(solvers[i], "fjs") || !strcmp(solvers[i], "fj-prefix")) && m > 1)
                assert_true(s->v.makespan <= (1 + m / (m - 1.0)) * exact->v.makespan * (1 + 1e-9));
            if (i == 1)
                assert_true(s->v.makespan <= exact->v.makespan * (1 + 1e-9));
            if (i == 3)
                assert_true(s->v.makespan <= 1.2 * exact->v.makespan * (1 + 1e-9));
            tgs_schedule_free(s);
        }
        tgs_schedule_free(exact);
        fixture_close(&x);
    }
}

/* P0 (b): FORKJOINSCHED is 15 where 12 is possible, whatever the number of processors; the scheme
 * must be better */
static void forkjoinsched(void **state)
{
    static const int32_t processors[] = {3, 4, 5, 10};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        char platform[60];
        fixture x;
        tgs_schedule *s;
        tgs_error err = {TGS_OK, ""};

        sprintf(platform, "cpu:%d/own link:1,0", (int)processors[i]);
        x = star(platform, "4,7,12 3,5,7 10,3,4");
        assert_int_equal(tgs_schedule_make(&s, x.pb, "fjs", 1, &err), TGS_OK);
        assert_real(tgs_schedule_makespan(s), 15);
        tgs_schedule_free(s);
        assert_int_equal(tgs_schedule_make(&s, x.pb, "fj-eptas:eps=0.2", 1, &err), TGS_OK);
        assert_true(tgs_schedule_makespan(s) <= 14.4);
        tgs_schedule_free(s);
        assert_int_equal(tgs_schedule_make(&s, x.pb, "fj-ls:rule=x", 1, &err), TGS_EINVAL);
        assert_int_equal(tgs_schedule_make(&s, x.pb, "fj-ls:priority=x", 1, &err), TGS_EINVAL);
        fixture_close(&x);
    }
}

/* larger instances: what the plan proves of itself */
static void certificates(void **state)
{
    static const struct {
        const char *graph, *platform;
        double ratio;
    } list[] = {
        {"forkjoin:n=300:ccr=1", "cpu:8/own link:1,0", 1.01},
        {"forkjoin:n=2000:ccr=10", "cpu:16/own link:1,0", 1.01},
        {"forkjoin:n=100:ccr=1", "cpu:32/own link:1,0", 1.12},
        {"forkjoin:n=1000:ccr=1", "cpu:4/own cpu:4x3/own link:1,0", 1.05},
        {"forkjoin:n=1000:ccr=1:kinds=cpu+gpu:heterogeneity=1.8", "cpu:16 gpu:4/own link:1,0",
         1.02},
    };

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        fixture x;
        tgs_schedule *s;
        tgs_error err = {TGS_OK, ""};
        double ratio;

        assert_int_equal(tgs_graph_generate(&x.g, list[i].graph, 7, &err), TGS_OK);
        x.p = fixture_platform(list[i].platform);
        x.pb = fixture_problem(x.g, x.p, "latbw");
        assert_int_equal(tgs_schedule_make(&s, x.pb, "fj-eptas:eps=0.005", 1, &err), TGS_OK);
        ratio = tgs_schedule_makespan(s) / s->lower_bound;
        if (!(ratio >= 1 - 1e-12 && ratio <= list[i].ratio))
            fail_msg("%s on %s: %.6f", list[i].graph, list[i].platform, ratio);
        assert_true((strncmp(s->note, "not proven", 10) != 0) == (ratio <= 1.005));
        tgs_schedule_free(s);
        fixture_close(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scheme_and_fluid), cmocka_unit_test(scheme_unrelated),
        cmocka_unit_test(every_solver),     cmocka_unit_test(forkjoinsched),
        cmocka_unit_test(certificates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
