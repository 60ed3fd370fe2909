/* t_fjeven.c -- fork-join cases whose jobs take equal times, against every sequence on every
 * machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "fixture.h"
#include "../heuristics/forkjoin/even.h"
#include "forms.h"

static bool equals(double x, double y)
{
    return fabs(x - y) <= 1e-11 * y;
}

/* what tgs_i_fj_special answers; the theorem's name when it is optimal, else "" */
static tgs_i_fj_answer solved(const tgs_i_fj_form *f, const char **theorem)
{
    tgs_i_fj_answer a;
    bool known;

    assert_int_equal(tgs_i_fj_answer_new(&a, f->n), TGS_OK);
    assert_int_equal(tgs_i_fj_special(f, &a, &known), TGS_OK);
    *theorem = known ? a.theorem : "";
    if (a.L < INFINITY)
        check(f, &a);
    return a;
}

/* classes with one time each; the first `locals` pay nothing */
static instance *random_even(tgs_rng *r, int32_t locals, int32_t others, bool one_time)
{
    instance *x = open_instance(locals + others);
    double p = 1 + some(r, 6);

    for (int32_t g = 0; g < x->f.classes; g++) {
        x->at[g + 1] = x->at[g] + (int32_t)tgs_rng_int(r, 1, 2);
        for (int32_t j = 0; j < JOBS; j++)
            put(x, j, g, p, 0, 0);
        p = one_time ? p : 1 + some(r, 6);
    }
    return x;
}

/* (f): any windows on identical machines */
static void windows(void **state)
{
    tgs_rng r;
    int named = 0;

    (void)state;
    tgs_rng_seed(&r, 11);
    for (int trial = 0; trial < 1000; trial++) {
        instance *x = random_even(&r, 0, 1, true);
        const int64_t spread = tgs_rng_int(&r, 1, 15);
        const char *theorem;
        tgs_i_fj_answer a;

        x->f.n = (int32_t)tgs_rng_int(&r, 2, 6);
        for (int32_t j = 0; j < x->f.n; j++)
            put(x, j, 0, x->p[0], some(&r, spread), some(&r, spread));
        a = solved(&x->f, &theorem);
        assert_true(equals(a.L, optimum(&x->f)));
        assert_true(*theorem && a.lower == a.L);
        named += !strcmp(theorem, "equal times in windows");
        tgs_i_fj_answer_free(&a);
        free(x);
    }
    assert_true(named > 500); /* others are alike, forks, or aligned */
}

/* the feasibility question itself, at lengths below and at the optimum */
static void windows_decide(void **state)
{
    tgs_rng r;
    int refused = 0;

    (void)state;
    tgs_rng_seed(&r, 12);
    for (int trial = 0; trial < 1000; trial++) {
        instance *x = random_even(&r, 0, 1, true);
        const int64_t spread = tgs_rng_int(&r, 0, 12);
        tgs_i_fj_answer a;
        double best, length;
        bool feasible;

        x->f.n = (int32_t)tgs_rng_int(&r, 1, 6);
        for (int32_t j = 0; j < x->f.n; j++)
            put(x, j, 0, x->p[0], some(&r, spread), some(&r, spread));
        best = optimum(&x->f);
        length = best - 1 + some(&r, 8) / 4; /* times are whole, so best is what counts */
        assert_int_equal(tgs_i_fj_answer_new(&a, x->f.n), TGS_OK);
        {
            const tgs_i_fj_jobs jobs = {x->f.n, x->p, x->r, x->q};

            assert_int_equal(
                tgs_i_fj_windows(&jobs, x->at[1], length, a.machine, a.start, &feasible), TGS_OK);
        }
        assert_true(feasible == (length >= best));
        refused += !feasible;
        if (feasible) {
            for (int32_t j = 0; j < x->f.n; j++)
                a.L = fmax(j ? a.L : 0, a.start[j] + x->p[j] + x->q[j]);
            check(&x->f, &a);
            assert_true(a.L <= length * (1 + 1e-11));
        }
        tgs_i_fj_answer_free(&a);
        free(x);
    }
    assert_true(refused > 200);
}

