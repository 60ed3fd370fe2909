/* t_trace.c -- the log, what is asked of a trace, and its text form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "fixture.h"
#include "timesort.h"

/* two steps of two tasks, logged out of order */
static tgs_trace *example(void)
{
    fixture f = fixture_open("task a%20b codelet=gemm phase=forward work=1\n"
                             "task @1 codelet=%22odd%22 phase=update work=1\n"
                             "data x bytes=8\ndata @1 bytes=4\n"
                             "access a%20b w x\naccess @1 r x\naccess a%20b w @1\naccess @1 r @1\n",
                             "cpu:1 gpu:1 link:1e9,0", "latbw");
    tgs_trace_log *l;
    tgs_trace *t;
    const tgs_ran ran[] = {{1, 1, 1, 0, 5, 6.5},
                           {0, 0, 1, 0, 4, 5},
                           {1, 1, 0, TGS_RAN_SYNTHETIC, 1.25, 3},
                           {0, 0, 0, 0, 0.1, 1.1}};
    const tgs_moved moved[] = {{0, 0, 1, 1, TGS_WHY_PREFETCH, 8, 5, 5.5},
                               {1, 0, 1, 0, TGS_WHY_DEMAND, 4, 1.1, 1.2},
                               {0, 0, 1, 0, TGS_WHY_RELAY, 8, 1.1, 1.25},
                               {0, 1, 0, 1, TGS_WHY_WRITEBACK, 8, 6.5, 7},
                               {0, 1, 0, 1, TGS_WHY_RELOAD, 8, 6.5, 7.5}};
    const tgs_used used[] = {{1, 1, 5, 8}, {0, 0, 0, 12}, {1, 0, 1.1, 12}, {1, 0, 0, 0}};

    assert_int_equal(tgs_i_log_new(&l, f.pb, "serial", "an \"example\"", NULL), TGS_OK);
    tgs_i_log_bound(l, 2.0 / 3);
    for (size_t i = 0; i < sizeof ran / sizeof *ran; i++)
        assert_int_equal(tgs_log_ran(l, &ran[i]), TGS_OK);
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++)
        assert_int_equal(tgs_log_moved(l, &moved[i]), TGS_OK);
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        assert_int_equal(tgs_log_used(l, &used[i]), TGS_OK);
    assert_int_equal(tgs_log_step(l, 0, 3.5), TGS_OK);
    assert_int_equal(tgs_log_step(l, 3.5, 7.5), TGS_OK);
    assert_int_equal(tgs_i_log_finish(&t, l, NULL), TGS_OK);
    fixture_close(&f); /* a trace owns all it holds */
    return t;
}

static void test_questions(void **state)
{
    tgs_trace *t = example();

    (void)state;
    assert_real(tgs_trace_makespan(t), 4);
    assert_int_equal(tgs_trace_steps(t), 2);
    assert_real(tgs_trace_bytes_moved(t), 36);
    assert_real(tgs_trace_link_bytes(t, 0, 1), 20);
    assert_real(tgs_trace_link_bytes(t, 1, 0), 16);
    assert_real(tgs_trace_busy(t, 0), 1);
    assert_real(tgs_trace_busy(t, 1), 1.5);
    assert_real(tgs_trace_peak(t, 0), 12);
    assert_real(tgs_trace_peak(t, 1), 12);
    assert_real(tgs_trace_peak(t, 2), 0);
    assert_string_equal(tgs_trace_origin(t), "serial");
    tgs_trace_free(t);
    tgs_trace_free(NULL);
}

static void test_order(void **state)
{
    tgs_trace *t = example();
    const tgs_trace_view *v = &t->v;

    (void)state;
    assert_int_equal(v->ran[0].task, 0);
    assert_int_equal(v->ran[1].flags, TGS_RAN_SYNTHETIC);
    assert_int_equal(v->ran[2].step, 1);
    assert_int_equal(v->ran[3].task, 1);
    assert_int_equal(v->moved[0].datum, 0);
    assert_int_equal(v->moved[1].datum, 1);
    assert_int_equal(v->moved[4].why, TGS_WHY_RELOAD);
    assert_int_equal(v->used[0].memory, 0);
    assert_int_equal(v->used[1].memory, 1);
    assert_int_equal(v->used[3].step, 1);
    assert_string_equal(v->task_name[0], "a b");
    assert_string_equal(v->task_name[1], "");
    assert_string_equal(v->task_codelet[1], "\"odd\"");
    assert_string_equal(v->proc_kind[1], "gpu");
    assert_int_equal(v->edge_at[2], 1); /* once, though two data go that way */
    assert_int_equal(v->edge[0], 1);
    tgs_trace_free(t);
}

