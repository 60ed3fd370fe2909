/* t_company.c -- calibration in company: a task's time is the one it has while others run, of the
 * graph that is measured, where that can be run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "internal.h"

enum { REPEAT = 5, MANY = 40 };
#define PATIENCE 0.05 /* seconds */

static _Atomic int running, meetings, wrong;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* over as soon as two of them run; alone it waits for as long as it can */
static tgs_status share(const tgs_call *call)
{
    const int seen = atomic_load(&meetings);
    const double until = now() + PATIENCE;

    for (int32_t i = 0; i < call->buffers; i++) /* an input without a value is measured with some */
        if (call->buffer[i].mode == TGS_R && !(*(float *)call->buffer[i].data > 0))
            atomic_store(&wrong, 1);
    if (atomic_fetch_add(&running, 1))
        atomic_fetch_add(&meetings, 1);
    while (atomic_load(&meetings) == seen && now() < until)
        nanosleep(&(struct timespec){0, 100000}, NULL);
    atomic_fetch_sub(&running, 1);
    return TGS_OK;
}

/* as on a machine that becomes slower, once or on and on */
static _Atomic int calls;
enum { FAST = 40 }; /* calls, more than half of those until the first trial */
#define SHORT 0.002 /* seconds */

static tgs_status sleep_for(double seconds)
{
    nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * fmod(seconds, 1))}, NULL);
    return TGS_OK;
}

static tgs_status once_slower(const tgs_call *call)
{
    (void)call;
    return sleep_for(atomic_fetch_add(&calls, 1) < FAST ? SHORT : 3 * SHORT);
}

static tgs_status ever_slower(const tgs_call *call)
{
    (void)call;
    return sleep_for(SHORT / 4 * pow(2, fmin(6, atomic_fetch_add(&calls, 1) / 40.0)));
}

static tgs_codelets *codelets(void)
{
    static const struct {
        const char *name;
        tgs_status (*run)(const tgs_call *call);
    } all[] = {{"share", share}, {"once-slower", once_slower}, {"ever-slower", ever_slower}};
    tgs_codelets *c;

    assert_int_equal(tgs_codelets_new(&c, NULL), TGS_OK);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_int_equal(tgs_codelets_add(c,
                                          &(tgs_kernel){.codelet = all[i].name,
                                                        .arch = "cpu",
                                                        .dtype = TGS_F32,
                                                        .impl = "test",
                                                        .run = all[i].run},
                                          NULL),
                         TGS_OK);
    return c;
}

/* tasks that all read one datum without a value, and then, chained, tasks of another class */
static tgs_graph *graph(int32_t tasks, int32_t chained)
{
    const int64_t dims = 16;
    tgs_builder *b;
    tgs_graph *g;
    int32_t x;

    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    x = tgs_builder_datum(b, "x", 0);
    tgs_builder_datum_shape(b, x, TGS_F32, 1, &dims);
    for (int32_t t = 0; t < tasks + chained; t++) {
        const int32_t y = tgs_builder_datum(b, NULL, 0);

        tgs_builder_datum_shape(b, y, TGS_F32, 1, &dims);
        tgs_builder_task(b, NULL, "share", NAN);
        tgs_builder_access(b, t, x, TGS_R);
        tgs_builder_access(b, t, y, TGS_W);
        if (t >= tasks) {
            tgs_builder_task_attrs(b, t, "chained=1");
            for (int32_t before = t > tasks ? t - 1 : 0; before < t; before++)
                tgs_builder_after(b, before, t);
        }
    }
    assert_int_equal(tgs_builder_finish(&g, b, NULL), TGS_OK);
    return g;
}

static tgs_costs *calibrated(tgs_graph *g, const char *platform)
{
    tgs_platform *p;
    tgs_codelets *c = codelets();
    tgs_costs *costs = NULL;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_platform_parse(&p, platform, NULL), TGS_OK);
    if (tgs_calibrate(&costs, g, p, c, "starpu", REPEAT, &err))
        fail_msg("%s", err.text);
    assert_int_equal(atomic_load(&wrong), 0);
    tgs_codelets_free(c);
    tgs_platform_free(p);
    return costs;
}

