/* t_memory.c -- plans that keep to the capacities, by heuristics that look at them and by the
 * library for those that do not: a plan is valid or there is none, it is played within the
 * capacities too, also where transfers wait for each other, and there is one whenever there must
 * be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"

static const char *const heuristics[] = {"memheft", "memminmin", "m-topo", "m-etf", "m-sct"};
#define COUNT ((int32_t)(sizeof heuristics / sizeof *heuristics))
#define FULL  "no memory has room for task *, nor for any other that is ready"

static const char *const platforms[] = {
    /* memories that hold a few data at a time */
    "kind cpu\nkind gpu\nmemory ram capacity=60\nmemory vram capacity=25\n"
    "processor c0 kind=cpu memory=ram\nprocessor c1 kind=cpu memory=ram\n"
    "processor g0 kind=gpu memory=vram\n"
    "link ram vram latency=1 bandwidth=4\nlink vram ram latency=1 bandwidth=4\n",
    /* little but enough at home, and two GPUs whose data pass through it */
    "kind cpu\nkind gpu\nmemory ram capacity=90\nmemory v0 capacity=20\nmemory v1 capacity=20\n"
    "processor c0 kind=cpu memory=ram speed=0.2\n"
    "processor g0 kind=gpu memory=v0\nprocessor g1 kind=gpu memory=v1 speed=2\n"
    "link ram v0 latency=0 bandwidth=8\nlink v0 ram latency=0 bandwidth=8\n"
    "link ram v1 latency=0.5 bandwidth=8\nlink v1 ram latency=0.5 bandwidth=8\n"};
#define PLATFORMS ((int32_t)(sizeof platforms / sizeof *platforms))

static bool chance(tgs_rng *r, int64_t percent)
{
    return tgs_rng_int(r, 1, 100) <= percent;
}

/* tasks that read, write and update data, some of which nobody writes first, and edges */
static tgs_graph *random_graph(uint64_t seed)
{
    tgs_builder *b;
    tgs_graph *g;
    tgs_rng r;
    int32_t n, data;

    tgs_rng_seed(&r, seed);
    n = (int32_t)tgs_rng_int(&r, 1, 30);
    data = (int32_t)tgs_rng_int(&r, 1, 8);
    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t d = 0; d < data; d++) {
        tgs_builder_datum(b, NULL, chance(&r, 10) ? 0 : 0.5 * (double)tgs_rng_int(&r, 1, 19));
        if (chance(&r, 20))
            tgs_builder_datum_set(b, d, "persistent", "1");
    }
    for (int32_t j = 0; j < n; j++) {
        tgs_builder_task(b, NULL, NULL, chance(&r, 10) ? 0 : (double)tgs_rng_int(&r, 1, 20));
        if (chance(&r, 10))
            tgs_builder_task_constrain(b, j, "kinds", chance(&r, 50) ? "cpu" : "gpu");
        if (chance(&r, 5))
            tgs_builder_task_constrain(b, j, "release", "7");
        if (chance(&r, 10))
            tgs_builder_task_constrain(b, j, "group", chance(&r, 50) ? "1" : "2");
        for (int32_t d = 0; d < data; d++)
            if (chance(&r, 15))
                tgs_builder_access(b, j, d,
                                   chance(&r, 50)   ? TGS_R
                                   : chance(&r, 60) ? TGS_W
                                                    : TGS_RW);
        for (int32_t i = j > 6 ? j - 6 : 0; i < j; i++)
            if (chance(&r, 25))
                tgs_builder_edge(b, i, j, 0.3 * (double)tgs_rng_int(&r, 0, 20));
            else if (chance(&r, 3))
                tgs_builder_after(b, i, j);
    }
    if (tgs_builder_finish(&g, b, NULL))
        fail_msg("seed %d", (int)seed);
    return g;
}

static bool present(const char *name)
{
    for (int32_t i = 0; tgs_plugin_name("heuristic", i); i++)
        if (!strcmp(tgs_plugin_name("heuristic", i), name))
            return true;
    return false;
}

