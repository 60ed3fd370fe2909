/* t_fjconfigs.c -- sets of jobs for one machine: the search against every subset, and the bounds
 * and schedules made of them against the optimum of tiny instances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "fixture.h"
#include "../heuristics/forkjoin/configs.h"
#include "forms.h"
#include "tgsched/lp.h"

static instance *random_form(tgs_rng *r)
{
    instance *x = open_instance((int32_t)tgs_rng_int(r, 1, 3));
    const int64_t spread = tgs_rng_int(r, 0, 12);

    x->f.n = (int32_t)tgs_rng_int(r, 1, 5);
    for (int32_t g = 0; g < x->f.classes; g++) {
        x->at[g + 1] = x->at[g] + (int32_t)tgs_rng_int(r, 1, 2);
        for (int32_t j = 0; j < x->f.n; j++)
            put(x, j, g, g && !tgs_rng_int(r, 0, 7) ? INFINITY : 1 + some(r, 9), some(r, spread),
                some(r, spread));
    }
    return x;
}

/* the least L of the jobs in mask, on one machine of class g */
static double alone(const tgs_i_fj_form *f, int32_t g, unsigned mask, double now, double L)
{
    double best = mask ? INFINITY : L;

    for (int32_t j = 0; j < f->n; j++)
        if (mask >> j & 1) {
            const int32_t i = j * f->classes + g;
            const double end = fmax(now, f->r[i]) + f->p[i];

            best = fmin(best, alone(f, g, mask & ~(1u << j), end, fmax(L, end + f->q[i])));
        }
    return best;
}

typedef struct heard {
    const tgs_i_fj_form *f;
    int32_t class;
    double T, worth;
    const double *price;
} heard;

static tgs_status hear(void *user, const int32_t *job, int32_t size, double L)
{
    heard *h = user;
    double worth = 0;
    unsigned mask = 0;

    for (int32_t k = 0; k < size; k++) {
        worth += h->price[job[k]];
        mask |= 1u << job[k];
    }
    assert_true(worth > h->worth && L >= alone(h->f, h->class, mask, 0, 0));
    assert_true(L <= h->T);
    h->worth = worth;
    return TGS_OK;
}

static void pricing(void **state)
{
    tgs_rng r;
    int cut = 0, some_set = 0;

    (void)state;
    tgs_rng_seed(&r, 21);
    for (int trial = 0; trial < 1000; trial++) {
        instance *x = random_form(&r);
        double price[JOBS], best = 0, most;
        const int32_t g = (int32_t)tgs_rng_int(&r, 0, x->f.classes - 1);
        heard h = {&x->f, g, 1 + some(&r, 30), 0, price};
        tgs_i_fj_pricing full = {&x->f, g, h.T, price, 0, 0, 1000000, hear, &h}, little = full;

        for (int32_t j = 0; j < x->f.n; j++)
            price[j] = some(&r, 8) / 8;
        for (unsigned mask = 1; mask < 1u << x->f.n; mask++) {
            double worth = 0;

            for (int32_t j = 0; j < x->f.n; j++)
                worth += mask >> j & 1 ? price[j] : 0;
            if (worth > best && alone(&x->f, g, mask, 0, 0) <= h.T)
                best = worth;
        }
        assert_int_equal(tgs_i_fj_price(&full, &most), TGS_OK);
        assert_true(most == best && h.worth == best && full.nodes > 0);
        some_set += best > 0;
        h.worth = 0;
        little.nodes = 2;
        little.slack = 0.25;
        assert_int_equal(tgs_i_fj_price(&little, &most), TGS_OK);
        assert_true(most >= best && h.worth <= best);
        cut += h.worth < best;
        free(x);
    }
    assert_true(some_set > 500 && cut > 50);
}

/* each job in turn where it ends first */
static void begin(const tgs_i_fj_form *f, tgs_i_fj_answer *a)
{
    double end[64] = {0};

    a->L = 0;
    for (int32_t j = 0; j < f->n; j++) {
        double least = INFINITY;
        int32_t best = 0, class = 0;

        for (int32_t g = 0; g < f->classes; g++)
            for (int32_t i = f->at[g]; i < f->at[g + 1]; i++) {
                const int32_t at = j * f->classes + g;
                const double L = fmax(end[i], f->r[at]) + f->p[at] + f->q[at];

                if (L < least) {
                    least = L;
                    best = i;
                    class = j * f->classes + g;
                }
            }
        a->machine[j] = best;
        a->start[j] = fmax(end[best], f->r[class]);
        end[best] = a->start[j] + f->p[class];
        a->L = fmax(a->L, least);
    }
}

static void bounds_and_schedules(void **state)
{
    tgs_rng r;
    int raised = 0, exact = 0, bettered = 0;

    (void)state;
    if (!tgs_lp_available())
        skip();
    tgs_rng_seed(&r, 22);
    for (int trial = 0; trial < 1000; trial++) {
        instance *x = random_form(&r);
        const double best = optimum(&x->f);
        tgs_i_fj_answer a;
        tgs_error err = {TGS_OK, ""};
        double first, lower;

        assert_int_equal(tgs_i_fj_answer_new(&a, x->f.n), TGS_OK);
        begin(&x->f, &a);
        first = a.L;
        assert_int_equal(tgs_i_fj_quick_bound(&x->f, &lower), TGS_OK);
        a.lower = lower;
        if (tgs_i_fj_configs(&x->f, 100000, 100, 0, INFINITY, &a, &err))
            fail_msg("%s", err.text);
        check(&x->f, &a);
        assert_true(a.lower <= best * (1 + 1e-9) && a.L >= best * (1 - 1e-9));
        assert_true(a.lower >= lower && a.L <= first);
        raised += a.lower > lower * (1 + 1e-9);
        bettered += a.L < first * (1 - 1e-9);
        exact += a.lower >= best * (1 - 2e-4) && a.L <= best * (1 + 1e-9);
        tgs_i_fj_answer_free(&a);
        free(x);
    }
    assert_true(raised > 200 && bettered > 50 && exact > 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pricing),
        cmocka_unit_test(bounds_and_schedules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