/* ---- files ----------------------------------------------------------------------------------- */
static void assert_same_texts(const char *const *a, const char *const *b, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        assert_string_equal(a[i], b[i]);
}

static void assert_equal(const tgs_trace_view *a, const tgs_trace_view *b)
{
    const int32_t counts[] = {a->tasks, a->data, a->procs,  a->memories,
                              a->steps, a->rans, a->moveds, a->useds};
    const int32_t others[] = {b->tasks, b->data, b->procs,  b->memories,
                              b->steps, b->rans, b->moveds, b->useds};

    assert_memory_equal(counts, others, sizeof counts);
    assert_memory_equal(a->ran, b->ran, (size_t)a->rans * sizeof *a->ran);
    for (int32_t i = 0; i < a->moveds; i++) { /* it has padding */
        const tgs_moved *x = &a->moved[i], *y = &b->moved[i];

        assert_memory_equal(x, y, offsetof(tgs_moved, why) + sizeof x->why);
        assert_true(x->bytes == y->bytes && x->start == y->start && x->end == y->end);
    }
    assert_memory_equal(a->used, b->used, (size_t)a->useds * sizeof *a->used);
    assert_memory_equal(a->step_start, b->step_start, (size_t)a->steps * sizeof(double));
    assert_memory_equal(a->step_end, b->step_end, (size_t)a->steps * sizeof(double));
    assert_memory_equal(a->proc_memory, b->proc_memory, (size_t)a->procs * sizeof(int32_t));
    assert_memory_equal(a->task_phase, b->task_phase, (size_t)a->tasks * sizeof(int32_t));
    assert_memory_equal(a->edge_at, b->edge_at, ((size_t)a->tasks + 1) * sizeof(int32_t));
    assert_memory_equal(a->edge, b->edge, (size_t)a->edge_at[a->tasks] * sizeof(int32_t));
    assert_same_texts(a->task_name, b->task_name, a->tasks);
    assert_same_texts(a->task_codelet, b->task_codelet, a->tasks);
    assert_same_texts(a->datum_name, b->datum_name, a->data);
    assert_same_texts(a->proc_name, b->proc_name, a->procs);
    assert_same_texts(a->proc_kind, b->proc_kind, a->procs);
    assert_same_texts(a->memory_name, b->memory_name, a->memories);
    assert_string_equal(a->origin, b->origin);
    assert_string_equal(a->title, b->title);
    assert_true(a->lower_bound == b->lower_bound
                || (isnan(a->lower_bound) && isnan(b->lower_bound)));
}

static void assert_kept(const tgs_trace *t)
{
    char *path = fixture_file("");
    tgs_trace *back;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_trace_write(t, path, &err), TGS_OK);
    if (tgs_trace_read(&back, path, &err))
        fail_msg("%s", err.text);
    assert_equal(&t->v, &back->v);
    tgs_trace_free(back);
    unlink(path);
    free(path);
}

