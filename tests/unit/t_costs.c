/* t_costs.c -- where times come from: table, roofline, measured curves; .tgc files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "costs.h"
#include "machine.h"

/* a: 1e9 flop/s, 1e8 byte/s, 1 ms overhead; b: of unknown rates */
#define TWO_KINDS                                                       \
    "kind a flops=1e9 bandwidth=1e8 overhead=0.001\nkind b\nmemory m\n" \
    "processor a0 kind=a memory=m\nprocessor b0 kind=b memory=m\n"
#define ONE_KIND                                                \
    "kind a flops=1e9 bandwidth=1e8 overhead=0.001\nmemory m\n" \
    "processor a0 kind=a memory=m\n"

static tgs_status load(tgs_costs **out, const char *text, tgs_error *err)
{
    tgs_source s = {.path = "x.tgc"};
    tgs_status status;

    s.file = *text ? fmemopen((void *)text, strlen(text), "r") : fopen("/dev/null", "r");
    assert_non_null(s.file);
    status = tgs_i_costs_load(out, &s, err);
    tgs_i_source_close(&s);
    return status;
}

static tgs_costs *loaded(const char *text)
{
    tgs_costs *c;
    tgs_error err = {TGS_OK, ""};

    if (load(&c, text, &err))
        fail_msg("%s", err.text);
    return c;
}

/* the time of a task of so many flops and bytes on kind a, under these measured costs */
static double predicted(const char *costs, double flops, double bytes, tgs_price_info *info)
{
    tgs_builder *b = fresh();
    const int32_t task = tgs_builder_task(b, "t", "gemm", NAN);
    tgs_platform *p = machine(ONE_KIND);
    tgs_costs *c = loaded(costs);
    tgs_problem *pb;
    tgs_graph *g;
    tgs_error err;
    double time;

    tgs_builder_task_cost(b, task, flops, bytes);
    g = finished(b);
    if (tgs_problem_new(&pb, g, p, c, "latbw", &err))
        fail_msg("%s", err.text);
    tgs_problem_prices(pb, info);
    time = pb->v.time[0];
    tgs_problem_free(pb);
    tgs_costs_free(c);
    tgs_platform_free(p);
    tgs_graph_free(g);
    return time;
}

/* ---- models ---- */

static void table_then_roofline(void **state)
{
    tgs_builder *b = fresh();
    const int32_t own = tgs_builder_task(b, "own", NULL, 7),
                  work = tgs_builder_task(b, "w", NULL, 5);
    const int32_t flops = tgs_builder_task(b, "f", NULL, NAN);
    tgs_platform *p = machine(TWO_KINDS);
    tgs_price_info info;
    tgs_problem *pb;
    tgs_graph *g;
    tgs_costs *c;
    tgs_error err;

    (void)state;
    tgs_builder_task_time(b, own, "a", 2);
    tgs_builder_task_cost(b, work, 1e9, 1e9);
    tgs_builder_task_cost(b, flops, 4e9, 1e8);
    tgs_builder_task_time(b, flops, "b", 9);
    g = finished(b);
    assert_int_equal(tgs_problem_new(&pb, g, p, NULL, "latbw", NULL), TGS_OK);
    assert_true(pb->v.time[0] == 2); /* its own time */
    assert_true(pb->v.time[1] == 7); /* its work */
    assert_true(pb->v.time[2] == 5 && pb->v.time[3] == 5);
    assert_true(pb->v.time[4] == 4.001); /* 4 s of flops, 1 s of bytes, 1 ms */
    assert_true(pb->v.time[5] == 9);
    tgs_problem_prices(pb, &info);
    assert_int_equal(info.table, 5);
    assert_int_equal(info.roofline, 1);
    assert_int_equal(info.measured + info.extrapolated, 0);
    tgs_problem_free(pb);

    assert_int_equal(tgs_costs_open(&c, "table", NULL), TGS_OK);
    assert_int_equal(tgs_problem_new(&pb, g, p, c, "latbw", &err), TGS_EINVAL);
    assert_null(pb);
    assert_string_equal(err.text, "task 'f' has no time on kind 'a': the graph gives it neither a "
                                  "time there nor work");
    tgs_costs_free(c);
    assert_int_equal(tgs_costs_open(&c, "roofline", NULL), TGS_OK);
    assert_int_equal(tgs_problem_new(&pb, g, p, c, "latbw", &err), TGS_EINVAL);
    assert_string_equal(err.text,
                        "task 'own' has no time on kind 'a': a roofline needs the task's flops or "
                        "bytes");
    tgs_costs_free(c);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

static void rooflines(void **state)
{
    static const struct {
        double flops, bytes, time; /* on a; NaN: says what is missing */
        const char *missing;
    } t[] = {
        {2e9, 1e8, 2.001, NULL},
        {1e9, 3e8, 3.001, NULL},
        {1e9, NAN, 1.001, NULL},
        {NAN, 1e8, 1.001, NULL},
        {0, 0, 0.001, NULL},
        {0, NAN, 0.001, NULL},
        {NAN, NAN, NAN, "the task's flops or bytes"},
    };
    tgs_platform *p = machine(ONE_KIND), *q = machine(TWO_KINDS);

    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        tgs_builder *b = fresh();
        tgs_graph *g;
        tgs_problem *pb;
        tgs_error err;

        tgs_builder_task(b, NULL, NULL, NAN);
        tgs_builder_task_cost(b, 0, t[i].flops, t[i].bytes);
        g = finished(b);
        if (isnan(t[i].time)) {
            assert_int_equal(tgs_problem_new(&pb, g, p, NULL, "latbw", &err), TGS_EINVAL);
            assert_non_null(strstr(err.text, t[i].missing));
        } else {
            assert_int_equal(tgs_problem_new(&pb, g, p, NULL, "latbw", &err), TGS_OK);
            assert_true(pb->v.time[0] == t[i].time);
            tgs_problem_free(pb);
            if (t[i].flops > 0 || t[i].bytes > 0) { /* b's rates are unknown */
                assert_int_equal(tgs_problem_new(&pb, g, q, NULL, "latbw", &err), TGS_EINVAL);
                assert_non_null(strstr(err.text, "task @0 has no time on kind 'b'"));
                assert_non_null(
                    strstr(err.text, t[i].flops > 0 ? "kind's flops" : "kind's bandwidth"));
            }
        }
        tgs_graph_free(g);
    }
    tgs_platform_free(p);
    tgs_platform_free(q);
}

