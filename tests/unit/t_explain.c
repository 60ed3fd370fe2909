/* t_explain.c -- why tasks start when they do: the published schedule of HEFT by hand, and a case
 * for each cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "fixture.h"

typedef struct explained {
    fixture f;
    tgs_schedule *s;
    tgs_explain *x;
} explained;

static explained open_plan(const char *graph, const char *platform, const char *plan)
{
    explained e = {.f = fixture_open(graph, platform, "latbw")};
    tgs_error err = {TGS_OK, ""};

    e.s = fixture_schedule(&e.f, plan, true);
    if (tgs_schedule_check(e.s, e.f.pb, &err) || tgs_explain_new(&e.x, e.s, e.f.pb, &err))
        fail_msg("%s", err.text);
    return e;
}

static void close_plan(explained *e)
{
    tgs_explain_free(e->x);
    tgs_schedule_free(e->s);
    fixture_close(&e->f);
}

static tgs_reason reason(const explained *e, const char *task)
{
    tgs_reason r;

    tgs_explain_reason(e->x, fixture_task(&e->f, task), &r);
    return r;
}

static void assert_cause(const explained *e, const char *task, const char *cause, const char *by)
{
    const tgs_reason r = reason(e, task);

    assert_string_equal(tgs_cause_name(r.cause), cause);
    assert_int_equal(r.by, by ? fixture_task(&e->f, by) : -1);
}

/* ---- Topcuoglu, Hariri and Wu: HEFT's schedule of 80 ----------------------------------------- */
static const char graph[] =
    "kinds P1 P2 P3\n"
    "task T1 time=14,16,9\ntask T2 time=13,19,18\ntask T3 time=11,13,19\ntask T4 time=13,8,17\n"
    "task T5 time=12,13,10\ntask T6 time=13,16,9\ntask T7 time=7,15,11\ntask T8 time=5,11,14\n"
    "task T9 time=18,12,20\ntask T10 time=21,7,16\n"
    "edge T1 T2 18\nedge T1 T3 12\nedge T1 T4 9\nedge T1 T5 11\nedge T1 T6 14\nedge T2 T8 19\n"
    "edge T2 T9 16\nedge T3 T7 23\nedge T4 T8 27\nedge T4 T9 23\nedge T5 T9 13\nedge T6 T8 15\n"
    "edge T7 T10 17\nedge T8 T10 11\nedge T9 T10 13\n";
static const char platform[] = "P1:1/own P2:1/own P3:1/own link:1,0";
static const char plan[] = "T1 P30 0, T2 P10 27, T3 P30 9, T4 P20 18, T5 P30 28, T6 P20 26, "
                           "T7 P30 38, T8 P10 57, T9 P20 56, T10 P20 73";

static void test_published(void **state)
{
    static const char *const chain[] = {"T1", "T4", "T6", "T8", "T10"};
    explained e = open_plan(graph, platform, plan);
    tgs_chain_sums sums;
    tgs_reason r;

    (void)state;
    assert_real(tgs_schedule_makespan(e.s), 80);
    assert_cause(&e, "T1", "nothing", NULL);
    assert_cause(&e, "T2", "data", "T1");
    assert_cause(&e, "T3", "processor", "T1");
    assert_cause(&e, "T4", "data", "T1");
    assert_cause(&e, "T5", "processor", "T3");
    assert_cause(&e, "T6", "processor", "T4");
    assert_cause(&e, "T7", "processor", "T5");
    assert_cause(&e, "T8", "data", "T6");
    assert_cause(&e, "T9", "data", "T2");
    assert_cause(&e, "T10", "data", "T8");
    assert_int_equal(tgs_explain_chain(e.x, &sums), 5);
    for (int i = 0; i < 5; i++) {
        tgs_explain_link(e.x, i, &r);
        assert_int_equal(r.task, fixture_task(&e.f, chain[i]));
    }
    assert_real(sums.compute, 9 + 8 + 16 + 5 + 7);
    assert_real(sums.communication, 9 + 15 + 11);
    assert_real(sums.waiting, 0);
    assert_real(sums.idle, 0);
    r = reason(&e, "T8");
    assert_real(r.needs, 42 + 15);
    assert_real(r.free, 40);
    assert_real(r.idle, 17);
    assert_real(r.sending, 15);
    assert_int_equal(r.from, e.f.p->v.proc[fixture_proc(&e.f, "P20")].memory);
    assert_int_equal(r.to, e.f.p->v.proc[fixture_proc(&e.f, "P10")].memory);
    close_plan(&e);
}

