/* t_adversary.c -- instances against heuristics: found, small, the same again, and what they say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "fixture.h"
#include "graphtext.h"

static double makespan(const tgs_graph *g, const tgs_platform *p, const char *heuristic)
{
    tgs_problem *pb = fixture_problem(g, p, "latbw");
    tgs_schedule *s;
    double x;

    assert_int_equal(tgs_schedule_make(&s, pb, heuristic, 0, NULL), TGS_OK);
    x = tgs_schedule_makespan(s);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    return x;
}

static double find(const tgs_duel *d, tgs_graph **g, tgs_platform **p)
{
    tgs_error err = {TGS_OK, ""};
    double ratio;

    if (tgs_adversary(g, p, &ratio, d, &err))
        fail_msg("%s", err.text);
    return ratio;
}

static void test_found(void **state)
{
    const tgs_duel d = {.a = "heft", .b = "cpop", .tasks = 8, .evals = 2000, .seed = 1};
    tgs_graph *g, *again_g;
    tgs_platform *p, *again_p;
    const double ratio = find(&d, &g, &p);

    (void)state;
    if (!(ratio > 1.3))
        fail_msg("HEFT is at most %g times CPOP", ratio);
    assert_real(makespan(g, p, "heft") / makespan(g, p, "cpop"), ratio);
    assert_true(tgs_graph_tasks(g) <= 8 && tgs_platform_processors(p) <= 3);
    assert_true(find(&d, &again_g, &again_p) == ratio);
    assert_true(tgs_graph_fingerprint(g) == tgs_graph_fingerprint(again_g));
    assert_true(tgs_platform_fingerprint(p) == tgs_platform_fingerprint(again_p));
    tgs_graph_free(g);
    tgs_platform_free(p);
    tgs_graph_free(again_g);
    tgs_platform_free(again_p);
}

/* against itself nothing is to be found, and nothing is left after shrinking */
static void test_itself(void **state)
{
    const tgs_duel d = {.a = "heft", .b = "heft", .evals = 200};
    tgs_graph *g;
    tgs_platform *p;

    (void)state;
    assert_true(find(&d, &g, &p) == 1);
    assert_int_equal(tgs_graph_tasks(g), 1);
    assert_int_equal(tgs_platform_processors(p), 1);
    tgs_graph_free(g);
    tgs_platform_free(p);
}

/* g without its k-th edge (and without the line of counts); NULL: there are fewer */
static tgs_graph *without_edge(const tgs_graph *g, int32_t k)
{
    char *text, *line, *rest, *kept;
    tgs_graph *less = NULL;
    size_t size;

    assert_int_equal(graph_to_text(&text, &size, g, "tg", NULL), TGS_OK);
    kept = calloc(size + 1, 1);
    assert_non_null(kept);
    for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, "counts ", 7) && (strncmp(line, "edge ", 5) || k-- != 0))
            strcat(strcat(kept, line), "\n");
    if (k < 0)
        assert_int_equal(graph_from_text(&less, "tg", kept, strlen(kept), NULL), TGS_OK);
    free(kept);
    free(text);
    return less;
}

/* A heuristic that uses one processor: work in parallel shows it, and data that do not fit beside
 * each other.  What is left is needed: without any one edge the ratio is lower. */
static void test_small(void **state)
{
    const tgs_duel d = {.a = "single", .b = "heft", .evals = 3000, .tasks = 9, .processors = 3};
    double ratio;
    tgs_graph *g;
    tgs_platform *p;

    (void)state;
    ratio = find(&d, &g, &p);
    assert_true(ratio > 2 && tgs_graph_tasks(g) > 2);
    for (int32_t k = 0; k < tgs_graph_edges(g); k++) {
        tgs_graph *less = without_edge(g, k);

        assert_non_null(less);
        assert_true(makespan(less, p, "single") / makespan(less, p, "heft") < ratio);
        tgs_graph_free(less);
    }
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void test_contention(void **state)
{
    const tgs_duel d = {.a = "heft", .b = "single", .evals = 500, .link_model = "fifo", .tasks = 6};
    tgs_graph *g;
    tgs_platform *p;
    const double ratio = find(&d, &g, &p);
    tgs_problem *pb = fixture_problem(g, p, "fifo");
    tgs_schedule *s;
    tgs_trace *t;

    (void)state;
    assert_true(ratio > 1);
    assert_int_equal(tgs_schedule_make(&s, pb, "heft", 0, NULL), TGS_OK);
    assert_int_equal(tgs_simulate(&t, pb, s, NULL), TGS_OK);
    assert_real(tgs_trace_makespan(t), ratio * makespan(g, p, "single"));
    tgs_trace_free(t);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static bool at_once(void *user)
{
    return ++*(int *)user > 100;
}

static void test_stop(void **state)
{
    int asked = 0;
    const tgs_duel d = {
        .a = "heft", .b = "cpop", .evals = INT32_MAX, .stop = at_once, .user = &asked};
    tgs_graph *g;
    tgs_platform *p;

    (void)state;
    assert_true(find(&d, &g, &p) >= 1);
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void refuse(const tgs_duel *d, tgs_status expected, const char *said)
{
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g;
    tgs_platform *p;
    double ratio;

    assert_int_equal(tgs_adversary(&g, &p, &ratio, d, &err), expected);
    assert_null(g);
    assert_null(p);
    assert_text(err.text, said);
}

static void test_refused(void **state)
{
    (void)state;
    refuse(&(tgs_duel){.a = "heft", .b = "xyzzy", .evals = 10}, TGS_ENOTFOUND, "*xyzzy*");
    refuse(&(tgs_duel){.a = "heft", .b = "ils:evals=no", .evals = 10}, TGS_EINVAL, "*evals*");
    refuse(&(tgs_duel){.a = "heft", .b = "cpop", .link_model = "xyzzy"}, TGS_ENOTFOUND, "*xyzzy*");
    refuse(&(tgs_duel){.a = "heft", .b = "cpop", .tasks = 65}, TGS_EINVAL, "*2 to 64 tasks*");
    refuse(&(tgs_duel){.a = "heft", .b = "cpop", .processors = 17}, TGS_EINVAL, "*processors*");
    refuse(&(tgs_duel){.a = "heft", .b = "fj-prefix", .evals = 20, .tasks = 20}, TGS_EINFEASIBLE,
           "no instance on which both*");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found), cmocka_unit_test(test_itself),
        cmocka_unit_test(test_small), cmocka_unit_test(test_contention),
        cmocka_unit_test(test_stop),  cmocka_unit_test(test_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
