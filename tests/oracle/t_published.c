/* t_published.c -- the published examples: makespans, placements, ranks, tables and bounds; and the
 * values that our tie-breaks gave when they were first computed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "internal.h"
#include "tgsched/lp.h"
#include "../../heuristics/list/core.h"
#include "../../heuristics/forkjoin/core.h"
#include "forkjoin.h"

#define TASKS 10

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * (1 + fabs(want))))
        fail_msg("%.17g instead of %.17g", got, want);
}

static void assert_ok(tgs_status status, const tgs_error *err)
{
    if (status)
        fail_msg("%s", err->text);
}

typedef struct example {
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
} example;

/* platform: a file of examples/, or a spec */
static example load(const char *graph, const char *platform)
{
    const char *top = getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".";
    char path[1024];
    example x;
    tgs_error err;

    snprintf(path, sizeof path, "%s/examples/%s", top, graph);
    assert_ok(tgs_graph_read(&x.g, path, NULL, &err), &err);
    if (strchr(platform, ':'))
        snprintf(path, sizeof path, "%s", platform);
    else
        snprintf(path, sizeof path, "%s/examples/%s", top, platform);
    assert_ok(tgs_platform_open(&x.p, path, &err), &err);
    assert_ok(tgs_problem_new(&x.pb, x.g, x.p, NULL, "latbw", &err), &err);
    return x;
}

static void drop(example *x)
{
    tgs_problem_free(x->pb);
    tgs_platform_free(x->p);
    tgs_graph_free(x->g);
}

/* ---- makespans ----------------------------------------------------------------------------- */
typedef struct row {
    const char *heuristic;
    double makespan;
} row;

static void check_makespans(const char *graph, const char *platform, const row *rows)
{
    example x = load(graph, platform);

    for (; rows->heuristic; rows++) {
        tgs_schedule *s;
        tgs_error err;

        assert_ok(tgs_schedule_make(&s, x.pb, rows->heuristic, 1, &err), &err);
        if (tgs_schedule_makespan(s) != rows->makespan)
            fail_msg("%s on %s: %.17g instead of %g", rows->heuristic, graph,
                     tgs_schedule_makespan(s), rows->makespan);
        tgs_schedule_free(s);
    }
    drop(&x);
}

static void makespans(void **state)
{
    static const row topcuoglu[] = {/* published */
                                    {"heft", 80},
                                    {"cpop", 86},
                                    {"dls", 91},
                                    /* ours */
                                    {"heft:slot=append", 80},
                                    {"heft:weights=median", 80},
                                    {"heft:weights=min", 80},
                                    {"heft:weights=max", 80},
                                    {"peft", 85},
                                    {"lookahead", 76},
                                    {"lookahead:children=0", 80},
                                    {"etf", 93},
                                    {"minmin", 76},
                                    {"minmin:ready=batch", 80},
                                    {"maxmin", 97},
                                    {"maxmin:ready=batch", 102},
                                    {"sufferage", 76},
                                    {"mct", 88},
                                    {"met", 82},
                                    {"olb", 114},
                                    {"single", 127},
                                    {"lookahead:depth=0", 80},
                                    {"lookahead:depth=2", 82},
                                    {"lookahead:depth=3", 76},
                                    {"parametric", 80},
                                    {"parametric:priority=cpop:pin=1", 86},
                                    {"gdl:descendant=0:scarcity=0", 91},
                                    {"gdl", 82},
                                    {"duplex", 76},
                                    {"duplex:ready=batch", 80},
                                    {"ish", 78},
                                    {"bil", 95},
                                    {"hbmct", 97},
                                    {"heteroprio", 76},
                                    {NULL, 0}};
    static const row peft[] = {/* published */
                               {"peft", 122},
                               {"heft", 133},
                               /* ours */
                               {"cpop", 167},
                               {"dls", 134},
                               {"lookahead", 127},
                               {"lookahead:children=0", 133},
                               {"etf", 125},
                               {"minmin", 122},
                               {"minmin:ready=batch", 122},
                               {"maxmin", 124},
                               {"maxmin:ready=batch", 124},
                               {"sufferage", 138},
                               {"mct", 140},
                               {"met", 188},
                               {"olb", 151},
                               {"single", 205},
                               {"lookahead:depth=2", 130},
                               {"parametric", 133},
                               {"parametric:priority=cpop:pin=1", 167},
                               {"gdl:descendant=0:scarcity=0", 134},
                               {"gdl", 138},
                               {"duplex", 122},
                               {"ish", 128},
                               {"bil", 128},
                               {"hbmct", 121},
                               {"heteroprio", 132},
                               {NULL, 0}};
    static const row kwok[] = {{"heft", 16}, {"mcp", 16}, {"etf", 19}, {"dls", 19}, {"hlfet", 19},
                               {"fcp", 16},  {"flb", 16}, {"ish", 19}, {NULL, 0}};

    (void)state;
    check_makespans("topcuoglu.tg", "topcuoglu.tgp", topcuoglu);
    check_makespans("peft.tg", "peft.tgp", peft);
    check_makespans("kwok-ahmad.tg", "cpu:4/own link:1,0", kwok);
}