/* (e): beside machines that pay nothing, one class whose r and q grow together */
static void nested(void **state)
{
    tgs_rng r;
    int named = 0;

    (void)state;
    tgs_rng_seed(&r, 13);
    for (int trial = 0; trial < 1000; trial++) {
        instance *x = random_even(&r, (int32_t)tgs_rng_int(&r, 1, 2), 1, tgs_rng_int(&r, 0, 1));
        const int32_t g = x->f.classes - 1;
        const int64_t step = tgs_rng_int(&r, 1, 5);
        double a_sum = some(&r, 5), b_sum = some(&r, 5);
        const char *theorem;
        tgs_i_fj_answer a;

        x->f.n = (int32_t)tgs_rng_int(&r, 2, 5);
        for (int32_t k = 0; k < x->f.n; k++) {
            const int32_t j = (k * 3 + 1) % x->f.n; /* some order: 3 and 5, 4, 2 have no divisor */

            put(x, x->f.n == 3 ? k : j, g, x->p[g], a_sum, b_sum);
            a_sum += some(&r, step);
            b_sum += some(&r, step);
        }
        a = solved(&x->f, &theorem);
        assert_true(equals(a.L, optimum(&x->f)));
        assert_true(*theorem && a.lower == a.L);
        named += !strcmp(theorem, "equal times and nested communication");
        tgs_i_fj_answer_free(&a);
        free(x);
    }
    assert_true(named > 400);
}

/* (g): releases or tails at multiples of the class's time, any number of classes */
static void aligned(void **state)
{
    tgs_rng r;
    int named = 0;

    (void)state;
    tgs_rng_seed(&r, 14);
    for (int trial = 0; trial < 1000; trial++) {
        const int32_t locals = (int32_t)tgs_rng_int(&r, 0, 2);
        instance *x =
            random_even(&r, locals, (int32_t)tgs_rng_int(&r, 1, 3 - locals), tgs_rng_int(&r, 0, 1));
        const bool tails = tgs_rng_int(&r, 0, 1);
        const char *theorem;
        tgs_i_fj_answer a;

        x->f.n = (int32_t)tgs_rng_int(&r, 2, 5);
        for (int32_t g = locals; g < x->f.classes; g++)
            for (int32_t j = 0; j < x->f.n; j++) {
                const double whole = x->p[g] * some(&r, 3), any = some(&r, 12);

                put(x, j, g, x->p[g], tails ? any : whole, tails ? whole : any);
            }
        a = solved(&x->f, &theorem);
        assert_true(equals(a.L, optimum(&x->f)));
        assert_true(*theorem && a.lower == a.L);
        named += !!strstr(theorem, "multiples");
        tgs_i_fj_answer_free(&a);
        free(x);
    }
    assert_true(named > 500);
}

/* (g): without that, less than the largest time above the optimum, and the bound holds */
static void almost_aligned(void **state)
{
    tgs_rng r;
    int open = 0;

    (void)state;
    tgs_rng_seed(&r, 15);
    for (int trial = 0; trial < 1000; trial++) {
        const int32_t locals = (int32_t)tgs_rng_int(&r, 0, 2);
        instance *x =
            random_even(&r, locals, (int32_t)tgs_rng_int(&r, 1, 3 - locals), tgs_rng_int(&r, 0, 1));
        const char *theorem;
        double best, most = 0;
        tgs_i_fj_answer a;

        x->f.n = (int32_t)tgs_rng_int(&r, 2, 5);
        for (int32_t g = locals; g < x->f.classes; g++) {
            most = fmax(most, x->p[g]);
            for (int32_t j = 0; j < x->f.n; j++)
                put(x, j, g, x->p[g], some(&r, 12), some(&r, 12));
        }
        best = optimum(&x->f);
        a = solved(&x->f, &theorem);
        assert_true(a.L < best + most && a.L >= best * (1 - 1e-11));
        assert_true(a.lower <= best * (1 + 1e-11));
        assert_true(!*theorem || equals(a.L, best));
        open += !*theorem;
        tgs_i_fj_answer_free(&a);
        free(x);
    }
    assert_true(open > 300);
}

/* through the library: the theorem is named */
static void named(void **state)
{
    static const struct {
        const char *platform, *tasks, *solver, *note;
        double optimum;
    } list[] = {
        {"cpu:3/own link:1,0", "0,2,4 4,2,2 2,2,0 2,2,8", "fj-exact", "multiples", 4},
        {"cpu:2/own link:1,0", "1,4,2 1,4,3 3,4,3 3,4,5 2,4,3", "fj-eptas", "optimal", 12},
    };

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        fixture x = star(list[i].platform, list[i].tasks);
        tgs_schedule *s;
        tgs_error err = {TGS_OK, ""};

        if (tgs_schedule_make(&s, x.pb, list[i].solver, 1, &err))
            fail_msg("%s", err.text);
        if (!strstr(s->note, list[i].note) || tgs_schedule_makespan(s) != list[i].optimum)
            fail_msg("%zu: %g, %s", i, tgs_schedule_makespan(s), s->note);
        tgs_schedule_free(s);
        fixture_close(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows), cmocka_unit_test(windows_decide), cmocka_unit_test(nested),
        cmocka_unit_test(aligned), cmocka_unit_test(almost_aligned), cmocka_unit_test(named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
