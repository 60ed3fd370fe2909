/* t_oom_compare.c -- memory runs out while schedules are read from tables, explained, summed up,
 * and adversaries searched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>
#include "oom.h"

static tgs_graph *graph;
static tgs_platform *platform;
static tgs_problem *problem;
static tgs_schedule *schedule;
static const char path[] = "tests/oom/table.csv";

static int prepare(void **state)
{
    FILE *to = fopen(path, "w");

    (void)state;
    if (!to || tgs_graph_generate(&graph, "cholesky:n=3", 0, NULL)
        || tgs_platform_parse(&platform, "cpu:2 gpu:1x4 link:1e9,1e-5", NULL)
        || tgs_problem_new(&problem, graph, platform, NULL, "latbw", NULL)
        || tgs_schedule_make(&schedule, problem, "heft", 0, NULL))
        return -1;
    fputs("task,processor,start\n", to);
    for (int32_t t = 0; t < tgs_graph_tasks(graph); t++)
        fprintf(to, "%d,%d,%.17g\n", (int)t, (int)tgs_schedule_processor(schedule, t),
                tgs_schedule_start(schedule, t));
    fputs("0,0,1000\n", to); /* a copy */
    return fclose(to);
}

static int clean(void **state)
{
    (void)state;
    tgs_schedule_free(schedule);
    tgs_problem_free(problem);
    tgs_platform_free(platform);
    tgs_graph_free(graph);
    return unlink(path);
}

static tgs_status read_table(const void *name)
{
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s;
    const tgs_status status = tgs_schedule_read(&s, name, problem, &err);

    assert_int_equal(err.status, status);
    tgs_schedule_free(s);
    return status;
}

static tgs_status explain(const void *unused)
{
    tgs_error err = {TGS_OK, ""};
    tgs_explain *x;
    const tgs_status status = tgs_explain_new(&x, schedule, problem, &err);

    (void)unused;
    assert_int_equal(err.status, status);
    assert_int_equal(!x, status != TGS_OK);
    tgs_explain_free(x);
    return status;
}

static tgs_status sum_up(const void *value)
{
    tgs_standing s[2];

    return tgs_standings(s, value, NULL, NULL, 2, 2, NULL);
}

static tgs_status measure(const void *unused)
{
    double peak[2];

    (void)unused;
    return tgs_schedule_peaks(peak, schedule, problem);
}

static tgs_status search(const void *duel)
{
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g;
    tgs_platform *p;
    double ratio;
    const tgs_status status = tgs_adversary(&g, &p, &ratio, duel, &err);

    assert_int_equal(err.status, status);
    assert_int_equal(!g || !p, status != TGS_OK);
    tgs_graph_free(g);
    tgs_platform_free(p);
    return status;
}

static void everything(void **state)
{
    static const double value[] = {1, 2, 3, 4};
    static const tgs_duel duel = {
        .a = "met", .b = "olb", .tasks = 2, .processors = 2, .evals = 1, .seed = 1};

    (void)state;
    oom_every("tgs_schedule_read", read_table, path);
    oom_every("tgs_explain_new", explain, NULL);
    oom_every("tgs_standings", sum_up, value);
    oom_every("tgs_schedule_peaks", measure, NULL);
    oom_every("tgs_adversary", search, &duel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything)};

    return cmocka_run_group_tests(tests, prepare, clean);
}
