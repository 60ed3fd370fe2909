/* t_sim.c -- the simulator against times worked out by hand, for every link model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "fixture.h"

typedef struct expected_ran {
    const char *task;
    double start, end;
} expected_ran;

typedef struct expected_move {
    const char *datum, *from, *to;
    double start, end;
    tgs_why why;
} expected_move;

static tgs_trace *simulated(const fixture *f, const tgs_schedule *s)
{
    tgs_trace *t;
    tgs_error err = {TGS_OK, ""};

    if (tgs_simulate(&t, f->pb, s, &err))
        fail_msg("%s", err.text);
    return t;
}

static void assert_ran(const tgs_trace *t, const expected_ran *e, int count)
{
    assert_int_equal(t->v.rans, count);
    for (int i = 0; i < count; i++) {
        const tgs_ran *r = &t->v.ran[i];

        if (strcmp(t->v.task_name[r->task], e[i].task) != 0)
            fail_msg("task %d is %s, not %s", i, t->v.task_name[r->task], e[i].task);
        assert_real(r->start, e[i].start);
        assert_real(r->end, e[i].end);
    }
}

static void assert_moved(const tgs_trace *t, const expected_move *e, int count)
{
    assert_int_equal(t->v.moveds, count);
    for (int i = 0; i < count; i++) {
        const tgs_moved *m = &t->v.moved[i];

        if (*e[i].datum)
            assert_string_equal(t->v.datum_name[m->datum], e[i].datum);
        assert_string_equal(t->v.memory_name[m->from], e[i].from);
        assert_string_equal(t->v.memory_name[m->to], e[i].to);
        assert_real(m->start, e[i].start);
        assert_real(m->end, e[i].end);
        assert_int_equal(m->why, e[i].why);
    }
}

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* ---- one source, two messages on one link ---------------------------------------------------- */
static const char fork_graph[] = "task a work=1\ntask b work=1\ntask c work=1\ntask d work=1\n"
                                 "data x bytes=10\ndata y bytes=20\n"
                                 "access a w x\naccess a w y\naccess b r x\naccess c r x\n"
                                 "access d r y\n";

