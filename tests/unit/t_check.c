/* t_check.c -- each rule of a schedule broken once, by hand, and caught with the right message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "fixture.h"

/* the schedule has this one fault; feasibility: it is a deadline or a memory */
static void assert_fault(const fixture *f, const tgs_schedule *s, bool feasibility,
                         const char *message)
{
    tgs_error err = {TGS_OK, ""};
    bool soft;

    assert_int_equal(tgs_i_check(s, f->pb, &soft, &err), TGS_ECHECK);
    assert_int_equal(err.status, TGS_ECHECK);
    assert_text(err.text, message);
    assert_int_equal(soft, feasibility);
    assert_int_equal(tgs_schedule_check(s, f->pb, NULL), TGS_ECHECK);
}

static void assert_valid(const fixture *f, const tgs_schedule *s)
{
    tgs_error err = {TGS_OK, ""};

    if (tgs_schedule_check(s, f->pb, &err))
        fail_msg("%s", err.text);
}

/* a plan is valid, and another one of the same problem has a fault */
static void compare(const char *graph, const char *machine, const char *good, const char *bad,
                    const char *message)
{
    fixture f = fixture_open(graph, machine, "latbw");
    tgs_schedule *s = fixture_schedule(&f, good, false);

    assert_valid(&f, s);
    tgs_schedule_free(s);
    s = fixture_schedule(&f, bad, false);
    assert_fault(&f, s, false, message);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static const char chain[] = "task a work=1\ntask b work=2\ndata x bytes=10\naccess a w x\n"
                            "access b r x\n";
static const char two[] = "cpu:2/own link:10,1";

/* ---- where ----------------------------------------------------------------------------------- */
static void test_pins(void **state)
{
    (void)state;
    compare("task a work=1 processor=cpu1\n", two, "a cpu1 0", "a cpu0 0",
            "task 'a' is on 'cpu0' but pinned to 'cpu1'");
    compare("task a work=1 memory=cpu1.mem\n", two, "a cpu1 0", "a cpu0 0",
            "task 'a' is in memory 'ram' but pinned to 'cpu1.mem'");
    compare("task a work=1 kinds=gpu\n", "cpu:1 gpu:1", "a gpu0 0", "a cpu0 0",
            "task 'a' may not run on 'cpu0'");
    compare("task a work=1 group=1\ntask b work=1\ntask c work=1 group=1\n", two,
            "a cpu1 0, b cpu0 0, c cpu1 1", "a cpu1 0, b cpu0 0, c cpu0 1",
            "tasks 'a' and 'c' are of one group but in memories 'cpu1.mem' and 'ram'");
}

/* ---- when ------------------------------------------------------------------------------------ */
static void test_times(void **state)
{
    (void)state;
    compare("task a work=1 release=3\n", two, "a cpu0 3", "a cpu0 2.9",
            "task 'a' starts at 2.8999999999999999, before its release at 3");
    compare("task a work=2\ntask b work=1\n", two, "a cpu0 0, b cpu0 2", "a cpu0 0, b cpu0 1.5",
            "on 'cpu0' task 'b' starts at 1.5, before 'a' ends at 2");
    compare(chain, two, "a cpu0 0, b cpu1 3", "a cpu0 0, b cpu1 2.9",
            "task 'b' starts at 2.8999999999999999 on 'cpu1', before 'x' arrives at 3 (written by "
            "'a')");
    compare(chain, two, "a cpu0 0, b cpu0 1", "a cpu0 2, b cpu0 0",
            "task 'b' starts at 0 on 'cpu0', before 'x' arrives at 3 (written by 'a')");
    compare(
        "task a work=1\ndata x bytes=10\naccess a r x\n", two, "a cpu1 2", "a cpu1 1.9",
        "task 'a' starts at 1.8999999999999999 on 'cpu1', before 'x' arrives at 2 (initially in "
        "'ram')");
    compare("task a work=1\ntask b work=1\nafter a b\n", two, "a cpu0 0, b cpu1 1",
            "a cpu0 0, b cpu1 0.9",
            "task 'b' starts at 0.90000000000000002, before 'a', which it follows, ends at 1");
    /* a write after a read, and after a write */
    compare("task a work=1\ntask r work=5\ntask w work=1\ndata x bytes=10\naccess a w x\n"
            "access r r x\naccess w w x\n",
            two, "a cpu0 0, r cpu1 3, w cpu0 8", "a cpu0 0, r cpu1 3, w cpu0 7.9",
            "task 'w' starts at 7.9000000000000004, before 'r', which it follows, ends at 8");
    compare("task a work=1\ntask w work=1\ndata x bytes=10\naccess a w x\naccess w w x\n", two,
            "a cpu0 0, w cpu1 1", "a cpu0 0, w cpu1 0.5",
            "task 'w' starts at 0.5, before 'a', which it follows, ends at 1");
}

static void test_slack(void **state)
{
    fixture f = fixture_open(chain, two, "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a cpu0 0, b cpu1 2.9999999999", false);

    (void)state;
    assert_valid(&f, s); /* another order of additions */
    tgs_schedule_free(s);
    s = fixture_schedule(&f, "a cpu0 0, b cpu1 2.99999998", false);
    assert_fault(&f, s, false, "task 'b' starts at 2.9999999*");
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_no_way(void **state)
{
    static const char machine[] =
        "kind k\nmemory m0\nmemory m1\nprocessor p0 kind=k memory=m0\n"
        "processor p1 kind=k memory=m1\nlink m0 m1 latency=0 bandwidth=1\n";

    (void)state;
    compare(chain, machine, "a p0 0, b p1 11", "a p1 0, b p0 1000",
            "task 'b' reads 'x', which never reaches 'm0'");
}

/* ---- copies ---------------------------------------------------------------------------------- */
static void test_copies(void **state)
{
    fixture f;
    tgs_schedule *s;

    (void)state;
    /* one execution suffices for data, with inputs of its own; every one counts for an order */
    compare("task s work=1\ntask a work=1\ntask b work=2\ndata i bytes=10\ndata x bytes=10\n"
            "access s w i\naccess a r i\naccess a w x\naccess b r x\n",
            two, "s cpu0 0, a cpu0 1, a cpu1 3, b cpu1 4", "s cpu0 0, a cpu0 1, a cpu1 2, b cpu1 4",
            "task 'a' starts at 2 on 'cpu1', before 'i' arrives at 3 (written by 's')");
    compare("task a work=1\ntask b work=1\nafter a b\n", two, "a cpu0 0, b cpu1 4, a cpu1 3",
            "a cpu0 0, b cpu1 1, a cpu0 3",
            "task 'b' starts at 1, before 'a', which it follows, ends at 4");
    /* b overwrites what a and its copy read, though a sends it something, too */
    compare("task a work=1\ntask b work=1\ndata d bytes=10\ndata x bytes=10\naccess a r d\n"
            "access a w x\naccess b r x\naccess b w d\n",
            two, "a cpu0 0, a cpu1 2, b cpu0 3", "a cpu0 0, a cpu1 2, b cpu0 1",
            "task 'b' starts at 1, before 'a', which it follows, ends at 3");
    f = fixture_open("task a work=1\ndata x bytes=1\naccess a rw x\n", two, "latbw");
    s = fixture_schedule(&f, "a cpu0 0, a cpu0 3", false);
    assert_fault(&f, s, false, "task 'a' has copies although it updates 'x'");
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* ---- what a schedule is ---------------------------------------------------------------------- */
static void test_shape(void **state)
{
    fixture f = fixture_open(chain, two, "latbw"), g = fixture_open(chain, "cpu:3", "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a cpu0 0, b cpu1 3", false);
    tgs_place *place = (tgs_place *)s->v.place;
    int32_t *order = (int32_t *)s->v.order;

    (void)state;
    assert_valid(&f, s);
    place[1].end = 5.5;
    assert_fault(&f, s, false, "task 'b' takes 2 on 'cpu1' but runs from 3 to 5.5");
    place[1].end = 5;
    place[1].start = NAN;
    assert_fault(&f, s, false, "task 'b' runs from *nan to 5");
    place[1].start = -1;
    assert_fault(&f, s, false, "task 'b' runs from -1 to 5");
    place[1].start = 3;
    place[1].task = 0;
    assert_fault(&f, s, false, "execution 1 is of task number 0");
    place[1].task = 1;
    place[1].proc = 2;
    assert_fault(&f, s, false, "task 'b' is on processor number 2");
    place[1].proc = 1;
    order[0] = 1;
    assert_fault(&f, s, false, "the order on 'cpu0' names execution 1");
    order[0] = 0;
    order[1] = 0;
    assert_fault(&f, s, false, "the order on 'cpu1' names execution 0");
    order[1] = 1;
    s->v.places = 1;
    assert_fault(&f, s, false, "a schedule of 2 tasks on 2 processors for 2 tasks on 2 processors");
    s->v.places = 2;
    assert_valid(&f, s);
    s->platform = tgs_platform_fingerprint(g.p);
    assert_fault(&g, s, false, "a schedule of 2 tasks on 2 processors for 2 tasks on 3 processors");
    tgs_schedule_free(s);
    fixture_close(&g);
    fixture_close(&f);
}

/* ---- feasibility ----------------------------------------------------------------------------- */
static void test_deadline(void **state)
{
    fixture f = fixture_open("task a work=1 deadline=4\ntask b work=1\n", two, "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a cpu0 3, b cpu0 0", false);

    (void)state;
    assert_valid(&f, s);
    tgs_schedule_free(s);
    s = fixture_schedule(&f, "a cpu0 3.5, b cpu0 0", false);
    assert_fault(&f, s, true, "task 'a' ends at 4.5, after its deadline 4");
    tgs_schedule_free(s);
    s = fixture_schedule(&f, "a cpu0 3.5, b cpu0 3", false); /* not only late */
    assert_fault(&f, s, false, "on 'cpu0' task 'a' starts at 3.5, before 'b' ends at 4");
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* m1 of a machine of two memories can hold `capacity`; valid exactly when it is at least `needs` */
static void assert_needs(const char *graph, const char *plan, const tgs_move *moves, int count,
                         double needs, const char *when)
{
    for (int small = 0; small < 2; small++) {
        char machine[300], message[200];
        fixture f;
        tgs_schedule *s;

        sprintf(
            machine,
            "kind k\nmemory m0\nmemory m1 capacity=%g\nmemory m2\nprocessor p0 kind=k memory=m0\n"
            "processor p1 kind=k memory=m1\nprocessor p2 kind=k memory=m2\n"
            "link m0 m1 latency=0 bandwidth=10\nlink m1 m0 latency=0 bandwidth=10\n"
            "link m1 m2 latency=0 bandwidth=10\n",
            small ? needs - 1 : needs);
        f = fixture_open(graph, machine, "latbw");
        s = fixture_schedule(&f, plan, false);
        if (count) {
            tgs_move *copy = tgs_mem_alloc((size_t)count, sizeof *copy);

            memcpy(copy, moves, (size_t)count * sizeof *copy);
            s->v.move = copy;
            s->v.moves = count;
        }
        assert_real(tgs_schedule_peak(s, f.pb, 1), needs); /* computed apart from the checker */
        sprintf(message, "memory 'm1' holds %g bytes at %s, more than its %g", needs, when,
                needs - 1);
        if (small)
            assert_fault(&f, s, true, message);
        else
            assert_valid(&f, s);
        tgs_schedule_free(s);
        fixture_close(&f);
    }
}

static void test_memory(void **state)
{
    static const char reads[] = "task a work=1\ntask d work=1\ntask b work=1\ntask c work=1\n"
                                "data x bytes=10\ndata y bytes=20\naccess a w x\naccess d w y\n"
                                "access b r x\naccess c r y\n";
    const tgs_move late[] = {{0, 0, 0, 1, 2, 3}, {1, 1, 0, 1, 4, 6}};
    char beside[400];

    (void)state;
    /* made there: from the start of the producer to the end of the last reader */
    assert_needs(reads, "a p1 0, d p1 1, b p1 2, c p1 3", NULL, 0, 30, "1*");
    /* sent there: from the start of the transfer, when the producer ends */
    assert_needs(reads, "a p0 0, d p0 1, b p1 3, c p1 4", NULL, 0, 30, "2*");
    /* y is sent when x has been read, beside z */
    sprintf(beside, "%stask k work=1\ntask l work=1\ndata z bytes=5\naccess k w z\naccess l r z\n",
            reads);
    assert_needs(beside, "a p0 0, d p0 1, b p1 3, c p1 6, k p1 0, l p1 9", late, 2, 25, "4*");
    /* a relay holds it until the next hop is over */
    assert_needs("task a work=1\ntask b work=1\nedge a b 40\n", "a p0 0, b p2 9", NULL, 0, 40,
                 "1*");
    /* an update is in place, beside z */
    assert_needs("task a work=1\ntask b work=1\ntask c work=1\ntask d work=1\ndata x bytes=10\n"
                 "data z bytes=5\naccess a w x\naccess b w z\naccess c rw x\naccess d r z\n",
                 "a p1 0, b p1 1, c p1 2, d p1 3", NULL, 0, 15, "1*");
    /* what is read first stays at home, used or not */
    assert_needs("task a work=1\ntask k work=1\ntask b work=1\ntask l work=1\n"
                 "data x bytes=10 home=m1\ndata y bytes=3\ndata z bytes=2\naccess a r x\n"
                 "access k w z\naccess b w y\naccess l r z\n",
                 "a p1 0, k p1 1, b p1 7, l p1 8", NULL, 0, 15, "7*");
    /* the last version of a persistent datum stays */
    assert_needs("task a work=1\ntask b work=1\ndata x bytes=10 persistent=1\ndata y bytes=5\n"
                 "access a w x\naccess b w y\n",
                 "a p1 0, b p1 7", NULL, 0, 15, "7*");
    /* y begins when x ends, and takes its place beside z */
    assert_needs("task k work=1\ntask a work=1\ntask b work=1\ntask l work=1\ndata x bytes=10\n"
                 "data y bytes=10\ndata z bytes=5\naccess k w z\naccess a w x\naccess b w y\n"
                 "access l r z\n",
                 "k p1 0, a p1 1, b p1 2, l p1 3", NULL, 0, 15, "1*");
}

/* ---- explicit transfers ---------------------------------------------------------------------- */
static void compare_moves(const tgs_move *moves, int count, const char *message)
{
    fixture f =
        fixture_open("task a work=1\ntask b work=1\ntask c work=1\ntask w work=1\n"
                     "data x bytes=10\naccess a w x\naccess b r x\naccess c r x\n"
                     "access w w x\n",
                     "kind k\nmemory m0\nmemory m1\nmemory m2\nprocessor p0 kind=k memory=m0\n"
                     "processor p1 kind=k memory=m1\nprocessor p2 kind=k memory=m2\n"
                     "link m0 m1 latency=1 bandwidth=10\nlink m1 m2 latency=1 bandwidth=10\n"
                     "link m1 m0 latency=1 bandwidth=10\n",
                     "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a p0 0, b p1 3, c p2 5, w p1 20", false);
    tgs_move *copy = tgs_mem_alloc((size_t)count, sizeof *copy);

    memcpy(copy, moves, (size_t)count * sizeof *copy);
    s->v.move = copy;
    s->v.moves = count;
    if (message)
        assert_fault(&f, s, false, message);
    else
        assert_valid(&f, s);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_moves(void **state)
{
    const tgs_move good[] = {{0, 0, 0, 1, 1, 3}, {0, 0, 1, 2, 3, 5}, {0, 0, 1, 0, 17, 20}};
    const struct {
        tgs_move move[2];
        const char *message;
    } bad[] = {
        {{{1, 0, 0, 1, 1, 3}, good[1]}, "move 0 names what does not exist"},
        {{{0, 0, 0, 3, 1, 3}, good[1]}, "move 0 names what does not exist"},
        {{{0, 1, 0, 1, 1, 3}, good[1]}, "move 0 *is of a version that does not exist"},
        {{{0, 9, 0, 1, 1, 3}, good[1]}, "move 0 *is of a version that does not exist"},
        {{{0, 0, 0, 1, 3, 1}, good[1]}, "move 0 *has no duration"},
        {{{0, 0, 0, 1, 0.5, 3}, good[1]},
         "move 0 of 'x' from 'm0' to 'm1' (0.5 to 3) starts before "
         "the version is there"},
        {{good[1], good[0]}, "move 0 *starts before the version is there"},
        {{good[0], {0, 0, 0, 2, 3, 5}}, "move 1 *goes where no link joins them"},
        {{good[0], {0, 0, 1, 2, 3, 4.5}}, "move 1 *takes less time than its link"},
        {{good[0], {0, 0, 1, 2, 3, 20.5}}, "move 1 *ends after the version is overwritten"},
        {{good[0], {0, 0, 1, 0, 3, 5}}, "task 'c' reads 'x', which never reaches 'm2'"},
        {{good[0], {0, 0, 1, 2, 3, 6}},
         "task 'c' starts at 5 on 'p2', before 'x' arrives at 6 (written by 'a')"},
    };

    (void)state;
    compare_moves(good, 3, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        compare_moves(bad[i].move, 2, bad[i].message);
}

/* ---- evictions and invalidations ------------------------------------------------------------- */
/* x goes from m0 to m1, leaves it and comes again, while y needs its room; then nobody needs x */
static void compare_drops(const tgs_drop *drops, int count, double capacity, const char *message)
{
    static const tgs_move moves[] = {{0, 0, 0, 1, 1, 2}, {0, 0, 0, 1, 8, 9}, {2, 5, 1, 0, 12, 13}};
    char machine[300];
    fixture f;
    tgs_schedule *s;
    tgs_move *move = tgs_mem_alloc(3, sizeof *move);
    tgs_drop *drop = tgs_mem_alloc((size_t)count, sizeof *drop);

    sprintf(machine,
            "kind k\nmemory m0\nmemory m1 capacity=%g\nprocessor p0 kind=k memory=m0\n"
            "processor p1 kind=k memory=m1\nlink m0 m1 latency=0 bandwidth=10\n"
            "link m1 m0 latency=0 bandwidth=10\n",
            capacity);
    f = fixture_open("task a work=1\ntask b work=1\ntask c work=1\ntask d work=1\ntask e work=1\n"
                     "data x bytes=10\ndata y bytes=12\ndata z bytes=5 persistent=1 init=zero\n"
                     "access a w x\naccess b r x\naccess c w y\naccess d r y\naccess e r x\n"
                     "access e rw z\n",
                     machine, "latbw");
    s = fixture_schedule(&f, "a p0 0, b p1 2, c p1 4, d p1 6, e p1 11", false);
    memcpy(move, moves, sizeof moves);
    move[2] = (tgs_move){2, -1, 0, 1, 0, 0.5}; /* z is at home in m0 */
    s->v.move = move;
    s->v.moves = 3;
    tgs_mem_free((void *)s->v.drop);
    memcpy(drop, drops, (size_t)count * sizeof *drop);
    s->v.drop = drop;
    s->v.drops = count;
    if (message)
        assert_fault(&f, s, strncmp(message, "memory", 6) == 0, message);
    else {
        assert_valid(&f, s);
        assert_real(tgs_schedule_peak(s, f.pb, 1), capacity); /* computed apart */
    }
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_drops(void **state)
{
    const tgs_drop good[] = {{0, 0, 1, 3}, {1, 2, -1, 7}, {0, 0, -1, 12}};
    const struct {
        tgs_drop drop[2];
        const char *message;
    } bad[] = {
        {{{3, 0, 1, 3}, good[1]}, "order 0 to drop data names what does not exist"},
        {{{0, 0, 2, 3}, good[1]}, "order 0 to drop data names what does not exist"},
        {{{0, 1, 1, 3}, good[1]}, "the eviction of 'x' from 'm1' at 3 is of a version that *"},
        {{{0, 0, 1, -1}, good[1]}, "the eviction of 'x' from 'm1' at -1 has no time"},
        {{good[1], good[0]}, "the eviction of 'x' from 'm1' at 3 stands behind a later one"},
        {{good[0], {0, 0, 1, 5}}, "the eviction of 'x' from 'm1' at 5 comes when it is not there"},
        {{{0, 0, 1, 1.5}, good[1]},
         "the eviction of 'x' from 'm1' at 1.5 comes when it is not there"},
        {{{0, 0, 1, 2.5}, good[1]}, "task 'b' reads 'x', which has been dropped from 'm1' at 2.5"},
        {{good[0], {0, 0, 1, 10}}, "task 'e' reads 'x', which has been dropped from 'm1' at 10"},
        {{{0, 0, 0, 3}, {0, 0, 1, 12}}, "move 1 *copies what has been dropped there"},
        {{{0, 0, -1, 3}, good[1]}, "move 1 *copies what has been dropped there"},
        {{{1, 2, 1, 7}, {0, 0, -1, 12}}, "the eviction of 'y' from 'm1' at 7 leaves no copy of it"},
        {{{2, -1, 0, 3}, good[1]}, "the eviction of 'z' from 'm0' at 3 is from its home, where *"},
        {{{1, 2, -1, 6.5}, good[2]}, "task 'd' reads 'y', which has been dropped from 'm1' at 6.5"},
        {{good[1], {2, 5, 1, 12}},
         "the eviction of 'z' from 'm1' at 12 loses what the next step *"},
        {{good[1], {2, 5, -1, 12}}, "the invalidation of 'z' at 12 loses what the next step *"},
    };

    (void)state;
    compare_drops(good, 3, 17, NULL);
    compare_drops(good, 3, 16, "memory 'm1' holds 17 bytes at *, more than its 16");
    compare_drops(good + 1, 2, 26, "memory 'm1' holds 27 bytes at *, more than its 26");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        compare_drops(bad[i].drop, 2, 27, bad[i].message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pins),     cmocka_unit_test(test_times),
        cmocka_unit_test(test_slack),    cmocka_unit_test(test_no_way),
        cmocka_unit_test(test_copies),   cmocka_unit_test(test_shape),
        cmocka_unit_test(test_deadline), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_moves),    cmocka_unit_test(test_drops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
