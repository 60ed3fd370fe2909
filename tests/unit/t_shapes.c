/* t_shapes.c -- generators of factorisations, workflows, patterns and random families: tasks,
 * edges, depth and width by closed formulas, and what makes each family what it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "internal.h"

static tgs_graph *made(const char *spec, uint64_t seed)
{
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    if (tgs_graph_generate(&g, spec, seed, &err))
        fail_msg("%s: %s", spec, err.text);
    return g;
}

static tgs_graph_stats stats_of(const char *spec, uint64_t seed)
{
    tgs_graph *g = made(spec, seed);
    tgs_graph_stats s;

    assert_int_equal(tgs_graph_measure(g, &s, NULL), TGS_OK);
    tgs_graph_free(g);
    return s;
}

/* -1: not told by a formula */
static void shapes(void **state)
{
    static const struct {
        const char *spec;
        int32_t tasks, edges, sources, sinks, depth, width;
    } row[] = {
        {"gemm:n=1", 1, 0, 1, 1, 1, 1},
        {"gemm:n=5", 125, 100, 25, 25, 5, 25},
        {"qr:n=1", 1, 0, 1, 1, 1, 1},
        {"qr:n=2", 5, 8, 1, 1, 5, 1}, /* a tile is one datum: unmqr comes before tsqrt */
        {"qr:n=5", 5 + 10 + 10 + 30, -1, 1, -1, -1, -1},
        {"fft:n=1", 1, 0, 1, 1, 1, 1},
        {"fft:n=8", 15 + 24, 14 + 48, 1, 8, 7, 8},
        {"stencil:n=7:steps=4", 28, 3 * 19, 7, 7, 4, 7},
        {"stencil:n=1:steps=3", 3, 2, 1, 1, 3, 1},
        {"stencil:n=5:steps=3:dims=2", 75, 2 * (125 - 20), 25, 25, 3, 25},
        {"gauss:n=2", 2, 1, 1, 1, 2, 1},
        {"gauss:n=5", 14, 19, 1, 1, 8, 4},
        {"map-reduce:maps=5:reduces=3", 10, 5 + 15 + 3, 1, 1, 4, 5},
        {"map-reduce:maps=4:reduces=2:rounds=3", 1 + 3 * 7, 3 * 14, 1, 1, 10, 4},
        {"workflow:shape=montage:n=5", 23, 40, 5, 1, 9, 7},
        {"workflow:shape=montage:n=1", 8, 7, 2, 1, 7, 2},
        {"workflow:shape=epigenomics:n=4:lanes=2", 39, 2 * 21 + 2 - 0, 2, 1, 9, 8},
        {"workflow:shape=cybershake:n=6:lanes=2", 28, 48, 2, 2, 4, 13},
        {"workflow:shape=inspiral:n=3:lanes=2", 28, 2 * 15, 6, 2, 6, 6},
        {"workflow:shape=sipht:n=17", 29, 33, 21, 1, 5, 21}, /* as the published one of 30 tasks */
        {"workflow:shape=sipht:n=1:lanes=3", 3 * 13, 3 * 17, 3 * 5, 3, 5, 3 * 5},
        {"daggen:n=1", 1, 0, 1, 1, 1, 1},
        {"daggen:n=100:regular=1", 100, -1, 10, -1, 10, 10}, /* n^0.5 in each layer */
        {"daggen:n=50:fat=0", 50, 49, 1, 1, 50, 1},
        {"daggen:n=64:fat=1:regular=1", 64, 0, 64, 64, 1, 64},
        {"task-bench:pattern=trivial:width=6:steps=5", 30, 0, 30, 30, 1, 30},
        {"task-bench:pattern=no-comm:width=6:steps=5", 30, 24, 6, 6, 5, 6},
        {"task-bench:pattern=stencil:width=6:steps=5", 30, 4 * 16, 6, 6, 5, 6},
        {"task-bench:pattern=stencil-periodic:width=6:steps=5", 30, 4 * 18, 6, 6, 5, 6},
        {"task-bench:pattern=stencil-periodic:width=2:steps=5", 10, 4 * 4, 2, 2, 5, 2},
        {"task-bench:pattern=dom:width=6:steps=5", 30, 4 * 11, 6, 6, 5, 6},
        {"task-bench:pattern=tree:width=8:steps=6", 1 + 2 + 4 + 3 * 8, 2 + 4 + 8 + 2 * 8, 1, 8, 6,
         8},
        {"task-bench:pattern=all-to-all:width=6:steps=5", 30, 4 * 36, 6, 6, 5, 6},
        {"task-bench:pattern=nearest:width=6:steps=5:radix=5", 30, 4 * (30 - 6), 6, 6, 5, 6},
        {"task-bench:pattern=spread:width=6:steps=5:radix=3", 30, 4 * 18, 6, 6, 5, 6},
        {"task-bench:pattern=fft:width=8:steps=4", 32, 3 * 8 + 2 * (7 + 6 + 4), 8, 8, 4, 8},
        {"series-parallel:n=2", 2, 1, 1, 1, 2, 1},
        {"series-parallel:n=40:series=1", 40, 39, 1, 1, 40, 1},
        {"series-parallel:n=40:series=0", 40, 77, 1, 1, -1, -1},
        {"sdf:rates=2/3", 5, 4, 3, -1, 2, -1},
        {"sdf:rates=1/1+1/1:iterations=7", 21, 14, 7, 7, 3, 7},
        {"sdf:rates=2/3+3/2:iterations=2", 2 * (3 + 2 + 3), 2 * (4 + 4), 6, -1, 3, -1},
        {"sdf:rates=4/2:state=1", 3, 2 + 1, 1, -1, 3, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const tgs_graph_stats s = stats_of(row[i].spec, 1);

        if (s.tasks != row[i].tasks || (row[i].edges >= 0 && s.edges != row[i].edges)
            || s.sources != row[i].sources || (row[i].sinks >= 0 && s.sinks != row[i].sinks)
            || (row[i].depth >= 0 && s.depth != row[i].depth)
            || (row[i].width >= 0 && s.width != row[i].width))
            fail_msg("%s: %d tasks, %d edges, %d sources, %d sinks, depth %d, width %d",
                     row[i].spec, s.tasks, s.edges, s.sources, s.sinks, s.depth, s.width);
    }
}

/* flops of tiles add up to those of the whole matrix; times follow from them */
static void flops(void **state)
{
    static const int32_t size[][2] = {{1, 1}, {1, 100}, {2, 3}, {7, 5}, {12, 64}};

    (void)state;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const double n = size[i][0], m = size[i][1], rows = n * m;
        /* 4/3 m^3 (n + 3/2 n(n-1) + 3/2 n(n-1) + n(n-1)(2n-1)/2) = 4/3 N^3 + lower terms */
        const double qr =
            4.0 / 3 * m * m * m * (n + 1.5 * n * (n - 1) + n * (n - 1) * (2 * n - 1) / 2);
        char spec[64];
        tgs_graph_stats s;

        snprintf(spec, sizeof spec, "gemm:n=%g:tile=%g", n, m);
        s = stats_of(spec, 1);
        assert_true(s.flops == 2 * rows * rows * rows);
        assert_true(s.bytes == 3 * 8 * rows * rows);
        snprintf(spec, sizeof spec, "qr:n=%g:tile=%g", n, m);
        s = stats_of(spec, 1);
        assert_true(fabs(s.flops - qr) <= 1e-12 * qr);
        assert_true(fabs(s.work - qr / 1e10) <= 1e-12 * qr);
    }
}