/* ---- placements ---------------------------------------------------------------------------- */
typedef struct spot {
    int32_t task, proc; /* from 1, as printed */
    double start, end;
} spot;

static void check_placement(const char *name, const char *heuristic, const spot *want)
{
    char graph[64], platform[64];
    tgs_schedule *s;
    tgs_error err;
    example x;

    snprintf(graph, sizeof graph, "%s.tg", name);
    snprintf(platform, sizeof platform, "%s.tgp", name);
    x = load(graph, platform);
    assert_ok(tgs_schedule_make(&s, x.pb, heuristic, 1, &err), &err);
    for (int32_t i = 0; i < TASKS; i++, want++) {
        const int32_t j = want->task - 1;

        if (tgs_schedule_processor(s, j) != want->proc - 1
            || tgs_schedule_start(s, j) != want->start || tgs_schedule_end(s, j) != want->end)
            fail_msg("%s on %s: T%d is on P%d [%g,%g], not on P%d [%g,%g]", heuristic, name,
                     want->task, tgs_schedule_processor(s, j) + 1, tgs_schedule_start(s, j),
                     tgs_schedule_end(s, j), want->proc, want->start, want->end);
    }
    tgs_schedule_free(s);
    drop(&x);
}

static void placements(void **state)
{
    static const spot heft[TASKS] = {
        {2, 1, 27, 40},  {8, 1, 57, 62}, {4, 2, 18, 26}, {6, 2, 26, 42}, {9, 2, 56, 68},
        {10, 2, 73, 80}, {1, 3, 0, 9},   {3, 3, 9, 28},  {5, 3, 28, 38}, {7, 3, 38, 49}};
    static const spot cpop[TASKS] = {
        {3, 1, 28, 39}, {7, 1, 39, 46},  {1, 2, 0, 16},  {2, 2, 16, 35}, {5, 2, 35, 48},
        {9, 2, 65, 77}, {10, 2, 79, 86}, {4, 3, 25, 42}, {6, 3, 42, 51}, {8, 3, 54, 68}};
    static const spot peft[TASKS] = {
        {1, 1, 0, 22},  {4, 1, 22, 29}, {2, 1, 29, 51},    {3, 1, 51, 83}, {7, 1, 83, 97},
        {6, 2, 29, 46}, {8, 2, 54, 77}, {10, 2, 106, 122}, {5, 3, 35, 70}, {9, 3, 81, 89}};
    static const spot heft_peft[TASKS] = {
        {2, 1, 38, 60}, {8, 1, 67, 96},  {10, 1, 120, 133}, {1, 2, 0, 21},  {5, 2, 21, 48},
        {3, 2, 48, 75}, {7, 2, 75, 100}, {6, 3, 28, 52},    {4, 3, 52, 56}, {9, 3, 105, 113}};

    (void)state;
    check_placement("topcuoglu", "heft", heft);
    check_placement("topcuoglu", "cpop", cpop);
    check_placement("peft", "peft", peft);
    check_placement("peft", "heft", heft_peft);
}

/* ---- levels -------------------------------------------------------------------------------- */
static void check_ranks(const char *graph, const char *platform, int32_t n, const double *up,
                        const double *down)
{
    example x = load(graph, platform);
    double wbar[TASKS], rank[TASKS];
    tgs_error err;

    assert_int_equal(x.pb->v.n, n);
    assert_ok(tgs_i_weights(&x.pb->v, TGS_I_MEAN, wbar, &err), &err);
    tgs_i_rank_up(&x.pb->v, wbar, true, rank);
    for (int32_t j = 0; j < n; j++)
        assert_near(rank[j], up[j]);
    tgs_i_rank_down(&x.pb->v, wbar, rank);
    for (int32_t j = 0; down && j < n; j++)
        assert_near(rank[j], down[j]);
    drop(&x);
}

