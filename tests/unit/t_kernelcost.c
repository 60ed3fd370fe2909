/* t_kernelcost.c -- what kernels say of their cost: when it is asked, what is made of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../fixture.h"
#include "machine.h"

#define NODE                                                                              \
    "kind cpu flops=4 bandwidth=1 overhead=1\nkind gpu arch=opencl flops=8 bandwidth=1\n" \
    "memory r\nmemory s\nprocessor c kind=cpu memory=r speed=2\n"                         \
    "processor g kind=gpu memory=s\n"                                                     \
    "link r s latency=1 bandwidth=1\nlink s r latency=1 bandwidth=1\n"

static tgs_status run(const tgs_call *c)
{
    (void)c;
    return TGS_OK;
}

/* flops: as many as the first buffer has elements, times the attribute; the device knows seconds */
static tgs_cost cost(const tgs_call *c, const char *arch)
{
    const double n = (double)c->buffer[0].dims[0], per = tgs_attr_real(c->attrs, "per", 1);

    assert_null(c->buffer[0].data);
    assert_null(c->prepared);
    assert_ptr_equal(c->user, NODE);
    if (!strcmp(arch, "opencl"))
        return (tgs_cost){n / 16, 1e9, NAN};
    return (tgs_cost){NAN, n * per, NAN};
}

static tgs_cost wrong(const tgs_call *c, const char *arch)
{
    (void)c, (void)arch;
    return (tgs_cost){-1, NAN, NAN};
}

static tgs_cost nothing(const tgs_call *c, const char *arch)
{
    (void)c, (void)arch;
    return (tgs_cost){NAN, NAN, NAN};
}

/* two tasks of a codelet on data of 32 elements: work, flops of the second as given */
static tgs_graph *graph(double work, double flops)
{
    const int64_t dims[] = {32};
    tgs_builder *b = fresh();

    for (int32_t t = 0; t < 2; t++) {
        tgs_builder_datum(b, NULL, 0);
        tgs_builder_datum_shape(b, t, TGS_F32, 1, dims);
        tgs_builder_task(b, t ? "y" : "x", "mine", t ? work : NAN);
        tgs_builder_task_attrs(b, t, t ? "per=2" : "");
        tgs_builder_access(b, t, t, TGS_W);
    }
    if (!isnan(flops))
        tgs_builder_task_cost(b, 1, flops, NAN);
    return finished(b);
}

static tgs_codelets *kernels(tgs_cost_of of, bool device)
{
    tgs_kernel k = {.codelet = "mine", .arch = "cpu", .dtype = TGS_F32, .run = run, .cost = of};
    tgs_codelets *c;

    k.user = (void *)NODE;
    assert_int_equal(tgs_codelets_new(&c, NULL), TGS_OK);
    assert_int_equal(tgs_codelets_add(c, &k, NULL), TGS_OK);
    k.arch = "opencl";
    if (device)
        assert_int_equal(tgs_codelets_add(c, &k, NULL), TGS_OK);
    return c;
}

static void assert_times(const tgs_problem *pb, double xc, double xg, double yc, double yg,
                         int32_t hinted)
{
    const double want[4] = {xc, xg, yc, yg};
    tgs_price_info info;

    for (int i = 0; i < 4; i++)
        if (pb->v.time[i] != want[i])
            fail_msg("time %d is %g, not %g", i, pb->v.time[i], want[i]);
    tgs_problem_prices(pb, &info);
    assert_int_equal(info.hinted, hinted);
}