/* a panel works in place on the diagonal tile and its own, one after the other */
static void qr_order(void **state)
{
    tgs_graph *g = made("qr:n=3", 1);
    const int32_t first = tgs_graph_find_task(g, "tsqrt_0_1"),
                  second = tgs_graph_find_task(g, "tsqrt_0_2");
    const int32_t update = tgs_graph_find_task(g, "tsmqr_0_1_2");
    bool chained = false, updated = false;

    (void)state;
    assert_int_equal(g->v.access_at[update + 1] - g->v.access_at[update],
                     4); /* V T, two in place */
    for (int32_t e = g->v.pred_at[second]; e < g->v.pred_at[second + 1]; e++)
        chained |= g->v.pred[e] == first;
    for (int32_t e = g->v.pred_at[update]; e < g->v.pred_at[update + 1]; e++)
        updated |= g->v.pred[e] == first;
    assert_true(chained && updated);
    tgs_graph_free(g);
}

/* with layers of one size: parents are in the jump layers above, one in the one above, as many as
 * density allows, and none twice */
static void daggen(void **state)
{
    int32_t far = 0, most = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        tgs_graph *g = made("daggen:n=900:fat=0.5:regular=1:density=0.2:jump=3", seed);

        for (int32_t t = 30; t < 900; t++) {
            const int32_t parents = g->v.pred_at[t + 1] - g->v.pred_at[t];
            bool near = false;

            assert_true(parents >= 1 && parents <= 7);
            most = parents > most ? parents : most;
            for (int32_t e = g->v.pred_at[t]; e < g->v.pred_at[t + 1]; e++) {
                const int32_t down = t / 30 - g->v.pred[e] / 30;

                assert_true(down >= 1 && down <= 3);
                assert_true(e == g->v.pred_at[t] || g->v.pred[e] != g->v.pred[e - 1]);
                near |= down == 1;
                far += down > 1;
            }
            assert_true(near);
        }
        tgs_graph_free(g);
    }
    assert_true(far > 0 && most == 7);
}

