/* t_graph.c -- the builder: dependencies from accesses, CSR, order, errors, memory per edge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include <malloc.h>
#include "internal.h"

static tgs_builder *fresh(void)
{
    tgs_builder *b;

    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    return b;
}

static tgs_graph *finished(tgs_builder *b)
{
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    if (tgs_builder_finish(&g, b, &err))
        fail_msg("%s", err.text);
    return g;
}

/* "u>v:d u>v:- ..." in CSR order of predecessors */
static void assert_arcs(const tgs_graph *g, const char *expected)
{
    const tgs_graph_view *v = &g->v;
    char text[1000] = "";
    int32_t succs = 0;

    for (int32_t t = 0; t < v->tasks; t++)
        for (int32_t e = v->pred_at[t]; e < v->pred_at[t + 1]; e++)
            sprintf(text + strlen(text), v->pred_datum[e] < 0 ? "%d>%d:- " : "%d>%d:%d ",
                    v->pred[e], t, v->pred_datum[e]);
    assert_string_equal(text, expected);
    for (int32_t u = 0; u < v->tasks; u++)
        for (int32_t e = v->succ_at[u]; e < v->succ_at[u + 1]; e++, succs++) {
            bool mirrored = false;

            for (int32_t k = v->pred_at[v->succ[e]]; k < v->pred_at[v->succ[e] + 1]; k++)
                mirrored |= v->pred[k] == u && v->pred_datum[k] == v->succ_datum[e];
            assert_true(mirrored);
        }
    assert_int_equal(succs, v->edges);
}

static void edges_are_data_with_one_writer(void **state)
{
    tgs_builder *b = fresh();
    const int32_t x = tgs_builder_task(b, "x", "noop", 1), y = tgs_builder_task(b, "y", NULL, 2);
    tgs_graph *g;

    (void)state;
    tgs_builder_edge(b, x, y, 8);
    tgs_builder_edge(b, x, y, 4);
    tgs_builder_after(b, x, y); /* covered by the data */
    g = finished(b);
    assert_int_equal(tgs_graph_data(g), 2);
    assert_int_equal(tgs_graph_edges(g), 2);
    assert_arcs(g, "0>1:1 0>1:0 ");
    assert_string_equal(tgs_graph_task_name(g, 1), "y");
    assert_int_equal(tgs_graph_find_task(g, "y"), 1);
    assert_int_equal(tgs_graph_find_task(g, ""), TGS_ENOTFOUND);
    tgs_graph_free(g);
}

/* W0 R1 R2 RW3 R4 W5 W6 on one datum, as StarPU's sequential consistency orders it */
static void dependencies_follow_the_calls(void **state)
{
    static const tgs_mode mode[] = {TGS_W, TGS_R, TGS_R, TGS_RW, TGS_R, TGS_W, TGS_W};
    tgs_builder *b = fresh();
    const int32_t d = tgs_builder_datum(b, "d", 16);
    tgs_graph *g;

    (void)state;
    for (int i = 0; i < 7; i++)
        tgs_builder_access(b, tgs_builder_task(b, NULL, NULL, 1), d, mode[i]);
    g = finished(b);
    assert_arcs(g, "0>1:0 0>2:0 0>3:0 1>3:- 2>3:- 3>4:0 4>5:- 5>6:- ");
    assert_int_equal(g->v.access[1].version, 0);
    assert_int_equal(g->v.access[3].version, 0);
    assert_int_equal(g->v.access[4].version, 3);
    assert_int_equal(g->v.access[5].version, -1);
    tgs_graph_free(g);
}

static void initial_values_have_no_writer(void **state)
{
    tgs_builder *b = fresh();
    const int32_t d = tgs_builder_datum(b, "d", 16);
    const int32_t t = tgs_builder_task(b, "t", NULL, 1), u = tgs_builder_task(b, "u", NULL, 1);
    tgs_graph *g;

    (void)state;
    tgs_builder_access(b, t, d, TGS_R);
    tgs_builder_access(b, t, d, TGS_R); /* x + x */
    tgs_builder_access(b, u, d, TGS_W);
    g = finished(b);
    assert_int_equal(g->v.access[0].version, -1);
    assert_arcs(g, "0>1:- ");
    tgs_graph_free(g);
}

static void order_is_kahn_with_the_smallest_id(void **state)
{
    tgs_builder *b = fresh();
    static const int32_t expected[] = {1, 2, 4, 0, 3};
    tgs_graph *g;

    (void)state;
    for (int i = 0; i < 5; i++)
        tgs_builder_task(b, NULL, NULL, 1);
    tgs_builder_after(b, 4, 0);
    tgs_builder_after(b, 2, 0);
    tgs_builder_after(b, 1, 3);
    tgs_builder_after(b, 0, 3);
    g = finished(b);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(g->v.topo[i], expected[i]);
        assert_int_equal(g->v.topo_pos[expected[i]], i);
    }
    tgs_graph_free(g);
}