#define TGC "tgsched.costs/1\n"
#define SAMPLE(flops, bytes, median) \
    "sample codelet=gemm kind=a flops=" flops " bytes=" bytes " median=" median "\n"

static void measured_curves(void **state)
{
    static const char curve[] = TGC SAMPLE("4e6", "2e6", "0.008") SAMPLE("1e6", "1e6", "0.001")
        SAMPLE("4e6", "3e6", "0.004") SAMPLE("4e6", "3e6", "0.006");
    static const struct {
        const char *costs;
        double flops, bytes, time;
        char from; /* Measured, Interpolated, eXtrapolated, Roofline */
    } t[] = {
        {curve, 1e6, 1e6, 0.001, 'M'},
        {curve, 4e6, 2e6, 0.008, 'M'},  /* of two samples of one size, the one of these bytes */
        {curve, 4e6, 3e6, 0.005, 'M'},  /* equal samples: their mean */
        {curve, 4e6, 9e6, 0.0065, 'M'}, /* of that size: the mean over its points */
        {curve, 1e6, 5e6, 0.001, 'M'},
        {TGC SAMPLE("1e6", "1", "0.001") SAMPLE("4e6", "1", "0.008"), 2e6, 1,
         0.001 * 2.8284271247461903, 'I'},
        {TGC SAMPLE("1e6", "1", "0.001") SAMPLE("4e6", "1", "0.008"), 16e6, 1, 0.064, 'X'},
        {TGC SAMPLE("1e6", "1", "0.001") SAMPLE("4e6", "1", "0.008"), 0.25e6, 1, 0.001 / 8, 'X'},
        /* beyond 4 times: roofline(40e6) / roofline(4e6) = 0.041 / 0.005 times the end */
        {TGC SAMPLE("1e6", "1", "0.001") SAMPLE("4e6", "1", "0.008"), 40e6, 1,
         0.008 * 0.041 / 0.005, 'X'},
        {TGC SAMPLE("1e6", "1", "0.001") SAMPLE("4e6", "1", "0.008"), 0.1e6, 1,
         0.001 * 0.0011 / 0.002, 'X'},
        /* one sample grows in proportion */
        {TGC SAMPLE("1e6", "1", "0.003"), 3e6, 1, 0.009, 'X'},
        {TGC SAMPLE("1e6", "1", "0.003"), 0.5e6, 1, 0.0015, 'X'},
        /* slopes that noise made: 6.6 is taken as 2, -1 as 0 */
        {TGC SAMPLE("1e6", "1", "0.001") SAMPLE("1.1e6", "1", "0.002"), 2.2e6, 1, 0.008, 'X'},
        {TGC SAMPLE("1e6", "1", "0.002") SAMPLE("2e6", "1", "0.001"), 4e6, 1, 0.001, 'X'},
        /* no flops: over bytes */
        {TGC SAMPLE("0", "100", "1") SAMPLE("0", "400", "2"), 0, 200, 1.4142135623730951, 'I'},
        {TGC "sample codelet=gemm kind=a bytes=100 median=1\n", 5, 400, 4, 'X'},
        /* neither: only what is as unknown */
        {TGC "sample codelet=gemm kind=a median=0.5\n", NAN, NAN, 0.5, 'M'},
        {TGC "sample codelet=gemm kind=a median=0.5\n", 1e9, 0, 1.001, 'R'},
        /* a clock that said 0 */
        {TGC SAMPLE("1e6", "1", "0"), 1e6, 1, 0, 'M'},
        {TGC SAMPLE("1e6", "1", "0"), 2e6, 1, 2e-12, 'X'},
        /* other codelets, attributes, types and kinds do not count */
        {TGC "sample codelet=conv kind=a flops=1e9 median=7\n", 1e9, 0, 1.001, 'R'},
        {TGC "sample codelet=gemm kind=b flops=1e9 median=7\n", 1e9, 0, 1.001, 'R'},
        {TGC "sample codelet=gemm dtype=f64 kind=a flops=1e9 median=7\n", 1e9, 0, 1.001, 'R'},
        {TGC "sample codelet=gemm attrs=\"x=1\" kind=a flops=1e9 median=7\n", 1e9, 0, 1.001, 'R'},
    };

    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        tgs_price_info info;
        const double time = predicted(t[i].costs, t[i].flops, t[i].bytes, &info);

        if (!(fabs(time - t[i].time) <= 1e-12 * t[i].time))
            fail_msg("%zu: %.17g is not %.17g", i, time, t[i].time);
        assert_int_equal(info.measured, t[i].from == 'M');
        assert_int_equal(info.interpolated, t[i].from == 'I');
        assert_int_equal(info.extrapolated, t[i].from == 'X');
        assert_int_equal(info.roofline, t[i].from == 'R');
        assert_int_equal(info.table, 0);
    }
}

