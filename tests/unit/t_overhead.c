/* t_overhead.c -- what the runtime takes, in prices and in the simulator; measured costs made one,
 * and disturbed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "fixture.h"

#define TGC "tgsched.costs/1\n"

static const char graph[] = "task a work=1\ntask b work=2\ntask c work=1\ntask d work=1\n"
                            "data x bytes=10\naccess a w x\naccess b r x\naccess c r x\n"
                            "after a d\n";
static const char overheads[] =
    TGC "overhead kind=cpu task=0.25 access=0.125 handover=0.5 start=0.0625\n"
        "overhead kind=fpga task=9\n";

static tgs_costs *costs_of(const char *text)
{
    char *path = fixture_file(text);
    tgs_costs *c;
    tgs_error err = {TGS_OK, ""};

    if (tgs_costs_open(&c, path, &err))
        fail_msg("%s", err.text);
    unlink(path);
    free(path);
    return c;
}

/* the fixture with these costs: f->pb is replaced */
static void price(fixture *f, const char *costs)
{
    tgs_costs *c = costs_of(costs);

    tgs_problem_free(f->pb);
    assert_int_equal(tgs_problem_new(&f->pb, f->g, f->p, c, "latbw", NULL), TGS_OK);
    tgs_costs_free(c); /* what a problem needs of them it has */
}