static void attributes_and_times_are_kept(void **state)
{
    tgs_builder *b = fresh();
    const int32_t t = tgs_builder_task(b, "t", "gemm", NAN),
                  u = tgs_builder_task(b, "u", "gemm", 3);
    const int64_t dims[] = {2, 3};
    const int32_t d = tgs_builder_datum(b, "d", 0);
    tgs_graph *g;

    (void)state;
    tgs_builder_task_attrs(b, t, "transB=1  alpha=2");
    tgs_builder_task_time(b, u, "gpu", 5);
    tgs_builder_task_time(b, t, "cpu", 7);
    tgs_builder_task_constrain(b, t, "kinds", "cpu,tpu");
    tgs_builder_task_constrain(b, t, "release", "1.5");
    tgs_builder_datum_shape(b, d, TGS_F32, 2, dims);
    tgs_builder_datum_set(b, d, "init", "random:7:0.1");
    tgs_builder_datum_set(b, d, "home", "ram");
    g = finished(b);
    assert_string_equal(tgs_text(&g->v, g->v.task[t].attrs), "alpha=2 transB=1");
    assert_int_equal(g->v.kinds, 3);
    assert_string_equal(g->v.kind_name[0], "gpu");
    assert_true(isnan(g->v.time[t * 3 + 0]) && g->v.time[t * 3 + 1] == 7);
    assert_true(g->v.time[u * 3 + 0] == 5 && isnan(g->v.time[u * 3 + 1]));
    assert_int_equal(g->v.constraint[g->v.task[t].constraint].kinds, 6);
    assert_true(g->v.constraint[g->v.task[t].constraint].release == 1.5);
    assert_int_equal(g->v.task[u].constraint, -1);
    assert_true(g->v.datum[d].bytes == 24);
    assert_string_equal(tgs_text(&g->v, g->v.extra[g->v.datum[d].extra].home), "ram");
    assert_int_equal(g->v.codelets, 1);
    tgs_graph_free(g);
}

