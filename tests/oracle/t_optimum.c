/* t_optimum.c -- against the truth of small problems, 1300 of them: the optimum over all orders and
 * processors, found by search that shares nothing with the heuristics.  No bound is above it and no
 * heuristic below it, whatever plug-ins there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"

#define MOST 7 /* tasks */

typedef struct search {
    const tgs_view *v;
    double end[MOST], free[8], best;
    int32_t memory[MOST], waits[MOST];
    bool placed[MOST];
} search;

static double ready_time(const search *x, int32_t task, int32_t memory)
{
    const tgs_graph_view *g = x->v->g;
    double ready = 0;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++)
        if ((g->access[i].mode & TGS_R) && g->access[i].version < 0)
            ready = fmax(ready, tgs_c(x->v, (int32_t)g->access[i].datum,
                                      x->v->home[g->access[i].datum], memory));
    for (int32_t k = g->pred_at[task]; k < g->pred_at[task + 1]; k++)
        ready = fmax(ready, x->end[g->pred[k]]
                                + tgs_c(x->v, g->pred_datum[k], x->memory[g->pred[k]], memory));
    return ready;
}

static void wait_for(search *x, int32_t task, int32_t change)
{
    const tgs_graph_view *g = x->v->g;

    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++)
        x->waits[g->succ[k]] += change;
}

/* appends every ready task to every processor: some such order is optimal */
static void extend(search *x, int32_t left, double makespan)
{
    if (makespan >= x->best)
        return;
    if (!left) {
        x->best = makespan;
        return;
    }
    for (int32_t j = 0; j < x->v->n; j++) {
        if (x->placed[j] || x->waits[j])
            continue;
        x->placed[j] = true;
        wait_for(x, j, -1);
        for (int32_t p = 0; p < x->v->m; p++) {
            const double was = x->free[p], w = tgs_w(x->v, j, p);

            if (!(w < INFINITY))
                continue;
            x->memory[j] = x->v->p->proc[p].memory;
            x->end[j] = x->free[p] = fmax(was, ready_time(x, j, x->memory[j])) + w;
            extend(x, left - 1, fmax(makespan, x->end[j]));
            x->free[p] = was;
        }
        wait_for(x, j, 1);
        x->placed[j] = false;
    }
}

static double optimum(const tgs_problem *pb)
{
    search x = {.v = &pb->v, .best = INFINITY};

    assert_true(pb->v.n <= MOST && pb->v.m <= 8);
    for (int32_t j = 0; j < pb->v.n; j++)
        x.waits[j] = pb->v.g->pred_at[j + 1] - pb->v.g->pred_at[j];
    extend(&x, pb->v.n, 0);
    return x.best;
}

/* ---- random problems --------------------------------------------------------------------------
 */
static tgs_graph *random_graph(tgs_rng *r, const tgs_platform_view *p, bool costly)
{
    const int32_t n = (int32_t)tgs_rng_int(r, 1, 6), data = 3;
    tgs_builder *b;
    tgs_graph *g;

    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t d = 0; d < data; d++)
        tgs_builder_datum(b, NULL, costly ? (double)tgs_rng_int(r, 0, 6) : 0);
    for (int32_t j = 0; j < n; j++) {
        tgs_builder_task(b, NULL, NULL, (double)tgs_rng_int(r, 0, 9));
        for (int32_t k = 0; k < p->kinds && p->kinds > 1; k++)
            tgs_builder_task_time(b, j, p->kind[k].name, (double)tgs_rng_int(r, 0, 9));
        for (int32_t d = 0; d < data; d++)
            if (tgs_rng_int(r, 0, 2) == 0)
                tgs_builder_access(b, j, d, (tgs_mode)tgs_rng_int(r, 1, 3));
        for (int32_t i = 0; i < j; i++)
            if (tgs_rng_int(r, 0, 4) == 0)
                tgs_builder_edge(b, i, j, costly ? (double)tgs_rng_int(r, 0, 9) : 0);
    }
    assert_int_equal(tgs_builder_finish(&g, b, NULL), 0);
    return g;
}

static tgs_graph *random_fork_join(tgs_rng *r)
{
    const int32_t n = (int32_t)tgs_rng_int(r, 1, 5);
    tgs_builder *b;
    tgs_graph *g;

    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    tgs_builder_task(b, NULL, NULL, (double)tgs_rng_int(r, 0, 3));
    tgs_builder_task(b, NULL, NULL, (double)tgs_rng_int(r, 0, 3));
    for (int32_t j = 2; j < n + 2; j++) {
        tgs_builder_task(b, NULL, NULL, (double)tgs_rng_int(r, 0, 9));
        tgs_builder_edge(b, 0, j, (double)tgs_rng_int(r, 0, 9));
        tgs_builder_edge(b, j, 1, (double)tgs_rng_int(r, 0, 9));
    }
    assert_int_equal(tgs_builder_finish(&g, b, NULL), 0);
    return g;
}