static void test_used(void **state)
{
    tgs_codelets *both = kernels(cost, true), *host = kernels(cost, false);
    tgs_platform *p = machine(NODE);
    tgs_graph *g = graph(NAN, NAN);
    tgs_problem *pb, *next;
    tgs_error err = {TGS_OK, ""};

    (void)state;
    assert_int_equal(tgs_problem_new_for(&pb, g, p, NULL, "latbw", both, &err), TGS_OK);
    assert_times(pb, 32 / 4 + 1, 2, 64 / 4 + 1, 2, 4); /* the cpu's roofline, the device's word */
    assert_int_equal(tgs_problem_reprice(&next, pb, NULL, NULL, &err), TGS_OK);
    assert_times(next, 9, 2, 17, 2, 4);
    tgs_problem_free(next);
    tgs_problem_free(pb);
    assert_int_equal(tgs_problem_new_for(&pb, g, p, NULL, "latbw", host, &err), TGS_OK);
    assert_times(pb, 9, INFINITY, 17, INFINITY, 2); /* no kernel there */
    tgs_problem_free(pb);
    tgs_graph_free(g);

    g = graph(5, NAN); /* a time in the graph comes first */
    assert_int_equal(tgs_problem_new_for(&pb, g, p, NULL, "latbw", both, &err), TGS_OK);
    assert_times(pb, 9, 2, 5, 5, 2);
    tgs_problem_free(pb);
    tgs_graph_free(g);

    g = graph(NAN, 80); /* a roofline of the task comes last */
    assert_int_equal(tgs_problem_new_for(&pb, g, p, NULL, "latbw", both, &err), TGS_OK);
    assert_times(pb, 9, 2, 17, 2, 4);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    tgs_codelets_free(both);
    tgs_codelets_free(host);
    tgs_platform_free(p);
}

/* a measured time comes before what a kernel says; repricing asks the kernels again */
static void test_measured(void **state)
{
    static const char text[] = "tgsched.costs/1\nsample codelet=mine attrs=\"per=2\" kind=gpu "
                               "median=7\n";
    char *path = fixture_file(text);
    tgs_codelets *c = kernels(cost, true);
    tgs_platform *p = machine(NODE);
    tgs_graph *g = graph(NAN, NAN);
    tgs_costs *roofline, *measured;
    tgs_problem *pb, *next;
    tgs_error err = {TGS_OK, ""};

    (void)state;
    if (tgs_costs_open(&measured, path, &err))
        fail_msg("%s", err.text);
    assert_int_equal(tgs_costs_open(&roofline, "roofline", &err), TGS_OK); /* that alone */
    assert_int_equal(tgs_problem_new_for(&pb, g, p, roofline, "latbw", c, &err), TGS_EINVAL);
    assert_null(pb);
    assert_int_equal(tgs_problem_new_for(&pb, g, p, measured, "latbw", c, &err), TGS_OK);
    assert_times(pb, 9, 2, 17, 7, 3);
    tgs_problem_free(pb);
    assert_int_equal(tgs_problem_new_for(&pb, g, p, NULL, "latbw", c, &err), TGS_OK);
    assert_int_equal(tgs_problem_reprice(&next, pb, measured, NULL, &err), TGS_OK);
    assert_times(next, 9, 2, 17, 7, 3);
    tgs_problem_free(next);
    tgs_problem_free(pb);
    tgs_costs_free(measured);
    tgs_costs_free(roofline);
    tgs_codelets_free(c);
    tgs_graph_free(g);
    tgs_platform_free(p);
    unlink(path);
    free(path);
}

static void test_refused(void **state)
{
    tgs_codelets *bad = kernels(wrong, true), *mute = kernels(nothing, true);
    tgs_platform *p = machine(NODE);
    tgs_graph *g = graph(NAN, NAN);
    tgs_problem *pb;
    tgs_error err = {TGS_OK, ""};

    (void)state;
    assert_int_equal(tgs_problem_new_for(&pb, g, p, NULL, "latbw", bad, &err), TGS_EINVAL);
    assert_null(pb);
    assert_string_equal(err.text, "task 'x': codelet mine says that it takes -1 s on cpu");
    assert_int_equal(tgs_problem_new_for(&pb, g, p, NULL, "latbw", mute, &err), TGS_EINVAL);
    assert_non_null(strstr(err.text, "task 'x' has no time on kind 'cpu'"));
    tgs_codelets_free(bad);
    tgs_codelets_free(mute);
    tgs_graph_free(g);
    tgs_platform_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_used), cmocka_unit_test(test_measured),
                                       cmocka_unit_test(test_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
