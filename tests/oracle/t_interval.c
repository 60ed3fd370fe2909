/* t_interval.c -- the interval bounds on graphs where the answer is plain, and paths over many
 * memories that are alike against a look at each of them. */
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

/* 2, then four tasks of 1 on two processors, then 3: neither the path (6) nor the work (4.5) */
static void between_source_and_sink(void **state)
{
    fixture f =
        fixture_open("task s work=2\ntask a work=1\ntask b work=1\ntask c work=1\ntask d work=1\n"
                     "task t work=3\nafter s a\nafter s b\nafter s c\nafter s d\n"
                     "after a t\nafter b t\nafter c t\nafter d t\n",
                     "cpu:2", "latbw");

    (void)state;
    assert_true(fabs(bound_of(f.pb, "critical-path") - 6) < 1e-9);
    assert_true(fabs(bound_of(f.pb, "area") - 4.5) < 1e-9);
    assert_true(fabs(bound_of(f.pb, "interval-area") - 7) < 1e-9);
    if (tgs_lp_available())
        assert_true(fabs(bound_of(f.pb, "mixed-interval") - 7) < 1e-6);
    fixture_close(&f);
}

/* Two tasks of 10 that may begin at 4 and have 1 behind them, on one processor: 25.  Only part of a
 * task is in an interval that begins within its window. */
static void releases(void **state)
{
    fixture f = fixture_open("task a work=10 release=4\ntask b work=10 release=4\n"
                             "task t work=1\nafter a t\nafter b t\n",
                             "cpu:1", "latbw");

    (void)state;
    assert_true(fabs(bound_of(f.pb, "interval-area") - 25) < 1e-9);
    if (tgs_lp_available())
        assert_true(fabs(bound_of(f.pb, "mixed-interval") - 25) < 1e-6);
    fixture_close(&f);
}

/* Three tasks in the middle, each 4 on an a or 1 on the only b: all on b is best, 5.  A share x of
 * each on b needs T >= 6 - 3 x for its path and T >= 2 + 3 x for the work of b: 4. */
static void two_kinds(void **state)
{
    fixture f = fixture_open("kinds a b\ntask s time=1,1\ntask x time=4,1\ntask y time=4,1\n"
                             "task z time=4,1\ntask t time=1,1\nafter s x\nafter s y\nafter s z\n"
                             "after x t\nafter y t\nafter z t\n",
                             "a:2 b:1", "zero");

    (void)state;
    assert_true(bound_of(f.pb, "interval-area") <= 5 + 1e-9);
    if (tgs_lp_available()) {
        assert_true(bound_of(f.pb, "mixed") < 4 - 1e-3);
        assert_true(bound_of(f.pb, "mixed-interval") >= 4 - 1e-6);
        assert_true(bound_of(f.pb, "mixed-interval") <= 5 + 1e-9);
    }
    fixture_close(&f);
}

static void too_large(void **state)
{
    fixture f = fixture_open("task u work=3\ntask v work=2\n", "cpu:1", "latbw");
    double bound;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_bound(&bound, f.pb, "interval-area:effort=1", &err), TGS_ENOTAPPLICABLE);
    assert_text(err.text, "2 tasks on 1 kinds: even 4 intervals take more than effort=1");
    fixture_close(&f);
}

/* F of forward-path above 16 memories, each memory for itself */
static double forward(const tgs_view *v)
{
    const int32_t M = v->memories;
    double *F = calloc((size_t)v->n * (size_t)M, sizeof *F), longest = 0;

    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = v->g->topo[i];
        double least = INFINITY;

        for (int32_t b = 0; b < M; b++) {
            double in = INFINITY, inv = INFINITY, begin = 0, w = INFINITY;

            for (int32_t a = 0; a < M; a++)
                if (a != b) {
                    in = fmin(in, v->relay_lat[a * M + b]);
                    inv = fmin(inv, v->relay_inv[a * M + b]);
                }
            for (int32_t e = v->g->pred_at[j]; e < v->g->pred_at[j + 1]; e++) {
                const double *u = F + (int64_t)v->g->pred[e] * M;
                double best = u[b];

                for (int32_t a = 0; a < M; a++)
                    best = fmin(best, u[a] + in + v->g->datum[v->g->pred_datum[e]].bytes * inv);
                begin = fmax(begin, best);
            }
            for (int32_t p = 0; p < v->m; p++)
                if (v->p->proc[p].memory == b)
                    w = fmin(w, tgs_w(v, j, p));
            F[(int64_t)j * M + b] = begin + w;
            least = fmin(least, begin + w);
        }
        longest = fmax(longest, least);
    }
    free(F);
    return longest;
}

static void alike_memories(void **state)
{
    tgs_platform *p = fixture_platform("cpu:9/own cpu:7x2/own gpu:6/own link:20,0.5");

    (void)state;
    assert_true(p->v.memories > 16);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        tgs_graph *g;
        tgs_problem *pb;
        double bound, expected;

        assert_int_equal(
            tgs_graph_generate(&g, "layered:n=60:width=6:kinds=cpu+gpu:ccr=1", seed, NULL), 0);
        pb = fixture_problem(g, p, "latbw");
        bound = bound_of(pb, "forward-path");
        expected = forward(&pb->v);
        if (fabs(bound - expected) > 1e-12 * expected)
            fail_msg("seed %d: %.17g instead of %.17g", (int)seed, bound, expected);
        assert_true(bound_of(pb, "oct-path") >= bound * (1 - 1e-12));
        tgs_problem_free(pb);
        tgs_graph_free(g);
    }
    tgs_platform_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_source_and_sink),
        cmocka_unit_test(releases),
        cmocka_unit_test(two_kinds),
        cmocka_unit_test(too_large),
        cmocka_unit_test(alike_memories),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
