/* t_forkjoin.c -- exact fork-join solvers against every sequence on every machine, and recorded
 * optima; SYSTEMS.md S14, check P0 (a) to (f). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "fixture.h"
#include "../heuristics/forkjoin/star.h"
#include "forms.h"

static double branched(const tgs_i_fj_form *f)
{
    tgs_i_fj_answer a;
    bool finished;
    double L;

    assert_int_equal(tgs_i_fj_answer_new(&a, f->n), TGS_OK);
    assert_int_equal(tgs_i_fj_branch(f, 10000000, INFINITY, &a, &finished), TGS_OK);
    assert_true(finished && a.lower == a.L);
    check(f, &a);
    L = a.L;
    tgs_i_fj_answer_free(&a);
    return L;
}

/* L of the polynomial case, NaN if it is none */
static double special(const tgs_i_fj_form *f, const char *theorem)
{
    tgs_i_fj_answer a;
    bool known;
    double L = NAN;

    assert_int_equal(tgs_i_fj_answer_new(&a, f->n), TGS_OK);
    assert_int_equal(tgs_i_fj_special(f, &a, &known), TGS_OK);
    if (known) {
        check(f, &a);
        assert_non_null(strstr(a.theorem, theorem));
        assert_true(a.lower == a.L);
        L = a.L;
    }
    tgs_i_fj_answer_free(&a);
    return L;
}

static double quick(const tgs_i_fj_form *f)
{
    double L;

    assert_int_equal(tgs_i_fj_quick_bound(f, &L), TGS_OK);
    return L;
}

/* ---- recorded instances -----------------------------------------------------------------------
 */
static void recorded(void **state)
{
    (void)state;
    for (int32_t i = 0; i < FORK_JOINS; i++)
        for (int apart = 0; apart <= 1; apart++) {
            instance *x = open_instance(3);
            const double want = apart ? table[i].L2 : table[i].L1;

            equal(x, table[i].m, apart);
            for (const char *s = table[i].tasks; *s;) {
                double part[3];

                s = fork_join_task(s, part);
                put_equal(x, x->f.n, apart, part);
            }
            assert_true(branched(&x->f) == want);
            assert_true(quick(&x->f) <= want);
            free(x);
        }
}

/* ---- random instances --------------------------------------------------------------------------
 */
static void random_forms(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 3);
    for (int trial = 0; trial < 500; trial++) {
        instance *x = open_instance((int32_t)tgs_rng_int(&r, 1, 3));
        const int64_t spread = tgs_rng_int(&r, 0, 12);

        x->f.n = (int32_t)tgs_rng_int(&r, 1, 5);
        for (int32_t g = 0; g < x->f.classes; g++)
            x->at[g + 1] = x->at[g] + (int32_t)tgs_rng_int(&r, 1, 2);
        for (int32_t j = 0; j < x->f.n; j++)
            for (int32_t g = 0; g < x->f.classes; g++)
                if (j && tgs_rng_int(&r, 0, 4) == 0)
                    put(x, j, g, x->p[(j - 1) * x->f.classes + g], x->r[(j - 1) * x->f.classes + g],
                        x->q[(j - 1) * x->f.classes + g]);
                else
                    put(x, j, g, g && !tgs_rng_int(&r, 0, 9) ? INFINITY : 1 + some(&r, 9),
                        some(&r, spread), some(&r, spread));
        {
            const double best = optimum(&x->f);

            assert_true(branched(&x->f) == best);
            assert_true(quick(&x->f) <= best);
        }
        free(x);
    }
}

static void as_many_machines_as_jobs(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 4);
    for (int trial = 0; trial < 1000; trial++) {
        instance *x = open_instance(2);
        const int32_t n = (int32_t)tgs_rng_int(&r, 2, 5);

        equal(x, n + 1, false);
        for (int32_t j = 0; j < n; j++)
            put_equal(x, j, false,
                      (double[]){some(&r, 8), 1 + (double)j / 16 + some(&r, 9), some(&r, 8)});
        assert_true(special(&x->f, "as many processors") == optimum(&x->f));
        free(x);
    }
}

static void jobs_alike(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 5);
    for (int trial = 0; trial < 1000; trial++) {
        instance *x = open_instance((int32_t)tgs_rng_int(&r, 1, 3));
        const int32_t n = (int32_t)tgs_rng_int(&r, 1, 5);

        for (int32_t g = 0; g < x->f.classes; g++) {
            const double p = 1 + some(&r, 9), a = some(&r, 9), b = some(&r, 9);

            x->at[g + 1] = x->at[g] + (int32_t)tgs_rng_int(&r, 1, 2);
            for (int32_t j = 0; j < n; j++)
                put(x, j, g, p, a, b);
        }
        x->f.n = n;
        assert_true(special(&x->f, "alike") == optimum(&x->f));
        free(x);
    }
}

