/* t_audit.c -- runs written by hand beside their plans: what held up each task, where time was
 * lost, what moved for nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"

/* a on p (0-2), b on q from 4 (the datum takes 2), c on p after a (2-5), d on q after b and c */
#define GRAPH                                                                                    \
    "task a work=2\ntask b work=3\ntask c work=3\ntask d work=1\n"                               \
    "data x bytes=2\ndata y bytes=1\ndata w bytes=4 class=parameter persistent=1\n"              \
    "access a w x\naccess b r x\naccess c w y\naccess d r y\nafter b d\naccess c r w\naccess b " \
    "rw w\n"
#define NODE                                                          \
    "kind cpu\nmemory r\nmemory s\nprocessor p kind=cpu memory=r\n"   \
    "processor q kind=cpu memory=s\nlink r s latency=0 bandwidth=1\n" \
    "link s r latency=0 bandwidth=1\n"

typedef struct hand { /* a trace of the fixture's problem, of what is given */
    tgs_trace t;
    double start[2], end[2];
} hand;

static const char *const procs[] = {"p", "q"}, *const kinds[] = {"cpu", "cpu"};

static hand traced(tgs_ran *ran, int32_t rans, tgs_moved *moved, int32_t moveds, double end)
{
    static const int32_t memory[] = {0, 1};
    hand h = {.t = {.v = {.tasks = 4,
                          .data = 3,
                          .procs = 2,
                          .memories = 2,
                          .steps = 1,
                          .rans = rans,
                          .moveds = moveds,
                          .ran = ran,
                          .moved = moved,
                          .proc_name = procs,
                          .proc_kind = kinds,
                          .proc_memory = memory}}};

    h.end[0] = end;
    return h;
}

static tgs_audit *audited(const fixture *f, const tgs_schedule *s, hand *h, int32_t step)
{
    tgs_audit *a;
    tgs_error err = {TGS_OK, ""};

    h->t.v.step_start = h->start;
    h->t.v.step_end = h->end;
    if (tgs_audit_new(&a, f->pb, s, &h->t, step, &err))
        fail_msg("%s", err.text);
    return a;
}

static void assert_held(const tgs_audit *a, int32_t i, int32_t task, tgs_held held, int32_t by,
                        double ready, int critical)
{
    tgs_audit_task x;

    tgs_audit_task_at(a, i, &x);
    assert_int_equal(x.task, task);
    assert_int_equal(x.held, held);
    assert_int_equal(x.by, by);
    assert_real(x.ready, ready);
    assert_int_equal(x.critical, critical);
}

/* c reads w before b updates it, so the order is c, then b */
static const char plan[] = "a p 0, c p 2, b q 9, d q 12";

