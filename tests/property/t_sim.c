/* t_sim.c -- what must hold of every simulation: under the model of the plan it gives the plan's
 * times, earlier only where the plan waits for nothing; contention never makes anything earlier. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "random.h"

enum { ROUNDS = 200 };

static double slack(double x)
{
    return 1e-9 * fmax(1, fabs(x));
}

static tgs_trace *simulated(const tgs_problem *pb, const tgs_schedule *s)
{
    tgs_trace *t;
    tgs_error err = {TGS_OK, ""};

    if (tgs_simulate(&t, pb, s, &err))
        fail_msg("%s", err.text);
    return t;
}

static void checked(const tgs_problem *pb, const tgs_schedule *s)
{
    tgs_error err = {TGS_OK, ""};

    if (tgs_schedule_check(s, pb, &err))
        fail_msg("%s", err.text);
}

/* starts by place of s; the caller frees them.  Two executions of a task on one processor keep
 * their order. */
static double *starts(const tgs_trace *t, const tgs_schedule *s)
{
    double *start = calloc((size_t)s->v.places + 1, sizeof *start);
    bool *used = calloc((size_t)t->v.rans + 1, sizeof *used);

    assert_int_equal(t->v.rans, s->v.places);
    for (int32_t k = 0; k < s->v.places; k++) {
        const tgs_place *p = &s->v.place[s->v.order[k]];
        int32_t i = 0;

        while (i < t->v.rans
               && (used[i] || t->v.ran[i].task != p->task || t->v.ran[i].proc != p->proc))
            i++;
        assert_true(i < t->v.rans);
        used[i] = true;
        start[s->v.order[k]] = t->v.ran[i].start;
    }
    free(used);
    return start;
}

/* exact: every start is the plan's; otherwise none is later */
static void compare_to_plan(const tgs_trace *t, const tgs_schedule *s, bool exact)
{
    double *start = starts(t, s);

    for (int32_t i = 0; i < s->v.places; i++) {
        const double planned = s->v.place[i].start;

        if (start[i] > planned + slack(planned) || (exact && start[i] < planned - slack(planned)))
            fail_msg("execution %d of %s starts at %.17g, planned %.17g", (int)i,
                     tgs_schedule_heuristic(s), start[i], planned);
    }
    free(start);
}

/* no start of `late` is before that of `early` */
static void compare_starts(const tgs_schedule *s, const tgs_trace *early, const tgs_trace *late)
{
    double *a = starts(early, s), *b = starts(late, s);

    for (int32_t i = 0; i < s->v.places; i++)
        if (b[i] < a[i] - slack(a[i]))
            fail_msg("%s: execution %d starts at %.17g, %s: %.17g", late->v.origin, (int)i, b[i],
                     early->v.origin, a[i]);
    assert_true(tgs_trace_makespan(late) >= tgs_trace_makespan(early) * (1 - 1e-9));
    free(a);
    free(b);
}

/* every execution in order on its processor, after what it needs; every transfer after its version
 */
static void assert_consistent(const tgs_trace *t, const tgs_schedule *s)
{
    const tgs_trace_view *v = &t->v;
    double *start = starts(t, s), bytes = 0;

    for (int32_t q = 0; q < v->procs; q++)
        for (int32_t i = s->v.order_at[q] + 1; i < s->v.order_at[q + 1]; i++)
            assert_true(start[s->v.order[i - 1]] <= start[s->v.order[i]]);
    for (int32_t i = 1; i < v->rans; i++)
        assert_true(v->ran[i - 1].start <= v->ran[i].start);
    for (int32_t i = 0; i < v->moveds; i++) {
        assert_true(v->moved[i].start <= v->moved[i].end && v->moved[i].start >= 0);
        bytes += v->moved[i].bytes;
    }
    assert_true(fabs(bytes - tgs_trace_bytes_moved(t)) <= slack(bytes));
    for (int32_t m = 0; m < v->memories; m++)
        assert_true(v->used[m].memory == m && v->used[m].time == 0);
    free(start);
}

/* the peaks of plan and simulation are equal, and the checker agrees: that much suffices, less does
 * not */
static void compare_peaks(const tgs_problem *pb, const tgs_schedule *s, const tgs_trace *t)
{
    tgs_memory *memory = (tgs_memory *)pb->platform->v.memory;

    for (int32_t m = 0; m < pb->v.memories; m++) {
        const double peak = tgs_schedule_peak(s, pb, m);
        bool feasibility;

        assert_true(fabs(tgs_trace_peak(t, m) - peak) <= 1e-9 * peak);
        memory[m].capacity = peak * (1 + 1e-6);
        checked(pb, s);
        memory[m].capacity = peak * (1 - 1e-6);
        if (peak > 0)
            assert_int_equal(tgs_i_check(s, pb, &feasibility, NULL), TGS_ECHECK);
        assert_true(peak == 0 || feasibility);
        memory[m].capacity = INFINITY;
    }
}