/* Reduces a two-terminal graph: parallel edges become one, a task with one edge in and one out
 * becomes an edge.  What is left of a series-parallel graph is one edge. */
static int32_t reduced(const tgs_graph *g)
{
    const int32_t n = g->v.tasks;
    int32_t *edge = calloc((size_t)(n * n), sizeof *edge), left = 0;
    bool changed = true;

    for (int32_t t = 0; t < n; t++)
        for (int32_t e = g->v.pred_at[t]; e < g->v.pred_at[t + 1]; e++)
            edge[g->v.pred[e] * n + t] = 1; /* parallel ones are one at once */
    while (changed) {
        changed = false;
        for (int32_t t = 0; t < n; t++) {
            int32_t in = 0, out = 0, u = 0, v = 0;

            for (int32_t k = 0; k < n; k++) {
                in += edge[k * n + t];
                out += edge[t * n + k];
                u = edge[k * n + t] ? k : u;
                v = edge[t * n + k] ? k : v;
            }
            if (in != 1 || out != 1)
                continue;
            edge[u * n + t] = edge[t * n + v] = 0;
            edge[u * n + v] = 1;
            changed = true;
        }
    }
    for (int32_t i = 0; i < n * n; i++)
        left += edge[i];
    free(edge);
    return left;
}

static void series_parallel(void **state)
{
    tgs_graph *g = made("fft:n=4", 1);

    (void)state;
    assert_true(reduced(g) > 1); /* the test can fail */
    tgs_graph_free(g);
    for (uint64_t seed = 0; seed < 30; seed++) {
        g = made("series-parallel:n=60:series=0.4", seed);
        assert_true(g->v.edges >= 59 && g->v.edges <= 117);
        assert_int_equal(reduced(g), 1);
        tgs_graph_free(g);
    }
}

static void random_nearest(void **state)
{
    const tgs_graph_stats s =
        stats_of("task-bench:pattern=random-nearest:width=100:steps=101:radix=5", 3);

    (void)state;
    /* 100 steps of 500 - 6 candidates, each with probability 1/2: within 5 deviations */
    assert_true(abs(s.edges - 24700) < 5 * 112);
}

/* firing k of the second actor takes tokens 3k .. 3k + 2, which firings 3k/2 .. (3k + 2)/2 make */
static void sdf_tokens(void **state)
{
    static const char *const from[] = {"a0_0", "a0_1", "a0_1", "a0_2"}, *const to[] = {
                                                                            "a1_0", "a1_0", "a1_1",
                                                                            "a1_1"};
    tgs_graph *g = made("sdf:rates=2/3", 1);

    (void)state;
    for (int32_t i = 0; i < 4; i++) {
        const int32_t u = tgs_graph_find_task(g, from[i]), v = tgs_graph_find_task(g, to[i]);
        bool found = false;

        for (int32_t e = g->v.pred_at[v]; e < g->v.pred_at[v + 1]; e++)
            found |= g->v.pred[e] == u;
        assert_true(found);
    }
    tgs_graph_free(g);
}