static void test_times(void **state)
{
    fixture f = fixture_open(GRAPH, NODE, "latbw");
    tgs_schedule *s = fixture_schedule(&f, plan, false);
    /* a takes 3 instead of 2; x arrives at 6; c 3.5-6.5; w arrives at 11; b 11.5-14.5; d at 14.5 */
    tgs_ran ran[] = {{0, 0, 0, 0, 0.25, 3.25},
                     {2, 0, 0, 0, 3.5, 6.5},
                     {1, 1, 0, 0, 11.5, 14.5},
                     {3, 1, 0, 0, 14.5, 15.5}};
    tgs_moved moved[] = {
        {0, 0, 1, 0, 0, 2, 3.5, 6}, {2, 0, 1, 0, 0, 4, 6.5, 11}, {1, 0, 1, 0, 0, 1, 7, 8.5}};
    hand h = traced(ran, 4, moved, 3, 16);
    tgs_audit *a = audited(&f, s, &h, -1);
    tgs_audit_makespans m;
    tgs_audit_loss l;
    tgs_audit_bytes b;
    int32_t count;
    const int32_t *chain = tgs_audit_chain(a, &count);

    (void)state;
    tgs_audit_makespan(a, &m);
    tgs_audit_losses(a, &l);
    tgs_audit_moved(a, &b);
    assert_real(m.measured, 16);
    assert_held(a, 0, 0, TGS_HELD_NOT, -1, 0, 0);
    assert_held(a, 1, 2, TGS_HELD_PROCESSOR, 0, 3.25, 0);
    assert_held(a, 2, 1, TGS_HELD_LINK, 2, 11, 1);
    assert_held(a, 3, 3, TGS_HELD_PROCESSOR, 1, 14.5, 1);
    assert_int_equal(count, 2); /* w was nobody's result: the chain begins with its transfer */
    assert_int_equal(chain[0], 2);
    assert_real(l.slower + l.links + l.waits - l.ahead, m.measured - m.planned);
    assert_real(l.slower, 0);
    assert_real(l.waits, 0.5 + 0.5); /* b after its data; the end of the step after d */
    assert_real(b.necessary, 2 + 4 + 1);
    assert_real(b.moved, 7);
    assert_real(b.redundant, 0);
    assert_int_equal(tgs_audit_agains(a), 0);
    tgs_audit_free(a);
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* a chain through a result that travels: what the task, the link and the worker lost */
static void test_losses(void **state)
{
    fixture f = fixture_open("task a work=2\ntask b work=3\nedge a b 4\ntask c work=1\n"
                             "task e work=1\nedge b c 0\nedge c e 0\n",
                             NODE, "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a p 0, b q 6, c q 9, e q 10", false);
    tgs_ran ran[] = {
        {0, 0, 0, 0, 0, 2.5}, {1, 1, 0, 0, 8, 12}, {2, 1, 0, 0, 12, 13}, {3, 1, 0, 0, 13.25, 14}};
    tgs_moved moved[] = {{0, 0, 1, 0, 0, 4, 3, 7.5}};
    hand h = traced(ran, 4, moved, 1, 14);
    tgs_audit *a = audited(&f, s, &h, 0);
    tgs_audit_loss l;
    int32_t count;

    (void)state;
    tgs_audit_losses(a, &l);
    tgs_audit_chain(a, &count);
    assert_int_equal(count, 4);
    assert_held(a, 1, 1, TGS_HELD_LINK, 0, 7.5, 1);
    assert_held(a, 3, 3, TGS_HELD_PROCESSOR, 2, 13, 1);
    assert_real(l.slower, 0.5 + 1 - 0.25);
    assert_real(l.links, 5 - 4); /* 7.5 - 2.5 instead of 4 */
    assert_real(l.waits, 0.5 + 0.25);
    assert_real(l.ahead, 0);
    tgs_audit_free(a);
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* the second of two steps: w begins where b left it, so c needs it fetched; x comes twice */
static void test_bytes(void **state)
{
    fixture f = fixture_open(GRAPH, NODE, "latbw");
    tgs_schedule *s = fixture_schedule(&f, plan, false);
    tgs_ran ran[] = {{0, 0, 0, 0, 0, 2},   {2, 0, 0, 0, 2, 5},   {1, 1, 0, 0, 9, 12},
                     {3, 1, 0, 0, 12, 13}, {0, 0, 1, 0, 20, 22}, {2, 0, 1, 0, 24, 27},
                     {1, 1, 1, 0, 29, 32}, {3, 1, 1, 0, 32, 33}};
    tgs_moved moved[] = {{2, 1, 0, 1, TGS_WHY_DEMAND, 4, 20, 24},
                         {0, 0, 1, 1, TGS_WHY_DEMAND, 2, 22, 24},
                         {0, 0, 1, 1, TGS_WHY_RELOAD, 2, 25, 27},
                         {1, 0, 1, 1, TGS_WHY_DEMAND, 1, 27, 28},
                         {1, 1, 0, 1, TGS_WHY_WRITEBACK, 1, 30, 31}};
    hand h = traced(ran, 8, moved, 5, 13);
    tgs_audit_again again;
    tgs_audit_bytes b;
    tgs_audit *a;

    (void)state;
    h.t.v.steps = 2;
    h.start[1] = 20;
    h.end[1] = 33;
    a = audited(&f, s, &h, -1);
    tgs_audit_moved(a, &b);
    assert_real(b.necessary, 2 + 1 + 4); /* b holds w: only c fetches it */
    assert_real(b.moved, 10);
    assert_real(b.redundant, 2);
    assert_real(b.written_back, 1);
    assert_real(b.relayed, 0);
    assert_int_equal(tgs_audit_agains(a), 1);
    tgs_audit_again_at(a, 0, &again);
    assert_true(again.datum == 0 && again.memory == 1 && again.necessary == 1
                && again.transfers == 2 && again.reloads == 1);
    assert_held(a, 1, 2, TGS_HELD_LINK, 2, 4, 0);
    tgs_audit_free(a);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_refused(void **state)
{
    fixture f = fixture_open(GRAPH, NODE, "latbw");
    tgs_schedule *s = fixture_schedule(&f, plan, false);
    tgs_ran ran[] = {{0, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 2, 5}, {1, 1, 0, 0, 9, 12}};
    hand h = traced(ran, 3, NULL, 0, 13);
    tgs_audit *a = (tgs_audit *)s; /* must become NULL */
    tgs_error err = {TGS_OK, ""};

    (void)state;
    h.t.v.step_start = h.start;
    h.t.v.step_end = h.end;
    assert_int_equal(tgs_audit_new(&a, f.pb, s, &h.t, 0, &err), TGS_EINVAL);
    assert_null(a);
    assert_text(err.text, "task 3 d did not run in that step of the trace");
    assert_int_equal(tgs_audit_new(&a, f.pb, s, &h.t, 1, &err), TGS_EINVAL);
    assert_text(err.text, "the trace has 1 steps, there is no step 1");
    h.t.v.data = 7;
    assert_int_equal(tgs_audit_new(&a, f.pb, s, &h.t, 0, &err), TGS_EINVAL);
    assert_text(err.text, "the trace has 7 data in 2 memories, the problem 3 in 2");
    h.t.v.tasks = 2;
    assert_int_equal(tgs_audit_new(&a, f.pb, s, &h.t, 0, &err), TGS_EINVAL);
    tgs_audit_free(NULL);
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* a simulated trace audited against its own plan has lost nothing */
static void test_itself(void **state)
{
    fixture f = fixture_open(GRAPH, NODE, "latbw");
    tgs_schedule *s = fixture_schedule(&f, plan, false);
    tgs_trace *t;
    tgs_audit *a;
    tgs_audit_loss l;
    tgs_audit_bytes b;

    (void)state;
    assert_int_equal(tgs_simulate(&t, f.pb, s, NULL), TGS_OK);
    assert_int_equal(tgs_audit_new(&a, f.pb, s, t, -1, NULL), TGS_OK);
    tgs_audit_losses(a, &l);
    tgs_audit_moved(a, &b);
    assert_true(l.slower == 0 && l.links == 0 && l.waits == 0 && l.ahead == 0);
    assert_true(b.necessary == b.moved && b.redundant == 0 && b.moved > 0);
    tgs_audit_free(a);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),   cmocka_unit_test(test_losses), cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
