/* t_cluster.c -- clustering against what is known: the nine-task example, forks and joins, which
 * DSC solves, and the longest path, which linear clusters never exceed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"

static double makespan(const tgs_problem *pb, const char *heuristic)
{
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};
    double x;

    if (tgs_schedule_make(&s, pb, heuristic, 1, &err) || tgs_schedule_check(s, pb, &err))
        fail_msg("%s: %s", heuristic, err.text);
    x = tgs_schedule_makespan(s);
    tgs_schedule_free(s);
    return x;
}

static void nine_tasks(void **state)
{
    static const struct {
        const char *heuristic;
        double makespan;
    } rows[] = {
        {"lc", 19},  {"ez", 17}, /* published; the others are ours */
        {"dsc", 19}, {"lc:merge=lpt", 19}, {"ez:merge=lpt", 17}, {"dsc:merge=comm", 17},
    };
    fixture f = {NULL, fixture_platform("cpu:9/own link:1,0"), NULL};
    char path[1024];
    tgs_error err = {TGS_OK, ""};

    (void)state;
    snprintf(path, sizeof path, "%s/examples/kwok-ahmad.tg",
             getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".");
    if (tgs_graph_read(&f.g, path, NULL, &err))
        fail_msg("%s", err.text);
    f.pb = fixture_problem(f.g, f.p, "latbw");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (makespan(f.pb, rows[i].heuristic) != rows[i].makespan)
            fail_msg("%s: %g", rows[i].heuristic, makespan(f.pb, rows[i].heuristic));
    fixture_close(&f);
}

/* ---- forks and joins ------------------------------------------------------------------------- */
typedef struct leaf {
    double w, c;
} leaf;

static int by_sum(const void *p, const void *q)
{
    const leaf *a = p, *b = q;

    return (a->w + a->c < b->w + b->c) - (a->w + a->c > b->w + b->c);
}

/* with a processor for each: the first k, by w + c, beside the root, the others alone */
static double optimum(const leaf *leaves, int32_t n)
{
    leaf x[64];
    double best = INFINITY, load = 0;

    memcpy(x, leaves, (size_t)n * sizeof *x);
    qsort(x, (size_t)n, sizeof *x, by_sum);
    for (int32_t k = 0; k <= n; k++) {
        best = fmin(best, fmax(load, k < n ? x[k].w + x[k].c : 0));
        load += k < n ? x[k].w : 0;
    }
    return best;
}

static void star(tgs_rng *r, bool join)
{
    const int32_t n = (int32_t)tgs_rng_int(r, 1, 30);
    fixture f = {NULL, fixture_platform("cpu:31/own link:1,0"), NULL};
    tgs_builder *b;
    leaf x[64];
    double got;

    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    tgs_builder_task(b, NULL, NULL, 3);
    for (int32_t i = 0; i < n; i++) {
        x[i] = (leaf){(double)tgs_rng_int(r, 1, 20), (double)tgs_rng_int(r, 0, 60)};
        tgs_builder_task(b, NULL, NULL, x[i].w);
        tgs_builder_edge(b, join ? i + 1 : 0, join ? 0 : i + 1, x[i].c);
    }
    assert_int_equal(tgs_builder_finish(&f.g, b, NULL), 0);
    f.pb = fixture_problem(f.g, f.p, "latbw");
    got = makespan(f.pb, "dsc");
    if (got != 3 + optimum(x, n))
        fail_msg("%s of %d tasks: %g, not %g", join ? "join" : "fork", n, got, 3 + optimum(x, n));
    fixture_close(&f);
}

static void stars(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 1);
    for (int i = 0; i < 300; i++)
        star(&r, i % 2);
}

/* ---- the longest path -------------------------------------------------------------------------
 */
static double longest_path(const tgs_view *v)
{
    const tgs_graph_view *g = v->g;
    double end[64], most = 0;

    for (int32_t i = 0; i < g->tasks; i++) {
        const int32_t j = g->topo[i];
        double t = 0;

        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++)
            t = fmax(t, end[g->pred[e]] + tgs_cbar(v, g->pred_datum[e]));
        end[j] = t + tgs_w(v, j, 0);
        most = fmax(most, end[j]);
    }
    return most;
}

/* none of the clusterings makes the graph longer than it is without one */
static void never_longer(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 2);
    for (int i = 0; i < 400; i++) {
        const int32_t n = (int32_t)tgs_rng_int(&r, 1, 40);
        const int64_t ccr = tgs_rng_int(&r, 0, 30), density = tgs_rng_int(&r, 2, 40);
        fixture f = {NULL, fixture_platform("cpu:40/own link:1,0"), NULL};
        tgs_builder *b;

        assert_int_equal(tgs_builder_new(&b, NULL), 0);
        for (int32_t j = 0; j < n; j++) {
            tgs_builder_task(b, NULL, NULL, (double)tgs_rng_int(&r, 1, 10));
            for (int32_t u = 0; u < j; u++)
                if (tgs_rng_int(&r, 1, 100) <= density)
                    tgs_builder_edge(b, u, j, (double)tgs_rng_int(&r, 0, ccr));
        }
        assert_int_equal(tgs_builder_finish(&f.g, b, NULL), 0);
        f.pb = fixture_problem(f.g, f.p, "latbw");
        for (int k = 0; k < 3; k++) {
            static const char *const names[] = {"lc", "ez", "dsc"};

            if (makespan(f.pb, names[k]) > longest_path(&f.pb->v))
                fail_msg("graph %d: %s %g, longest path %g", i, names[k], makespan(f.pb, names[k]),
                         longest_path(&f.pb->v));
        }
        fixture_close(&f);
    }
}

/* ---- machines -------------------------------------------------------------------------------- */
/* a cluster follows its pinned task, whichever way it is merged; what is pinned elsewhere leaves */
static void pins(void **state)
{
    static const char *const names[] = {"lc", "ez", "dsc", "dsc:merge=lpt", "dsc:merge=comm"};
    fixture f = fixture_open("task a work=1\ntask b work=1 processor=cpu2\ntask c work=1\n"
                             "task d work=1 processor=cpu1\nedge a b 50\nedge b c 50\nedge c d 1\n",
                             "cpu:3/own link:1,0", "latbw");

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tgs_schedule *s;

        assert_int_equal(tgs_schedule_make(&s, f.pb, names[i], 1, NULL), 0);
        for (int32_t t = 0; t < 3; t++)
            assert_int_equal(s->v.place[t].proc, 2);
        assert_real(tgs_schedule_makespan(s), 5);
        tgs_schedule_free(s);
    }
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nine_tasks),
        cmocka_unit_test(stars),
        cmocka_unit_test(never_longer),
        cmocka_unit_test(pins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