static void forks_and_joins(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 6);
    for (int trial = 0; trial < 1000; trial++) {
        instance *x = open_instance((int32_t)tgs_rng_int(&r, 1, 3));
        const bool join = tgs_rng_int(&r, 0, 1);
        double size[JOBS];

        x->f.n = (int32_t)tgs_rng_int(&r, 2, 5);
        for (int32_t j = 0; j < x->f.n; j++)
            size[j] = some(&r, 20) + (double)j / 16; /* no two alike */
        for (int32_t g = 0; g < x->f.classes; g++) {
            const double p = 1 + some(&r, 9), latency = some(&r, 3), inverse = 1 + some(&r, 1);

            x->at[g + 1] = x->at[g] + (int32_t)tgs_rng_int(&r, 1, 2);
            for (int32_t j = 0; j < x->f.n; j++) {
                const double c = latency + size[j] * inverse;

                put(x, j, g, p, join ? 0 : c, join ? c : 0);
            }
        }
        {
            const double L = special(&x->f, join ? "a join" : "a fork"), best = optimum(&x->f);

            assert_true(fabs(L - best) <= 1e-12 * best);
        }
        free(x);
    }
}

/* source and sink on two machines, as many others as jobs, inputs and outputs in the same order */
static void as_many_machines_apart(void **state)
{
    tgs_rng r;
    int divided = 0;

    (void)state;
    tgs_rng_seed(&r, 17);
    for (int trial = 0; trial < 1000; trial++) {
        instance *x = open_instance(3);
        const int32_t n = (int32_t)tgs_rng_int(&r, 2, 5);
        const bool partition = tgs_rng_int(&r, 0, 1);
        double in = 1 + some(&r, 6), out = 1 + some(&r, 6);
        tgs_i_fj_answer a;
        bool known;

        equal(x, n + 2, true);
        for (int32_t j = 0; j < n; j++) {
            put_equal(x, j, true, (double[]){in, 1 + some(&r, 8), out});
            in += partition ? 0 : some(&r, 3);
            out += partition ? 0 : some(&r, 3);
        }
        assert_int_equal(tgs_i_fj_answer_new(&a, n), TGS_OK);
        assert_int_equal(tgs_i_fj_apart(&x->f, &a, &known), TGS_OK);
        assert_true(known && a.lower == a.L);
        check(&x->f, &a);
        assert_true(fabs(a.L - optimum(&x->f)) <= 1e-11 * a.L);
        for (int32_t j = 1; j < n; j++)
            divided += a.machine[j] != a.machine[j - 1] && a.machine[j] + a.machine[j - 1] == 1;
        tgs_i_fj_answer_free(&a);
        free(x);
    }
    assert_true(divided > 200);
}

/* ---- through the library ------------------------------------------------------------------------
 */
typedef struct published_case {
    const char *platform, *tasks; /* as in forkjoin.h */
    double optimum;
    const char *note;
} published_case;