static void prices_hold_them(void **state)
{
    fixture f = fixture_open(graph, "cpu:1x2 gpu:1", "latbw");
    const int32_t a = fixture_task(&f, "a"), d = fixture_task(&f, "d");
    tgs_problem *next, *other;
    tgs_trace *t;
    tgs_schedule *s;

    (void)state;
    assert_true(!f.pb->v.overhead && tgs_task_overhead(&f.pb->v, a, 0) == 0);
    s = fixture_schedule(&f, "a cpu0 0, b cpu0 0.5, c cpu0 1.5, d cpu0 2", false);
    assert_int_equal(tgs_simulate(&t, f.pb, s, NULL), TGS_OK);
    price(&f, overheads);
    assert_true(tgs_w(&f.pb->v, a, 0) == (1 + 0.25 + 0.125) / 2);
    assert_true(tgs_w(&f.pb->v, a, 1) == 1); /* none was measured of gpu */
    assert_true(tgs_w(&f.pb->v, d, 0) == (1 + 0.25) / 2);
    assert_true(tgs_task_overhead(&f.pb->v, a, 0) == 0.375 / 2);
    assert_true(tgs_task_overhead(&f.pb->v, d, 0) == 0.125);
    assert_true(tgs_task_overhead(&f.pb->v, a, 1) == 0);

    /* a trace has the times of kernels alone */
    assert_int_equal(tgs_problem_reprice(&next, f.pb, NULL, t, NULL), TGS_OK);
    for (int32_t i = 0; i < 4; i++)
        assert_real(tgs_w(&next->v, i, 0), tgs_w(&f.pb->v, i, 0));
    assert_int_equal(tgs_problem_reprice(&other, next, NULL, NULL, NULL), TGS_OK);
    assert_true(tgs_w(&other->v, a, 0) == tgs_w(&next->v, a, 0));
    assert_true(tgs_task_overhead(&other->v, a, 0) == 0.375 / 2);
    tgs_problem_free(other);
    tgs_problem_free(next);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void assert_starts(const fixture *f, const char *plan, const double *start)
{
    tgs_schedule *s = fixture_schedule(f, plan, false);
    tgs_trace *t;

    assert_int_equal(tgs_simulate(&t, f->pb, s, NULL), TGS_OK);
    for (int32_t i = 0; i < t->v.rans; i++)
        assert_real(t->v.ran[i].start, start[t->v.ran[i].task]);
    tgs_trace_free(t);
    tgs_schedule_free(s);
}

static void the_simulator_hands_over(void **state)
{
    fixture f = fixture_open(graph, "cpu:2", "latbw");
    /* a: 0.0625 .. 1.4375; b on the same processor at once; c and d wait for another one, d then
     * only for c */
    const double shared[] = {0.0625, 1.4375, 1.9375, 3.3125};
    /* c's data arrive 2 s after a's end */
    const double apart[] = {0.0625, 1.4375, 3.9375, 5.3125};

    (void)state;
    price(&f, overheads);
    assert_starts(&f, "a cpu0 0, b cpu0 1.375, c cpu1 1.375, d cpu1 2.75", shared);
    fixture_close(&f);
    f = fixture_open(graph, "cpu:2/own link:10,1", "latbw");
    price(&f, overheads);
    assert_starts(&f, "a cpu0 0, b cpu0 1.375, c cpu1 3.375, d cpu1 4.75", apart);
    fixture_close(&f);
}

/* ---- merging ---- */
static void equal_measurements_become_one(void **state)
{
    tgs_costs *c[2] = {
        costs_of(TGC "link from=r to=g latency=1 bandwidth=2 spread=0.5 misfit=0.25 count=1\n"
                     "sample codelet=x kind=k median=1 min=0.5 spread=0.25 count=3 rejected=1\n"
                     "sample codelet=y kind=k flops=8 median=5\n"
                     "overhead kind=k task=1 start=4 count=1\n"),
        costs_of(TGC "sample codelet=x kind=k median=5 min=0.75 spread=1.25 count=1 rejected=2\n"
                     "sample codelet=y kind=k flops=9 median=6\n"
                     "sample codelet=y kind=l flops=8 median=7\n"
                     "link from=r to=g latency=4 bandwidth=1 misfit=0.125 count=2\n"
                     "overhead kind=k task=4 count=2\noverhead kind=l task=1\n")};
    tgs_costs *m, *roofline;
    const tgs_sample *s;

    (void)state;
    assert_int_equal(tgs_costs_merge(&m, (const tgs_costs *const *)c, 2, NULL), TGS_OK);
    assert_int_equal(tgs_costs_samples(m), 4);
    s = m->v.sample;
    assert_true(s[0].median == 2 && s[0].min == 0.5 && s[0].spread == 0.5);
    assert_true(s[0].count == 4 && s[0].rejected == 3 && isnan(s[0].flops));
    assert_true(s[1].median == 5 && s[2].median == 6 && s[3].median == 7);
    assert_string_equal(s[3].kind, "l");
    assert_int_equal(tgs_costs_links(m), 1);
    assert_true(m->v.link[0].latency == 3 && m->v.link[0].misfit == 0.25);
    assert_true(fabs(1 / m->v.link[0].bandwidth - 2.5 / 3) < 1e-15 && m->v.link[0].count == 3);
    assert_int_equal(tgs_costs_overheads(m), 2);
    assert_true(m->v.overhead[0].task == 3 && m->v.overhead[0].start == 4.0 / 3);
    tgs_costs_free(m);

    assert_int_equal(tgs_costs_merge(&m, (const tgs_costs *const *)c, 1, NULL), TGS_OK);
    assert_int_equal(tgs_costs_samples(m), 2);
    tgs_costs_free(m);
    assert_int_equal(tgs_costs_open(&roofline, "roofline", NULL), TGS_OK);
    assert_int_equal(tgs_costs_merge(&m, (const tgs_costs *const[]){c[0], roofline}, 2, NULL),
                     TGS_EINVAL);
    assert_null(m);
    tgs_costs_free(roofline);
    tgs_costs_free(c[0]);
    tgs_costs_free(c[1]);
}

/* ---- disturbing ---- */
static void disturbed_by_their_spread(void **state)
{
    enum { TIMES = 400 };
    tgs_costs *c =
        costs_of(TGC "sample codelet=x kind=k median=10 min=9 spread=1\n"
                     "sample codelet=y kind=k median=7\n"
                     "link from=r to=g latency=5 bandwidth=100 spread=0.5 misfit=0.0625\n");
    double sum = 0, squares = 0, least = INFINITY, latency = 0, inverse = 0;
    tgs_costs *d, *e;

    (void)state;
    for (uint64_t i = 0; i < TIMES; i++) {
        double x;

        assert_int_equal(tgs_costs_disturb(&d, c, i, NULL), TGS_OK);
        x = d->v.link[0].latency;
        sum += x / TIMES;
        squares += x * x / TIMES;
        least = fmin(least, d->v.sample[0].median);
        assert_true(d->v.sample[1].median == 7);
        latency += d->v.sample[0].median / TIMES;
        inverse += 1 / d->v.link[0].bandwidth / TIMES;
        tgs_costs_free(d);
    }
    assert_true(fabs(sum - 5) < 0.15 && fabs(squares - sum * sum - 0.55) < 0.15);
    assert_true(least == 9 && latency > 10); /* what would be less than min is min */
    assert_true(fabs(inverse - 0.01) < 0.0002);
    assert_int_equal(tgs_costs_disturb(&d, c, 3, NULL), TGS_OK);
    assert_int_equal(tgs_costs_disturb(&e, c, 3, NULL), TGS_OK);
    assert_true(d->v.sample[0].median == e->v.sample[0].median && d->v.sample[0].median != 10);
    tgs_costs_free(c);
    tgs_costs_free(d);
    tgs_costs_free(e);
    c = costs_of(TGC "sample codelet=x kind=k median=1\n");
    assert_int_equal(tgs_costs_disturb(&d, c, 3, NULL), TGS_ENOTAPPLICABLE);
    assert_null(d);
    tgs_costs_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_hold_them),
        cmocka_unit_test(the_simulator_hands_over),
        cmocka_unit_test(equal_measurements_become_one),
        cmocka_unit_test(disturbed_by_their_spread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