/* cut, up to three inner tasks, cut, up to two, cut; no edge passes a cut */
static tgs_graph *random_chain(tgs_rng *r, const tgs_platform_view *p)
{
    const int32_t n[2] = {(int32_t)tgs_rng_int(r, 1, 3), (int32_t)tgs_rng_int(r, 0, 2)};
    const int32_t cut[3] = {0, n[0] + 1, n[0] + n[1] + 2};
    tgs_builder *b;
    tgs_graph *g;

    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t j = 0; j <= cut[2] && j < MOST; j++) {
        tgs_builder_task(b, NULL, NULL, (double)tgs_rng_int(r, 0, 9));
        for (int32_t k = 0; k < p->kinds && p->kinds > 1; k++)
            tgs_builder_task_time(b, j, p->kind[k].name, (double)tgs_rng_int(r, 0, 9));
    }
    for (int i = 0; i < 2; i++) {
        if (cut[i + 1] >= MOST)
            continue;
        for (int32_t j = cut[i] + 1; j < cut[i + 1]; j++) {
            tgs_builder_edge(b, cut[i], j, (double)tgs_rng_int(r, 0, 9));
            tgs_builder_edge(b, j, cut[i + 1], (double)tgs_rng_int(r, 0, 9));
            if (n[i] == 3 && j == cut[i] + 2 && !tgs_rng_int(r, 0, 1))
                tgs_builder_edge(b, j - 1, j, (double)tgs_rng_int(r, 0, 9));
        }
        if (n[i] != 1) /* one inner task is a cut */
            tgs_builder_edge(b, cut[i], cut[i + 1], (double)tgs_rng_int(r, 0, 9));
    }
    assert_int_equal(tgs_builder_finish(&g, b, NULL), 0);
    return g;
}

static void check_bounds(const tgs_problem *pb, double best)
{
    for (int32_t i = 0; tgs_plugin_name("bound", i); i++) {
        const char *name = tgs_plugin_name("bound", i);
        double bound;

        if (!tgs_bound(&bound, pb, name, NULL) && bound > best * (1 + 1e-9))
            fail_msg("%s: %.17g is above the optimum %.17g", name, bound, best);
    }
}

/* no heuristic is better than the optimum, and within factor of it if there is one */
static void check_heuristic(const tgs_problem *pb, const char *name, double best, double factor)
{
    tgs_schedule *s;
    tgs_error err;
    const tgs_status status = tgs_schedule_make(&s, pb, name, 1, &err);
    double makespan;

    if (status == TGS_ENOTAPPLICABLE)
        return;
    if (status)
        fail_msg("%s: %s", name, err.text);
    makespan = tgs_schedule_makespan(s);
    if (s->v.places > s->v.tasks) { /* copies can beat the optimum of schedules without */
        double least;

        assert_int_equal(tgs_i_bound_best(&least, NULL, pb, true, NULL), 0);
        assert_true(makespan >= least * (1 - 1e-9));
        best = makespan;
    }
    if (makespan < best * (1 - 1e-9) || makespan > factor * best * (1 + 1e-9))
        fail_msg("%s: %.17g, optimum %.17g, factor %g", name, makespan, best, factor);
    if (s->lower_bound > best * (1 + 1e-9))
        fail_msg("%s: its bound %.17g is above the optimum %.17g", name, s->lower_bound, best);
    tgs_schedule_free(s);
}

static void check_platform(const char *text, int32_t graphs, bool costly)
{
    tgs_platform *p = fixture_platform(text);
    const int32_t m = tgs_platform_processors(p);
    tgs_rng r;

    tgs_rng_seed(&r, (uint64_t)m);
    for (int32_t i = 0; i < graphs; i++) {
        tgs_graph *g = random_graph(&r, &p->v, costly);
        tgs_problem *pb = fixture_problem(g, p, "latbw");
        const double best = optimum(pb);

        check_bounds(pb, best);
        for (int32_t h = 0; tgs_plugin_name("heuristic", h); h++)
            check_heuristic(pb, fixture_heuristic(h), best, INFINITY);
        if (!costly) { /* Graham: any list schedule on equal processors */
            check_heuristic(pb, "etf", best, 2 - 1.0 / m);
            check_heuristic(pb, "dls", best, 2 - 1.0 / m);
            check_heuristic(pb, "minmin", best, 2 - 1.0 / m);
        }
        tgs_problem_free(pb);
        tgs_graph_free(g);
    }
    tgs_platform_free(p);
}

