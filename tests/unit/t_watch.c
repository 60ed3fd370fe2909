/* t_watch.c -- watching a search: progress grows, a stop and a limit in seconds end it with the
 * best so far and are told; work in threads is all done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"

static fixture problem(void)
{
    fixture f;

    assert_int_equal(tgs_graph_generate(&f.g, "layered:n=60:width=6:ccr=1:bandwidth=4", 1, NULL),
                     0);
    f.p = fixture_platform("cpu:2 gpu:2/own link:4,2");
    f.pb = fixture_problem(f.g, f.p, "latbw");
    return f;
}

typedef struct seen {
    int32_t calls;
    double last;
    bool falls, ends;
} seen;

static void look(void *user, double done)
{
    seen *s = user;

    s->falls |= done < s->last;
    s->last = done;
    s->calls++;
}

static int end(void *user)
{
    return ((seen *)user)->ends;
}

/* the same schedule with and without a watch; the whole of the budget is told of */
static void progress(void **state)
{
    fixture f = problem();
    seen s = {0};
    const tgs_watch watch = {end, look, &s};
    tgs_schedule *a, *b;

    (void)state;
    assert_int_equal(tgs_schedule_make_with(&a, f.pb, "ils:evals=20000", 3, &watch, NULL), 0);
    assert_int_equal(tgs_schedule_make(&b, f.pb, "ils:evals=20000", 3, NULL), 0);
    assert_memory_equal(a->v.place, b->v.place, (size_t)a->v.places * sizeof *a->v.place);
    assert_string_equal(a->note, b->note);
    assert_true(s.calls >= 20 && !s.falls && s.last > 0.9 && s.last <= 1);
    tgs_schedule_free(a);
    tgs_schedule_free(b);
    fixture_close(&f);
}

/* without a stop these budgets would take years */
static void stops(void **state)
{
    fixture f = problem();
    seen s = {.ends = true};
    const tgs_watch watch = {end, NULL, &s};
    tgs_schedule *a;

    (void)state;
    assert_int_equal(tgs_schedule_make_with(&a, f.pb, "ils:evals=1e12:chains=3", 1, &watch, NULL),
                     0);
    assert_text(a->note, "*; stopped: not the same again");
    tgs_schedule_free(a);
    assert_int_equal(tgs_schedule_make(&a, f.pb, "ils:evals=1e12:seconds=0.01", 1, NULL), 0);
    assert_text(a->note, "*; ended by the limit of 0.01 s: not the same again");
    tgs_schedule_free(a);
    assert_int_equal(tgs_schedule_make(&a, f.pb, "ils:evals=1000:seconds=1e9", 1, NULL), 0);
    assert_null(strstr(a->note, "not the same"));
    tgs_schedule_free(a);
    fixture_close(&f);
}

static void square(void *user, int32_t i)
{
    int32_t *x = user;

    x[i] += i * i;
}

static void nest(void *user, int32_t i)
{
    int32_t(*x)[50] = user;

    tgs_parallel(50, square, x[i]);
}

static void parallel(void **state)
{
    static int32_t x[20][50];

    (void)state;
    tgs_parallel(0, nest, NULL);
    tgs_parallel(20, nest, x);
    for (int32_t i = 0; i < 20; i++)
        for (int32_t k = 0; k < 50; k++)
            assert_int_equal(x[i][k], k * k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress),
        cmocka_unit_test(stops),
        cmocka_unit_test(parallel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
