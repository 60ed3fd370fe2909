/* t_convert.c -- random graphs through every format that is written and read: what the writer says
 * the format holds comes back as it was, and what came back makes the same round without a change.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>
#include "readers.h"

enum { GRAPHS = 300, MOST = 40 };

static tgs_rng rng;
static bool extremes; /* numbers of any size, where a format does not convert them */

static int32_t below(int32_t n)
{
    return (int32_t)tgs_rng_int(&rng, 0, n - 1);
}

static bool chance(double p)
{
    return tgs_rng_real(&rng) < p;
}

static double number(void)
{
    static const double extreme[] = {0, 1e300, 1e-300, 0x1p-1074, 0x1.fffffffffffffp52, 0.1};

    if (chance(0.1) && extremes)
        return extreme[below(sizeof extreme / sizeof *extreme)];
    return chance(0.3) ? below(50) : ldexp(1 + tgs_rng_real(&rng), below(60) - 30);
}

/* ---- random graphs -----------------------------------------------------------------------------
 */

static void add_tasks(tgs_builder *b, int32_t n)
{
    for (int32_t t = 0; t < n; t++) {
        char name[64];
        int32_t task;

        snprintf(name, sizeof name, "t \"%d\"\xc3\xa4\n%s", t, chance(0.5) ? "/x.y" : "");
        task = tgs_builder_task(b, chance(0.9) ? name : NULL,
                                chance(0.5) ? (chance(0.2) ? name : "gemm") : NULL, number());
        if (chance(0.3))
            tgs_builder_task_time(b, task, "fpga", number());
        if (chance(0.3))
            tgs_builder_task_cost(b, task, number(), number());
        if (chance(0.2))
            tgs_builder_task_constrain(b, task, "group", "3");
    }
}

/* each datum is written by one task, or none, and read by later ones; some are written over */
static void add_data(tgs_builder *b, int32_t n, bool in_place)
{
    for (int32_t i = below(3 * n); i > 0; i--) {
        char name[32];
        int32_t writer = below(n), datum;

        snprintf(name, sizeof name, "d%d", i);
        datum = tgs_builder_datum(b, chance(0.6) ? name : NULL, number());
        if (chance(0.8))
            tgs_builder_access(b, writer, datum, TGS_W);
        for (int32_t t = writer + 1; t < n && chance(0.8); t += 1 + below(4))
            tgs_builder_access(b, t, datum, in_place && chance(0.2) ? TGS_RW : TGS_R);
    }
    for (int32_t i = below(n); i > 0 && n > 1; i--) {
        const int32_t u = below(n - 1);

        tgs_builder_after(b, u, u + 1 + below(n - u - 1));
    }
}

static tgs_graph *random_graph(bool in_place)
{
    const int32_t n = 1 + below(MOST);
    tgs_builder *b;
    tgs_graph *g;
    tgs_error err;

    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    tgs_builder_kind(b, "cpu");
    add_tasks(b, n);
    add_data(b, n, in_place);
    if (tgs_builder_finish(&g, b, &err))
        fail_msg("%s", err.text);
    return g;
}

/* ---- what must be equal ------------------------------------------------------------------------
 */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* what travels from u to t, sorted; where orders are not held they carry 0 bytes */
static int32_t travels(const tgs_graph *g, int32_t u, int32_t t, uint32_t holds, double *bytes)
{
    int32_t n = 0;

    for (int32_t e = g->v.pred_at[t]; e < g->v.pred_at[t + 1]; e++)
        if (g->v.pred[e] == u)
            bytes[n++] = g->v.pred_datum[e] >= 0    ? g->v.datum[g->v.pred_datum[e]].bytes
                         : holds & TGS_HOLDS_ORDERS ? -1
                                                    : 0;
    qsort(bytes, (size_t)n, sizeof *bytes, ascending);
    return n;
}

static double sum(const double *x, int32_t n)
{
    double total = 0;

    while (n-- > 0)
        total += x[n];
    return total;
}