static void equal_processors(void **state)
{
    (void)state;
    check_platform("cpu:3/own link:1,0", 200, true);
    check_platform("cpu:2", 200, false);
    check_platform("cpu:3", 200, false);
}

static void unequal_processors(void **state)
{
    (void)state;
    check_platform("a:1/own b:1/own c:1x2/own link:2,1", 200, true);
    check_platform("cpu:2 gpu:1x3 link:1,0.5", 200, true);
}

/* the cheapest way is by two links: bounds may not charge the direct one */
static void relays(void **state)
{
    (void)state;
    check_platform("kind a\nkind b\nmemory m0\nmemory m1\nmemory m2\n"
                   "processor p0 kind=a memory=m0\nprocessor p1 kind=b memory=m1\n"
                   "processor p2 kind=a memory=m2\n"
                   "link m0 m1 latency=1 bandwidth=4\nlink m1 m0 latency=1 bandwidth=4\n"
                   "link m1 m2 latency=0 bandwidth=2\nlink m2 m1 latency=0 bandwidth=2\n"
                   "link m0 m2 latency=9 bandwidth=1\nlink m2 m0 latency=9 bandwidth=1\n",
                   150, true);
}

static void fork_joins(void **state)
{
    static const char *const text[] = {"cpu:2/own link:1,0", "cpu:3/own link:1,1",
                                       "cpu:4/own link:1,0"};
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 5);
    for (int32_t i = 0; i < 150; i++) {
        tgs_platform *p = fixture_platform(text[i % 3]);
        tgs_graph *g = random_fork_join(&r);
        tgs_problem *pb = fixture_problem(g, p, "latbw");
        const double best = optimum(pb), m = tgs_platform_processors(p);
        double bound;

        check_bounds(pb, best);
        assert_int_equal(tgs_bound(&bound, pb, "fj-idle-area", NULL), 0);
        assert_int_equal(tgs_bound(&bound, pb, "fj-forced-work", NULL), 0);
        for (int32_t h = 0; tgs_plugin_name("heuristic", h); h++)
            check_heuristic(pb, fixture_heuristic(h), best, INFINITY);
        check_heuristic(pb, "fj-prefix", best, 1 + m / (m - 1));
        tgs_problem_free(pb);
        tgs_graph_free(g);
        tgs_platform_free(p);
    }
}

static void chains(void **state)
{
    static const char *const text[] = {"cpu:2/own link:1,0", "cpu:2 gpu:1x2 link:1,1",
                                       "a:1/own b:1/own c:1x2/own link:2,1"};
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 6);
    for (int32_t i = 0; i < 150; i++) {
        tgs_platform *p = fixture_platform(text[i % 3]);
        tgs_graph *g = random_chain(&r, &p->v);
        tgs_problem *pb = fixture_problem(g, p, "latbw");
        const double best = optimum(pb);
        double chain, path;

        check_bounds(pb, best);
        check_heuristic(pb, "fj", best, INFINITY);
        /* no edge passes a cut, so every path is one of the chain's */
        assert_int_equal(tgs_bound(&chain, pb, "fj-chain", NULL), 0);
        assert_int_equal(tgs_bound(&path, pb, "oct-path", NULL), 0);
        if (chain < path * (1 - 1e-9))
            fail_msg("fj-chain %.17g is below the longest path %.17g", chain, path);
        tgs_problem_free(pb);
        tgs_graph_free(g);
        tgs_platform_free(p);
    }
}

/* where the optimum is known by hand, HEFT finds it */
static void easy(void **state)
{
    tgs_platform *p = fixture_platform("cpu:4/own link:1,0");
    tgs_builder *b;
    tgs_graph *chain, *units;
    tgs_problem *pb;

    (void)state;
    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t j = 0; j < 50; j++) {
        tgs_builder_task(b, NULL, NULL, j);
        if (j)
            tgs_builder_edge(b, j - 1, j, 7);
    }
    assert_int_equal(tgs_builder_finish(&chain, b, NULL), 0);
    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t j = 0; j < 50; j++)
        tgs_builder_task(b, NULL, NULL, 1);
    assert_int_equal(tgs_builder_finish(&units, b, NULL), 0);
    pb = fixture_problem(chain, p, "latbw");
    check_heuristic(pb, "heft", 49 * 50 / 2, 1);
    tgs_problem_free(pb);
    pb = fixture_problem(units, p, "latbw");
    check_heuristic(pb, "heft", 13, 1);
    tgs_problem_free(pb);
    tgs_graph_free(chain);
    tgs_graph_free(units);
    tgs_platform_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_processors), cmocka_unit_test(unequal_processors),
        cmocka_unit_test(relays),           cmocka_unit_test(fork_joins),
        cmocka_unit_test(chains),           cmocka_unit_test(easy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
