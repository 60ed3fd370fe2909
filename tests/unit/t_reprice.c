/* t_reprice.c -- problems made from problems: other costs, measured times and links, fewer kernels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "internal.h"
#include "machine.h"

#define NODE                                                                 \
    "kind cpu flops=1\nkind gpu arch=opencl flops=2\nmemory r\nmemory s\n"   \
    "processor c kind=cpu memory=r speed=2\nprocessor g kind=gpu memory=s\n" \
    "link r s latency=1 bandwidth=1\nlink s r latency=1 bandwidth=1\n"

/* x: 4 s or, by its flops, 8 and 4 s; y: gpu alone */
static tgs_graph *two_tasks(void)
{
    tgs_builder *b = fresh();

    tgs_builder_task(b, "x", "gemm", 4);
    tgs_builder_task_cost(b, 0, 8, 0);
    tgs_builder_task(b, "y", NULL, 6);
    tgs_builder_task_cost(b, 1, 10, 0);
    tgs_builder_task_constrain(b, 1, "kinds", "gpu");
    return finished(b);
}

static tgs_costs *costs(const char *model)
{
    tgs_costs *c;

    assert_int_equal(tgs_costs_open(&c, model, NULL), TGS_OK);
    return c;
}

static void assert_problem(const tgs_problem *pb, const double *time, tgs_price_info expected)
{
    tgs_price_info info;

    for (int32_t i = 0; i < 4; i++)
        if (pb->v.time[i] != time[i])
            fail_msg("time %d is %.17g, not %.17g", (int)i, pb->v.time[i], time[i]);
    tgs_problem_prices(pb, &info);
    assert_int_equal(info.table, expected.table);
    assert_int_equal(info.roofline, expected.roofline);
    assert_int_equal(info.measured, expected.measured);
    assert_int_equal(info.extrapolated, expected.extrapolated);
}

/* a trace of these runs on the machine above */
static tgs_trace traced(tgs_ran *ran, int32_t rans)
{
    static const char *const proc[] = {"c", "g"}, *const kind[] = {"cpu", "gpu"};

    return (tgs_trace){.v = {.tasks = 2,
                             .procs = 2,
                             .memories = 2,
                             .rans = rans,
                             .ran = ran,
                             .proc_name = proc,
                             .proc_kind = kind}};
}

