/* t_schedules.c -- every heuristic on random graphs and platforms: what it returns keeps every
 * rule, no bound is above it, and it returns the same again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"
#include "tgsched/lp.h"

#define GRAPHS 500

static const char line[] = /* memories in a row, so that data is relayed */
    "kind cpu\nkind gpu\n"
    "memory m0\nmemory m1\nmemory m2\nmemory m3\n"
    "processor p0 kind=cpu memory=m0\nprocessor p1 kind=gpu memory=m1 speed=2\n"
    "processor p2 kind=cpu memory=m2\nprocessor p3 kind=gpu memory=m3\n"
    "processor p4 kind=cpu memory=m3 speed=0.5\n"
    "link m0 m1 latency=1 bandwidth=2\nlink m1 m0 latency=1 bandwidth=1\n"
    "link m1 m2 latency=0 bandwidth=1\nlink m2 m1 latency=0 bandwidth=1\n"
    "link m2 m3 latency=3 bandwidth=8\nlink m3 m2 latency=3 bandwidth=8\n"
    "link m0 m3 latency=40 bandwidth=1\n";
static const char small[] = /* memories that hold a few data at a time */
    "kind cpu\nkind gpu\nmemory ram capacity=60\nmemory vram capacity=25\n"
    "processor c0 kind=cpu memory=ram\nprocessor c1 kind=cpu memory=ram\n"
    "processor g0 kind=gpu memory=vram\n"
    "link ram vram latency=1 bandwidth=4\nlink vram ram latency=1 bandwidth=4\n";

/* ---- random graphs --------------------------------------------------------------------------- */
static bool chance(tgs_rng *r, int64_t percent)
{
    return tgs_rng_int(r, 1, 100) <= percent;
}

static void limit(tgs_builder *b, tgs_rng *r, const tgs_platform_view *p, int32_t task)
{
    const int32_t proc = (int32_t)tgs_rng_int(r, 0, p->procs - 1);
    char text[32];

    switch (tgs_rng_int(r, 0, 4)) {
    case 0:
        tgs_builder_task_constrain(b, task, "processor", p->proc[proc].name);
        break;
    case 1:
        tgs_builder_task_constrain(b, task, "memory", p->memory[p->proc[proc].memory].name);
        break;
    case 2:
        tgs_builder_task_constrain(b, task, "kinds", p->kind[p->proc[proc].kind].name);
        break;
    case 3:
        snprintf(text, sizeof text, "%d", (int)tgs_rng_int(r, 0, 30));
        tgs_builder_task_constrain(b, task, "release", text);
        break;
    case 4:
        snprintf(text, sizeof text, "%d", INT32_MAX - (int)tgs_rng_int(r, 0, 2));
        tgs_builder_task_constrain(b, task, "group", text);
        break;
    }
}

/* tasks that read, write and update shared data, some of which nobody writes first */
static tgs_graph *shared_data(tgs_rng *r, const tgs_platform_view *p)
{
    const int32_t n = (int32_t)tgs_rng_int(r, 1, 24), data = (int32_t)tgs_rng_int(r, 1, 12);
    const bool times = chance(r, 50), limits = chance(r, 40);
    tgs_builder *b;
    tgs_graph *g;
    tgs_error err;

    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t d = 0; d < data; d++)
        tgs_builder_datum(b, NULL, chance(r, 10) ? 0 : (double)tgs_rng_int(r, 1, 10));
    for (int32_t j = 0; j < n; j++) {
        const double work = chance(r, 10) ? 0 : (double)tgs_rng_int(r, 1, 20);

        tgs_builder_task(b, NULL, NULL, work);
        for (int32_t k = 0; k < p->kinds && times; k++)
            tgs_builder_task_time(b, j, p->kind[k].name,
                                  chance(r, 10) ? 0 : (double)tgs_rng_int(r, 1, 20));
        if (limits && chance(r, 30))
            limit(b, r, p, j);
        for (int32_t d = 0; d < data; d++)
            if (chance(r, 15))
                tgs_builder_access(b, j, d, chance(r, 50) ? TGS_R : chance(r, 60) ? TGS_W : TGS_RW);
        for (int32_t i = 0; i < j; i++)
            if (chance(r, 5))
                tgs_builder_edge(b, i, j, (double)tgs_rng_int(r, 0, 10));
            else if (chance(r, 3))
                tgs_builder_after(b, i, j);
    }
    if (tgs_builder_finish(&g, b, &err))
        fail_msg("%s", err.text);
    return g;
}

