/* t_generators.c -- generated graphs: counts, shapes, flops against closed forms, determinism. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <ctype.h>
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

static tgs_graph_stats stats_of(const char *spec)
{
    tgs_graph *g = made(spec, 1);
    tgs_graph_stats s;

    assert_int_equal(tgs_graph_measure(g, &s, NULL), TGS_OK);
    tgs_graph_free(g);
    return s;
}

static void shapes(void **state)
{
    static const struct {
        const char *spec;
        int32_t tasks, edges, sources, sinks, depth, width;
    } row[] = {
        {"chain:n=1", 1, 0, 1, 1, 1, 1},
        {"chain:n=50", 50, 49, 1, 1, 50, 1},
        {"independent:n=40", 40, 0, 40, 40, 1, 40},
        {"forkjoin:n=10", 12, 20, 1, 1, 3, 10},
        {"forkjoin:n=7:stages=3", 25, 42, 1, 1, 7, 7},
        {"layered:n=1", 1, 0, 1, 1, 1, 1},
        {"layered:n=100:width=5:degree=2", 100, 200, 5, -1, 20, 5},
        {"layered:n=103:width=10:degree=2.5", 103, 258, 10, -1, 11, 10},
        {"layered:n=100:width=5:degree=1000", 100, 475, 5, 5, 20, 5}, /* all pairs */
        {"layered:n=10000:degree=3", 10000, 30000, 100, -1, 100, 100},
        {"cholesky:n=1", 1, 0, 1, 1, 1, 1},
        {"cholesky:n=5", 35, -1, 1, 1, 13, -1},
        {"lu:n=1", 1, 0, 1, 1, 1, 1},
        {"lu:n=4", 30, -1, 1, 1, 10, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const tgs_graph_stats s = stats_of(row[i].spec);

        assert_int_equal(s.tasks, row[i].tasks);
        if (row[i].edges >= 0)
            assert_int_equal(s.edges, row[i].edges);
        assert_int_equal(s.sources, row[i].sources);
        if (row[i].sinks >= 0)
            assert_int_equal(s.sinks, row[i].sinks);
        assert_int_equal(s.depth, row[i].depth);
        if (row[i].width >= 0)
            assert_int_equal(s.width, row[i].width);
    }
}

/* no pair of tasks is joined twice, and edges go from a layer to the next */
static void layered_edges(void **state)
{
    tgs_graph *g = made("layered:n=1000:width=20:degree=7.3", 5);
    const tgs_graph_view *v = &g->v;

    (void)state;
    assert_int_equal(v->edges, 7300);
    for (int32_t t = 0; t < v->tasks; t++)
        for (int32_t e = v->pred_at[t]; e < v->pred_at[t + 1]; e++) {
            assert_int_equal(v->pred[e] / 20, t / 20 - 1);
            assert_true(e == v->pred_at[t] || v->pred[e - 1] < v->pred[e]);
        }
    tgs_graph_free(g);
}

static double sum_of_bytes(const tgs_graph *g)
{
    double sum = 0;

    for (int32_t d = 0; d < g->v.data; d++)
        sum += g->v.datum[d].bytes;
    return sum;
}

static void costs(void **state)
{
    tgs_graph *g = made("chain:n=1000:work=2:spread=0:ccr=0.5:bandwidth=100", 1);
    double low = INFINITY, high = 0, sum = 0;

    (void)state;
    for (int32_t t = 0; t < 1000; t++)
        assert_true(g->v.task[t].work == 2);
    for (int32_t d = 0; d < 999; d++)
        assert_true(g->v.datum[d].bytes == 100); /* 1 s, half of a task, at 100 byte/s */
    tgs_graph_free(g);

    g = made("chain:n=1000:bytes=8:spread=0:ccr=7", 1); /* bytes wins */
    assert_true(sum_of_bytes(g) == 8 * 999);
    tgs_graph_free(g);

    g = made("independent:n=10000:work=4:spread=0.25", 1);
    for (int32_t t = 0; t < 10000; t++) {
        const double w = g->v.task[t].work;

        low = w < low ? w : low;
        high = w > high ? w : high;
        sum += w;
    }
    assert_true(low >= 3 && low < 3.01 && high <= 5 && high > 4.99);
    assert_true(fabs(sum / 10000 - 4) < 0.03); /* 5 standard deviations */
    tgs_graph_free(g);
}