static void first_failure_is_remembered(void **state)
{
    static const struct bad {
        int kind;
        const char *text;
        tgs_status status;
    } bad[] = {
        {0, "two tasks are named 't'", TGS_EINVAL},
        {1, "work -1 is not a time", TGS_EINVAL},
        {2, "no task number 9", TGS_EINVAL},
        {3, "depends on itself", TGS_ECYCLE},
        {4, "two data are named 'd'", TGS_EINVAL},
        {5, "nan is not a size", TGS_EINVAL},
        {6, "no constraint 'color'", TGS_EINVAL},
        {7, "group 'x' is malformed", TGS_EINVAL},
        {8, "reads and writes datum 'd'", TGS_EINVAL},
        {9, "is not key=value", TGS_EINVAL},
        {10, "cycle of 3 tasks: t -> u -> v -> t", TGS_ECYCLE},
        {11, "init=random:x is malformed", TGS_EINVAL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tgs_builder *b = fresh();
        const int32_t t = tgs_builder_task(b, "t", NULL, 1), d = tgs_builder_datum(b, "d", 8);
        const int32_t u = tgs_builder_task(b, "u", NULL, 1), v = tgs_builder_task(b, "v", NULL, 1);
        tgs_error err = {TGS_OK, ""};
        tgs_graph *g;

        switch (bad[i].kind) {
        case 0:
            tgs_builder_task(b, "t", NULL, 1);
            break;
        case 1:
            tgs_builder_task(b, "w", NULL, -1);
            break;
        case 2:
            tgs_builder_edge(b, t, 9, 1);
            break;
        case 3:
            tgs_builder_edge(b, t, t, 1);
            break;
        case 4:
            tgs_builder_datum(b, "d", 1);
            break;
        case 5:
            tgs_builder_datum(b, "e", NAN);
            break;
        case 6:
            tgs_builder_task_constrain(b, t, "color", "red");
            break;
        case 7:
            tgs_builder_task_constrain(b, t, "group", "x");
            break;
        case 8:
            tgs_builder_access(b, t, d, TGS_R);
            tgs_builder_access(b, t, d, TGS_W);
            break;
        case 9:
            tgs_builder_task_attrs(b, t, "alpha");
            break;
        case 10:
            tgs_builder_edge(b, t, u, 1);
            tgs_builder_edge(b, u, v, 1);
            tgs_builder_after(b, v, t);
            break;
        case 11:
            tgs_builder_datum_set(b, d, "init", "random:x");
            break;
        }
        if (bad[i].kind != 8 && bad[i].kind != 10) /* those two are found when finishing */
            tgs_builder_task(b, NULL, NULL, -5);   /* a consequence must not hide the cause */
        assert_int_equal(tgs_builder_finish(&g, b, &err), bad[i].status);
        assert_null(g);
        assert_int_equal(err.status, bad[i].status);
        if (!strstr(err.text, bad[i].text))
            fail_msg("'%s' does not say '%s'", err.text, bad[i].text);
    }
}

static void fingerprints_tell_graphs_apart(void **state)
{
    uint64_t seen[6];

    (void)state;
    for (int i = 0; i < 6; i++) {
        tgs_builder *b = fresh();
        const int32_t t = tgs_builder_task(b, "t", i == 1 ? "gemm" : "noop", i == 2 ? 2 : 1);
        const int32_t u = tgs_builder_task(b, i == 3 ? "w" : "u", NULL, 1);
        tgs_graph *g;

        tgs_builder_edge(b, t, u, i == 4 ? 9 : 8);
        g = finished(b);
        seen[i] = tgs_graph_fingerprint(g);
        tgs_graph_free(g);
    }
    for (int i = 1; i < 5; i++)
        assert_true(seen[i] != seen[0]);
    assert_true(seen[5] == seen[0]);
}

static void measures_are_those_of_the_shape(void **state)
{
    tgs_builder *b = fresh();
    tgs_graph_stats s;
    tgs_graph *g;
    int32_t source = tgs_builder_task(b, "s", NULL, 1), sink;

    (void)state;
    for (int i = 0; i < 5; i++) {
        const int32_t t = tgs_builder_task(b, NULL, NULL, i + 1);

        tgs_builder_edge(b, source, t, 10);
    }
    sink = tgs_builder_task(b, "t", NULL, 2);
    for (int i = 1; i <= 5; i++)
        tgs_builder_edge(b, i, sink, 1);
    g = finished(b);
    assert_int_equal(tgs_graph_measure(g, &s, NULL), TGS_OK);
    assert_int_equal(s.depth, 3);
    assert_int_equal(s.width, 5);
    assert_int_equal(s.sources, 1);
    assert_int_equal(s.sinks, 1);
    assert_true(s.work == 18 && s.critical_path == 8 && s.bytes == 55 && s.edge_bytes == 55);
    tgs_graph_free(g);
}

/* one task of unknown time makes the sums unknown, wherever it stands */
static void unknown_times_stay_unknown(void **state)
{
    (void)state;
    for (int unknown = 0; unknown < 3; unknown++) {
        tgs_builder *b = fresh();
        tgs_graph_stats s;
        tgs_graph *g;

        for (int t = 0; t < 3; t++)
            tgs_builder_task(b, NULL, NULL, t == unknown ? NAN : 1);
        tgs_builder_edge(b, 0, 2, 7);
        tgs_builder_edge(b, 1, 2, 0);
        g = finished(b);
        assert_int_equal(tgs_graph_measure(g, &s, NULL), TGS_OK);
        assert_true(isnan(s.work) && isnan(s.critical_path) && s.edge_bytes == 7);
        tgs_graph_free(g);
    }
}

static double allocated(void)
{
    const struct mallinfo2 m = mallinfo2();

    return (double)m.uordblks + (double)m.hblkhd; /* in the heap, and mapped */
}

/* at most 200 bytes a task and 48 an edge, names apart: as measured, whatever the structs say */
static void memory_is_what_is_promised(void **state)
{
    enum { TASKS = 50000, DEGREE = 20 };
    const double before = allocated();
    tgs_builder *b = fresh();
    double used;
    tgs_graph *g;

    (void)state;
    for (int32_t t = 0; t < TASKS; t++) {
        tgs_builder_task(b, NULL, "noop", NAN);
        tgs_builder_task_time(b, t, "cpu", 1);
        tgs_builder_task_time(b, t, "gpu", 1);
        for (int32_t i = 1; i <= DEGREE && i <= t; i++)
            tgs_builder_edge(b, t - i, t, 8);
    }
    g = finished(b);
    used = allocated() - before;
    if (used < 16.0 * g->v.edges) { /* a sanitizer's allocator does not count here */
        tgs_graph_free(g);
        skip();
    }
    print_message("%d tasks, %d edges: %.1f bytes beyond 48 an edge, per task\n", g->v.tasks,
                  g->v.edges, (used - 48.0 * g->v.edges) / g->v.tasks);
    assert_true(used <= 200.0 * g->v.tasks + 48.0 * g->v.edges);
    tgs_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_data_with_one_writer),
        cmocka_unit_test(dependencies_follow_the_calls),
        cmocka_unit_test(initial_values_have_no_writer),
        cmocka_unit_test(order_is_kahn_with_the_smallest_id),
        cmocka_unit_test(attributes_and_times_are_kept),
        cmocka_unit_test(first_failure_is_remembered),
        cmocka_unit_test(fingerprints_tell_graphs_apart),
        cmocka_unit_test(measures_are_those_of_the_shape),
        cmocka_unit_test(memory_is_what_is_promised),
        cmocka_unit_test(unknown_times_stay_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
