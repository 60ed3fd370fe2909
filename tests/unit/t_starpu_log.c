/* The log of transfers against a StarPU of our own making: equal sums and counts pass, and every
 * kind of difference is refused; an asynchronous copy is waited for; what is allocated is summed
 * up over emptied logs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>
#include <unistd.h>
#include "exec/starpu_core.h"

/* ---- the other side: one bus each way between memories 0 and 1 ------------------------------ */

static long long bus_bytes[2];
static int bus_copies[2];
static _Atomic int64_t clock_us = 1; /* a thread of a test asks, too */

int starpu_bus_get_count(void)
{
    return 2;
}

int starpu_bus_get_src(int bus)
{
    return bus;
}

int starpu_bus_get_dst(int bus)
{
    return 1 - bus;
}

int starpu_bus_get_profiling_info(int bus, struct starpu_profiling_bus_info *info)
{
    memset(info, 0, sizeof *info);
    info->transferred_bytes = bus_bytes[bus];
    info->transfer_count = bus_copies[bus];
    bus_bytes[bus] = bus_copies[bus] = 0; /* reading resets */
    return 0;
}

double starpu_timing_now(void)
{
    return (double)++clock_us;
}

/* ---- the tests ------------------------------------------------------------------------------ */

static spu_event *copied(int from, int to, double bytes)
{
    spu_event *e = tgs_i_spu_log_copy(7, (unsigned)from, (unsigned)to, bytes);

    assert_non_null(e);
    atomic_store(&e->end, starpu_timing_now());
    return e;
}

static void test_equal(void **state)
{
    tgs_error err = {TGS_OK, ""};

    (void)state;
    for (int i = 0; i < 10000; i++) /* over several chunks */
        copied(0, 1, 100);
    copied(1, 0, 3);
    bus_bytes[0] = 1000000;
    bus_copies[0] = 10000;
    bus_bytes[1] = 3;
    bus_copies[1] = 1;
    assert_int_equal(tgs_i_spu_log_settle(&err), TGS_OK);
    assert_int_equal(tgs_i_spu_log_count(), 10001);
    tgs_i_spu_log_clear();
    assert_int_equal(tgs_i_spu_log_settle(&err), TGS_OK); /* nothing on either side */
}

static void differs(long long bytes, int copies, int bus)
{
    tgs_error err = {TGS_OK, ""};

    copied(0, 1, 100);
    bus_bytes[0] = 100;
    bus_copies[0] = 1;
    bus_bytes[bus] += bytes;
    bus_copies[bus] += copies;
    assert_int_equal(tgs_i_spu_log_settle(&err), TGS_EBACKEND);
    assert_non_null(strstr(err.text, "by StarPU's counters"));
    assert_int_equal(bus_copies[0] + bus_copies[1], 0); /* all were read all the same */
    tgs_i_spu_log_clear();
}

static void test_differences(void **state)
{
    (void)state;
    differs(1, 0, 0);    /* a byte more */
    differs(-100, 0, 0); /* none */
    differs(0, 1, 0);    /* a copy more of nothing */
    differs(5, 1, 1);    /* another way */
}

static void *completes(void *event)
{
    usleep(20000);
    atomic_store(&((spu_event *)event)->end, starpu_timing_now());
    return NULL;
}

static void test_waits_for_the_end(void **state)
{
    spu_event *e = tgs_i_spu_log_copy(7, 0, 1, 8);
    pthread_t driver;

    (void)state;
    bus_bytes[0] = 8;
    bus_copies[0] = 1;
    assert_int_equal(pthread_create(&driver, NULL, completes, e), 0);
    assert_int_equal(tgs_i_spu_log_settle(NULL), TGS_OK);
    assert_true(atomic_load(&e->end) > e->start);
    pthread_join(driver, NULL);
    tgs_i_spu_log_clear();
}

static void test_space(void **state)
{
    double used[STARPU_MAXNODES];

    (void)state;
    tgs_i_spu_log_reset();
    tgs_i_spu_log_space(-1, 1, 64);
    tgs_i_spu_log_space(-1, 0, 16);
    tgs_i_spu_log_clear();
    tgs_i_spu_log_space(1, -1, 24);
    tgs_i_spu_log_start(used);
    assert_true(used[1] == 64 && used[0] == 16);
    tgs_i_spu_log_used(tgs_i_spu_log_at(0), used);
    assert_true(used[1] == 40 && used[0] == 16);
    assert_int_equal(tgs_i_spu_log_settle(NULL), TGS_OK); /* an allocation is no copy */
    tgs_i_spu_log_clear();
    tgs_i_spu_log_start(used);
    assert_true(used[1] == 40);
    tgs_i_spu_log_reset();
    tgs_i_spu_log_start(used);
    assert_true(used[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_waits_for_the_end),
        cmocka_unit_test(test_space),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