static void play_fork(const char *link, const char *plan, const expected_ran *ran,
                      const expected_move *move, int moves)
{
    fixture f = fixture_open(fork_graph, "cpu:3/own link:10,1", link);
    tgs_schedule *s = fixture_schedule(&f, plan, false);
    tgs_trace *t = simulated(&f, s);

    assert_ran(t, ran, 4);
    assert_moved(t, move, moves);
    assert_string_equal(t->v.title, "by hand: 4 tasks on 3 processors");
    tgs_trace_free(t);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static const char fork_plan[] = "a cpu0 0, b cpu1 3, c cpu2 3, d cpu1 4";

static void test_zero(void **state)
{
    const expected_ran ran[] = {{"a", 0, 1}, {"b", 1, 2}, {"c", 1, 2}, {"d", 2, 3}};
    const expected_move move[] = {{"x", "ram", "cpu1.mem", 1, 1, TGS_WHY_DEMAND},
                                  {"x", "ram", "cpu2.mem", 1, 1, TGS_WHY_DEMAND},
                                  {"y", "ram", "cpu1.mem", 1, 1, TGS_WHY_DEMAND}};

    (void)state;
    play_fork("zero", fork_plan, ran, move, COUNT(move));
}

static void test_latbw(void **state)
{
    const expected_ran ran[] = {{"a", 0, 1}, {"b", 3, 4}, {"c", 3, 4}, {"d", 4, 5}};
    const expected_move move[] = {{"x", "ram", "cpu1.mem", 1, 3, TGS_WHY_DEMAND},
                                  {"x", "ram", "cpu2.mem", 1, 3, TGS_WHY_DEMAND},
                                  {"y", "ram", "cpu1.mem", 1, 4, TGS_WHY_DEMAND}};

    (void)state;
    play_fork("latbw", fork_plan, ran, move, COUNT(move));
}

static void test_fifo(void **state)
{
    const expected_ran ran[] = {{"a", 0, 1}, {"b", 3, 4}, {"c", 3, 4}, {"d", 6, 7}};
    const expected_move move[] = {{"x", "ram", "cpu1.mem", 1, 3, TGS_WHY_DEMAND},
                                  {"x", "ram", "cpu2.mem", 1, 3, TGS_WHY_DEMAND},
                                  {"y", "ram", "cpu1.mem", 3, 6, TGS_WHY_DEMAND}};

    (void)state;
    play_fork("fifo", fork_plan, ran, move, COUNT(move));
}

/* the message whose first reader is planned earlier is queued first */
static void test_fifo_order(void **state)
{
    const expected_ran ran[] = {{"a", 0, 1}, {"c", 3, 4}, {"d", 4, 5}, {"b", 6, 7}};
    const expected_move move[] = {{"y", "ram", "cpu1.mem", 1, 4, TGS_WHY_DEMAND},
                                  {"x", "ram", "cpu1.mem", 4, 6, TGS_WHY_DEMAND},
                                  {"x", "ram", "cpu2.mem", 1, 3, TGS_WHY_DEMAND}};
    const expected_move sorted[] = {move[2], move[0], move[1]}; /* a trace is by start and datum */

    (void)state;
    play_fork("fifo", "a cpu0 0, b cpu1 5, c cpu2 3, d cpu1 4", ran, sorted, COUNT(sorted));
}

/* both messages get half the link until x is through: x at 2 + 10/5, y at 4 + (20 - 10)/10 */
static void test_share(void **state)
{
    const expected_ran ran[] = {{"a", 0, 1}, {"c", 3, 4}, {"b", 4, 5}, {"d", 5, 6}};
    const expected_move move[] = {{"x", "ram", "cpu2.mem", 1, 3, TGS_WHY_DEMAND},
                                  {"x", "ram", "cpu1.mem", 1, 4, TGS_WHY_DEMAND},
                                  {"y", "ram", "cpu1.mem", 1, 5, TGS_WHY_DEMAND}};

    (void)state;
    play_fork("share", fork_plan, ran, move, COUNT(move));
}

/* ---- a bus ----------------------------------------------------------------------------------- */
/* two links of one bus of 10 bytes/s; the first carries `first` bytes/s by itself */
static void play_bus(const char *link, const char *first, double x, double y)
{
    char machine[500];
    fixture f;
    tgs_schedule *s;
    tgs_trace *t;

    sprintf(
        machine,
        "kind k\nmemory ram\nmemory m0\nmemory m1\nprocessor p kind=k memory=ram\n"
        "processor p0 kind=k memory=m0\nprocessor p1 kind=k memory=m1\nbus pci bandwidth=10\n"
        "link ram m0 latency=0 bandwidth=%s bus=pci\nlink ram m1 latency=0 bandwidth=10 bus=pci\n",
        first);
    f = fixture_open("task a work=1\ntask b work=1\ntask c work=1\ndata x bytes=10\n"
                     "data y bytes=20\naccess a w x\naccess a w y\naccess b r x\naccess c r y\n",
                     machine, link);
    s = fixture_schedule(&f, "a p 0, b p0 2, c p1 3", false);
    t = simulated(&f, s);
    for (int i = 0; i < 3; i++) {
        const char *name = t->v.task_name[t->v.ran[i].task];

        assert_real(t->v.ran[i].start, *name == 'a' ? 0 : *name == 'b' ? x : y);
    }
    tgs_trace_free(t);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_bus(void **state)
{
    (void)state;
    play_bus("latbw", "10", 2, 3);
    play_bus("fifo", "10", 2, 4);   /* one after the other */
    play_bus("share", "10", 3, 4);  /* 5 each, then 10 */
    play_bus("share", "2", 6, 3.5); /* the slow link takes its 2, the other the 8 that are left */
    play_bus("fifo", "2", 6, 8);
}

/* rates of five transfers on three links of a bus, all at once: 1 is bound by its own link of 3
 * (1.5 each), then 12 - 3 are left for three transfers: 3 each; the link of 4 with one keeps 3 */
static void test_bus_filling(void **state)
{
    fixture f =
        fixture_open("task a work=0\ntask b work=1\ntask c work=1\ntask d work=1\n"
                     "data u bytes=3\ndata v bytes=3\ndata w bytes=6\ndata x bytes=6\n"
                     "data y bytes=6\naccess a w u\naccess a w v\naccess a w w\naccess a w x\n"
                     "access a w y\naccess b r u\naccess b r v\naccess c r w\naccess d r x\n"
                     "access d r y\n",
                     "kind k\nmemory ram\nmemory m0\nmemory m1\nmemory m2\n"
                     "processor p kind=k memory=ram\nprocessor p0 kind=k memory=m0\n"
                     "processor p1 kind=k memory=m1\nprocessor p2 kind=k memory=m2\n"
                     "bus pci bandwidth=12\nlink ram m0 latency=0 bandwidth=3 bus=pci\n"
                     "link ram m1 latency=0 bandwidth=4 bus=pci\n"
                     "link ram m2 latency=0 bandwidth=12 bus=pci\n",
                     "share");
    tgs_schedule *s = fixture_schedule(&f, "a p 0, b p0 2, c p1 2, d p2 2", false);
    tgs_trace *t = simulated(&f, s);

    (void)state;
    for (int i = 0; i < t->v.moveds; i++)
        assert_real(t->v.moved[i].end, 2);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* ---- relays ---------------------------------------------------------------------------------- */
static const char relay_machine[] =
    "kind k\nmemory ram\nmemory m0\nmemory m1\nprocessor p kind=k memory=ram\n"
    "processor p0 kind=k memory=m0\nprocessor p1 kind=k memory=m1\n"
    "link m0 ram latency=1 bandwidth=10\nlink ram m1 latency=1 bandwidth=5\n";

static void test_relay(void **state)
{
    const expected_ran ran[] = {{"a", 0, 1}, {"b", 6, 7}};
    const expected_move move[] = {{"", "m0", "ram", 1, 3, TGS_WHY_RELAY},
                                  {"", "ram", "m1", 3, 6, TGS_WHY_DEMAND}};
    fixture f = fixture_open("task a work=1\ntask b work=1\nedge a b 10\n", relay_machine, "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a p0 0, b p1 6", false);
    tgs_trace *t = simulated(&f, s);

    (void)state;
    assert_ran(t, ran, 2);
    assert_moved(t, move, 2);
    assert_real(tgs_schedule_bytes_moved(s, f.pb), 20);
    assert_real(tgs_trace_bytes_moved(t), 20);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* a reader in the memory that a relay passes uses what is there: two transfers, not three */
static void test_relay_leaves(void **state)
{
    const expected_ran ran[] = {{"a", 0, 1}, {"c", 3, 4}, {"b", 6, 7}};
    const expected_move move[] = {{"x", "m0", "ram", 1, 3, TGS_WHY_DEMAND},
                                  {"x", "ram", "m1", 3, 6, TGS_WHY_DEMAND}};
    fixture f = fixture_open("task a work=1\ntask b work=1\ntask c work=1\ndata x bytes=10\n"
                             "access a w x\naccess b r x\naccess c r x\n",
                             relay_machine, "fifo");
    tgs_schedule *s = fixture_schedule(&f, "a p0 0, b p1 6, c p 9", false);
    tgs_trace *t = simulated(&f, s);

    (void)state;
    assert_ran(t, ran, 3);
    assert_moved(t, move, 2);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_no_route(void **state)
{
    fixture f = fixture_open("task a work=1\ntask b work=1\nedge a b 10\n", relay_machine, "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a p1 0, b p0 9", false);
    tgs_error err = {TGS_OK, ""};
    tgs_trace *t;

    (void)state;
    assert_int_equal(tgs_simulate(&t, f.pb, s, &err), TGS_ECHECK);
    assert_null(t);
    assert_text(err.text, "datum '@0' cannot get from memory 'm1' to 'm0': no route");
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* ---- versions, homes, memory ----------------------------------------------------------------- */
/* x begins at home, is updated on p1, then read on p0; y is read where it is at home */
static void test_versions(void **state)
{
    const expected_ran ran[] = {{"early", 0, 1}, {"update", 2, 4}, {"late", 6, 7}};
    const expected_move move[] = {{"x", "ram", "cpu1.mem", 0, 2, TGS_WHY_DEMAND},
                                  {"x", "cpu1.mem", "ram", 4, 6, TGS_WHY_DEMAND}};
    const struct {
        int memory;
        double time, bytes;
    } used[] = {{0, 0, 15}, {1, 0, 10}, {1, 6, 0}};
    fixture f = fixture_open("task early work=1\ntask update work=2\ntask late work=1\n"
                             "data x bytes=10\ndata y bytes=5\naccess early r x\naccess early r y\n"
                             "access update rw x\naccess late r x\n",
                             "cpu:2/own link:10,1", "latbw");
    tgs_schedule *s = fixture_schedule(&f, "early cpu0 0, update cpu1 2, late cpu0 6", false);
    tgs_trace *t = simulated(&f, s);

    (void)state;
    assert_ran(t, ran, 3);
    assert_moved(t, move, 2);
    assert_int_equal(t->v.useds, COUNT(used));
    for (int i = 0; i < COUNT(used); i++) {
        assert_int_equal(t->v.used[i].memory, used[i].memory);
        assert_real(t->v.used[i].time, used[i].time);
        assert_real(t->v.used[i].bytes, used[i].bytes);
    }
    assert_real(tgs_trace_peak(t, 1), 10);
    assert_real(tgs_schedule_peak(s, f.pb, 0), 15);
    assert_real(tgs_schedule_peak(s, f.pb, 1), 10);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* a write waits for the readers of what it overwrites, wherever they are, and takes no time to hear
 */
static void test_overwrite(void **state)
{
    const expected_ran ran[] = {{"a", 0, 1}, {"r", 3, 8}, {"w", 8, 9}};
    fixture f = fixture_open("task a work=1\ntask r work=5\ntask w work=1\ndata x bytes=10\n"
                             "access a w x\naccess r r x\naccess w w x\n",
                             "cpu:2/own link:10,1", "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a cpu0 0, r cpu1 3, w cpu0 8", false);
    tgs_trace *t = simulated(&f, s);

    (void)state;
    assert_ran(t, ran, 3);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* the last version of a persistent datum stays where it was written */
static void test_persistent(void **state)
{
    fixture f = fixture_open("task a work=1\ntask b work=5\ndata x bytes=10 persistent=1\n"
                             "access a w x\n",
                             "cpu:2/own link:10,1", "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a cpu0 0, b cpu1 0", false);
    tgs_trace *t = simulated(&f, s);

    (void)state;
    assert_int_equal(t->v.useds, 3); /* two memories begin, x goes at the end */
    assert_real(t->v.used[2].time, 5);
    assert_real(t->v.used[2].bytes, 0);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* ---- start times ----------------------------------------------------------------------------- */
static void test_timed(void **state)
{
    const expected_ran shifted[] = {{"a", 2, 3}, {"b", 3, 4}};
    const expected_ran kept[] = {{"a", 4, 5}, {"b", 7, 8}};
    fixture f =
        fixture_open("task a work=1 release=2\ntask b work=1\nafter a b\n", "cpu:1", "latbw");

    (void)state;
    for (int timed = 0; timed < 2; timed++) {
        tgs_schedule *s = fixture_schedule(&f, "a cpu0 4, b cpu0 7", timed);
        tgs_trace *t = simulated(&f, s);

        assert_ran(t, timed ? kept : shifted, 2);
        assert_real(tgs_trace_makespan(t), timed ? 8 : 4);
        tgs_trace_free(t);
        tgs_schedule_free(s);
    }
    fixture_close(&f);
}

static void test_deadlock(void **state)
{
    fixture f =
        fixture_open("task a work=1\ntask b work=1\ntask c work=1\ntask d work=1\nedge a b 1\n"
                     "edge c d 1\n",
                     "cpu:2", "latbw");
    tgs_schedule *s = fixture_schedule(&f, "d cpu0 0, a cpu0 1, b cpu1 2, c cpu1 3", false);
    tgs_error err = {TGS_OK, ""};
    tgs_trace *t;

    (void)state;
    assert_int_equal(tgs_simulate(&t, f.pb, s, &err), TGS_ECHECK);
    assert_null(t);
    assert_string_equal(err.text, "the order cannot be played: task 'd', next on 'cpu0', waits for "
                                  "task 'c' on 'cpu1'");
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* a copy beside the reader saves the transfer; the other reader uses the first execution */
static void test_copies(void **state)
{
    const expected_ran ran[] = {{"a", 0, 1}, {"a", 0, 1}, {"b", 1, 2}, {"c", 1, 2}};
    fixture f = fixture_open(fork_graph, "cpu:2/own link:10,1", "latbw");
    tgs_schedule *s =
        fixture_schedule(&f, "a cpu0 0, b cpu0 1, c cpu1 1, d cpu1 2, a cpu1 0", false);
    tgs_trace *t = simulated(&f, s);

    (void)state;
    assert_int_equal(t->v.rans, 5);
    assert_int_equal(t->v.moveds, 0);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(t->v.task_name[t->v.ran[i].task], ran[i].task);
        assert_real(t->v.ran[i].start, ran[i].start);
    }
    assert_real(tgs_trace_makespan(t), 3);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* ---- explicit transfers ---------------------------------------------------------------------- */
static void play_moves(bool timed, const tgs_move *move, int moves, const expected_move *e,
                       double makespan, const char *message)
{
    fixture f = fixture_open(fork_graph, "cpu:3/own link:10,1", "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a cpu0 0, b cpu1 3, c cpu2 5, d cpu0 1", timed);
    tgs_move *copy = tgs_mem_alloc((size_t)moves, sizeof *copy);
    tgs_error err = {TGS_OK, ""};
    tgs_trace *t;

    memcpy(copy, move, (size_t)moves * sizeof *copy);
    for (int i = 0; i < moves; i++)
        if (copy[i].version == -2) /* the version that a writes */
            copy[i].version = f.g->v.access_at[0] + copy[i].datum;
    s->v.move = copy;
    s->v.moves = moves;
    if (message) {
        assert_int_equal(tgs_simulate(&t, f.pb, s, &err), TGS_ECHECK);
        assert_text(err.text, message);
    } else {
        t = simulated(&f, s);
        assert_moved(t, e, moves);
        assert_real(tgs_trace_makespan(t), makespan);
        tgs_trace_free(t);
    }
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_moves(void **state)
{
    const tgs_move chain[] = {{0, -2, 0, 1, 1, 3}, {0, -2, 1, 2, 4, 6}};
    const tgs_move back[] = {{0, -2, 0, 1, 1, 3}, {0, -2, 1, 2, 3, 5}, {0, -2, 2, 0, 5, 7}};
    const tgs_move gap[] = {{0, -2, 0, 1, 1, 3}};
    const tgs_move early[] = {{0, -2, 1, 2, 1, 3}, {0, -2, 0, 1, 1, 3}};
    const expected_move played[] = {{"x", "ram", "cpu1.mem", 1, 3, TGS_WHY_DEMAND},
                                    {"x", "cpu1.mem", "cpu2.mem", 3, 5, TGS_WHY_DEMAND}};
    const expected_move waited[] = {{"x", "ram", "cpu1.mem", 1, 3, TGS_WHY_DEMAND},
                                    {"x", "cpu1.mem", "cpu2.mem", 4, 6, TGS_WHY_DEMAND}};
    const expected_move returned[] = {
        played[0], played[1], {"x", "cpu2.mem", "ram", 5, 7, TGS_WHY_RELOAD}};

    (void)state;
    play_moves(false, chain, 2, played, 6, NULL);
    play_moves(true, chain, 2, waited, 7, NULL);
    play_moves(false, back, 3, returned, 6, NULL);
    play_moves(false, gap, 1, NULL, 0, "no move brings datum 'x' to memory 'cpu2.mem'");
    play_moves(false, early, 2, NULL, 0, "move 0 of datum 'x'*: the version is not there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero),         cmocka_unit_test(test_latbw),
        cmocka_unit_test(test_fifo),         cmocka_unit_test(test_fifo_order),
        cmocka_unit_test(test_share),        cmocka_unit_test(test_bus),
        cmocka_unit_test(test_bus_filling),  cmocka_unit_test(test_relay),
        cmocka_unit_test(test_relay_leaves), cmocka_unit_test(test_no_route),
        cmocka_unit_test(test_versions),     cmocka_unit_test(test_overwrite),
        cmocka_unit_test(test_persistent),   cmocka_unit_test(test_timed),
        cmocka_unit_test(test_deadlock),     cmocka_unit_test(test_copies),
        cmocka_unit_test(test_moves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
