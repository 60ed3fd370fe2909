/* t_fjmilp.c -- the scheme for fork-join cases to the letter, milp.h and milpround.h, on tiny
 * instances: at the optimum its program has a solution, and the schedule that follows keeps the
 * promised length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "fixture.h"
#include "forms.h"
#include "milp.h"
#include "milpround.h"

#ifndef INSTANCES /* make check-long: t_fjmilp_long has 2000 */
#define INSTANCES 120
#endif

static instance *random_case(tgs_rng *r)
{
    instance *x = open_instance(3);
    const int32_t n = (int32_t)tgs_rng_int(r, 2, 5);
    const bool apart = tgs_rng_int(r, 0, 1);
    const int64_t spread = tgs_rng_int(r, 0, 12);

    equal(x, (int32_t)tgs_rng_int(r, 2, 4), apart);
    for (int32_t j = 0; j < n; j++)
        put_equal(x, j, apart, (double[]){some(r, spread), 1 + some(r, 9), some(r, spread)});
    return x;
}

static void to_the_letter(void **state)
{
    tgs_rng r;
    int refused = 0;
    milp *m = malloc(sizeof *m);

    (void)state;
    if (!tgs_lp_available())
        skip();
    tgs_rng_seed(&r, 31);
    for (int trial = 0; trial < INSTANCES; trial++) {
        instance *x = random_case(&r);
        const int32_t k = x->f.n <= 2 ? 3 : 2;
        const double best = optimum(&x->f);
        tgs_i_fj_answer a;

        assert_true(milp_solve(m, &x->f, best, k));
        assert_int_equal(tgs_i_fj_answer_new(&a, x->f.n), TGS_OK);
        milp_schedule(m, &a);
        check(&x->f, &a);
        assert_true(a.L >= best && a.L <= (1 + 10.0 / k) * best * (1 + 1e-9));
        milp_close(m);
        /* far below the optimum there is none, else every program would do */
        refused += !milp_solve(m, &x->f, best * 0.7, k);
        milp_close(m);
        tgs_i_fj_answer_free(&a);
        free(x);
    }
    print_message("%d of %d refused at 0.7 of the optimum\n", refused, INSTANCES);
    assert_true(refused > INSTANCES / 4);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(to_the_letter)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