static bool near(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* one_edge: a format with one edge from a task to another, with the sum of what travels */
static void same_edges(const tgs_graph *g, const tgs_graph *h, uint32_t holds, bool one_edge)
{
    double x[4 * MOST], y[4 * MOST];

    for (int32_t t = 0; t < g->v.tasks; t++)
        for (int32_t u = 0; u < g->v.tasks; u++) {
            const int32_t n = travels(g, u, t, holds, x), m = travels(h, u, t, holds, y);

            if (one_edge) {
                assert_int_equal(n > 0, m);
                assert_true(near(sum(x, n), sum(y, m)));
                continue;
            }
            assert_int_equal(n, m);
            for (int32_t i = 0; i < n; i++)
                assert_true(x[i] == y[i]);
        }
}

static void same_tasks(const tgs_graph *g, const tgs_graph *h, uint32_t holds)
{
    assert_int_equal(g->v.tasks, h->v.tasks);
    for (int32_t t = 0; t < g->v.tasks; t++) {
        const tgs_task *x = &g->v.task[t], *y = &h->v.task[t];

        if ((holds & TGS_HOLDS_NAMES) && x->name)
            assert_string_equal(tgs_task_name(&g->v, t, TGS_ROOM),
                                tgs_task_name(&h->v, t, TGS_ROOM));
        if (holds & TGS_HOLDS_WORK)
            assert_true(x->work == y->work);
        if (holds & TGS_HOLDS_CODELETS)
            assert_string_equal(tgs_graph_task_codelet(g, t), tgs_graph_task_codelet(h, t));
        if (holds & TGS_HOLDS_TOUCHED)
            assert_true((isnan(x->bytes) ? 0 : x->bytes) == y->bytes);
    }
}

static void check(const tgs_graph *g, const tgs_writer *w, bool one_edge)
{
    const char *format = w->base.name;
    char *text, *again;
    size_t size, other;
    tgs_graph *h = NULL, *k;
    tgs_error err = {TGS_OK, ""};

    if (graph_to_text(&text, &size, g, format, &err)
        || graph_from_text(&h, format, text, size, &err))
        fail_msg("%s: %s\n%s", format, err.text, text);
    same_tasks(g, h, w->holds);
    same_edges(g, h, w->holds, one_edge);
    free(text);
    assert_int_equal(graph_to_text(&text, &size, h, format, &err), TGS_OK);
    assert_int_equal(graph_from_text(&k, format, text, size, &err), TGS_OK);
    assert_int_equal(graph_to_text(&again, &other, k, format, &err), TGS_OK);
    same_tasks(h, k, w->holds);
    same_edges(h, k, TGS_HOLDS_ORDERS, false);
    if (strcmp(format, "stg") && strcmp(format, "dot")) /* no order of what goes between a pair */
        assert_string_equal(text, again);
    free(text);
    free(again);
    tgs_graph_free(h);
    tgs_graph_free(k);
}

static void through(const char *format, bool one_edge)
{
    const tgs_plugin *p;

    extremes = !one_edge;

    if (!have(format))
        return;
    assert_int_equal(tgs_i_find(&p, "writer", format, NULL), TGS_OK);
    tgs_rng_seed(&rng, 7);
    for (int32_t i = 0; i < GRAPHS; i++) {
        tgs_graph *g = random_graph(i % 2);

        check(g, (const tgs_writer *)p, one_edge);
        tgs_graph_free(g);
    }
}

static void stg(void **state)
{
    (void)state;
    through("stg", false);
}

static void dot(void **state)
{
    (void)state;
    through("dot", false);
}

static void hyperdag(void **state)
{
    (void)state;
    through("hyperdag", false);
}

static void wfformat(void **state)
{
    (void)state;
    through("wfformat", false);
}

static void dnn_partitioning(void **state)
{
    (void)state;
    through("dnn-partitioning", true);
}

/* ---- what is lost ------------------------------------------------------------------------------
 */

static void lost(void **state)
{
    static const struct {
        const char *text, *format, *lost;
    } row[] = {
        {"task a work=1\ntask b work=2\nedge a b 4\n", "tg", ""},
        {"task @0 work=1\ntask @1 work=2\nedge @0 @1 4\n", "stg", ""},
        {"task @0 work=1\ntask @1 work=2\nafter @0 @1\n", "stg", ""},
        {"task @0 work=1\ntask @1 work=2\nafter @0 @1\n", "hyperdag", "that nothing travels"},
        {"task a work=1 phase=update\ntask b work=2\nedge a b 4\n", "stg",
         "names of tasks; phases"},
        {"task a work=1 priority=2\n", "wfformat", "constraints"},
        {"task a work=1 flops=3 bytes=4 codelet=x attrs=\"k=1\"\ndata d bytes=4 class=input\n"
         "access a r d\n",
         "hyperdag",
         "names of tasks; flops; bytes that tasks touch; codelets; attributes; data from outside "
         "and results that nobody reads; names of data; types, shapes, classes and initial values "
         "of data"},
        {"task @0 work=1\ntask @1 work=1\ntask @2 work=1\ndata @0 bytes=4\naccess @0 w @0\n"
         "access @1 r @0\naccess @2 rw @0\n",
         "stg",
         "which tasks read the same datum; what is written in place; that nothing travels along "
         "some dependencies"},
    };
    char text[600], words[500];

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tgs_graph *g;
        tgs_error err;

        snprintf(text, sizeof text, "tgsched.graph/1\n%s", row[i].text);
        if (graph_from_text(&g, "tg", text, strlen(text), &err))
            fail_msg("row %zu: %s", i, err.text);
        assert_int_equal(tgs_graph_lost(words, sizeof words, g, "-", row[i].format, NULL), TGS_OK);
        assert_string_equal(words, row[i].lost);
        tgs_graph_free(g);
    }
}

/* a time is not made up */
static void untimed(void **state)
{
    static const char text[] = "tgsched.graph/1\ntask a\n";
    static const char *const format[] = {"stg", "hyperdag", "dnn-partitioning"};
    tgs_graph *g;
    tgs_error err;
    char *out;
    size_t size;

    (void)state;
    assert_int_equal(graph_from_text(&g, "tg", text, sizeof text - 1, NULL), TGS_OK);
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(graph_to_text(&out, &size, g, format[i], &err), TGS_ENOTAPPLICABLE);
        assert_non_null(strstr(err.text, "'a' has none"));
        free(out);
    }
    tgs_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stg),      cmocka_unit_test(hyperdag),         cmocka_unit_test(dot),
        cmocka_unit_test(wfformat), cmocka_unit_test(dnn_partitioning), cmocka_unit_test(lost),
        cmocka_unit_test(untimed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