/* What two tasks of no length hand over takes no room in a plan; where messages wait for each other
 * there may be time between them. */
static bool has_moments(const tgs_schedule *s)
{
    for (int32_t p = 0; p < s->v.places; p++)
        if (s->v.place[p].end <= s->v.place[p].start)
            return true;
    return false;
}

/* under a link model where messages wait for each other a plan takes longer, but no more room */
static void play_under(const tgs_problem *pb, const tgs_schedule *s, const char *links)
{
    tgs_problem *other;
    tgs_trace *t;
    tgs_error err;

    if (tgs_problem_new(&other, pb->graph, pb->platform, NULL, links, &err)
        || tgs_simulate(&t, other, s, &err))
        fail_msg("%s under %s: %s", s->v.heuristic, links, err.text);
    assert_int_equal(t->v.moveds, s->v.moves);
    for (int32_t a = 0; a < pb->v.memories; a++)
        assert_true(tgs_trace_peak(t, a) <= pb->v.p->memory[a].capacity * (1 + 1e-9));
    tgs_trace_free(t);
    tgs_problem_free(other);
}

/* the simulator, which plays planned idle time, stays within the capacities; so does what a file
 * holds of the plan */
static void play(const tgs_problem *pb, const tgs_schedule *s)
{
    char path[] = "/tmp/tgsched-test.XXXXXX";
    tgs_schedule *read;
    tgs_trace *t;
    tgs_error err;

    if (tgs_simulate(&t, pb, s, &err))
        fail_msg("%s: %s", s->v.heuristic, err.text);
    assert_true(tgs_trace_makespan(t) <= s->v.makespan * (1 + 1e-9));
    for (int32_t a = 0; a < pb->v.memories; a++) {
        const double capacity = pb->v.p->memory[a].capacity;

        assert_true(tgs_trace_peak(t, a) <= capacity * (1 + 1e-9));
        assert_true(tgs_schedule_peak(s, pb, a) <= capacity * (1 + 1e-9));
    }
    tgs_trace_free(t);
    if (s->v.moves && strcmp(pb->v.link_model, "zero") && !has_moments(s)) {
        play_under(pb, s, "fifo");
        play_under(pb, s, "share");
    }
    close(mkstemp(path));
    assert_int_equal(tgs_schedule_write(s, pb, path, NULL), 0);
    if (tgs_schedule_read(&read, path, pb, &err) || tgs_schedule_check(read, pb, &err))
        fail_msg("%s: %s", s->v.heuristic, err.text);
    assert_int_equal(read->v.moves, s->v.moves);
    assert_int_equal(read->v.drops, s->v.drops);
    for (int32_t i = 0; i < s->v.drops; i++) {
        const tgs_drop *a = &read->v.drop[i], *b = &s->v.drop[i];

        assert_true(a->datum == b->datum && a->version == b->version && a->memory == b->memory
                    && a->time == b->time);
    }
    unlink(path);
    tgs_schedule_free(read);
}

typedef struct counts {
    int32_t all, heft, made[COUNT], moves, drops;
} counts;

/* a heuristic that does not look at capacities */
static bool makes(const tgs_problem *pb, const char *name, uint64_t seed, counts *c)
{
    tgs_schedule *s;
    tgs_error err;
    const tgs_status status = tgs_schedule_make(&s, pb, name, 1, &err);

    if (status && status != TGS_EINFEASIBLE && status != TGS_ENOTAPPLICABLE)
        fail_msg("%s, seed %d: %s", name, (int)seed, err.text);
    if (!status) {
        play(pb, s);
        c->drops += s->v.drops > 0;
    }
    tgs_schedule_free(s);
    return !status;
}

