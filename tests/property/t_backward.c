/* t_backward.c -- backward schedules: never longer than those of the graph turned round, where
 * there is nothing but dependencies; what the mirror leaves out (release times, initial data) is
 * kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"

#define TASKS 24
#define SEEDS 100

/* random tasks on two kinds, no data; turned: every dependency the other way, and the last task is
 * the first, so that ties are decided alike */
static tgs_graph *draw(uint64_t seed, bool turned)
{
    const char *const kind[] = {"cpu", "gpu"};
    tgs_builder *b;
    tgs_graph *g;
    tgs_rng r;

    tgs_rng_seed(&r, seed);
    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t j = 0; j < TASKS; j++)
        tgs_builder_task(b, NULL, NULL, NAN);
    for (int32_t j = 0; j < TASKS; j++)
        for (int32_t k = 0; k < 2; k++)
            tgs_builder_task_time(b, turned ? TASKS - 1 - j : j, kind[k],
                                  (double)tgs_rng_int(&r, 1, 20));
    for (int32_t j = 0; j < TASKS; j++)
        for (int32_t i = 0; i < j; i++)
            if (tgs_rng_int(&r, 1, 100) <= 12)
                tgs_builder_after(b, turned ? TASKS - 1 - j : i, turned ? TASKS - 1 - i : j);
    assert_int_equal(tgs_builder_finish(&g, b, NULL), 0);
    return g;
}

static double makespan(uint64_t seed, bool turned, const char *heuristic)
{
    fixture f = {draw(seed, turned), fixture_platform("cpu:3 gpu:2"), NULL};
    tgs_schedule *s;
    tgs_error err;
    double t;

    f.pb = fixture_problem(f.g, f.p, "latbw");
    if (tgs_schedule_make(&s, f.pb, heuristic, 1, &err))
        fail_msg("%s: %s", heuristic, err.text);
    t = tgs_schedule_makespan(s);
    tgs_schedule_free(s);
    fixture_close(&f);
    return t;
}

static void test_no_longer_than_the_mirror(void **state)
{
    static const char *const of[] = {"heft", "peft", "heteroprio"};
    int32_t differ = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (int32_t i = 0; i < 3; i++) {
            char spec[64];
            double back;

            snprintf(spec, sizeof spec, "backward:of=%s", of[i]);
            back = makespan(seed, false, spec);
            if (back > makespan(seed, true, of[i]) * (1 + 1e-9))
                fail_msg("seed %d: %s gives %.17g", (int)seed, spec, back);
            differ += back != makespan(seed, false, of[i]);
        }
    assert_true(differ > SEEDS); /* it is another schedule than the heuristic's own */
}

/* the long branch of a fork is as long as the schedule may be */
static void test_known_value(void **state)
{
    fixture f = fixture_open("task s work=1\ntask a work=6\ntask b work=2\ntask c work=2\n"
                             "task d work=2\nafter s a\nafter s b\nafter s c\nafter s d\n",
                             "cpu:2", "latbw");
    tgs_schedule *s;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_schedule_make(&s, f.pb, "backward:of=heft", 1, &err), TGS_OK);
    assert_true(tgs_schedule_makespan(s) == 7);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_what_the_mirror_leaves_out(void **state)
{
    fixture f = fixture_open("task a work=1 release=5\ntask b work=1\ndata x bytes=8\n"
                             "access b r x\nafter a b\n",
                             "kind cpu\nmemory far\nmemory near\nprocessor p kind=cpu memory=near\n"
                             "link far near latency=0 bandwidth=1\n"
                             "link near far latency=0 bandwidth=1\n",
                             "latbw");
    tgs_schedule *s;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_schedule_make(&s, f.pb, "backward", 1, &err), TGS_OK);
    assert_true(s->v.place[0].start == 5);
    assert_true(s->v.place[1].start == 8);
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void test_of_what(void **state)
{
    fixture f = fixture_open("task a work=1\n", "cpu:1", "latbw");
    tgs_schedule *s;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_schedule_make(&s, f.pb, "backward:of=nothing", 1, &err), TGS_ENOTFOUND);
    assert_int_equal(tgs_schedule_make(&s, f.pb, "backward:of=portfolio/of=heft", 1, &err),
                     TGS_ENOTAPPLICABLE); /* it asks the checker, who knows no mirror */
    assert_int_equal(tgs_schedule_make(&s, f.pb, "backward:of=backward", 1, &err), TGS_OK);
    tgs_schedule_free(s);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_longer_than_the_mirror),
        cmocka_unit_test(test_known_value),
        cmocka_unit_test(test_what_the_mirror_leaves_out),
        cmocka_unit_test(test_of_what),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
