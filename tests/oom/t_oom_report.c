/* t_oom_report.c -- memory runs out while a trace is reported, annotated, or a problem measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>
#include "oom.h"

static tgs_graph *graph;
static tgs_platform *platform;
static tgs_problem *problem;
static tgs_trace *trace;

static int prepare(void **state)
{
    tgs_schedule *s = NULL;

    (void)state;
    if (tgs_graph_generate(&graph, "cholesky:n=4", 0, NULL)
        || tgs_platform_parse(&platform, "cpu:2 gpu:1x4 link:1e9,1e-5", NULL)
        || tgs_problem_new(&problem, graph, platform, NULL, "latbw", NULL)
        || tgs_schedule_make(&s, problem, "heft", 0, NULL)
        || tgs_simulate(&trace, problem, s, NULL))
        return -1;
    tgs_schedule_free(s);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    tgs_trace_free(trace);
    tgs_problem_free(problem);
    tgs_platform_free(platform);
    tgs_graph_free(graph);
    return 0;
}

static tgs_status report(const void *format)
{
    static const char path[] = "tests/oom/report.tmp";
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = tgs_report(trace, trace, format, path, &err);

    assert_int_equal(err.status, status);
    assert_int_equal(access(path, F_OK) == 0, !status); /* whole or not at all */
    unlink(path);
    return status;
}

static void every_report(void **state)
{
    (void)state;
    for (int32_t i = 0; tgs_plugin_name("report", i); i++)
        oom_every(tgs_plugin_name("report", i), report, tgs_plugin_name("report", i));
}

static tgs_status annotate(const void *title)
{
    return tgs_trace_annotate(trace, title, 1, NULL);
}

static tgs_status measure(const void *data)
{
    tgs_problem_stats s;

    (void)data;
    return tgs_problem_measure(problem, &s, NULL);
}

static tgs_status audit(const void *schedule)
{
    tgs_audit *a;
    const tgs_status status = tgs_audit_new(&a, problem, schedule, trace, -1, NULL);

    tgs_audit_free(a);
    return status;
}

static void audits(void **state)
{
    tgs_schedule *s;

    (void)state;
    assert_int_equal(tgs_schedule_make(&s, problem, "heft", 0, NULL), TGS_OK);
    oom_every("audit", audit, s);
    tgs_schedule_free(s);
}

static void questions(void **state)
{
    (void)state;
    assert_int_equal(annotate("the first, which the others replace"), TGS_OK);
    oom_every("annotate", annotate, "a title");
    assert_string_equal(trace->v.title, "a title");
    oom_every("measure", measure, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_report),
        cmocka_unit_test(questions),
        cmocka_unit_test(audits),
    };

    return cmocka_run_group_tests(tests, prepare, clean);
}
