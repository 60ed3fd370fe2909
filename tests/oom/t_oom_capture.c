/* t_oom_capture.c -- memory runs out while the record of an application is read and becomes a
 * graph, costs and a trace, and while a plan is written for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>
#include "oom.h"

static const char record[] = "tests/oom/capture.record", plan[] = "tests/oom/capture.tgs",
                  replay[] = "tests/oom/capture.replay";
static tgs_capture *capture;
static tgs_platform *platform;
static tgs_graph *graph;
static tgs_problem *problem;
static tgs_schedule *schedule;

static const char text[] =
    "tgsched.record/1\nsession\nworker 0 cpu 0 0\nworker 1 cpu 1 0\n"
    "data 8 0\ndata 4 0\ndata 4 0\ntag 2 1\nexpect e 00000002 0 5\n"
    "task a.0~1 a 1 1 -1 3 0 0 -1 1 1 0 x\ntask b.1~1 b 1 1 -1 0 1 0 -1 2 1 0 x\n"
    "parts 0 split 0 2 1 2\ndep 1 2\n"
    "task c.2~1 c 1 1 1 0 2 0 -1 - 1 1 rw\ntask d.3~1 d 1 1 -1 0 3 0 2 - 2 2 rw! 1 s\n"
    "parts 0 join 0 2 1 2\nwait 0 task 2\nwait 0 tag 1\nuntag 1\ncopy 0 1 2 1\n"
    "task e.4~1 e 2 1 -1 0 4 0 -1 - 1 0 r\n"
    "ran 0 0 10 20\nran 1 1 10 30\nran 2 0 30 40\nran 3 1 40 50\nran 4 1 60 70\n"
    "moved 0 0 0 8 1 2\nnote hello\nend\n";

static int prepare(void **state)
{
    (void)state;
    return tgs_file_write(record, text, sizeof text - 1, NULL)
           || tgs_platform_parse(&platform, "cpu:2", NULL)
           || tgs_capture_read(&capture, record, NULL)
           || tgs_capture_graph(&graph, capture, platform, NULL, NULL)
           || tgs_problem_new(&problem, graph, platform, NULL, "latbw", NULL)
           || tgs_schedule_make(&schedule, problem, "heft", 0, NULL)
           || tgs_schedule_write(schedule, problem, plan, NULL);
}

static int clean(void **state)
{
    (void)state;
    tgs_schedule_free(schedule);
    tgs_problem_free(problem);
    tgs_graph_free(graph);
    tgs_capture_free(capture);
    tgs_platform_free(platform);
    return unlink(record) | unlink(plan) | unlink(replay);
}

static tgs_status read_it(const void *path)
{
    tgs_error err = {TGS_OK, ""};
    tgs_capture *c;
    const tgs_status status = tgs_capture_read(&c, path, &err);

    assert_int_equal(err.status, status);
    assert_int_equal(!c, status != TGS_OK);
    tgs_capture_free(c);
    return status;
}

static tgs_status make_graph(const void *unused)
{
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g;
    const tgs_status status = tgs_capture_graph(&g, capture, platform, NULL, &err);

    (void)unused;
    assert_int_equal(err.status, status);
    tgs_graph_free(g);
    return status;
}

static tgs_status make_costs(const void *unused)
{
    tgs_error err = {TGS_OK, ""};
    tgs_costs *c;
    const tgs_status status = tgs_capture_costs(&c, capture, graph, platform, &err);

    (void)unused;
    assert_int_equal(err.status, status);
    tgs_costs_free(c);
    return status;
}

static tgs_status make_trace(const void *unused)
{
    tgs_error err = {TGS_OK, ""};
    tgs_trace *t;
    const tgs_status status = tgs_capture_trace(&t, capture, problem, schedule, &err);

    (void)unused;
    assert_int_equal(err.status, status);
    tgs_trace_free(t);
    return status;
}

static tgs_status write_plan(const void *path)
{
    tgs_error err = {TGS_OK, ""};
    tgs_replay_info info;
    const tgs_status status = tgs_replay_write(plan, platform, 1, path, &info, &err);

    assert_int_equal(err.status, status);
    return status;
}

static void everything(void **state)
{
    (void)state;
    oom_every("tgs_capture_read", read_it, record);
    oom_every("tgs_capture_graph", make_graph, NULL);
    oom_every("tgs_capture_costs", make_costs, NULL);
    oom_every("tgs_capture_trace", make_trace, NULL);
    oom_every("tgs_replay_write", write_plan, replay);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything)};

    return cmocka_run_group_tests(tests, prepare, clean);
}
