/* t_laws.c -- relations that every heuristic keeps, or is known not to: names do not matter, of
 * tasks or of processors; all times three times as long make a schedule three times as long; a task
 * of no weight before everything changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"

#define TASKS 16
#define SEEDS 12

#define LINK(a, b)                               \
    "link " #a " " #b " latency=0 bandwidth=1\n" \
    "link " #b " " #a " latency=0 bandwidth=1\n"
#define LINKS(a, b, c, d) LINK(a, b) LINK(a, c) LINK(a, d) LINK(b, c) LINK(b, d) LINK(c, d)

static const char plain[] = "kind cpu\nkind gpu\n"
                            "memory a\nmemory b\nmemory c\nmemory d\n"
                            "processor p0 kind=cpu memory=a\nprocessor p1 kind=cpu memory=b\n"
                            "processor p2 kind=gpu memory=c speed=2\n"
                            "processor p3 kind=gpu memory=d speed=2\n" LINKS(a, b, c, d);
/* the same machine, whose names are in another order */
static const char renamed[] = "kind x\nkind c\n"
                              "memory z\nmemory m\nmemory k\nmemory b\n"
                              "processor w kind=x memory=z\nprocessor q kind=x memory=m\n"
                              "processor e kind=c memory=k speed=2\n"
                              "processor a kind=c memory=b speed=2\n" LINKS(z, m, k, b);

typedef struct variant {
    double scale;
    bool names, source;
    const char *machine;
} variant;

/* small whole numbers; the same draws for every variant */
static tgs_graph *draw(uint64_t seed, const variant *x)
{
    tgs_builder *b;
    tgs_graph *g;
    tgs_rng r;

    tgs_rng_seed(&r, seed);
    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t j = 0; j < TASKS; j++) {
        char name[32];

        snprintf(name, sizeof name, "%c%d", 'z' - (int)(j * 7 % 26), (int)j);
        tgs_builder_task(b, x->names ? name : NULL, NULL, x->scale * (double)tgs_rng_int(&r, 1, 9));
        for (int32_t i = 0; i < j; i++)
            if (tgs_rng_int(&r, 1, 100) <= 15)
                tgs_builder_edge(b, i, j, x->scale * (double)tgs_rng_int(&r, 0, 9));
    }
    if (x->source) {
        tgs_builder_task(b, NULL, NULL, 0);
        for (int32_t j = 0; j < TASKS; j++)
            tgs_builder_edge(b, TASKS, j, 0);
    }
    assert_int_equal(tgs_builder_finish(&g, b, NULL), 0);
    return g;
}

/* the makespan; NaN where the heuristic does not apply */
static double makespan(const char *heuristic, uint64_t seed, const variant *x)
{
    fixture f = {draw(seed, x), fixture_platform(x->machine), NULL};
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};
    tgs_status status;
    double t = NAN;

    f.pb = fixture_problem(f.g, f.p, "latbw");
    status = tgs_schedule_make(&s, f.pb, heuristic, 1, &err);
    if (!status)
        t = tgs_schedule_makespan(s);
    else if (status != TGS_ENOTAPPLICABLE && status != TGS_EINFEASIBLE)
        fail_msg("%s: %s", heuristic, err.text);
    tgs_schedule_free(s);
    fixture_close(&f);
    return t;
}

/* by first word of the spec */
static bool is_in(const char *heuristic, const char *const *list)
{
    const size_t length = strcspn(heuristic, ":");

    for (; *list; list++)
        if (strlen(*list) == length && !strncmp(heuristic, *list, length))
            return true;
    return false;
}

static void check(const variant *other, const char *what, double factor, const char *const *except,
                  int32_t least)
{
    const variant first = {1, false, false, plain};
    int32_t bad = 0;

    for (int32_t i = 0; fixture_heuristic(i); i++) {
        char name[128];
        int32_t looked = 0, broken = 0;

        snprintf(name, sizeof name, "%s", fixture_heuristic(i));
        for (uint64_t seed = 1; seed <= SEEDS && !is_in(name, except); seed++) {
            const double a = makespan(name, seed, &first), b = makespan(name, seed, other);

            assert_int_equal(isnan(a), isnan(b));
            if (isnan(a))
                continue;
            looked++;
            if (fabs(b - factor * a) > 1e-9 * b) {
                broken++;
                if (broken == 1)
                    print_error("%s, graph %d, %s: %.17g, not %.17g\n", name, (int)seed, what, b,
                                factor * a);
            }
        }
        bad += broken > 0;
        least -= looked > 0;
    }
    assert_int_equal(bad, 0);
    assert_true(least <= 0); /* so many heuristics were looked at */
}

static void names(void **state)
{
    const variant other = {1, true, false, renamed};
    static const char *const none[] = {NULL};

    (void)state;
    check(&other, "renamed", 1, none, 30);
}

/* Not a law for what rounds the solution of a linear program: which of several optima the solver
 * finds depends on its rounding.  (Twice as long is exact for them too: t_schedules.) */
static void scaled(void **state)
{
    const variant other = {3, false, false, plain};
    static const char *const except[] = {"hlp", "hlp-ols", NULL};

    (void)state;
    check(&other, "three times as long", 3, except, 30);
}

/* Not a law for what counts tasks, draws at random for each of them, sees forks and joins, or joins
 * clusters through any task. */
static void source(void **state)
{
    const variant other = {1, false, true, plain};
    static const char *const except[] = {"roundrobin", "wba", "ils",   "sa", "tabu", "ga",
                                         "portfolio",  "fj",  "metis", "ez", NULL};

    (void)state;
    check(&other, "after an empty task", 1, except, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(scaled),
        cmocka_unit_test(source),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