static void measured_says_what_is_missing(void **state)
{
    tgs_builder *b = fresh();
    tgs_platform *p = machine(TWO_KINDS);
    tgs_costs *c = loaded(TGC SAMPLE("1", "1", "1"));
    tgs_problem *pb;
    tgs_graph *g;
    tgs_error err;

    (void)state;
    tgs_builder_task(b, "t", "relu", NAN);
    tgs_builder_task_attrs(b, 0, "y=2 x=1");
    tgs_builder_task_time(b, 0, "a", 1);
    tgs_builder_task_cost(b, 0, 1, 1);
    g = finished(b);
    assert_int_equal(tgs_problem_new(&pb, g, p, c, "latbw", &err), TGS_EINVAL);
    assert_string_equal(
        err.text, "task 't' has no time on kind 'b': no sample near its size of codelet relu, "
                  "attrs \"x=1 y=2\", dtype f32; the graph gives it neither a time there nor "
                  "work; a roofline needs the kind's flops");
    tgs_graph_free(g);
    tgs_costs_free(c);
    tgs_platform_free(p);
}

static void attributes_and_types_are_matched(void **state)
{
    static const int64_t dims[] = {2, 2};
    tgs_builder *b = fresh();
    tgs_platform *p = machine(ONE_KIND);
    tgs_costs *c =
        loaded(TGC "sample codelet=gemm attrs=\"alpha=2 transA=1\" dtype=f64 kind=a flops=8 "
                   "bytes=32 median=3 # the one\n"
                   "sample codelet=gemm attrs=\"alpha=2\" dtype=f64 kind=a flops=8 bytes=32 "
                   "median=4\n"
                   "sample codelet=gemm attrs=\"alpha=2 transA=1\" kind=a flops=8 bytes=32 "
                   "median=5\n");
    tgs_problem *pb;
    tgs_graph *g;

    (void)state;
    tgs_builder_task(b, "t", "gemm", NAN);
    tgs_builder_task_attrs(b, 0, "transA=1 alpha=2");
    tgs_builder_task_cost(b, 0, 8, 32);
    tgs_builder_datum(b, "d", 0);
    tgs_builder_datum_shape(b, 0, TGS_F64, 2, dims);
    tgs_builder_access(b, 0, 0, TGS_R);
    g = finished(b);
    assert_int_equal(tgs_problem_new(&pb, g, p, c, "latbw", NULL), TGS_OK);
    assert_true(pb->v.time[0] == 3);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    tgs_costs_free(c);
    tgs_platform_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_then_roofline),
        cmocka_unit_test(rooflines),
        cmocka_unit_test(measured_curves),
        cmocka_unit_test(measured_says_what_is_missing),
        cmocka_unit_test(attributes_and_types_are_matched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