static void test_round_trip(void **state)
{
    tgs_trace *t = example();
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;

    (void)state;
    assert_kept(t);
    tgs_trace_free(t);
    assert_int_equal(tgs_graph_generate(&g, "layered:n=200", 5, NULL), TGS_OK);
    assert_int_equal(tgs_platform_parse(&p, "cpu:3/own gpu:2/own link:1,0.1", NULL), TGS_OK);
    pb = fixture_problem(g, p, "share");
    assert_int_equal(tgs_schedule_make(&s, pb, "roundrobin", 1, NULL), TGS_OK);
    assert_int_equal(tgs_simulate(&t, pb, s, NULL), TGS_OK);
    assert_true(t->v.moveds > 100);
    assert_kept(t);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

static void assert_refused(const char *text, const char *message)
{
    char *path = fixture_file(text), pattern[300];
    tgs_trace *t;
    tgs_error err = {TGS_OK, ""};

    if (!tgs_trace_read(&t, path, &err))
        fail_msg("read: %s", text);
    assert_null(t);
    assert_int_equal(err.status, TGS_EPARSE);
    snprintf(pattern, sizeof pattern, "%s:%s", path, message);
    assert_text(err.text, pattern);
    unlink(path);
    free(path);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *line, *message;
    } bad[] = {
        {"task b", "9: a second task 'b'"},
        {"task @2", "9: task '@2' stands where @1 does"},
        {"task c phase=sideways", "9: no phase 'sideways' of a task"},
        {"task c colour=red", "9: no field 'colour' of a task"},
        {"task", "9: a task is missing"},
        {"datum x", "9: a second datum 'x'"},
        {"datum y 3", "9: '3' is too much on this line"},
        {"memory m", "9: a second memory 'm'"},
        {"processor q kind=k", "9: the processor has no memory="},
        {"processor q memory=n", "9: there is no memory 'n'"},
        {"edge b c", "9: there is no task 'c'"},
        {"edge b @1", "9: there is no task '@1'"},
        {"step 2 1", "9: the step ends before it starts"},
        {"step 2", "9: the end is missing"},
        {"ran b p 0 1 step=1", "9: there is no step 1"},
        {"ran b p 1 0", "9: it ends before it starts"},
        {"ran b q 0 1", "9: there is no processor 'q'"},
        {"ran b p 0 1 synthetic=2", "9: synthetic=2 is not 1"},
        {"move x m m -1 0 1 why=demand", "9: -1 bytes"},
        {"move x m m 1 0 1 why=fun", "9: why=fun is no reason of a move"},
        {"move x m n 1 0 1", "9: there is no memory 'n'"},
        {"use m inf 1", "9: the time 'inf' is not a finite number"},
        {"use m 0 1 why=demand", "9: no field 'why' here"},
        {"rest m", "9: no record 'rest' in a trace"},
        {"", "9: the file ends without 'end': it was cut off"},
        {"end\nuse m 0 1", "10: 'use' after the end"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[400];

        snprintf(text, sizeof text,
                 "tgsched.trace/1\n\ntrace origin=hand title=\"a # b\" # why not\nmemory m\n"
                 "processor p kind=k memory=m\ntask b\ndatum x\nstep 0 1\n%s\n",
                 bad[i].line);
        assert_refused(text, bad[i].message);
    }
    assert_refused("", " expected 'tgsched.trace/1': the file is empty");
    assert_refused("tgsched.trace/2\n", "1: expected 'tgsched.trace/1', found 'tgsched.trace/2'");
    assert_refused("tgsched.trace/1\nstep 0 1\n", "2: expected 'trace origin=... title=...'");
    assert_refused("tgsched.trace/1\ntrace bound=x\n", "2: bound=x is not a number");
    assert_refused("tgsched.trace/1\ntrace origin=a\nend\n", "3: there is no step");
    assert_refused("tgsched.trace/1\ntrace origin=a\nuse @0 0 1\n", "3: there is no memory '@0'");
}

/* ---- order by time --------------------------------------------------------------------------- */
static void test_time_order(void **state)
{
    enum { N = 5000 };
    static double time[N];
    static int32_t order[N];
    tgs_rng rng;

    (void)state;
    tgs_rng_seed(&rng, 1);
    for (int spread = 0; spread < 4; spread++) {
        for (int i = 0; i < N; i++)
            time[i] = spread == 0   ? 7 /* all alike */
                      : spread == 1 ? (double)tgs_rng_int(&rng, -50, 50) / 8
                      : spread == 2 ? ldexp(tgs_rng_real(&rng), (int)tgs_rng_int(&rng, -1000, 1000))
                                    : (tgs_rng_next(&rng) & 1 ? -0.0 : 0.0);
        assert_int_equal(tgs_i_time_order(time, N, order), TGS_OK);
        for (int i = 1; i < N; i++)
            if (time[order[i - 1]] > time[order[i]]
                || (time[order[i - 1]] == time[order[i]] && order[i - 1] >= order[i]))
                fail_msg("%d of spread %d is out of order", i, spread);
    }
    assert_int_equal(tgs_i_time_order(time, 0, order), TGS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_questions),  cmocka_unit_test(test_order),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_time_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
