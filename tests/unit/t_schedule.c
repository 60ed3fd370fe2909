/* t_schedule.c -- schedules from plans and heuristics, to files and back, and what is asked of
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "fixture.h"

static const char graph[] = "task a work=1\ntask b work=2\ntask c work=3\ndata x bytes=10\n"
                            "access a w x\naccess b r x\naccess c r x\n";

/* ---- from a plan ----------------------------------------------------------------------------- */
static void test_build(void **state)
{
    fixture f =
        fixture_open("task a work=1\ntask z work=0\ntask y work=0\ntask b work=2\nafter z y\n",
                     "cpu:1 gpu:1x2", "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a cpu0 0, b gpu0 5, y cpu0 1, z cpu0 1", true);
    const int32_t order[] = {0, 1, 2, 3};

    (void)state;
    assert_real(tgs_schedule_end(s, 0), 1);
    assert_real(tgs_schedule_end(s, 3), 6); /* a processor of speed 2 */
    assert_real(tgs_schedule_makespan(s), 6);
    assert_int_equal(tgs_schedule_processor(s, 3), 1);
    assert_real(tgs_schedule_start(s, 3), 5);
    assert_int_equal(tgs_schedule_processor(s, 4), -1);
    assert_true(isnan(tgs_schedule_start(s, -1)) && isnan(tgs_schedule_end(s, 4)));
    assert_string_equal(tgs_schedule_heuristic(s), "by hand");
    assert_true(s->v.timed);
    assert_int_equal(s->v.order_at[1], 3);
    assert_memory_equal(s->v.order, order, sizeof order); /* z before y: topological */
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_copies(void **state)
{
    fixture f = fixture_open(graph, "cpu:3/own link:10,1", "latbw");
    tgs_schedule *s =
        fixture_schedule(&f, "b cpu0 1, a cpu0 0, c cpu1 1, b cpu2 4, a cpu2 1, a cpu1 0", false);
    const int32_t task[] = {0, 1, 2, 0, 0, 1}, proc[] = {0, 0, 1, 2, 1, 2};

    (void)state;
    assert_int_equal(s->v.places, 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(s->v.place[i].task, task[i]);
        assert_int_equal(s->v.place[i].proc, proc[i]);
    }
    assert_int_equal(tgs_schedule_check(s, f.pb, NULL), TGS_OK);
    assert_real(tgs_schedule_bytes_moved(s, f.pb), 0);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_bad_plans(void **state)
{
    static const struct {
        int32_t task, proc;
        double start;
        const char *text;
    } bad[] = {{1, -1, 0, "by hand: task 'b' is on no processor"},
               {1, 2, 0, "by hand: task 'b' is on no processor"},
               {2, 0, NAN, "by hand: task 'c' has no start"},
               {2, 0, INFINITY, "by hand: task 'c' has no start"}};
    fixture f = fixture_open(graph, "cpu:2", "latbw");

    (void)state;
    for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
        tgs_plan plan;
        tgs_schedule *s;
        tgs_error err = {TGS_OK, ""};

        assert_int_equal(tgs_i_plan_new(&plan, 3), TGS_OK);
        for (int32_t t = 0; t < 3; t++) {
            plan.proc[t] = 0;
            plan.start[t] = 10 * t;
        }
        if (i < sizeof bad / sizeof *bad) {
            plan.proc[bad[i].task] = bad[i].proc;
            plan.start[bad[i].task] = bad[i].start;
        } else
            assert_int_equal(tgs_plan_copy(&plan, 3, 0, 0), TGS_OK);
        assert_int_equal(tgs_i_schedule_build(&s, f.pb, &plan, "by hand", &err), TGS_ECHECK);
        assert_null(s);
        assert_string_equal(err.text,
                            i < sizeof bad / sizeof *bad
                                ? bad[i].text
                                : "by hand: a copy of task number 3, which does not exist");
        tgs_i_plan_free(&plan);
    }
    fixture_close(&f);
}

/* ---- by a heuristic -------------------------------------------------------------------------- */
static void assert_made(const char *text, const char *machine, const char *heuristic,
                        tgs_status expected, const char *message)
{
    fixture f = fixture_open(text, machine, "latbw");
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_schedule_make(&s, f.pb, heuristic, 1, &err), expected);
    if (expected)
        assert_null(s);
    else
        assert_int_equal(tgs_schedule_check(s, f.pb, NULL), TGS_OK);
    assert_text(err.text, message);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_make(void **state)
{
    (void)state;
    assert_made(graph, "cpu:2", "heft", TGS_OK, "");
    assert_made(graph, "cpu:2", "nobody", TGS_ENOTFOUND, "no heuristic 'nobody' (there are: *");
    assert_made(graph, "cpu:2", "heft:nothing=1", TGS_EINVAL, "heft: no parameter 'nothing'*");
    assert_made("task a work=5 deadline=4\n", "cpu:2", "heft", TGS_EINFEASIBLE,
                "heft found no feasible schedule: task 'a' ends at 5, after its deadline 4");
    /* x and y are needed at one time and do not fit together */
    assert_made("task a work=1\ntask b work=1\ntask c work=1\ntask d work=1\n"
                "data x bytes=600000000\ndata y bytes=600000000\naccess a w x\naccess b w y\n"
                "access c r x\naccess d r y\nafter b c\nafter a d\n",
                "cpu:1@1", "heft", TGS_EINFEASIBLE,
                "heft found no feasible schedule: memory 'ram' holds 1200000000 bytes at 1*, more "
                "than its 1073741824; task '?' lacks 126258176 bytes in memory 'ram', and nothing "
                "more can leave it");
}

/* ---- questions ------------------------------------------------------------------------------- */
static void test_questions(void **state)
{
    fixture f = fixture_open(graph, "cpu:3/own link:10,1", "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a cpu0 0, b cpu1 3, c cpu2 3", false);

    (void)state;
    assert_real(tgs_schedule_bytes_moved(s, f.pb), 20);
    for (int32_t m = 0; m < 3; m++)
        assert_real(tgs_schedule_peak(s, f.pb, m), 10);
    assert_real(tgs_schedule_peak(s, f.pb, 3), 0);
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* ---- files ----------------------------------------------------------------------------------- */
static void assert_equal(const tgs_schedule *a, const tgs_schedule *b)
{
    assert_int_equal(a->v.places, b->v.places);
    assert_int_equal(a->v.moves, b->v.moves);
    assert_int_equal(a->v.timed, b->v.timed);
    if (a->v.places)
        assert_memory_equal(a->v.place, b->v.place, (size_t)a->v.places * sizeof *a->v.place);
    if (a->v.places)
        assert_memory_equal(a->v.order, b->v.order, (size_t)a->v.places * sizeof *a->v.order);
    if (a->v.moves)
        assert_memory_equal(a->v.move, b->v.move, (size_t)a->v.moves * sizeof *a->v.move);
    assert_string_equal(a->v.heuristic, b->v.heuristic);
    assert_string_equal(a->note, b->note);
    assert_true(!a->origin == !b->origin && (!a->origin || !strcmp(a->origin, b->origin)));
    assert_true(a->lower_bound == b->lower_bound
                || (isnan(a->lower_bound) && isnan(b->lower_bound)));
    assert_true(a->graph == b->graph && a->platform == b->platform);
    assert_true(a->v.makespan == b->v.makespan);
}

static void assert_kept(const fixture *f, const tgs_schedule *s)
{
    char *path = fixture_file(""), *origin;
    tgs_schedule *back;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_schedule_write(s, f->pb, path, &err), TGS_OK);
    if (tgs_schedule_read(&back, path, f->pb, &err))
        fail_msg("%s", err.text);
    assert_equal(s, back);
    tgs_schedule_free(back);
    assert_int_equal(tgs_schedule_origin(&origin, path, &err), TGS_OK);
    assert_string_equal(origin, s->origin ? s->origin : "");
    tgs_text_free(origin);
    unlink(path);
    free(path);
}

static void test_round_trip(void **state)
{
    fixture f = fixture_open("task a%20b work=0.1\ntask %40c work=0.3\ntask @2 work=1\n"
                             "data x bytes=10\ndata @1 bytes=3\naccess a%20b w x\naccess %40c r x\n"
                             "access @2 r x\naccess @2 rw @1\n",
                             "cpu:3/own link:10,1", "latbw");
    tgs_plan plan;
    tgs_schedule *s;
    tgs_move *move;

    (void)state;
    assert_int_equal(tgs_i_plan_new(&plan, 3), TGS_OK);
    for (int32_t t = 0; t < 3; t++) {
        plan.proc[t] = t;
        plan.start[t] = 3.1 * t / 3;
    }
    assert_int_equal(tgs_i_schedule_build(&s, f.pb, &plan, "ils:evals=20000", NULL), TGS_OK);
    assert_kept(&f, s);
    assert_int_equal(tgs_schedule_annotate(s, "a graph %\n--link=\"fifo\" # = é", NULL), TGS_OK);
    assert_kept(&f, s);
    tgs_schedule_free(s);

    assert_int_equal(tgs_plan_copy(&plan, 1, 0, 7), TGS_OK);
    assert_int_equal(tgs_plan_copy(&plan, 0, 2, 1e-300), TGS_OK);
    plan.timed = true;
    plan.lower_bound = 1.0 / 3;
    strcpy(plan.note, "a \"note\" with # and %");
    assert_int_equal(tgs_i_schedule_build(&s, f.pb, &plan, "./own heuristic.so", NULL), TGS_OK);
    move = tgs_mem_alloc(2, sizeof *move);
    move[0] = (tgs_move){0, f.g->v.access_at[0], 0, 1, 0.1, 2.1};
    move[1] = (tgs_move){1, -1, 0, 2, 0, 1.3};
    s->v.move = move;
    s->v.moves = 2;
    assert_kept(&f, s);
    tgs_schedule_free(s);
    tgs_i_plan_free(&plan);
    fixture_close(&f);
}

static void test_nothing(void **state)
{
    fixture f = fixture_open("", "cpu:1", "latbw");
    tgs_schedule *s = fixture_schedule(&f, "", false);

    (void)state;
    assert_int_equal(tgs_schedule_check(s, f.pb, NULL), TGS_OK);
    assert_real(tgs_schedule_makespan(s), 0);
    assert_kept(&f, s);
    tgs_schedule_free(s);
    tgs_schedule_free(NULL);
    fixture_close(&f);
}

static void assert_refused(const fixture *f, const char *text, const char *message)
{
    char *path = fixture_file(text), pattern[300];
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};

    if (!tgs_schedule_read(&s, path, f->pb, &err))
        fail_msg("read: %s", text);
    assert_null(s);
    assert_int_equal(err.status, TGS_EPARSE);
    snprintf(pattern, sizeof pattern, "%s:%s", path, message);
    assert_text(err.text, pattern);
    unlink(path);
    free(path);
}

