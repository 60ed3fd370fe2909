/* t_types.c -- kinds of processors against the truth: independent tasks on two kinds are within
 * twice the optimum, and what was proven is no more than it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"

static const char *const names[] = {"dual-approx", "balanced-estimate"};

typedef struct instance {
    int32_t n, m, k;
    double a[10], b[10], load[10], best;
} instance;

/* every way to put tasks j, j + 1, ... on processors; of those that are still empty one per side */
static void enumerate(instance *x, int32_t j, double longest)
{
    bool empty[2] = {false, false};

    if (longest >= x->best)
        return;
    if (j == x->n) {
        x->best = longest;
        return;
    }
    for (int32_t p = 0; p < x->m + x->k; p++) {
        const int side = p >= x->m;
        const double w = side ? x->b[j] : x->a[j], before = x->load[p];

        if (before == 0 && empty[side])
            continue;
        empty[side] |= before == 0;
        x->load[p] += w;
        enumerate(x, j + 1, fmax(longest, x->load[p]));
        x->load[p] = before;
    }
}

static void draw(instance *x, tgs_rng *r)
{
    const int64_t shape = tgs_rng_int(r, 0, 3);

    *x = (instance){.n = (int32_t)tgs_rng_int(r, 1, 8),
                    .m = (int32_t)tgs_rng_int(r, 1, 4),
                    .k = (int32_t)tgs_rng_int(r, 1, 3),
                    .best = INFINITY};
    for (int32_t j = 0; j < x->n; j++) {
        const double w = (double)tgs_rng_int(r, 1, 20);

        x->a[j] = w;
        x->b[j] = shape == 0   ? (double)tgs_rng_int(r, 1, 20)
                  : shape == 1 ? ceil(w / (double)tgs_rng_int(r, 1, 10)) /* faster there */
                  : shape == 2 ? w
                               : (double)(tgs_rng_int(r, 0, 1) ? 1 : 40); /* or much slower */
    }
}

static fixture open_instance(const instance *x)
{
    char machine[64];
    fixture f;
    tgs_builder *b;

    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t j = 0; j < x->n; j++) {
        tgs_builder_task(b, NULL, NULL, x->a[j]);
        tgs_builder_task_time(b, j, "cpu", x->a[j]);
        tgs_builder_task_time(b, j, "gpu", x->b[j]);
    }
    assert_int_equal(tgs_builder_finish(&f.g, b, NULL), 0);
    snprintf(machine, sizeof machine, "cpu:%d gpu:%d link:1,0", (int)x->m, (int)x->k);
    f.p = fixture_platform(machine);
    f.pb = fixture_problem(f.g, f.p, "latbw");
    return f;
}

static void within_twice(void **state)
{
    int32_t optimal[2] = {0, 0};
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 1);
    for (int i = 0; i < 1000; i++) {
        instance x;
        fixture f;

        draw(&x, &r);
        enumerate(&x, 0, 0);
        f = open_instance(&x);
        for (int h = 0; h < 2; h++) {
            tgs_schedule *s;
            tgs_error err;

            if (tgs_schedule_make(&s, f.pb, names[h], 1, &err) || tgs_schedule_check(s, f.pb, &err))
                fail_msg("%s: %s", names[h], err.text);
            if (tgs_schedule_makespan(s) > 2 * x.best * (1 + 1e-8))
                fail_msg("%s, instance %d: %g, optimum %g", names[h], i, tgs_schedule_makespan(s),
                         x.best);
            if (!(tgs_schedule_lower_bound(s) <= x.best)
                || tgs_schedule_makespan(s) > 2 * tgs_schedule_lower_bound(s) * (1 + 1e-8))
                fail_msg("%s, instance %d: bound %g, optimum %g, makespan %g", names[h], i,
                         tgs_schedule_lower_bound(s), x.best, tgs_schedule_makespan(s));
            optimal[h] += tgs_schedule_makespan(s) == x.best;
            tgs_schedule_free(s);
        }
        fixture_close(&f);
    }
    assert_true(optimal[0] > 100 && optimal[1] > 100);
}

/* what gains much from the few fast processors goes there, what gains nothing does not */
static void by_gain(void **state)
{
    instance x = {.n = 6, .m = 2, .k = 1};
    fixture f;

    (void)state;
    for (int32_t j = 0; j < 6; j++) {
        x.a[j] = j < 3 ? 9 : 6;
        x.b[j] = j < 3 ? 3 : 6;
    }
    f = open_instance(&x);
    for (int h = 0; h < 2; h++) {
        tgs_schedule *s;

        assert_int_equal(tgs_schedule_make(&s, f.pb, names[h], 1, NULL), 0);
        for (int32_t j = 0; j < 3; j++)
            assert_int_equal(s->v.place[j].proc, 2);
        tgs_schedule_free(s);
    }
    fixture_close(&f);
}

/* a task that may run on one kind only is there, whatever it costs; three kinds; no tasks */
static void limits(void **state)
{
    fixture f = fixture_open("kinds cpu gpu npu\ntask t time=1,9,9 kinds=gpu\n"
                             "task u time=1,9,9 processor=npu0\ntask w time=5,1,1\n"
                             "edge t w 1\nedge u w 1\n",
                             "cpu:2 gpu:1 npu:1 link:1,0", "latbw");

    (void)state;
    for (int h = 0; h < 2; h++) {
        tgs_schedule *s;
        tgs_error err = {TGS_OK, ""};

        if (tgs_schedule_make(&s, f.pb, names[h], 1, &err))
            fail_msg("%s", err.text);
        assert_int_equal(s->v.place[0].proc, 2);
        assert_int_equal(s->v.place[1].proc, 3);
        assert_true(isnan(tgs_schedule_lower_bound(s)));
        tgs_schedule_free(s);
    }
    fixture_close(&f);
    f = fixture_open("", "cpu:2 gpu:1 link:1,0", "latbw");
    for (int h = 0; h < 2; h++) {
        tgs_schedule *s;

        assert_int_equal(tgs_schedule_make(&s, f.pb, names[h], 1, NULL), 0);
        tgs_schedule_free(s);
    }
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_twice),
        cmocka_unit_test(by_gain),
        cmocka_unit_test(limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