/* T9 reads from T2 (P1, 40), T4 (P2, 26) and T5 (P3, 38) */
static void test_needs(void **state)
{
    static const struct {
        const char *by;
        double ready, arrival;
    } need[] = {{"T2", 40, 56}, {"T4", 26, 26}, {"T5", 38, 51}};
    explained e = open_plan(graph, platform, plan);
    const int32_t t = fixture_task(&e.f, "T9");

    (void)state;
    assert_int_equal(tgs_explain_needs(e.x, t), 3);
    for (int i = 0; i < 3; i++) {
        tgs_need n;

        tgs_explain_need(e.x, t, i, &n);
        assert_int_equal(n.by, fixture_task(&e.f, need[i].by));
        assert_real(n.ready, need[i].ready);
        assert_real(n.arrival, need[i].arrival);
        assert_int_equal(n.to, e.f.p->v.proc[fixture_proc(&e.f, "P20")].memory);
        assert_true((n.from == n.to) == (i == 1));
    }
    close_plan(&e);
}

static void test_options(void **state)
{
    /* on P1 T9 could start at 51, but the gap before T8 (57) is too short for 18 */
    static const struct {
        const char *on, *by;
        double needs, start, end, late;
    } option[] = {
        {"P10", "T8", 51, 62, 80, 20}, {"P20", "T2", 56, 56, 68, 0}, {"P30", "T2", 56, 56, 76, 16}};
    explained e = open_plan(graph, platform, plan);

    (void)state;
    for (int i = 0; i < 3; i++) {
        tgs_option o;

        tgs_explain_option(e.x, fixture_task(&e.f, "T9"), fixture_proc(&e.f, option[i].on), &o);
        assert_true(o.allowed);
        assert_real(o.needs, option[i].needs);
        assert_real(o.start, option[i].start);
        assert_real(o.end, option[i].end);
        assert_real(o.late, option[i].late); /* T10 starts at 73 and is 13 away */
        assert_int_equal(o.by, fixture_task(&e.f, option[i].by));
    }
    close_plan(&e);
}

/* ---- the other causes ------------------------------------------------------------------------ */
static void test_order_and_release(void **state)
{
    explained e = open_plan("task a work=2\ntask b work=1\ntask c work=1 release=7\nafter a b\n",
                            "cpu:3", "a cpu0 0, b cpu1 2, c cpu2 7");
    tgs_chain_sums sums;

    (void)state;
    assert_cause(&e, "b", "order", "a");
    assert_cause(&e, "c", "release", NULL);
    assert_int_equal(tgs_explain_chain(e.x, &sums), 1);
    assert_real(sums.compute, 1);
    assert_real(sums.idle, 7);
    close_plan(&e);
}

static void test_choice(void **state)
{
    explained e = open_plan("task a work=2\ntask b work=1\nedge a b 3\n", "cpu:2/own link:1,0",
                            "a cpu0 0, b cpu1 9");
    const tgs_reason r = reason(&e, "b");
    tgs_chain_sums sums;

    (void)state;
    assert_cause(&e, "b", "choice", "a");
    assert_real(r.waiting, 4);
    assert_int_equal(tgs_explain_chain(e.x, &sums), 2);
    assert_real(sums.compute, 3);
    assert_real(sums.communication, 3);
    assert_real(sums.idle, 4);
    close_plan(&e);
}

