/* t_problem.c -- pricing: times, masks, links, homes, and problems made from problems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "internal.h"
#include "machine.h"

static void assert_times(const tgs_problem *pb, const double *expected)
{
    for (int32_t i = 0; i < pb->v.n * pb->v.kinds; i++)
        if (pb->v.time[i] != expected[i])
            fail_msg("time %d is %.17g, not %.17g", (int)i, pb->v.time[i], expected[i]);
}

/* ---- times ---- */

static void kinds_are_matched_by_name(void **state)
{
    /* the graph's order of kinds is not the platform's, and it knows one that is not there */
    static const double expected[] = {2, 1, INFINITY, INFINITY, 5, INFINITY, 7, 7, INFINITY};
    tgs_platform *p = machine("kind gpu\nkind cpu\nkind idle\nmemory m\n"
                              "processor g kind=gpu memory=m\nprocessor c kind=cpu memory=m\n");
    tgs_builder *b = fresh();
    tgs_problem *pb;
    tgs_graph *g;
    tgs_price_info info;

    (void)state;
    tgs_builder_task(b, "x", NULL, NAN);
    tgs_builder_task_time(b, 0, "cpu", 1);
    tgs_builder_task_time(b, 0, "tpu", 9);
    tgs_builder_task_time(b, 0, "gpu", 2);
    tgs_builder_task(b, "y", NULL, 5);
    tgs_builder_task_constrain(b, 1, "kinds", "tpu,cpu");
    tgs_builder_task(b, "z", NULL, 7);
    g = finished(b);
    pb = priced(g, p, "latbw");
    assert_times(pb, expected); /* nothing runs on idle, which has no processor, nor needs a time */
    tgs_problem_prices(pb, &info);
    assert_int_equal(info.table, 5);
    assert_true(tgs_w(&pb->v, 0, 1) == 1);
    assert_false(tgs_allowed(&pb->v, 1, 0));
    assert_null(pb->v.pin_proc);
    assert_null(pb->v.mem_mask);
    assert_false(pb->v.homogeneous);
    tgs_problem_free(pb);
    tgs_problem_free(NULL);
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void a_task_without_a_kind_is_infeasible(void **state)
{
    tgs_platform *p = machine("kind cpu\nmemory m\nprocessor c kind=cpu memory=m\n");
    tgs_builder *b = fresh();
    tgs_graph *g;

    (void)state;
    tgs_builder_task(b, "x", NULL, 1);
    tgs_builder_task(b, "y", NULL, 1);
    tgs_builder_task_constrain(b, 1, "kinds", "tpu");
    g = finished(b);
    refused(g, p, TGS_EINFEASIBLE,
            "task 'y' may run nowhere: the platform has no processor of a kind it may use");
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void an_empty_graph_is_a_problem(void **state)
{
    tgs_platform *p = machine("kind cpu\nmemory m\nprocessor c kind=cpu memory=m\n");
    tgs_graph *g = finished(fresh());
    tgs_problem *pb = priced(g, p, NULL);
    tgs_price_info info;

    (void)state;
    assert_int_equal(pb->v.n, 0);
    assert_string_equal(pb->v.link_model, "latbw"); /* when none is named */
    tgs_problem_prices(pb, &info);
    assert_int_equal(info.table + info.roofline + info.measured + info.extrapolated, 0);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    tgs_platform_free(p);
}

/* ---- links ---- */

static void links_are_averaged_over_pairs_of_processors(void **state)
{
    /* two processors share ram, one is alone: of 6 ordered pairs 2 pay nothing */
    tgs_platform *p = machine("kind cpu\nmemory r\nmemory s\nprocessor a kind=cpu memory=r\n"
                              "processor b kind=cpu memory=r\nprocessor c kind=cpu memory=s\n"
                              "link r s latency=3 bandwidth=0.5\n"
                              "link s r latency=6 bandwidth=0.25\n");
    tgs_builder *b = fresh();
    tgs_problem *pb;
    tgs_graph *g;

    (void)state;
    tgs_builder_task(b, NULL, NULL, 1);
    tgs_builder_task(b, NULL, NULL, 1);
    tgs_builder_edge(b, 0, 1, 10);
    g = finished(b);
    pb = priced(g, p, "latbw");
    assert_string_equal(pb->v.link_model, "latbw");
    assert_true(tgs_c(&pb->v, 0, 0, 1) == 3 + 10 * 2);
    assert_true(tgs_c(&pb->v, 0, 1, 0) == 6 + 10 * 4);
    assert_true(tgs_c(&pb->v, -1, 1, 0) == 0);
    assert_true(pb->v.mean_lat == (2 * 3 + 2 * 6) / 6.0);
    assert_true(pb->v.mean_inv == (2 * 2 + 2 * 4) / 6.0);
    assert_true(tgs_cbar(&pb->v, 0) == 3 + 10 * 2);
    assert_false(pb->v.homogeneous);
    tgs_problem_free(pb);

    pb = priced(g, p, "zero");
    assert_true(tgs_c(&pb->v, 0, 0, 1) == 0 && tgs_cbar(&pb->v, 0) == 0);
    assert_true(pb->v.relay_lat[1] == 0 && pb->v.relay_inv[1] == 0);
    assert_true(pb->v.homogeneous); /* when nobody pays, all are alike */
    tgs_problem_free(pb);
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void homogeneous_machines(void **state)
{
    static const struct {
        const char *spec;
        bool homogeneous;
        double mean_lat, mean_inv;
    } t[] = {
        {"cpu:4", true, 0, 0},
        {"cpu:1", true, 0, 0},
        {"cpu:7/own link:3,0.1", true, 0.1, 1.0 / 3}, /* not the rounded sum of 42 of them */
        {"cpu:2 cpu:2 link:1,6", false, 4, 2.0 / 3},
        {"cpu:1 cpu:1x2 link:1,6", false, 6, 1},
        {"cpu:1 gpu:1 link:1,6", false, 6, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        tgs_builder *b = fresh();
        tgs_platform *p;
        tgs_problem *pb;
        tgs_graph *g;

        tgs_builder_task(b, NULL, NULL, 1);
        g = finished(b);
        assert_int_equal(tgs_platform_parse(&p, t[i].spec, NULL), TGS_OK);
        pb = priced(g, p, "fifo");
        assert_int_equal(pb->v.homogeneous, t[i].homogeneous);
        assert_true(pb->v.mean_lat == t[i].mean_lat);
        assert_true(pb->v.mean_inv == t[i].mean_inv);
        tgs_problem_free(pb);
        tgs_graph_free(g);
        tgs_platform_free(p);
    }
}

static void memories_that_no_link_reaches(void **state)
{
    tgs_platform *p = machine("kind cpu\nmemory r\nmemory s\nmemory t\n"
                              "processor a kind=cpu memory=r\nprocessor b kind=cpu memory=s\n"
                              "processor c kind=cpu memory=t\n"
                              "link r s latency=3 bandwidth=1\nlink s r latency=5 bandwidth=1\n");
    tgs_builder *b = fresh();
    tgs_problem *pb;
    tgs_graph *g;

    (void)state;
    tgs_builder_task(b, NULL, NULL, 1);
    tgs_builder_task(b, NULL, NULL, 1);
    tgs_builder_edge(b, 0, 1, 0);
    g = finished(b);
    pb = priced(g, p, "latbw");
    assert_true(isinf(tgs_c(&pb->v, 0, 0, 2))); /* not NaN, though nothing is sent */
    assert_true(pb->v.mean_lat == 4 && pb->v.mean_inv == 1);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void data_starts_at_home_when_it_is_read_first(void **state)
{
    static const int32_t expected[] = {0, 1, -1, -1, 1, -1};
    tgs_platform *p = machine("kind cpu\nmemory r\nmemory s\nprocessor a kind=cpu memory=r\n");
    tgs_builder *b = fresh();
    tgs_problem *pb;
    tgs_graph *g;

    (void)state;
    tgs_builder_task(b, "t", NULL, 1);
    tgs_builder_task(b, "u", NULL, 1);
    for (int i = 0; i < 5; i++)
        tgs_builder_datum(b, (const char *[]){"r", "rs", "w", "none", "rw"}[i], 8);
    tgs_builder_datum_set(b, 1, "home", "s");
    tgs_builder_datum_set(b, 2, "home", "s"); /* written first: it starts nowhere */
    tgs_builder_datum_set(b, 4, "home", "s");
    tgs_builder_access(b, 0, 0, TGS_R);
    tgs_builder_access(b, 0, 1, TGS_R);
    tgs_builder_access(b, 0, 2, TGS_W);
    tgs_builder_access(b, 1, 2, TGS_R);
    tgs_builder_access(b, 1, 4, TGS_RW);
    tgs_builder_edge(b, 0, 1, 8);
    g = finished(b);
    pb = priced(g, p, "latbw");
    for (int i = 0; i < 6; i++)
        assert_int_equal(pb->v.home[i], expected[i]);
    tgs_problem_free(pb);
    tgs_graph_free(g);

    b = fresh();
    tgs_builder_task(b, "t", NULL, 1);
    tgs_builder_datum(b, "d", 8);
    tgs_builder_datum_set(b, 0, "home", "attic");
    g = finished(b);
    refused(g, p, TGS_EINVAL, "datum 'd': its home 'attic' is no memory of the platform");
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void unknown_link_models_are_named(void **state)
{
    tgs_platform *p = machine("kind cpu\nmemory m\nprocessor c kind=cpu memory=m\n");
    tgs_graph *g = finished(fresh());
    tgs_problem *pb = (tgs_problem *)1;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_problem_new(&pb, g, p, NULL, "telepathy", &err), TGS_ENOTFOUND);
    assert_null(pb);
    assert_non_null(strstr(err.text, "'telepathy' (there are:"));
    tgs_graph_free(g);
    tgs_platform_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_matched_by_name),
        cmocka_unit_test(a_task_without_a_kind_is_infeasible),
        cmocka_unit_test(an_empty_graph_is_a_problem),
        cmocka_unit_test(links_are_averaged_over_pairs_of_processors),
        cmocka_unit_test(homogeneous_machines),
        cmocka_unit_test(memories_that_no_link_reaches),
        cmocka_unit_test(data_starts_at_home_when_it_is_read_first),
        cmocka_unit_test(unknown_link_models_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