static tgs_graph *random_graph(uint64_t seed, const tgs_platform_view *p)
{
    static const char *const specs[] = {
        "layered:n=30:width=5:ccr=2:bandwidth=4", "forkjoin:n=12:ends=1:bandwidth=4",
        "forkjoin:n=5:stages=2:ccr=0.3", "independent:n=20", "chain:n=8:ccr=3:bandwidth=4"};
    tgs_graph *g;
    tgs_rng r;

    tgs_rng_seed(&r, seed);
    if (seed % 3)
        return shared_data(&r, p);
    assert_int_equal(tgs_graph_generate(&g, specs[seed / 3 % 5], seed, NULL), 0);
    return g;
}

/* ---- what must hold -------------------------------------------------------------------------- */
static const char *const variants[] = {
    "heft:slot=append", "heft:weights=median", "heft:weights=min",   "heft:weights=max",
    "etf:by=finish",    "minmin:ready=batch",  "maxmin:ready=batch", "sufferage:ready=batch"};
#define VARIANTS ((int32_t)(sizeof variants / sizeof *variants))
#define MOST     256

/* the heuristics of the tree, then the variants; NULL past the end */
static const char *heuristic(int32_t i)
{
    int32_t builtin = 0;

    while (tgs_plugin_name("heuristic", builtin))
        builtin++;
    if (i < builtin)
        return fixture_heuristic(i);
    return i - builtin < VARIANTS ? variants[i - builtin] : NULL;
}

typedef struct counts { /* so that nothing passes by never being there */
    int32_t made[MOST], infeasible[MOST], applied[MOST];
} counts;

/* a schedule in which tasks run more than once is only held against the bounds that allow for it */
static void check_bounds(const tgs_schedule *s, const char *name, const double *bound)
{
    const double makespan = tgs_schedule_makespan(s);

    for (int32_t i = 0; tgs_plugin_name("bound", i); i++) {
        const tgs_plugin *b;
        tgs_args *args;

        assert_int_equal(tgs_i_resolve(&b, &args, "bound", tgs_plugin_name("bound", i), NULL), 0);
        tgs_i_args_free(args);
        if (s->v.places > s->v.tasks && !((const tgs_bound_plugin *)b)->duplication)
            continue;
        if (bound[i] > makespan * (1 + 1e-9))
            fail_msg("%s: makespan %.17g is under the bound %s %.17g", name, makespan,
                     tgs_plugin_name("bound", i), bound[i]);
    }
    if (s->lower_bound > makespan * (1 + 1e-9))
        fail_msg("%s: makespan %.17g is under its own bound %.17g", name, makespan, s->lower_bound);
}

static void find_bounds(const tgs_problem *pb, double *bound, counts *c)
{
    double best, largest = 0;
    tgs_error err;

    for (int32_t i = 0; tgs_plugin_name("bound", i); i++) {
        const tgs_status status = tgs_bound(&bound[i], pb, tgs_plugin_name("bound", i), &err);

        if (status && status != TGS_ENOTAPPLICABLE)
            fail_msg("%s: %s", tgs_plugin_name("bound", i), err.text);
        bound[i] = status ? 0 : bound[i];
        largest = fmax(largest, bound[i]);
        c->applied[i] += !status;
    }
    assert_int_equal(tgs_bound_best(&best, NULL, pb, NULL), 0);
    assert_true(best == largest);
}

static void check_again(const tgs_problem *pb, const tgs_schedule *s, const char *name)
{
    tgs_schedule *again;

    assert_int_equal(tgs_schedule_make(&again, pb, name, 1, NULL), 0);
    assert_int_equal(s->v.places, again->v.places);
    assert_memory_equal(s->v.place, again->v.place, (size_t)s->v.places * sizeof *s->v.place);
    tgs_schedule_free(again);
}

static void check_all(const tgs_problem *pb, uint64_t seed, bool limited, counts *c)
{
    double bound[MOST];
    tgs_error err;

    find_bounds(pb, bound, c);
    for (int32_t i = 0; heuristic(i); i++) {
        tgs_schedule *s;
        const tgs_status status = tgs_schedule_make(&s, pb, heuristic(i), 1, &err);

        if (status == TGS_ENOTAPPLICABLE)
            continue;
        if (status == TGS_EINFEASIBLE && limited) {
            c->infeasible[i]++;
            continue;
        }
        if (status || tgs_schedule_check(s, pb, &err))
            fail_msg("%s, seed %d: %s", heuristic(i), (int)seed, err.text);
        c->made[i]++;
        check_bounds(s, heuristic(i), bound);
        if (seed % 10 == 0)
            check_again(pb, s, heuristic(i));
        tgs_schedule_free(s);
    }
}

/* for fork-join graphs, or small ones */
static bool is_special(const char *name)
{
    return !strncmp(name, "fj", 2) || !strncmp(name, "milp", 4);
}

static bool needs_solver(const char *name)
{
    return !strncmp(name, "milp", 4) || !strncmp(name, "mixed", 5) || !strncmp(name, "hlp", 3);
}