static void ranks(void **state)
{
    static const double topcuoglu_up[] = {108,      77,       80,       80,       69,
                                          190 / 3., 128 / 3., 107 / 3., 133 / 3., 44 / 3.};
    static const double topcuoglu_down[] = {0,  31,       25,       22,       24,
                                            27, 187 / 3., 200 / 3., 191 / 3., 280 / 3.};
    static const double peft_up[] = {169,      343 / 3., 308 / 3., 110,      389 / 3.,
                                     358 / 3., 158 / 3., 92,       127 / 3., 62 / 3.};
    static const double kwok_up[] = {23, 15, 14, 15, 5, 10, 11, 10, 1};
    static const double kwok_down[] = {0, 6, 3, 3, 3, 10, 12, 8, 22};

    (void)state;
    check_ranks("topcuoglu.tg", "topcuoglu.tgp", 10, topcuoglu_up, topcuoglu_down);
    check_ranks("peft.tg", "peft.tgp", 10, peft_up, NULL);
    check_ranks("kwok-ahmad.tg", "cpu:4/own link:1,0", 9, kwok_up, kwok_down);
}

static void static_levels(void **state)
{
    static const double sl[] = {11, 8, 8, 9, 5, 5, 5, 5, 1};
    static const double alap[] = {0, 8, 9, 8, 18, 13, 12, 13, 22};
    example x = load("kwok-ahmad.tg", "cpu:4/own link:1,0");
    double wbar[9], level[9];
    tgs_error err;

    (void)state;
    assert_ok(tgs_i_weights(&x.pb->v, TGS_I_MEAN, wbar, &err), &err);
    tgs_i_rank_up(&x.pb->v, wbar, false, level);
    for (int32_t j = 0; j < 9; j++)
        assert_near(level[j], sl[j]);
    tgs_i_rank_up(&x.pb->v, wbar, true, level);
    for (int32_t j = 0; j < 9; j++)
        assert_near(level[0] - level[j], alap[j]);
    drop(&x);
}

/* PEFT's table, its ranks, and the order in which a ready list takes the tasks by them */
static void optimistic_costs(void **state)
{
    static const double want[TASKS][3] = {{64, 68, 86}, {42, 39, 42}, {27, 41, 43}, {42, 39, 50},
                                          {28, 37, 28}, {42, 39, 44}, {13, 16, 22}, {13, 16, 33},
                                          {13, 16, 20}, {0, 0, 0}};
    static const double rank[TASKS] = {218 / 3., 41, 37,      131 / 3., 31,
                                       125 / 3., 17, 62 / 3., 49 / 3.,  0};
    static const int32_t order[TASKS] = {1, 4, 6, 2, 3, 5, 8, 7, 9, 10};
    example x = load("peft.tg", "peft.tgp");
    const tgs_graph_view *g = x.pb->v.g;
    bool done[TASKS] = {false};
    double oct[TASKS * 3];
    tgs_error err;

    (void)state;
    assert_ok(tgs_i_oct(&x.pb->v, oct, &err), &err);
    for (int32_t j = 0; j < TASKS; j++) {
        for (int32_t p = 0; p < 3; p++)
            assert_near(oct[3 * j + p], want[j][p]);
        assert_near((oct[3 * j] + oct[3 * j + 1] + oct[3 * j + 2]) / 3, rank[j]);
    }
    for (int32_t i = 0; i < TASKS; i++) {
        int32_t best = -1;

        for (int32_t j = 0; j < TASKS; j++) {
            bool ready = !done[j];

            for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++)
                ready = ready && done[g->pred[k]];
            if (ready && (best < 0 || rank[j] > rank[best]))
                best = j;
        }
        assert_int_equal(best + 1, order[i]);
        done[best] = true;
    }
    drop(&x);
}

static void snapping(void **state)
{
    const double third = 1 / 3.;
    double x[] = {1, third + third + third, 0.1 + 0.2, 0.3, 0, 1e-12};

    (void)state;
    tgs_i_snap(x, 6);
    assert_true(x[0] == x[1] && x[2] == x[3]);
    assert_true(x[0] == 68719476736.0 && x[4] == 0 && x[5] == 0);
}

/* ---- bounds -------------------------------------------------------------------------------- */
static void check_bound(const example *x, const char *name, double want)
{
    double got;
    tgs_error err;

    assert_ok(tgs_bound(&got, x->pb, name, &err), &err);
    if (!(fabs(got - want) <= 5e-9))
        fail_msg("%s: %.12g instead of %.12g", name, got, want);
}