static void published(void **state)
{
    static const published_case list[] = {
        {"cpu:2/own link:1,0", "4,7,12 3,5,7 10,3,4", 12, "branch and bound"},
        {"cpu:3/own link:1,0", "4,7,12 3,5,7 10,3,4", 12, "optimal"},
        {"cpu:10/own link:1,0", "4,7,12 3,5,7 10,3,4", 12, "optimal"},
        {"cpu:1/own cpu:1x2/own link:1,0", "1,4,1 1,4,1 2,2,2", 5, "branch and bound"},
        {"cpu:1/own cpu:1x4/own link:1,0", "2,8,2 2,8,2 1,4,1 1,4,1", 6, "optimal"},
        {"cpu:2/own link:1,0", "1,2,1 1,2,1 3,2,0 0,2,3", 4, "optimal"},
        {"cpu:1/own cpu:1x2/own link:1,0", "1,2,1 1,2,1 3,2,0 0,2,3", 3, "optimal"},
        {"cpu:6/own link:1,0", "2,3,2 1,4,1 1,1,1 3,3,3", 6, "optimal"},
        {"cpu:4/own link:1,0", "1,2,0 1,2,0 3,2,0 0,2,0", 3, "a fork"},
        {"cpu:4 link:1,0", "9,2,9 9,3,9 9,4,9 9,5,9 9,6,9", 6, "optimal"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        fixture x = star(list[i].platform, list[i].tasks);
        tgs_schedule *s;
        tgs_error err = {TGS_OK, ""};

        if (tgs_schedule_make(&s, x.pb, "fj-exact", 1, &err))
            fail_msg("%s", err.text);
        assert_real(tgs_schedule_makespan(s), list[i].optimum);
        assert_real(s->lower_bound, list[i].optimum);
        if (!strstr(s->note, list[i].note))
            fail_msg("%zu: %s", i, s->note);
        tgs_schedule_free(s);
        fixture_close(&x);
    }
}

/* source and sink held on the slow processor */
static void one_case(void **state)
{
    static const published_case list[] = {
        {"cpu:1/own cpu:1x2/own link:1,0", "1,4,1 1,4,1 2,2,2", 6, NULL},
        {"cpu:1/own cpu:1x4/own link:1,0", "2,8,2 2,8,2 1,4,1 1,4,1", 8, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        fixture x = star(list[i].platform, list[i].tasks);
        tgs_i_fj f;
        tgs_i_fj_case k;
        tgs_error err = {TGS_OK, ""};

        assert_int_equal(tgs_i_fj_open(&f, &x.pb->v, &err), TGS_OK);
        assert_int_equal(tgs_i_fj_case_open(&k, &f, 0, 0, false, &err), TGS_OK);
        {
            const tgs_i_fj_form form = {f.n, k.classes, k.at, k.p, k.r, k.q};

            assert_true(branched(&form) == list[i].optimum);
            assert_true(optimum(&form) == list[i].optimum);
        }
        tgs_i_fj_case_close(&k);
        tgs_i_fj_close(&f);
        fixture_close(&x);
    }
}

/* ---- REMOTESCHED --------------------------------------------------------------------------------
 */
/* jobs on m remote machines; the best of all schedules of them */
static double all_remote(int32_t n, int32_t m, const double *w, const double *a, const double *b,
                         double *best)
{
    const tgs_i_fj_equal e = {n, m + 1, (double *)w, (double *)a, (double *)b, 0, 0};
    instance *x = open_instance(1);
    tgs_i_fj_answer out;
    tgs_heap_item item[JOBS];
    tgs_heap free_machines = {item, 0};
    int32_t order[JOBS], last;

    x->f.n = n;
    x->at[1] = m;
    for (int32_t j = 0; j < n; j++)
        put(x, j, 0, w[j], a[j], b[j]);
    *best = optimum(&x->f);
    assert_true(branched(&x->f) == *best);
    assert_int_equal(tgs_i_fj_sort(a, n, order, NULL), TGS_OK);
    assert_int_equal(tgs_i_fj_answer_new(&out, n), TGS_OK);
    out.L = tgs_i_fj_remotesched(&e, order, n, 1, &free_machines, out.machine, out.start, &last);
    assert_true(out.L == out.start[last] + w[last] + b[last]);
    for (int32_t j = 0; j < n; j++)
        out.machine[j]--;
    check(&x->f, &out);
    {
        const double L = out.L;

        tgs_i_fj_answer_free(&out);
        free(x);
        return L;
    }
}

static void remotesched(void **state)
{
    static const double a[] = {1, 2, 4, 1}, w[] = {3, 2, 1, 2}, b[] = {2, 4, 1, 2};
    tgs_rng r;
    double best;
    int worse = 0;

    (void)state;
    assert_true(all_remote(4, 2, w, a, b, &best) == 9 && best == 8);
    tgs_rng_seed(&r, 16);
    for (int trial = 0; trial < 1000; trial++) {
        double in[6], work[6], out[6], L;
        const int32_t n = (int32_t)tgs_rng_int(&r, 1, 6), m = (int32_t)tgs_rng_int(&r, 1, 3);
        const int64_t spread = tgs_rng_int(&r, 0, 15);

        for (int32_t j = 0; j < n; j++) {
            in[j] = some(&r, spread);
            work[j] = 1 + some(&r, 9);
            out[j] = some(&r, spread);
        }
        L = all_remote(n, m, work, in, out, &best);
        assert_true(L >= best && L <= 2 * best);
        worse += L > best;
    }
    assert_true(worse > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded),
        cmocka_unit_test(random_forms),
        cmocka_unit_test(as_many_machines_as_jobs),
        cmocka_unit_test(jobs_alike),
        cmocka_unit_test(forks_and_joins),
        cmocka_unit_test(as_many_machines_apart),
        cmocka_unit_test(published),
        cmocka_unit_test(one_case),
        cmocka_unit_test(remotesched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
