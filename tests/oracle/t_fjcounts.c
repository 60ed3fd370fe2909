/* t_fjcounts.c -- bounds from whole numbers of big jobs against the optimum of tiny instances, and
 * more than a fluid could say of one that shows what they are for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "fixture.h"
#include "../heuristics/forkjoin/counts.h"
#include "forms.h"
#include "tgsched/lp.h"

/* big jobs and sand, some of them not everywhere */
static instance *random_form(tgs_rng *r)
{
    instance *x = open_instance((int32_t)tgs_rng_int(r, 1, 3));
    const int64_t spread = tgs_rng_int(r, 0, 20);

    x->f.n = (int32_t)tgs_rng_int(r, 1, 6);
    for (int32_t g = 0; g < x->f.classes; g++)
        x->at[g + 1] = x->at[g] + (int32_t)tgs_rng_int(r, 1, 2);
    for (int32_t j = 0; j < x->f.n; j++) {
        const double size = tgs_rng_int(r, 0, 2) ? 20 + some(r, 10) : 1;

        for (int32_t g = 0; g < x->f.classes; g++)
            put(x, j, g, g && !tgs_rng_int(r, 0, 7) ? INFINITY : size * (1 + some(r, 3) / 4),
                some(r, spread), some(r, spread));
    }
    return x;
}

static void never_above_the_optimum(void **state)
{
    tgs_rng r;
    int raised = 0, solved = 0;

    (void)state;
    if (!tgs_lp_available())
        skip();
    tgs_rng_seed(&r, 44);
    for (int trial = 0; trial < 400; trial++) {
        instance *x = random_form(&r);
        const double best = optimum(&x->f);
        tgs_i_fj_answer a = {.L = 2 * best};
        int32_t class_of[JOBS];
        tgs_error err = {TGS_OK, ""};
        double lower;
        bool found;

        assert_int_equal(tgs_i_fj_quick_bound(&x->f, &lower), TGS_OK);
        a.lower = lower;
        if (tgs_i_fj_counts(&x->f, 0, INFINITY, &a, class_of, &found, &err))
            fail_msg("%s", err.text);
        assert_true(a.lower >= lower && a.lower <= best * (1 + 1e-9));
        for (int32_t j = 0; j < x->f.n && found; j++)
            assert_true(class_of[j] >= 0 && class_of[j] < x->f.classes
                        && x->p[j * x->f.classes + class_of[j]] < INFINITY);
        raised += a.lower > lower * (1 + 1e-6);
        solved += found;
        free(x);
    }
    print_message("raised %d, solved %d of 400\n", raised, solved);
    assert_true(raised > 70 && solved > 300);
}

/* 5 jobs of 10 on three machines, one of which is local: two of them on a machine, and a remote one
 * needs r and q besides.  A fluid has (50 + 4 + 4) / 3 for the work and 10 + 2 + 2 for each job. */
static void two_on_a_machine(void **state)
{
    instance *x = open_instance(2);
    tgs_i_fj_answer a = {.L = 30, .lower = 58.0 / 3};
    int32_t class_of[JOBS], local = 0;
    tgs_error err = {TGS_OK, ""};
    bool found;

    (void)state;
    if (!tgs_lp_available())
        skip();
    equal(x, 3, false);
    for (int32_t j = 0; j < 5; j++)
        put_equal(x, j, false, (double[]){2, 10, 2});
    assert_int_equal(tgs_i_fj_counts(&x->f, 0, INFINITY, &a, class_of, &found, &err), TGS_OK);
    assert_true(optimum(&x->f) == 24);
    assert_true(a.lower > 24 * (1 - 1e-3) && a.lower <= 24 && found);
    for (int32_t j = 0; j < 5; j++)
        local += class_of[j] == 0;
    assert_true(local == 1 || local == 2);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_above_the_optimum),
        cmocka_unit_test(two_on_a_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
