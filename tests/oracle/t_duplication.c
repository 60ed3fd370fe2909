/* t_duplication.c -- copies against what is known: makespans, out-trees, joins, and what may not be
 * copied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"

static tgs_schedule *schedule(const tgs_problem *pb, const char *heuristic)
{
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};

    if (tgs_schedule_make(&s, pb, heuristic, 1, &err) || tgs_schedule_check(s, pb, &err))
        fail_msg("%s: %s", heuristic, err.text);
    return s;
}

static double makespan(const tgs_problem *pb, const char *heuristic)
{
    tgs_schedule *s = schedule(pb, heuristic);
    const double x = tgs_schedule_makespan(s);

    tgs_schedule_free(s);
    return x;
}

/* our values, which nobody published for these graphs: the optimum without copies is 73, 113, 16 */
static void examples(void **state)
{
    static const struct {
        const char *graph, *platform, *heuristic;
        double makespan;
    } rows[] = {
        {"topcuoglu", NULL, "hcpt", 91},
        {"topcuoglu", NULL, "hcpfd", 73},
        {"topcuoglu", NULL, "dfrn", 73},
        {"topcuoglu", NULL, "tds", 89},
        {"peft", NULL, "hcpt", 142},
        {"peft", NULL, "hcpfd", 115},
        {"peft", NULL, "dfrn", 134},
        {"peft", NULL, "tds", 115},
        {"kwok-ahmad", "cpu:9/own link:1,0", "dfrn", 15},
        {"kwok-ahmad", "cpu:9/own link:1,0", "hcpfd", 16},
        {"kwok-ahmad", "cpu:9/own link:1,0", "tds", 16},
    };
    const char *top = getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".";

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[1024];
        fixture f;

        snprintf(path, sizeof path, "%s/examples/%s.tg", top, rows[i].graph);
        assert_int_equal(tgs_graph_read(&f.g, path, NULL, NULL), 0);
        snprintf(path, sizeof path, "%s/examples/%s.tgp", top, rows[i].graph);
        assert_int_equal(tgs_platform_open(&f.p, rows[i].platform ? rows[i].platform : path, NULL),
                         0);
        f.pb = fixture_problem(f.g, f.p, "latbw");
        if (makespan(f.pb, rows[i].heuristic) != rows[i].makespan)
            fail_msg("%s on %s: %g", rows[i].heuristic, rows[i].graph,
                     makespan(f.pb, rows[i].heuristic));
        fixture_close(&f);
    }
}

/* ---- out-trees: with a processor for every leaf the optimum is the longest path without any
 * communication ------------------------------------------------------------------------------- */
static void out_tree(tgs_rng *r, bool deep)
{
    const int32_t n = (int32_t)tgs_rng_int(r, 1, 40);
    fixture f = {NULL, fixture_platform("cpu:40/own link:1,0"), NULL};
    double end[40], longest = 0;
    tgs_builder *b;

    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t j = 0; j < n; j++) {
        const int32_t parent = j ? (int32_t)tgs_rng_int(r, 0, deep ? j - 1 : 0) : -1;
        const double w = (double)tgs_rng_int(r, 1, 20);

        tgs_builder_task(b, NULL, NULL, w);
        end[j] = w + (parent < 0 ? 0 : end[parent]);
        longest = fmax(longest, end[j]);
        if (parent >= 0)
            tgs_builder_edge(b, parent, j, (double)tgs_rng_int(r, 0, 100));
    }
    assert_int_equal(tgs_builder_finish(&f.g, b, NULL), 0);
    f.pb = fixture_problem(f.g, f.p, "latbw");
    assert_true(makespan(f.pb, "dfrn") == longest);
    assert_true(makespan(f.pb, "tds") == longest);
    if (!deep) /* it copies parents, not their parents */
        assert_true(makespan(f.pb, "hcpfd") == longest);
    fixture_close(&f);
}

static void out_trees(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 3);
    for (int i = 0; i < 200; i++)
        out_tree(&r, i % 2);
}

/* ---- joins: TDS is optimal when the favourite takes at least as long as the other data need ---
 */
static void joins(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 4);
    for (int i = 0; i < 100; i++) {
        const int32_t n = (int32_t)tgs_rng_int(&r, 1, 12);
        fixture f = {NULL, fixture_platform("cpu:13/own link:1,0"), NULL};
        tgs_builder *b;

        assert_int_equal(tgs_builder_new(&b, NULL), 0);
        tgs_builder_task(b, NULL, NULL, 2);
        for (int32_t j = 1; j <= n; j++) {
            tgs_builder_task(b, NULL, NULL, (double)tgs_rng_int(&r, 20, 30));
            tgs_builder_edge(b, j, 0, (double)tgs_rng_int(&r, 0, 20));
        }
        assert_int_equal(tgs_builder_finish(&f.g, b, NULL), 0);
        f.pb = fixture_problem(f.g, f.p, "latbw");
        /* DSC is optimal for joins, and to copy a source cannot help one */
        assert_true(makespan(f.pb, "tds") == makespan(f.pb, "dsc"));
        fixture_close(&f);
    }
}