static void kinds(void **state)
{
    tgs_graph *g = made("independent:n=1000:kinds=cpu+gpu:heterogeneity=0.5", 1);
    bool differ = false;

    (void)state;
    assert_int_equal(g->v.kinds, 2);
    assert_string_equal(g->v.kind_name[1], "gpu");
    for (int32_t t = 0; t < 1000; t++) {
        const double *time = &g->v.time[2 * t];

        for (int32_t k = 0; k < 2; k++)
            assert_true(fabs(time[k] / g->v.task[t].work - 1) <= 0.25 + 1e-12);
        differ |= time[0] != time[1];
    }
    assert_true(differ);
    tgs_graph_free(g);
    g = made("cholesky:n=4:kinds=cpu+gpu", 1);         /* a factor per kernel and kind */
    assert_true(g->v.time[2 * 1] == g->v.time[2 * 2]); /* trsm, trsm */
    tgs_graph_free(g);
}

/* sums of exact counts are the counts of the whole matrix, to rounding */
static void flops(void **state)
{
    static const int32_t size[][2] = {{1, 1}, {1, 100}, {2, 3}, {7, 5}, {12, 64}, {20, 256}};

    (void)state;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const double rows = (double)size[i][0] * size[i][1];
        const double cholesky = rows * rows * rows / 3 + rows * rows / 2 + rows / 6;
        const double lu = 2 * rows * rows * rows / 3 - rows * rows / 2 - rows / 6;
        char spec[64];
        tgs_graph_stats s;

        snprintf(spec, sizeof spec, "cholesky:n=%d:tile=%d", size[i][0], size[i][1]);
        s = stats_of(spec);
        assert_true(fabs(s.flops - cholesky) <= 1e-12 * cholesky);
        assert_true(fabs(s.work - cholesky / 1e10) <= 1e-12 * cholesky);
        assert_true(s.bytes == size[i][0] * (size[i][0] + 1) / 2 * 8.0 * size[i][1] * size[i][1]);
        snprintf(spec, sizeof spec, "lu:n=%d:tile=%d:dtype=f32:rate=0", size[i][0], size[i][1]);
        s = stats_of(spec);
        assert_true(fabs(s.flops - lu) <= 1e-12 * (lu + 1));
        assert_true(isnan(s.work)); /* left to the cost model */
        assert_true(s.bytes == size[i][0] * size[i][0] * 4.0 * size[i][1] * size[i][1]);
    }
}

static int32_t count_of(const tgs_graph *g, const char *codelet)
{
    int32_t n = 0;

    for (int32_t t = 0; t < g->v.tasks; t++)
        n += !strcmp(g->v.codelet_name[g->v.task[t].codelet], codelet);
    return n;
}

static void depends(const tgs_graph *g, const char *on, const char *task, const char *datum)
{
    const int32_t u = tgs_graph_find_task(g, on), v = tgs_graph_find_task(g, task);
    bool found = false;

    assert_true(u >= 0 && v >= 0);
    for (int32_t e = g->v.pred_at[v]; e < g->v.pred_at[v + 1]; e++)
        if (g->v.pred[e] == u && g->v.pred_datum[e] >= 0)
            found |= !strcmp(tgs_graph_datum_name(g, g->v.pred_datum[e]), datum);
    if (!found)
        fail_msg("%s does not get %s from %s", task, datum, on);
}

static void tiles(void **state)
{
    tgs_graph *g = made("cholesky:n=6", 1);

    (void)state;
    assert_int_equal(count_of(g, "dpotrf"), 6);
    assert_int_equal(count_of(g, "dtrsm"), 15);
    assert_int_equal(count_of(g, "dsyrk"), 15);
    assert_int_equal(count_of(g, "dgemm"), 20);
    depends(g, "potrf_0", "trsm_0_3", "A_0_0");
    depends(g, "trsm_0_3", "syrk_0_3", "A_3_0");
    depends(g, "trsm_0_2", "gemm_0_3_2", "A_2_0");
    depends(g, "gemm_0_3_2", "gemm_1_3_2", "A_3_2");
    depends(g, "syrk_4_5", "potrf_5", "A_5_5");
    tgs_graph_free(g);
    g = made("lu:n=5:dtype=f32", 1);
    assert_int_equal(count_of(g, "sgetrf"), 5);
    assert_int_equal(count_of(g, "strsm"), 20);
    assert_int_equal(count_of(g, "sgemm"), 30);
    depends(g, "getrf_0", "trsm_0_0_4", "A_0_0");
    depends(g, "trsm_0_0_4", "gemm_0_2_4", "A_0_4");
    depends(g, "trsm_0_2_0", "gemm_0_2_4", "A_2_0");
    depends(g, "gemm_3_4_4", "getrf_4", "A_4_4");
    tgs_graph_free(g);
}