/* b makes 6 bytes in a memory of 10 that holds a's 6 until c has read them */
static void test_memory(void **state)
{
    const char *tasks = "task a work=1\ntask c work=3\ntask b work=1\ndata x bytes=6\n"
                        "data y bytes=6\naccess a w x\naccess c r x\naccess b w y\n";
    explained e = open_plan(tasks,
                            "kind cpu\nmemory m capacity=10\nprocessor cpu0 kind=cpu "
                            "memory=m\nprocessor cpu1 kind=cpu memory=m\n",
                            "a cpu0 0, c cpu0 1, b cpu1 4");

    (void)state;
    assert_cause(&e, "b", "memory", NULL);
    assert_real(reason(&e, "b").waiting, 4);
    close_plan(&e);
}

/* a copy that is nearer is where the data comes from; a task may not run everywhere */
static void test_copies(void **state)
{
    explained e = open_plan("task a work=1\ntask b work=2 kinds=cpu\nedge a b 100\n",
                            "cpu:2/own gpu:1/own link:1,0", "a cpu0 0, b cpu1 3, a cpu1 2");
    tgs_option o;
    tgs_need n;

    (void)state;
    assert_cause(&e, "b", "processor", "a");
    tgs_explain_need(e.x, fixture_task(&e.f, "b"), 0, &n);
    assert_int_equal(n.from, n.to);
    assert_real(n.arrival, 3);
    tgs_explain_option(e.x, fixture_task(&e.f, "b"), fixture_proc(&e.f, "cpu0"), &o);
    assert_real(o.end, 3);
    tgs_explain_option(e.x, fixture_task(&e.f, "b"), fixture_proc(&e.f, "gpu0"), &o);
    assert_false(o.allowed);
    close_plan(&e);
}

/* compute, communication and idle add up to the makespan of every heuristic on every graph */
static void test_sums(void **state)
{
    static const char *const graphs[] = {"layered:n=60:ccr=2", "cholesky:n=5", "forkjoin:n=20",
                                         "independent:n=9"};

    (void)state;
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++)
        for (int32_t i = 0; fixture_heuristic(i); i++) {
            fixture f = {0};
            tgs_schedule *s = NULL;
            tgs_explain *x;
            tgs_chain_sums sums;

            assert_int_equal(tgs_graph_generate(&f.g, graphs[g], 3, NULL), TGS_OK);
            f.p = fixture_platform("cpu:3/own gpu:1x4 link:1e9,1e-5");
            f.pb = fixture_problem(f.g, f.p, "latbw");
            if (!tgs_schedule_make(&s, f.pb, fixture_heuristic(i), 1, NULL)) {
                double makespan = tgs_schedule_makespan(s), sum;
                tgs_reason r;

                assert_int_equal(tgs_explain_new(&x, s, f.pb, NULL), TGS_OK);
                assert_true(tgs_explain_chain(x, &sums) > 0);
                sum = sums.compute + sums.communication + sums.waiting + sums.idle;
                if (fabs(sum - makespan) > 1e-9 * makespan)
                    fail_msg("%s, %s: %.17g of %.17g", graphs[g], fixture_heuristic(i), sum,
                             makespan);
                for (int32_t t = 0; t < f.g->v.tasks; t++) {
                    tgs_option o;

                    tgs_explain_reason(x, t, &r);
                    tgs_explain_option(x, t, r.processor, &o);
                    assert_true(o.allowed && o.end <= r.end * (1 + 1e-9) && o.late == 0);
                }
                tgs_explain_free(x);
            }
            tgs_schedule_free(s);
            fixture_close(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published), cmocka_unit_test(test_needs),
        cmocka_unit_test(test_options),   cmocka_unit_test(test_order_and_release),
        cmocka_unit_test(test_choice),    cmocka_unit_test(test_memory),
        cmocka_unit_test(test_copies),    cmocka_unit_test(test_sums)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
