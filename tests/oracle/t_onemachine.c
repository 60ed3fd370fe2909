/* t_onemachine.c -- Schrage, its preemptive form and Carlier against every sequence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../heuristics/forkjoin/onemachine.h"

enum { MOST = 7 };

static double exhaustive(const tgs_i_fj_jobs *j, unsigned done, double now, double length)
{
    double best = INFINITY;

    if (done == (1u << j->n) - 1)
        return length;
    for (int32_t i = 0; i < j->n; i++)
        if (!(done >> i & 1)) {
            const double end = fmax(now, j->r[i]) + j->p[i];

            best = fmin(best, exhaustive(j, done | 1u << i, end, fmax(length, end + j->q[i])));
        }
    return best;
}

/* L of the schedule, after checking that it is one */
static double value(const tgs_i_fj_jobs *j, const double *start)
{
    double length = 0;

    for (int32_t a = 0; a < j->n; a++) {
        assert_true(start[a] >= j->r[a]);
        for (int32_t b = 0; b < j->n; b++)
            if (a != b && j->p[a] > 0 && j->p[b] > 0)
                assert_true(start[a] >= start[b] + j->p[b] || start[b] >= start[a] + j->p[a]);
        length = fmax(length, start[a] + j->p[a] + j->q[a]);
    }
    return length;
}

static void carlier(const tgs_i_fj_jobs *j, double optimum)
{
    double start[MOST], length, lower;
    int64_t nodes = 100000;

    assert_int_equal(tgs_i_fj_carlier(j, &nodes, INFINITY, start, &length, &lower), TGS_OK);
    assert_true(nodes > 0 && nodes < 100000);
    assert_true(value(j, start) == optimum);
    assert_true(length == optimum && lower == optimum);
    nodes = 100000; /* nothing is below the optimum, which is proven */
    assert_int_equal(tgs_i_fj_carlier(j, &nodes, optimum, start, &length, &lower), TGS_OK);
    assert_true(length == INFINITY && lower == optimum);
    nodes = 1;
    assert_int_equal(tgs_i_fj_carlier(j, &nodes, optimum + 1, start, &length, &lower), TGS_OK);
    assert_true(lower <= optimum && (length == INFINITY || length == optimum));
}

static void against_every_sequence(void **state)
{
    tgs_rng rng;
    int64_t branched = 0;

    (void)state;
    tgs_rng_seed(&rng, 5);
    for (int trial = 0; trial < 1500; trial++) {
        double p[MOST], r[MOST], q[MOST], start[MOST], longest = 0, length, lower, optimum;
        const tgs_i_fj_jobs j = {(int32_t)tgs_rng_int(&rng, 1, MOST), p, r, q};
        const int64_t spread = tgs_rng_int(&rng, 1, 30);

        for (int32_t i = 0; i < j.n; i++) {
            p[i] = (double)tgs_rng_int(&rng, 1, 10);
            r[i] = (double)tgs_rng_int(&rng, 0, spread);
            q[i] = (double)tgs_rng_int(&rng, 0, spread);
            longest = fmax(longest, p[i]);
        }
        optimum = exhaustive(&j, 0, 0, 0);
        assert_int_equal(tgs_i_fj_schrage(&j, start, &length), TGS_OK);
        assert_true(length == value(&j, start));
        assert_true(length >= optimum && length < optimum + longest);
        branched += length > optimum;
        assert_int_equal(tgs_i_fj_preemptive(&j, &lower), TGS_OK);
        assert_true(lower <= optimum);
        carlier(&j, optimum);
    }
    assert_true(branched > 50); /* so Carlier had something to do */
}

static void large_instances_are_solved(void **state)
{
    enum { N = 10000 };
    tgs_rng rng;
    double *x = tgs_mem_alloc(4 * N, sizeof *x), length, lower;
    const tgs_i_fj_jobs j = {N, x, x + N, x + 2 * N};
    int64_t nodes = 200;

    (void)state;
    tgs_rng_seed(&rng, 9);
    for (int32_t i = 0; i < N; i++) {
        x[i] = (double)tgs_rng_int(&rng, 1, 100);
        x[N + i] = (double)tgs_rng_int(&rng, 0, 100 * N / 3);
        x[2 * N + i] = (double)tgs_rng_int(&rng, 0, 100 * N / 3);
    }
    assert_int_equal(tgs_i_fj_carlier(&j, &nodes, INFINITY, x + 3 * N, &length, &lower), TGS_OK);
    assert_true(length == lower);
    tgs_mem_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_every_sequence),
        cmocka_unit_test(large_instances_are_solved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
