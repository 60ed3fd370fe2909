/* t_mixed.c -- the mixed bounds against the linear program with a row for every dependency, and
 * HLP's schedules against their guarantee. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"
#include "tgsched/lp.h"

static double bound_of(const tgs_problem *pb, const char *spec)
{
    double bound;
    tgs_error err;

    if (tgs_bound(&bound, pb, spec, &err))
        fail_msg("%s: %s", spec, err.text);
    return bound;
}

/* HLP as it is published, for kinds of processors of speed 1: x(j,t), S(j), T */
static double whole_program(const tgs_view *v)
{
    const int32_t n = v->n, k = v->kinds;
    int32_t *column = malloc((size_t)(n * k + n + 2) * sizeof *column);
    double *a = malloc((size_t)(n * k + n + 2) * sizeof *a), value;
    tgs_lp_answer answer;
    tgs_lp *lp;

    assert_int_equal(tgs_lp_new(&lp, NULL), 0);
    for (int32_t i = 0; i < n * k; i++)
        tgs_lp_column(lp, NULL, 0, 1, 0, false);
    for (int32_t j = 0; j <= n; j++) /* S, and T last */
        tgs_lp_column(lp, NULL, 0, INFINITY, j == n, false);
    for (int32_t t = 0; t < k; t++) {
        double processors = 0;

        for (int32_t p = 0; p < v->m; p++)
            processors += v->p->proc[p].kind == t;
        for (int32_t j = 0; j < n; j++) {
            column[j] = j * k + t;
            a[j] = -v->time[j * k + t];
        }
        column[n] = n * k + n;
        a[n] = processors;
        tgs_lp_row(lp, NULL, 0, INFINITY, n + 1, column, a);
    }
    for (int32_t j = 0; j < n; j++) {
        for (int32_t t = 0; t < k; t++) {
            column[t] = j * k + t;
            a[t] = 1;
        }
        tgs_lp_row(lp, NULL, 1, 1, k, column, a);
        for (int32_t t = 0; t < k; t++)
            a[t] = -v->time[j * k + t];
        column[k] = n * k + j;
        a[k] = -1;
        a[k + 1] = 1;
        column[k + 1] = n * k + n;
        tgs_lp_row(lp, NULL, 0, INFINITY, k + 2, column, a);
        for (int32_t e = v->g->succ_at[j]; e < v->g->succ_at[j + 1]; e++) {
            column[k + 1] = n * k + v->g->succ[e];
            tgs_lp_row(lp, NULL, 0, INFINITY, k + 2, column, a);
        }
    }
    assert_int_equal(tgs_lp_relax(lp, &answer, NULL), 0);
    assert_int_equal(answer.end, TGS_LP_OPTIMAL);
    value = answer.value;
    tgs_lp_free(lp);
    free(column);
    free(a);
    return value;
}

static void check(const char *spec, const char *platform, uint64_t seed, int32_t *mixed)
{
    tgs_platform *p = fixture_platform(platform);
    const double factor = p->v.kinds * (p->v.kinds + 1);
    tgs_graph *g;
    tgs_problem *pb;
    double whole, area, path, bound;

    assert_int_equal(tgs_graph_generate(&g, spec, seed, NULL), 0);
    pb = fixture_problem(g, p, "zero");
    whole = whole_program(&pb->v);
    area = bound_of(pb, "area");
    path = bound_of(pb, "critical-path");
    bound = bound_of(pb, "mixed");
    if (!(fabs(bound_of(pb, "mixed:rounds=0") - fmax(area, path)) <= 1e-9 * whole))
        fail_msg("%.17g is neither %.17g nor %.17g", bound_of(pb, "mixed:rounds=0"), area, path);
    if (bound > whole * (1 + 1e-9) || bound < whole * (1 - 1e-3))
        fail_msg("%s, seed %d: %.17g instead of %.17g", spec, (int)seed, bound, whole);
    if (fabs(bound_of(pb, "mixed-comm") - bound) > 1e-3 * whole) /* free links */
        fail_msg("%.17g with free communication", bound_of(pb, "mixed-comm"));
    *mixed += bound > fmax(area, path) * (1 + 1e-3);
    for (int32_t i = 0; i < 2; i++) {
        const char *name = i ? "hlp-ols" : "hlp:comm=0";
        tgs_schedule *s;
        tgs_error err;

        if (tgs_schedule_make(&s, pb, name, 1, &err))
            fail_msg("%s: %s", name, err.text);
        assert_true(tgs_schedule_makespan(s) <= factor * whole * (1 + 1e-3));
        assert_true(tgs_schedule_makespan(s) >= bound);
        assert_text(s->note, "* times the bound of the linear program");
        tgs_schedule_free(s);
    }
    tgs_problem_free(pb);
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void as_the_whole_program(void **state)
{
    int32_t mixed = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        check("layered:n=40:width=8:kinds=a+b", "a:4 b:2", seed, &mixed);
        check("layered:n=60:width=9:kinds=a+b+c", "a:3 b:2 c:1", seed, &mixed);
        check("cholesky:n=5:kinds=a+b", "a:4 b:1", seed, &mixed);
    }
    print_message("%d of 60 bounds are better than work and chains apart\n", (int)mixed);
    assert_true(mixed > 5);
}

/* u is made for a, v for b, and the datum between them is dear: better on one kind, 3 + 4 */
static void communication(void **state)
{
    fixture f = fixture_open("kinds a b\ntask u time=3,9\ntask v time=4,1\nedge u v 8\n",
                             "a:1/own b:1/own link:1,0", "latbw");

    (void)state;
    assert_true(fabs(bound_of(f.pb, "mixed") - 4) < 1e-9);
    assert_true(fabs(bound_of(f.pb, "mixed-comm") - 7) < 1e-9);
    fixture_close(&f);
}

static void sizes(void **state)
{
    fixture f = fixture_open("task u work=3\n", "cpu:1", "latbw");
    double bound;
    tgs_error err;

    (void)state;
    assert_true(fabs(bound_of(f.pb, "mixed:size=1") - 3) < 1e-9);
    fixture_close(&f);
    f = fixture_open("task u work=3\ntask v work=2\n", "cpu:1", "latbw");
    assert_int_equal(tgs_bound(&bound, f.pb, "mixed:size=1", &err), TGS_ENOTAPPLICABLE);
    assert_text(err.text, "*more than the 1 of size*");
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_whole_program),
        cmocka_unit_test(communication),
        cmocka_unit_test(sizes),
    };

    if (!tgs_lp_available()) {
        printf("this tgsched was built without CBC\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