static void costs_and_traces_replace_times(void **state)
{
    /* x ran on c (speed 2) for 1 and 2 s: 3 s at speed 1; y once on g; x's second copy on g */
    tgs_ran ran[] = {{0, 0, 0, 0, 0, 1}, {0, 0, 1, 0, 5, 7}, {1, 1, 0, 0, 1, 2.5}};
    tgs_trace trace = traced(ran, 3);
    tgs_graph *g = two_tasks();
    tgs_platform *p = machine(NODE);
    tgs_problem *pb = priced(g, p, "latbw"), *next, *last;
    tgs_costs *roofline = costs("roofline");

    (void)state;
    assert_problem(pb, (const double[]){4, 4, INFINITY, 6}, (tgs_price_info){3, 0, 0, 0, 0, 0});

    assert_int_equal(tgs_problem_reprice(&next, pb, NULL, NULL, NULL), TGS_OK);
    assert_problem(next, (const double[]){4, 4, INFINITY, 6}, (tgs_price_info){3, 0, 0, 0, 0, 0});
    tgs_problem_free(next);

    assert_int_equal(tgs_problem_reprice(&next, pb, roofline, NULL, NULL), TGS_OK);
    assert_problem(next, (const double[]){8, 4, INFINITY, 5}, (tgs_price_info){0, 3, 0, 0, 0, 0});
    assert_int_equal(tgs_problem_reprice(&last, next, NULL, &trace, NULL), TGS_OK);
    assert_problem(last, (const double[]){3, 4, INFINITY, 1.5}, (tgs_price_info){0, 1, 2, 0, 0, 0});
    tgs_problem_free(last);
    tgs_problem_free(next);

    assert_int_equal(tgs_problem_reprice(&next, pb, roofline, &trace, NULL), TGS_OK);
    assert_problem(next, (const double[]){3, 4, INFINITY, 1.5}, (tgs_price_info){0, 1, 2, 0, 0, 0});
    assert_string_equal(next->v.link_model, "latbw");
    tgs_problem_free(next);
    assert_problem(pb, (const double[]){4, 4, INFINITY, 6}, (tgs_price_info){3, 0, 0, 0, 0, 0});

    ran[0].end = 100; /* the first of several steps warms up */
    trace.v.steps = 2;
    ran[2].step = 1;
    assert_int_equal(tgs_problem_reprice(&next, pb, NULL, &trace, NULL), TGS_OK);
    assert_problem(next, (const double[]){4, 4, INFINITY, 1.5}, (tgs_price_info){1, 0, 2, 0, 0, 0});
    tgs_problem_free(next);
    trace.v.steps = 1;
    ran[0].end = 1;

    ran[2].proc = 0; /* where y may not run: what was measured there changes nothing */
    assert_int_equal(tgs_problem_reprice(&next, pb, NULL, &trace, NULL), TGS_OK);
    assert_problem(next, (const double[]){3, 4, INFINITY, 6}, (tgs_price_info){2, 0, 1, 0, 0, 0});
    tgs_problem_free(next);
    tgs_costs_free(roofline);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

static void foreign_traces_are_refused(void **state)
{
    static const char *const other[] = {"c", "h"};
    tgs_trace trace = traced(NULL, 0);
    tgs_graph *g = two_tasks();
    tgs_platform *p = machine(NODE);
    tgs_problem *pb = priced(g, p, "latbw"), *next = (tgs_problem *)1;
    tgs_error err;

    (void)state;
    trace.v.tasks = 3;
    assert_int_equal(tgs_problem_reprice(&next, pb, NULL, &trace, &err), TGS_EINVAL);
    assert_null(next);
    assert_string_equal(err.text, "the trace has 3 tasks on 2 processors, the problem 2 on 2");
    trace = traced(NULL, 0);
    trace.v.proc_name = other;
    assert_int_equal(tgs_problem_reprice(&next, pb, NULL, &trace, &err), TGS_EINVAL);
    assert_string_equal(err.text,
                        "the trace's processor 'h' of kind 'gpu' is not the problem's 'g'");
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

static void measured_links_stay(void **state)
{
    static const tgs_link_sample sample = {"r", "s", 0.5, 4, 0, 0, 1, 0};
    static const tgs_sample gemm = {"gemm", "", "cpu", TGS_F32, 8, 0, 0.25, 0.25, 0, 1, 0};
    tgs_graph *g = two_tasks();
    tgs_platform *p = machine(NODE);
    tgs_problem *pb, *next, *last;
    tgs_costs *c;

    (void)state;
    assert_int_equal(tgs_i_costs_new(&c, NULL), TGS_OK);
    assert_int_equal(tgs_costs_add_link(c, &sample), TGS_OK);
    assert_int_equal(tgs_costs_add(c, &gemm), TGS_OK);
    assert_int_equal(tgs_problem_new(&pb, g, p, c, "latbw", NULL), TGS_OK);
    assert_problem(pb, (const double[]){0.25, 4, INFINITY, 6}, (tgs_price_info){2, 0, 1, 0, 0, 0});
    assert_true(pb->v.lat[1] == 0.5 && pb->v.inv[1] == 0.25);
    assert_true(pb->v.lat[2] == 1 && pb->v.inv[2] == 1);
    assert_true(pb->v.p->link[0].bandwidth == 4); /* so that a simulation uses it too */
    assert_true(p->v.link[0].bandwidth == 1);
    assert_true(pb->v.mean_lat == 0.75);
    assert_ptr_equal(pb->platform, p);

    assert_int_equal(tgs_problem_reprice(&next, pb, NULL, NULL, NULL), TGS_OK);
    assert_true(next->v.lat[1] == 0.5);
    tgs_problem_free(pb); /* next owns its own */
    assert_true(next->v.inv[1] == 0.25);
    tgs_costs_free(c);
    c = costs("table");
    assert_int_equal(tgs_problem_reprice(&last, next, c, NULL, NULL), TGS_OK);
    assert_true(last->v.lat[1] == 0.5);
    assert_true(last->v.time[0] == 4);
    tgs_problem_free(last);
    tgs_problem_free(next);
    tgs_costs_free(c);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

static tgs_status nothing(const tgs_call *call)
{
    (void)call;
    return TGS_OK;
}

static void tasks_run_only_where_they_have_a_kernel(void **state)
{
    static const tgs_kernel mine[] = {
        {"only-cpu", "cpu", TGS_F32, "t", 0, nothing, NULL, NULL, NULL, NULL},
        {"only-cl", "opencl", TGS_BYTES, "t", 0, nothing, NULL, NULL, NULL, NULL},
        {"exotic", "dsp", TGS_BYTES, "t", 0, nothing, NULL, NULL, NULL, NULL},
    };
    static const char *const codelet[] = {"only-cpu", "only-cl", "exotic", "nobody", NULL};
    static const int64_t dims[] = {2};
    tgs_platform *p = machine(NODE);
    tgs_builder *b = fresh();
    tgs_problem *pb, *limited, *next;
    tgs_codelets *c;
    tgs_costs *table = costs("table");
    tgs_graph *g;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_codelets_new(&c, NULL), TGS_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(tgs_codelets_add(c, &mine[i], NULL), TGS_OK);
    for (int i = 0; i < 6; i++)
        tgs_builder_task(b, NULL, codelet[i % 5], 3);
    tgs_builder_datum(b, "doubles", 0); /* task 5: only-cpu, in a type it has no kernel for */
    tgs_builder_datum_shape(b, 0, TGS_F64, 1, dims);
    tgs_builder_access(b, 5, 0, TGS_R);
    g = finished(b);
    pb = priced(g, p, "latbw");
    assert_int_equal(tgs_problem_restrict(&limited, pb, c, &err), TGS_OK);
    for (int i = 0; i < 6; i++) {
        assert_true(limited->v.time[2 * i] == (i == 1 ? INFINITY : 3));
        assert_true(limited->v.time[2 * i + 1] == (i == 0 ? INFINITY : 3));
        assert_true(pb->v.time[2 * i] == 3 && pb->v.time[2 * i + 1] == 3);
    }
    assert_int_equal(tgs_problem_reprice(&next, limited, table, NULL, NULL), TGS_OK);
    assert_true(isinf(next->v.time[1]) && isinf(next->v.time[2])); /* repricing lifts nothing */
    tgs_problem_free(next);
    tgs_problem_free(limited);
    tgs_problem_free(pb);
    tgs_graph_free(g);

    b = fresh();
    tgs_builder_task(b, "x", "only-cpu", 3);
    tgs_builder_task_constrain(b, 0, "kinds", "gpu");
    g = finished(b);
    pb = priced(g, p, "latbw");
    assert_int_equal(tgs_problem_restrict(&limited, pb, c, &err), TGS_EINFEASIBLE);
    assert_null(limited);
    assert_string_equal(err.text,
                        "task 'x' may run nowhere: the platform has no processor of a kind "
                        "it may use");
    tgs_problem_free(pb);
    tgs_graph_free(g);
    tgs_costs_free(table);
    tgs_codelets_free(c);
    tgs_platform_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_and_traces_replace_times),
        cmocka_unit_test(foreign_traces_are_refused),
        cmocka_unit_test(measured_links_stay),
        cmocka_unit_test(tasks_run_only_where_they_have_a_kernel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