static void same_seed_same_graph(void **state)
{
    (void)state;
    for (int32_t i = 0; tgs_plugin_name("generator", i); i++) {
        const char *name = tgs_plugin_name("generator", i);
        tgs_graph *a = made(name, 7), *b = made(name, 7), *c = made(name, 8);

        assert_true(tgs_graph_fingerprint(a) == tgs_graph_fingerprint(b));
        /* of ssgd every time is given */
        assert_true((tgs_graph_fingerprint(a) != tgs_graph_fingerprint(c))
                    == !!strcmp(name, "ssgd"));
        tgs_graph_free(a);
        tgs_graph_free(b);
        tgs_graph_free(c);
    }
}

/* the same bits on every machine: recorded once */
static void recorded_values(void **state)
{
    tgs_graph *g = made("layered:n=1000:kinds=a+b", 42);

    (void)state;
    assert_true(g->v.task[999].work == 1.9854594546426454);
    assert_true(g->v.time[1999] == 1.6079080475385594);
    assert_int_equal(g->v.pred[2999], 988);
    assert_true(g->v.datum[2999].bytes == 0.93124758207845471);
    tgs_graph_free(g);
    g = made("cholesky:n=5:kinds=a+b", 42);
    assert_true(g->v.time[69] == 0.00049444537697116537);
    assert_string_equal(tgs_text(&g->v, g->v.extra[14].init), "random:698120944:1");
    tgs_graph_free(g);
}

static void refused(void **state)
{
    static const struct {
        const char *spec, *what;
        tgs_status status;
    } row[] = {
        {"what", "what", TGS_ENOTFOUND},
        {"layered:n=0", "outside", TGS_EINVAL},
        {"layered:n=-5", "outside", TGS_EINVAL},
        {"layered:n=1e9", "outside", TGS_EINVAL},
        {"layered:n=2.5", "whole", TGS_EINVAL},
        {"layered:n=nan", "number", TGS_EINVAL},
        {"layered:m=5", "'m'", TGS_EINVAL},
        {"layered:n", "key=value", TGS_EINVAL},
        {"layered:work=-1", "outside", TGS_EINVAL},
        {"layered:n=100000000:degree=100", "edges", TGS_EINVAL},
        {"layered:spread=2", "outside", TGS_EINVAL},
        {"forkjoin:n=100000000:stages=100000000", "tasks", TGS_EINVAL},
        {"chain:kinds=a+a", "twice", TGS_EINVAL},
        {"chain:kinds=a+", "kind", TGS_EINVAL},
        {"cholesky:dtype=i8", "dtype=i8", TGS_EINVAL},
        {"lu:n=401", "outside", TGS_EINVAL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tgs_graph *g = (tgs_graph *)&i;
        tgs_error err = {TGS_OK, ""};

        assert_int_equal(tgs_graph_generate(&g, row[i].spec, 1, &err), row[i].status);
        assert_null(g);
        if (!strstr(err.text, row[i].what))
            fail_msg("%s: '%s'", row[i].spec, err.text);
    }
}

static bool holds(const char *text, const char *word)
{
    const size_t n = strlen(word);

    for (const char *s = text; (s = strstr(s, word)); s++)
        if ((s == text || !isalnum((unsigned char)s[-1])) && !isalnum((unsigned char)s[n]))
            return true;
    return false;
}

/* what is compiled in is in the man page: readers of graphs, writers, generators and their keys */
static void man_page(void **state)
{
    static const char *const kind[] = {"reader", "writer", "generator"};
    static char text[100000];
    char path[4096], *to = text;
    FILE *page;

    (void)state;
    snprintf(path, sizeof path, "%s/man/tgsched-graph.5",
             getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".");
    page = fopen(path, "r");
    assert_non_null(page);
    for (int c; (c = getc(page)) != EOF && to < text + sizeof text - 1;)
        if (c != '\\') /* a minus is written \- */
            *to++ = (char)c;
    fclose(page);
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
        for (int32_t i = 0; tgs_plugin_name(kind[k], i); i++) {
            const char *name = tgs_plugin_name(kind[k], i), *key, *value, *meaning;
            const tgs_plugin *p;

            assert_int_equal(tgs_i_find(&p, kind[k], name, NULL), TGS_OK);
            if (k == 0 && ((const tgs_reader *)p)->yields != TGS_YIELD_GRAPH)
                continue;
            if (!holds(text, name))
                fail_msg("%s %s is not in the man page", kind[k], name);
            for (int32_t j = 0; !tgs_plugin_param(kind[k], i, j, &key, &value, &meaning); j++)
                if (!holds(text, key))
                    fail_msg("%s %s: %s is not in the man page", kind[k], name, key);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(layered_edges),
        cmocka_unit_test(costs),
        cmocka_unit_test(kinds),
        cmocka_unit_test(flops),
        cmocka_unit_test(tiles),
        cmocka_unit_test(same_seed_same_graph),
        cmocka_unit_test(recorded_values),
        cmocka_unit_test(refused),
        cmocka_unit_test(man_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