/* ---- DFRN is never longer than the longest path with communication ----------------------------
 */
static void longest_path(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 5);
    for (int i = 0; i < 300; i++) {
        const int32_t n = (int32_t)tgs_rng_int(&r, 1, 30);
        const int64_t density = tgs_rng_int(&r, 3, 40), ccr = tgs_rng_int(&r, 0, 30);
        fixture f = {NULL, fixture_platform("cpu:30/own link:1,0"), NULL};
        double end[30], c[30][30], longest = 0;
        tgs_builder *b;

        assert_int_equal(tgs_builder_new(&b, NULL), 0);
        for (int32_t j = 0; j < n; j++) {
            const double w = (double)tgs_rng_int(&r, 1, 10);

            tgs_builder_task(b, NULL, NULL, w);
            end[j] = 0;
            for (int32_t u = 0; u < j; u++) {
                if (tgs_rng_int(&r, 1, 100) > density)
                    continue;
                c[u][j] = (double)tgs_rng_int(&r, 0, ccr);
                tgs_builder_edge(b, u, j, c[u][j]);
                end[j] = fmax(end[j], end[u] + c[u][j]);
            }
            end[j] += w;
            longest = fmax(longest, end[j]);
        }
        assert_int_equal(tgs_builder_finish(&f.g, b, NULL), 0);
        f.pb = fixture_problem(f.g, f.p, "latbw");
        if (makespan(f.pb, "dfrn") > longest)
            fail_msg("graph %d: %g, longest path %g", i, makespan(f.pb, "dfrn"), longest);
        fixture_close(&f);
    }
}

/* ---- what may be copied -----------------------------------------------------------------------
 */
/* a source and four readers of what it writes, 50 bytes each, on five processors */
static int32_t copies_of(const char *source, const char *more)
{
    char text[1000];
    fixture f;
    int32_t copies = 0;

    snprintf(text, sizeof text,
             "task s work=1%s\ntask a work=10\ntask b work=10\ntask c work=10\ntask d work=10\n"
             "data x bytes=50\ndata y bytes=0\n%s"
             "access a r x\naccess b r x\naccess c r x\naccess d r x\n",
             source, more);
    f = fixture_open(text, "cpu:5/own link:1,0", "latbw");
    for (int k = 0; k < 3; k++) {
        static const char *const names[] = {"hcpfd", "dfrn", "tds"};
        tgs_schedule *s = schedule(f.pb, names[k]);

        for (int32_t i = s->v.tasks; i < s->v.places; i++)
            assert_int_equal(s->v.place[i].task, 0);
        if (k && copies != s->v.places - s->v.tasks)
            fail_msg("%s: %d copies, not %d", names[k], s->v.places - s->v.tasks, copies);
        copies = s->v.places - s->v.tasks;
        assert_int_equal(tgs_schedule_copies(s), copies);
        if (copies) { /* an optimum without copies is no bound for it */
            double bound, best;

            assert_real(tgs_schedule_makespan(s), 11);
            assert_int_equal(tgs_bound_best(&best, NULL, f.pb, NULL), 0);
            assert_int_equal(tgs_schedule_bound(&bound, NULL, s, f.pb, NULL), 0);
            assert_true(bound <= 11 && bound <= best);
        }
        tgs_schedule_free(s);
    }
    fixture_close(&f);
    return copies;
}

static void what_may_be_copied(void **state)
{
    (void)state;
    assert_int_equal(copies_of("", "access s w x\n"), 3);
    /* an update in place */
    assert_int_equal(copies_of("", "access s w x\naccess s rw y\n"), 0);
    /* somebody overwrites what it reads, or what it writes */
    assert_int_equal(copies_of("", "task o work=1\naccess s r y\naccess s w x\naccess o w y\n"), 0);
    /* colocated, or waited for */
    assert_int_equal(copies_of(" group=1", "access s w x\n"), 0);
    assert_int_equal(copies_of("", "task o work=1\naccess s w x\nafter s o\n"), 0);
    /* what it reads was overwritten before */
    assert_int_equal(copies_of("", "access s w x\naccess s r y\n"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples),
        cmocka_unit_test(out_trees),
        cmocka_unit_test(joins),
        cmocka_unit_test(longest_path),
        cmocka_unit_test(what_may_be_copied),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