static void check_bounds(const char *name, double cp, double oct, double area, double mixed,
                         double with_communication, double optimum)
{
    char graph[64], platform[64];
    const char *which;
    double best;
    tgs_error err;
    example x;

    snprintf(graph, sizeof graph, "%s.tg", name);
    snprintf(platform, sizeof platform, "%s.tgp", name);
    x = load(graph, platform);
    check_bound(&x, "critical-path", cp);
    check_bound(&x, "oct-path", oct);
    check_bound(&x, "area", area);
    if (tgs_lp_available()) {
        check_bound(&x, "mixed", mixed);
        check_bound(&x, "mixed-comm", with_communication);
    }
    assert_ok(tgs_bound_best(&best, &which, x.pb, &err), &err);
    assert_true(best > oct && best <= optimum);
    assert_string_equal(which, "fj-chain");
    assert_ok(tgs_i_bound_best(&best, &which, x.pb, true, &err), &err);
    assert_true(best >= (tgs_lp_available() ? mixed : cp) - 5e-9 && best <= optimum);
    assert_true(strcmp(which, "oct-path") && strcmp(which, "mixed-comm"));
    assert_int_equal(tgs_bound(&best, x.pb, "fj-idle-area", &err), TGS_ENOTAPPLICABLE);
    assert_int_equal(tgs_bound(&best, x.pb, "no-such", &err), TGS_ENOTFOUND);
    drop(&x);
}

static void bounds(void **state)
{
    (void)state;
    check_bounds("topcuoglu", 41, 54, 30.78535774, 41, 54, 73);
    check_bounds("peft", 75, 86, 60.44394619, 75.48051948, 85.42121529, 113);
}

/* more memories than the bound tells apart: on uniform links it is what it was */
static void many_memories(void **state)
{
    example x = load("topcuoglu.tg", "P1:6/own P2:6/own P3:6/own link:1,0");
    example y = load("kwok-ahmad.tg", "cpu:20/own link:1,0");

    (void)state;
    check_bound(&x, "oct-path", 54);
    check_bound(&y, "oct-path", 11); /* equal processors: the critical path */
    check_bound(&y, "critical-path", 11);
    drop(&x);
    drop(&y);
}

/* the area bound where the best division between kinds is known by hand: rates add up */
static void check_area(const char *platform, const double *time, int32_t tasks, double want)
{
    static const char *const kind[] = {"a", "b", "c", "d"};
    tgs_builder *b;
    tgs_error err;
    example x;

    assert_ok(tgs_platform_parse(&x.p, platform, &err), &err);
    assert_ok(tgs_builder_new(&b, &err), &err);
    for (int32_t j = 0; j < tasks; j++) {
        tgs_builder_task(b, NULL, NULL, NAN);
        for (int32_t k = 0; k < x.p->v.kinds; k++)
            tgs_builder_task_time(b, j, kind[k], time[k]);
    }
    assert_ok(tgs_builder_finish(&x.g, b, &err), &err);
    assert_ok(tgs_problem_new(&x.pb, x.g, x.p, NULL, "latbw", &err), &err);
    check_bound(&x, "area", want);
    drop(&x);
}

static void areas(void **state)
{
    (void)state;
    check_area("a:4", (const double[]){6}, 2, 3);
    check_area("a:1x3 b:1", (const double[]){6, 6}, 2, 3);
    check_area("a:1 b:1", (const double[]){3, 6}, 1, 2);
    check_area("a:2 b:1", (const double[]){4, 2}, 3, 3);
    check_area("a:1 b:1 c:1", (const double[]){3, 6, 6}, 1, 1.5);
    check_area("a:1 b:1 c:1 d:1", (const double[]){4, 4, 4, 4}, 5, 5);
    check_area("a:2 b:1 c:3 d:1x2", (const double[]){4, 5, 6, 10}, 7, 7 / 1.4);
}