static void try_all(const tgs_problem *pb, uint64_t seed, counts *c)
{
    const bool heft = makes(pb, "heft", seed, c);
    bool any = makes(pb, "single", seed, c) || heft, made[COUNT] = {false};

    for (int32_t i = 0; i < COUNT; i++) {
        tgs_schedule *s;
        tgs_error err;
        const tgs_status status = present(heuristics[i])
                                      ? tgs_schedule_make(&s, pb, heuristics[i], 1, &err)
                                      : TGS_ENOTFOUND;

        if (status == TGS_ENOTFOUND)
            continue;
        if (status && status != TGS_EINFEASIBLE)
            fail_msg("%s, seed %d: %s", heuristics[i], (int)seed, err.text);
        if (status) /* not a plan that the checker then refused */
            assert_text(err.text, FULL);
        else {
            play(pb, s);
            c->moves += s->v.moves > 0;
        }
        made[i] = !status;
        any |= made[i];
        tgs_schedule_free(s);
    }
    c->all += any;
    c->heft += heft;
    for (int32_t i = 0; i < COUNT; i++)
        c->made[i] += made[i];
}

static void limited(void **state)
{
    (void)state;
    for (int32_t k = 0; k < PLATFORMS; k++) {
        tgs_platform *p = fixture_platform(platforms[k]);
        counts c = {0};

        for (uint64_t seed = 1; seed <= 500; seed++) {
            tgs_graph *g = random_graph(seed);
            tgs_problem *pb;

            if (!tgs_problem_new(&pb, g, p, NULL, k ? "latbw" : seed % 5 ? "latbw" : "zero", NULL))
                try_all(pb, seed, &c);
            tgs_problem_free(pb);
            tgs_graph_free(g);
        }
        printf("some way finds a plan for %d graphs: heft %d", c.all, c.heft);
        for (int32_t i = 0; i < COUNT; i++)
            printf(", %s %d", heuristics[i], c.made[i]);
        printf("; %d with drops\n", c.drops);
        assert_true(c.all > 300 && c.heft >= c.all * 98 / 100 && c.moves > 300 && c.drops > 100);
        for (int32_t i = 0; i < COUNT; i++)
            assert_true(!present(heuristics[i]) || c.made[i] >= c.all * 8 / 10);
        assert_true(c.made[0] >= c.all * 95 / 100);
        tgs_platform_free(p);
    }
}

/* What is promised: main memory holds everything, and what a task accesses fits where it runs (each
 * problem that there is says so): then there is a plan, however little room there is. */
static void promised(void **state)
{
    counts c = {0};
    int32_t all = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        char text[600];
        tgs_graph *g = random_graph(seed);
        tgs_platform *p;
        tgs_problem *pb;

        sprintf(text,
                "kind cpu\nkind gpu\nmemory ram\nmemory v0 capacity=%d\nmemory v1 capacity=%d\n"
                "processor c0 kind=cpu memory=ram speed=0.1\nprocessor g0 kind=gpu memory=v0\n"
                "processor h0 kind=gpu memory=v0\nprocessor g1 kind=gpu memory=v1 speed=2\n"
                "link ram v0 latency=0 bandwidth=8\nlink v0 ram latency=0.1 bandwidth=8\n"
                "link ram v1 latency=0.5 bandwidth=8\nlink v1 ram latency=0 bandwidth=6\n",
                (int)(9 + seed % 20), (int)(9 + seed / 20 % 20));
        p = fixture_platform(text);
        if (!tgs_problem_new(&pb, g, p, NULL, "latbw", NULL)) {
            all++;
            if (!makes(pb, "heft", seed, &c) || !makes(pb, "cpop", seed, &c)
                || !makes(pb, "lookahead", seed, &c))
                fail_msg("seed %d: nothing fits", (int)seed);
        }
        tgs_problem_free(pb);
        tgs_platform_free(p);
        tgs_graph_free(g);
    }
    printf("%d of %d plans have something leave in time\n", c.drops, 3 * all);
    assert_true(all > 400 && c.drops > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limited), cmocka_unit_test(promised)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