static void test_refusals(void **state)
{
    fixture f = fixture_open(graph, "cpu:3/own link:10,1", "latbw");
    char head[200], text[600];
    static const struct {
        const char *body, *message;
    } bad[] = {
        {"place d cpu0 0 1\n", "3: there is no task 'd'"},
        {"place @3 cpu0 0 1\n", "3: there is no task '@3'"},
        {"place a=b cpu0 0 1\n", "3: 'a=b' is not the name of a task"},
        {"place a cpu9 0 1\n", "3: there is no processor 'cpu9'"},
        {"place a\n", "3: a processor is missing"},
        {"place\n", "3: a task is missing"},
        {"place a cpu0 0\n", "3: the end is missing"},
        {"place a cpu0 nan 1\n", "3: the start 'nan' is not a finite number"},
        {"place a cpu0 1e999 1\n", "3: the start '1e999' is not a finite number"},
        {"place a cpu0 0 1 2\n", "3: '2' is too much on this line"},
        {"spot a cpu0 0 1\n", "3: no record 'spot' in a schedule"},
        {"place a cpu0 0 1\nend # b\n", "4: task number 1 ('b') has no place"},
        {"place a cpu0 0 1\n", "3: the file ends without 'end': it was cut off"},
        {"end\n\nplace a cpu0 0 1\n", "5: 'place' after the end"},
        {"move y ram cpu1.mem 0 1\n", "3: there is no datum 'y'"},
        {"move x ram nowhere 0 1\n", "3: there is no memory 'nowhere'"},
        {"move x ram cpu1.mem 0 1 reader=b\n", "3: no field 'reader' of a move"},
        {"move x ram cpu1.mem 0 1 writer=b\n", "3: the writer of a move does not write its datum"},
        {"evict y ram 0\n", "3: there is no datum 'y'"},
        {"evict x nowhere 0\n", "3: there is no memory 'nowhere'"},
        {"evict x cpu1.mem soon\n", "3: the time *"},
        {"evict x cpu1.mem 1 writer=b\n", "3: the writer of an eviction does not write its datum"},
        {"invalidate x 1 reader=b\n", "3: no field 'reader' of an invalidation"},
    };

    (void)state;
    snprintf(head, sizeof head, "tgsched.schedule/1\nschedule graph=%016llx platform=%016llx\n",
             (unsigned long long)tgs_graph_fingerprint(f.g),
             (unsigned long long)tgs_platform_fingerprint(f.p));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "%s%s", head, bad[i].body);
        assert_refused(&f, text, bad[i].message);
    }
    assert_refused(&f, "", " expected 'tgsched.schedule/1': the file is empty");
    assert_refused(&f, "tgsched.graph/1\n",
                   "1: expected 'tgsched.schedule/1', found 'tgsched.graph/1'");
    assert_refused(&f, "tgsched.schedule/1\nplace a cpu0 0 1\n", "2: expected 'schedule graph=*");
    assert_refused(&f, "tgsched.schedule/1\nschedule heuristic=heft\n",
                   "2: graph= or platform= is missing");
    assert_refused(&f, "tgsched.schedule/1\nschedule graph=12\n",
                   "2: graph=12 is not a fingerprint");
    assert_refused(&f, "tgsched.schedule/1\nschedule tasks=1000000000\n",
                   "2: tasks=1000000000, but the graph has 3");
    assert_refused(&f, "tgsched.schedule/1\nschedule colour=red\n",
                   "2: no field 'colour' of a schedule");
    assert_refused(&f, "tgsched.schedule/1\nschedule timed=2\n", "2: timed=2 is not 0 or 1");
    assert_refused(&f, "tgsched.schedule/1\nschedule bound=x\n", "2: bound=x is not a number");
    fixture_close(&f);
}