/* ---- random placements ----------------------------------------------------------------------- */
static void test_plan_times(void **state)
{
    static const char *const model[] = {"latbw", "zero"};
    tgs_rng r;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        tgs_graph *g;
        tgs_platform *p;

        tgs_rng_seed(&r, (uint64_t)round);
        p = random_platform(&r);
        g = random_graph(&r, p, (int32_t)tgs_rng_int(&r, 0, 80), (int32_t)tgs_rng_int(&r, 0, 30),
                         false);
        for (int k = 0; k < 4; k++) {
            tgs_problem *pb = fixture_problem(g, p, model[k % 2]);
            tgs_schedule *s = random_schedule(&r, pb, k < 2 ? 0 : 3, round % 2);
            tgs_trace *t = simulated(pb, s);

            checked(pb, s);
            compare_to_plan(t, s, k < 2);
            assert_consistent(t, s);
            assert_true(fabs(tgs_trace_bytes_moved(t) - tgs_schedule_bytes_moved(s, pb))
                        <= slack(tgs_trace_bytes_moved(t)));
            if (k < 2) /* then the planned peaks are those of the simulation */
                compare_peaks(pb, s, t);
            tgs_trace_free(t);
            s->v.timed = true; /* kept, waiting and all */
            t = simulated(pb, s);
            compare_to_plan(t, s, true);
            tgs_trace_free(t);
            tgs_schedule_free(s);
            tgs_problem_free(pb);
        }
        tgs_platform_free(p);
        tgs_graph_free(g);
    }
}

static void test_contention(void **state)
{
    static const char *const model[] = {"fifo", "share"};
    int32_t later = 0;
    tgs_rng r;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        tgs_graph *g;
        tgs_platform *p;
        tgs_problem *pb, *zero;
        tgs_schedule *s;
        tgs_trace *free_of_it, *nothing;

        tgs_rng_seed(&r, (uint64_t)round);
        p = random_platform(&r);
        g = random_graph(&r, p, (int32_t)tgs_rng_int(&r, 1, 80), (int32_t)tgs_rng_int(&r, 1, 30),
                         false);
        pb = fixture_problem(g, p, "latbw");
        zero = fixture_problem(g, p, "zero");
        s = random_schedule(&r, pb, 0, round % 2);
        free_of_it = simulated(pb, s);
        nothing = simulated(zero, s);
        compare_starts(s, nothing, free_of_it);
        for (int k = 0; k < 2; k++) {
            tgs_problem *other = fixture_problem(g, p, model[k]);
            tgs_trace *t = simulated(other, s);

            compare_starts(s, free_of_it, t);
            assert_consistent(t, s);
            assert_true(fabs(tgs_trace_bytes_moved(t) - tgs_trace_bytes_moved(free_of_it))
                        <= slack(tgs_trace_bytes_moved(t)));
            later += tgs_trace_makespan(t) > tgs_trace_makespan(free_of_it) * 1.01;
            tgs_trace_free(t);
            tgs_problem_free(other);
        }
        tgs_trace_free(nothing);
        tgs_trace_free(free_of_it);
        tgs_schedule_free(s);
        tgs_problem_free(zero);
        tgs_problem_free(pb);
        tgs_platform_free(p);
        tgs_graph_free(g);
    }
    assert_true(later > ROUNDS / 4); /* the models do differ here */
}

/* ---- every heuristic ------------------------------------------------------------------------- */
static void play_heuristics(const tgs_graph *g, const tgs_platform *p)
{
    tgs_problem *pb = fixture_problem(g, p, "latbw"), *fifo = fixture_problem(g, p, "fifo");
    tgs_problem *share = fixture_problem(g, p, "share");
    const char *name;

    for (int32_t i = 0; (name = fixture_heuristic(i)); i++) {
        tgs_schedule *s;
        tgs_trace *t, *a, *b;
        tgs_error err = {TGS_OK, ""};
        const tgs_status status = tgs_schedule_make(&s, pb, name, 1, &err);

        if (status == TGS_ENOTAPPLICABLE)
            continue;
        if (status)
            fail_msg("%s: %s", name, err.text);
        t = simulated(pb, s);
        a = simulated(fifo, s);
        b = simulated(share, s);
        compare_to_plan(t, s, false);
        compare_starts(s, t, a);
        compare_starts(s, t, b);
        tgs_trace_free(b);
        tgs_trace_free(a);
        tgs_trace_free(t);
        tgs_schedule_free(s);
    }
    tgs_problem_free(share);
    tgs_problem_free(fifo);
    tgs_problem_free(pb);
}

static void test_heuristics(void **state)
{
    tgs_rng r;

    (void)state;
    for (int round = 0; round < ROUNDS / 10; round++) {
        tgs_graph *g;
        tgs_platform *p;

        tgs_rng_seed(&r, (uint64_t)round);
        p = random_platform(&r);
        g = random_graph(&r, p, (int32_t)tgs_rng_int(&r, 1, 40), (int32_t)tgs_rng_int(&r, 0, 15),
                         false);
        play_heuristics(g, p);
        tgs_platform_free(p);
        tgs_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_times),
        cmocka_unit_test(test_contention),
        cmocka_unit_test(test_heuristics),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