/* least: schedules of each heuristic, and uses of each bound, that must have been looked at; of
 * those for special graphs there are fewer */
static void on_platform(const char *text, bool limited, int32_t least, int32_t least_special)
{
    tgs_platform *p = fixture_platform(text);
    counts c = {{0}, {0}, {0}};

    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        tgs_graph *g = random_graph(seed, &p->v);
        tgs_problem *pb;
        tgs_error err;
        const tgs_status status = tgs_problem_new(&pb, g, p, NULL, "latbw", &err);

        if (!status)
            check_all(pb, seed, limited, &c);
        else if (status != TGS_EINFEASIBLE) /* groups and pins may contradict each other */
            fail_msg("seed %d: %s", (int)seed, err.text);
        tgs_problem_free(pb);
        tgs_graph_free(g);
    }
    for (int32_t i = 0; heuristic(i); i++)
        if (c.made[i] < (is_special(heuristic(i)) ? least_special : least)
            && (tgs_lp_available() || !needs_solver(heuristic(i))))
            fail_msg("%s made %d schedules only", heuristic(i), c.made[i]);
    for (int32_t i = 0; tgs_plugin_name("bound", i); i++) {
        const char *name = tgs_plugin_name("bound", i);

        if (c.applied[i] < (is_special(name) ? least_special : least)
            && (tgs_lp_available() || !needs_solver(name)))
            fail_msg("%s was applied %d times only", name, c.applied[i]);
    }
    if (limited)
        assert_true(c.infeasible[0] > 0);
    tgs_platform_free(p);
}

static void shared_memory(void **state)
{
    (void)state;
    on_platform("cpu:4", false, 300, 30);
}

static void own_memories(void **state)
{
    (void)state;
    on_platform("cpu:4/own link:1,0.5", false, 300, 30);
}

static void two_kinds(void **state)
{
    (void)state;
    on_platform("cpu:2 gpu:2 link:4,2", false, 300, 0);
}

static void unrelated(void **state)
{
    (void)state;
    on_platform("a:1/own b:1x2/own c:2x0.5/own link:2,1", false, 300, 0);
}

static void relayed(void **state)
{
    (void)state;
    on_platform(line, false, 300, 0);
}

static void limited_memory(void **state)
{
    (void)state;
    on_platform(small, true, 100, 0);
}

/* ---- relations between problems ---------------------------------------------------------------
 */
/* a graph of small whole numbers, with all of them times scale, and perhaps a task of no weight
 * before everything */
static double makespan_of(const char *name, uint64_t seed, double scale, bool source)
{
    tgs_builder *b;
    fixture f;
    tgs_schedule *s;
    tgs_status status;
    tgs_error err;
    tgs_rng r;
    double makespan;
    int32_t first;

    tgs_rng_seed(&r, seed);
    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t j = 0; j < 20; j++) {
        tgs_builder_task(b, NULL, NULL, scale * (double)tgs_rng_int(&r, 1, 9));
        for (int32_t i = 0; i < j; i++)
            if (chance(&r, 15))
                tgs_builder_edge(b, i, j, scale * (double)tgs_rng_int(&r, 0, 9));
    }
    if (source) {
        first = tgs_builder_task(b, NULL, NULL, 0);
        for (int32_t j = 0; j < 20; j++)
            tgs_builder_edge(b, first, j, 0);
    }
    assert_int_equal(tgs_builder_finish(&f.g, b, NULL), 0);
    f.p = fixture_platform("cpu:2/own gpu:1x4/own link:1,0");
    f.pb = fixture_problem(f.g, f.p, "latbw");
    status = tgs_schedule_make(&s, f.pb, name, 1, &err);
    if (status && status != TGS_ENOTAPPLICABLE)
        fail_msg("%s: %s", name, err.text);
    makespan = status ? 0 : tgs_schedule_makespan(s); /* 0: it needs what this build lacks */
    tgs_schedule_free(s);
    fixture_close(&f);
    return makespan;
}

static void scaling(void **state)
{
    (void)state;
    for (int32_t i = 0; heuristic(i); i++)
        for (uint64_t seed = 1; seed <= 20 && !is_special(heuristic(i)); seed++)
            assert_true(makespan_of(heuristic(i), seed, 8, false)
                        == 8 * makespan_of(heuristic(i), seed, 1, false));
}

static void empty_source(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++)
        assert_true(makespan_of("heft", seed, 1, true) == makespan_of("heft", seed, 1, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_memory), cmocka_unit_test(own_memories),
        cmocka_unit_test(two_kinds),     cmocka_unit_test(unrelated),
        cmocka_unit_test(relayed),       cmocka_unit_test(limited_memory),
        cmocka_unit_test(scaling),       cmocka_unit_test(empty_source),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