/* a schedule is refused on another graph or platform, by reader, writer and checker */
static void test_strangers(void **state)
{
    fixture f = fixture_open(graph, "cpu:3/own link:10,1", "latbw");
    fixture g = fixture_open("task a work=1\ntask b work=2\ntask c work=4\ndata x bytes=10\n"
                             "access a w x\naccess b r x\naccess c r x\n",
                             "cpu:3/own link:10,1", "latbw");
    fixture p = fixture_open(graph, "cpu:3/own link:10,2", "latbw");
    tgs_schedule *s = fixture_schedule(&f, "a cpu0 0, b cpu1 3, c cpu2 3", false), *none;
    char *path = fixture_file("");
    tgs_error err = {TGS_OK, ""};

    (void)state;
    assert_int_equal(tgs_schedule_write(s, f.pb, path, NULL), TGS_OK);
    assert_int_equal(tgs_schedule_read(&none, path, g.pb, &err), TGS_EPARSE);
    assert_text(err.text, "*:2: the schedule is for another graph (*");
    assert_int_equal(tgs_schedule_read(&none, path, p.pb, &err), TGS_EPARSE);
    assert_text(err.text, "*:2: the schedule is for another platform (*");
    assert_int_equal(tgs_schedule_write(s, g.pb, path, &err), TGS_EINVAL);
    assert_string_equal(err.text, "the schedule is for another graph");
    assert_int_equal(tgs_schedule_check(s, p.pb, &err), TGS_ECHECK);
    assert_string_equal(err.text, "the schedule is for another platform");
    assert_int_equal(tgs_schedule_read(&none, "/nowhere/x.tgs", f.pb, &err), TGS_EIO);
    assert_null(none);
    unlink(path);
    free(path);
    tgs_schedule_free(s);
    fixture_close(&p);
    fixture_close(&g);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build),     cmocka_unit_test(test_copies),
        cmocka_unit_test(test_bad_plans), cmocka_unit_test(test_make),
        cmocka_unit_test(test_questions), cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_nothing),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_strangers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