/* ---- fork-join ----------------------------------------------------------------------------- */
static example fork_join_of(const fork_join *f, double ends)
{
    char platform[64];
    tgs_builder *b;
    tgs_error err;
    example x;
    int32_t source, sink;

    assert_ok(tgs_builder_new(&b, &err), &err);
    source = tgs_builder_task(b, "source", NULL, ends);
    sink = tgs_builder_task(b, "sink", NULL, ends);
    for (const char *s = f->tasks; *s;) {
        double part[3];
        int32_t task;

        s = fork_join_task(s, part);
        task = tgs_builder_task(b, NULL, NULL, part[1]);
        tgs_builder_edge(b, source, task, part[0]);
        tgs_builder_edge(b, task, sink, part[2]);
    }
    assert_ok(tgs_builder_finish(&x.g, b, &err), &err);
    snprintf(platform, sizeof platform, "cpu:%d/own link:1,0", f->m);
    assert_ok(tgs_platform_parse(&x.p, platform, &err), &err);
    assert_ok(tgs_problem_new(&x.pb, x.g, x.p, NULL, "latbw", &err), &err);
    return x;
}

static void check_fork_join(const fork_join *f, double ends)
{
    const double optimum = fmin(f->L1, f->L2) + 2 * ends, factor = 1 + f->m / (f->m - 1.0);
    example x = fork_join_of(f, ends);
    tgs_i_fj_equal e;
    tgs_schedule *s;
    tgs_error err;
    double bound;

    assert_ok(tgs_i_fj_equal_open(&e, &x.pb->v, &err), &err);
    assert_ok(tgs_i_fj_idle_area(&e, false, &bound, &err), &err);
    assert_true(isnan(f->area) || fabs(bound - f->area) < 5e-4);
    assert_ok(tgs_i_fj_forced_work(&e, false, &bound, &err), &err);
    assert_true(isnan(f->forced) || bound == f->forced);
    assert_ok(tgs_i_fj_idle_area(&e, true, &bound, &err), &err);
    assert_true(bound <= f->L2 * (1 + 1e-9));
    assert_ok(tgs_i_fj_forced_work(&e, true, &bound, &err), &err);
    assert_true(bound <= f->L2 * (1 + 1e-9));
    tgs_i_fj_equal_close(&e);
    assert_ok(tgs_bound_best(&bound, NULL, x.pb, &err), &err);
    assert_true(bound <= optimum * (1 + 1e-9));

    assert_ok(tgs_schedule_make(&s, x.pb, "fj-prefix", 1, &err), &err);
    assert_true(tgs_schedule_makespan(s) >= optimum * (1 - 1e-9));
    assert_true(tgs_schedule_makespan(s) - 2 * ends <= factor * (optimum - 2 * ends) * (1 + 1e-9));
    assert_true(s->lower_bound <= optimum * (1 + 1e-9));
    assert_non_null(strstr(s->note, "times the optimum"));
    tgs_schedule_free(s);
    drop(&x);
}

static void fork_joins(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORK_JOINS; i++) {
        check_fork_join(&table[i], 0);
        check_fork_join(&table[i], 1);
    }
}

/* the prefix rule uses both ends where that is better: two tasks, 16 instead of 20 */
static void both_ends(void **state)
{
    static const fork_join two = {2, "6,10,6 6,10,6", 20, 16, NAN, NAN};
    example x = fork_join_of(&two, 0);
    tgs_schedule *s;
    tgs_error err;

    (void)state;
    assert_ok(tgs_schedule_make(&s, x.pb, "fj-prefix", 1, &err), &err);
    assert_true(tgs_schedule_makespan(s) == 16);
    assert_int_not_equal(tgs_schedule_processor(s, 0), tgs_schedule_processor(s, 1));
    tgs_schedule_free(s);
    drop(&x);
}

static void prefix_refuses(void **state)
{
    example x = load("topcuoglu.tg", "topcuoglu.tgp"), y;
    tgs_schedule *s;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_schedule_make(&s, x.pb, "fj-prefix", 1, &err), TGS_ENOTAPPLICABLE);
    assert_null(s);
    assert_non_null(strstr(err.text, "differ"));
    y = load("kwok-ahmad.tg", "cpu:4/own link:1,0");
    assert_int_equal(tgs_schedule_make(&s, y.pb, "fj-prefix", 1, &err), TGS_ENOTAPPLICABLE);
    assert_non_null(strstr(err.text, "not a fork-join graph"));
    drop(&x);
    drop(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makespans),
        cmocka_unit_test(placements),
        cmocka_unit_test(ranks),
        cmocka_unit_test(static_levels),
        cmocka_unit_test(optimistic_costs),
        cmocka_unit_test(snapping),
        cmocka_unit_test(bounds),
        cmocka_unit_test(many_memories),
        cmocka_unit_test(areas),
        cmocka_unit_test(fork_joins),
        cmocka_unit_test(both_ends),
        cmocka_unit_test(prefix_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