static tgs_sample sample(const tgs_costs *c, const char *attrs)
{
    tgs_sample s = {0};
    int32_t found = 0;

    for (int32_t i = 0; i < tgs_costs_samples(c); i++) {
        tgs_sample one;

        tgs_costs_sample(c, i, &one);
        if (strcmp(one.attrs, attrs))
            continue;
        s = one;
        found++;
    }
    assert_int_equal(found, 1); /* measured alone and in company is one sample */
    return s;
}

static void shared_time_counts(void **state)
{
    tgs_graph *g = graph(MANY, 1);
    tgs_costs *c = calibrated(g, "cpu:2");
    tgs_sample s = sample(c, "");

    (void)state;
    assert_true(s.median < PATIENCE);
    assert_int_equal(s.count + s.rejected, REPEAT * MANY); /* the rare task needs so many steps */
    s = sample(c, "chained=1");                            /* when all others have ended */
    assert_true(s.min >= PATIENCE);
    assert_int_equal(s.count + s.rejected, REPEAT);
    assert_int_equal(tgs_costs_samples(c), 2);
    assert_int_equal(tgs_costs_overheads(c), 1);
    if (tgs_costs_remark(c)) /* on a busy machine */
        assert_non_null(strstr(tgs_costs_remark(c), "speed"));
    tgs_costs_free(c);
    tgs_graph_free(g);
}

static void nobody_keeps_company(void **state)
{
    tgs_graph *g = graph(MANY, 0);
    tgs_costs *c = calibrated(g, "cpu:1");
    const tgs_sample s = sample(c, "");

    (void)state;
    assert_int_equal(s.count + s.rejected, REPEAT);
    assert_true(s.min >= PATIENCE);
    tgs_costs_free(c);
    tgs_graph_free(g);
}

/* a task that nobody can price: what can be measured is measured alone, and that is said */
static void the_graph_cannot_be_run(void **state)
{
    tgs_builder *b;
    tgs_graph *g;
    tgs_costs *c;
    tgs_sample s;

    (void)state;
    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    tgs_builder_task(b, NULL, "share", NAN);
    tgs_builder_task(b, NULL, "no-such-kernel", NAN);
    assert_int_equal(tgs_builder_finish(&g, b, NULL), TGS_OK);
    c = calibrated(g, "cpu:2");
    s = sample(c, "");
    assert_int_equal(s.count + s.rejected, REPEAT);
    assert_non_null(tgs_costs_remark(c));
    assert_non_null(strstr(tgs_costs_remark(c), "measured alone, not with all processors busy: "));
    assert_non_null(strstr(tgs_costs_remark(c), "no-such-kernel"));
    tgs_costs_free(c);
    tgs_graph_free(g);
}

static tgs_costs *of_a_machine(const char *codelet)
{
    tgs_builder *b;
    tgs_graph *g;
    tgs_costs *c;

    atomic_store(&calls, 0);
    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    for (int i = 0; i < 8; i++)
        tgs_builder_task(b, NULL, codelet, NAN);
    assert_int_equal(tgs_builder_finish(&g, b, NULL), TGS_OK);
    c = calibrated(g, "cpu:2");
    assert_non_null(tgs_costs_remark(c));
    tgs_graph_free(g);
    return c;
}

/* what was measured before is not what runs take: it is measured again, and said */
static void the_machine_changes_its_speed(void **state)
{
    tgs_costs *c = of_a_machine("once-slower");

    (void)state;
    assert_true(sample(c, "").median >= 3 * SHORT);
    assert_non_null(strstr(tgs_costs_remark(c), "speed"));
    tgs_costs_free(c);
}

static void the_machine_keeps_no_speed(void **state)
{
    tgs_costs *c = of_a_machine("ever-slower");

    (void)state;
    assert_non_null(strstr(tgs_costs_remark(c), "does not keep its speed"));
    tgs_costs_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_time_counts),
        cmocka_unit_test(nobody_keeps_company),
        cmocka_unit_test(the_graph_cannot_be_run),
        cmocka_unit_test(the_machine_changes_its_speed),
        cmocka_unit_test(the_machine_keeps_no_speed),
    };
    const tgs_plugin *p;

    if (tgs_i_find(&p, "backend", "starpu", NULL)) {
        print_message("built without StarPU\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