/* the same graph everywhere: fingerprints as they were when these generators were written */
static void same_seed_same_graph(void **state)
{
    static const char *const spec[] = {"daggen:n=200:jump=2",
                                       "series-parallel:n=100",
                                       "task-bench:pattern=random-nearest",
                                       "workflow",
                                       "qr:n=3",
                                       "sdf:state=1",
                                       "map-reduce",
                                       "stencil",
                                       "gauss",
                                       "fft",
                                       "gemm:n=2"};

    (void)state;
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        tgs_graph *a = made(spec[i], 5), *b = made(spec[i], 5), *c = made(spec[i], 6);

        assert_true(tgs_graph_fingerprint(a) == tgs_graph_fingerprint(b));
        assert_true(tgs_graph_fingerprint(a) != tgs_graph_fingerprint(c));
        tgs_graph_free(a);
        tgs_graph_free(b);
        tgs_graph_free(c);
    }
}

static void refused(void **state)
{
    static const char *const row[][2] = {
        {"fft:n=12", "power of 2"},
        {"stencil:n=1000000:steps=1000000", "tasks"},
        {"task-bench:pattern=all-to-all:width=100000:steps=100", "edges"},
        {"task-bench:pattern=zigzag", "all-to-all"},
        {"workflow:shape=genetics", "montage"},
        {"workflow:n=10000000:lanes=10000000", "tasks"},
        {"map-reduce:maps=100000:reduces=1000:rounds=1000", "tasks"},
        {"map-reduce:maps=100000:reduces=1000:rounds=2", "edges"},
        {"sdf:rates=2", "PUT/TAKE"},
        {"sdf:rates=2/0", "PUT/TAKE"},
        {"sdf:rates=1/9973+1/9967+1/9949+1/9941", "tasks"},
        {"series-parallel:n=1", "outside"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tgs_error err = {TGS_OK, ""};
        tgs_graph *g;

        assert_int_equal(tgs_graph_generate(&g, row[i][0], 1, &err), TGS_EINVAL);
        if (!strstr(err.text, row[i][1]))
            fail_msg("%s: '%s'", row[i][0], err.text);
    }
}

/* SYSTEMS.md Q2: T layers and P domains are 2 T P passes and 2 (T - 1) P halos, and the critical
 * path is T (f + b) + 2 (T - 1) c: 17 for T = 5, f = 1, b = 2, c = 0.25.  With overlap the halo
 * hides behind its part of the pass. */
static void halos(void **state)
{
    (void)state;
    for (int layers = 1; layers <= 6; layers++)
        for (int domains = 1; domains <= 5; domains += domains > 2 ? 2 : 1) {
            char spec[80];
            tgs_graph_stats s;

            snprintf(spec, sizeof spec, "halo:layers=%d:domains=%d:spread=0", layers, domains);
            s = stats_of(spec, 1);
            assert_int_equal(s.tasks, (2 * layers + 2 * (layers - 1)) * domains);
            assert_true(s.critical_path == layers * 3 + 2 * (layers - 1) * .25);
            assert_true(s.work == domains * (layers * 3 + 2 * (layers - 1) * .25));
        }
    assert_true(stats_of("halo:spread=0:layers=5:domains=4", 1).critical_path == 17);
    assert_true(stats_of("halo:spread=0:layers=5:domains=4:overlap=0.25", 1).critical_path == 15);
    /* without the time of halos 4 layers of 3/4 (f + b) are left to wait for halos of 2 */
    assert_true(stats_of("halo:spread=0:layers=5:domains=4:overlap=0.25:halo=2", 1).critical_path
                == 3 + 4 * (3 * .75 + 2 * 2));
    assert_true(stats_of("halo:spread=0:layers=5:domains=4:halo=0.46875", 1).critical_path
                == 15 / .8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),          cmocka_unit_test(flops),
        cmocka_unit_test(qr_order),        cmocka_unit_test(daggen),
        cmocka_unit_test(series_parallel), cmocka_unit_test(random_nearest),
        cmocka_unit_test(sdf_tokens),      cmocka_unit_test(same_seed_same_graph),
        cmocka_unit_test(refused),         cmocka_unit_test(halos),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
