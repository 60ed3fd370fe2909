/* t_exact.c -- branch and bound against the published optima, and against every schedule of small
 * random problems, tried one by one with nothing left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"
#include "problems.h"

#define MOST 6 /* tasks */

/* ---- exhaustive search ------------------------------------------------------------------------
 * Every order of the tasks that keeps the dependencies, with every processor for each of them. */
typedef struct trial {
    const tgs_view *v;
    double end[MOST], free[8], best;
    int32_t memory[MOST];
    bool placed[MOST];
} trial;

static double ready_time(const trial *x, int32_t task, int32_t memory)
{
    const tgs_graph_view *g = x->v->g;
    const int32_t c = g->task[task].constraint;
    double ready = c >= 0 ? g->constraint[c].release : 0;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++)
        if ((g->access[i].mode & TGS_R) && g->access[i].version < 0)
            ready = fmax(ready, tgs_c(x->v, (int32_t)g->access[i].datum,
                                      x->v->home[g->access[i].datum], memory));
    for (int32_t k = g->pred_at[task]; k < g->pred_at[task + 1]; k++) {
        if (!x->placed[g->pred[k]])
            return INFINITY;
        ready = fmax(ready, x->end[g->pred[k]]
                                + tgs_c(x->v, g->pred_datum[k], x->memory[g->pred[k]], memory));
    }
    return ready;
}

static int32_t group_of(const trial *x, int32_t task)
{
    const int32_t c = x->v->g->task[task].constraint;

    return c < 0 ? -1 : x->v->g->constraint[c].group;
}

static bool apart(const trial *x, int32_t task, int32_t memory)
{
    for (int32_t j = 0; j < x->v->n; j++)
        if (x->placed[j] && group_of(x, j) >= 0 && group_of(x, j) == group_of(x, task)
            && x->memory[j] != memory)
            return true;
    return false;
}

static void extend(trial *x, int32_t left, double makespan)
{
    if (!left && makespan < x->best)
        x->best = makespan;
    for (int32_t j = 0; j < x->v->n; j++)
        for (int32_t p = 0; p < x->v->m && !x->placed[j]; p++) {
            const int32_t memory = x->v->p->proc[p].memory;
            const double w = tgs_w(x->v, j, p), was = x->free[p];
            const double start = fmax(was, ready_time(x, j, memory));

            if (!(w < INFINITY) || !(start < INFINITY) || apart(x, j, memory))
                continue;
            x->memory[j] = memory;
            x->end[j] = x->free[p] = start + w;
            x->placed[j] = true;
            extend(x, left - 1, fmax(makespan, x->end[j]));
            x->placed[j] = false;
            x->free[p] = was;
        }
}

/* INFINITY: there is no schedule */
static double exhaustive(const tgs_problem *pb)
{
    trial x = {.v = &pb->v, .best = INFINITY};

    assert_true(pb->v.n <= MOST && pb->v.m <= 8);
    extend(&x, pb->v.n, 0);
    return x.best;
}

/* ---- the tests ---------------------------------------------------------------------------------
 */
typedef struct counts { /* so that nothing passes by never being there */
    int32_t bounded, unbounded, infeasible;
} counts;

static void check_optimum(const tgs_problem *pb, double best, counts *c)
{
    tgs_schedule *s;
    tgs_error err;
    const tgs_status status = tgs_schedule_make(&s, pb, "bnb", 1, &err);

    if (!(best < INFINITY)) {
        assert_int_equal(status, TGS_EINFEASIBLE);
        assert_text(err.text, "there is no schedule*");
        c->infeasible++;
        return;
    }
    if (status)
        fail_msg("%s", err.text);
    if (fabs(tgs_schedule_makespan(s) - best) > 1e-11 * best)
        fail_msg("%.17g instead of %.17g", tgs_schedule_makespan(s), best);
    if (isnan(s->lower_bound)) {
        assert_text(s->note, "optimal where data goes its usual way: *");
        c->unbounded++;
    } else {
        assert_text(s->note, "optimal: *");
        assert_true(s->lower_bound == tgs_schedule_makespan(s));
        c->bounded++;
    }
    tgs_schedule_free(s);
}

/* tasks: so many that all schedules can be tried */
static counts check_platform(const char *text, int32_t tasks, int32_t graphs)
{
    tgs_platform *p = fixture_platform(text);
    counts c = {0, 0, 0};
    tgs_rng r;

    tgs_rng_seed(&r, (uint64_t)tasks);
    for (int32_t i = 0; i < graphs; i++) {
        tgs_graph *g = random_graph(&r, &p->v, tasks, i % 4);
        tgs_problem *pb;
        tgs_error err;
        const tgs_status status = tgs_problem_new(&pb, g, p, NULL, "latbw", &err);

        if (!status)
            check_optimum(pb, exhaustive(pb), &c);
        else if (status != TGS_EINFEASIBLE) /* groups and pins may contradict each other */
            fail_msg("%s", err.text);
        tgs_problem_free(pb);
        tgs_graph_free(g);
    }
    assert_true(c.bounded + c.unbounded >= graphs * 3 / 4);
    tgs_platform_free(p);
    return c;
}

static void equal_processors(void **state)
{
    static const char *const text[] = {"cpu:2/own link:1,0", "cpu:3/own link:1,1", "cpu:3",
                                       "cpu:1"};

    (void)state;
    for (int32_t i = 0; i < 4; i++)
        assert_int_equal(check_platform(text[i], 6, 120).unbounded, 0);
}

static void unequal_processors(void **state)
{
    static const char *const text[] = {"a:1/own b:1/own c:1x2/own link:2,1",
                                       "cpu:2 gpu:1x3 link:1,0.5", "cpu:1 gpu:2/own link:1,0.5"};

    (void)state;
    for (int32_t i = 0; i < 3; i++)
        assert_int_equal(check_platform(text[i], 6, 120).unbounded, 0);
}

/* no link from m0 to m2 but over m1: routes, and in the second a memory that nothing leaves, so
 * that some groups and orders come to a dead end */
static void routes(void **state)
{
    static const char start[] = "kind a\nmemory m0\nmemory m1\nmemory m2\n"
                                "processor p0 kind=a memory=m0\nprocessor p1 kind=a memory=m1\n"
                                "processor p2 kind=a memory=m2 speed=2\n"
                                "link m0 m1 latency=4 bandwidth=1\n"
                                "link m1 m2 latency=4 bandwidth=1\n";
    char text[1000];
    counts c;

    (void)state;
    snprintf(text, sizeof text, "%s%s", start,
             "link m1 m0 latency=2 bandwidth=2\n"
             "link m2 m1 latency=4 bandwidth=1\n");
    assert_int_equal(check_platform(text, 6, 100).unbounded, 0);
    c = check_platform(start, 6, 100);
    assert_true(c.infeasible > 0);
}

/* The route is the one that is best for large data, two links; the direct one is better for small
 * data, so copies that take it could beat the schedule, and no bound is given. */
static void relays(void **state)
{
    const counts c =
        check_platform("kind a\nkind b\nmemory m0\nmemory m1\nmemory m2\n"
                       "processor p0 kind=a memory=m0\nprocessor p1 kind=b memory=m1\n"
                       "processor p2 kind=a memory=m2\n"
                       "link m0 m1 latency=1 bandwidth=4\nlink m1 m0 latency=1 bandwidth=4\n"
                       "link m1 m2 latency=1 bandwidth=4\nlink m2 m1 latency=1 bandwidth=4\n"
                       "link m0 m2 latency=0 bandwidth=1\nlink m2 m0 latency=0 bandwidth=1\n",
                       6, 100);

    (void)state;
    assert_int_equal(c.bounded, 0);
}

static void published(void **state)
{
    static const struct {
        const char *graph, *platform;
        double best;
    } row[] = {
        {"topcuoglu.tg", "topcuoglu.tgp", 73},       {"peft.tg", "peft.tgp", 113},
        {"kwok-ahmad.tg", "cpu:2/own link:1,0", 17}, {"kwok-ahmad.tg", "cpu:3/own link:1,0", 16},
        {"kwok-ahmad.tg", "cpu:4/own link:1,0", 16}, {"kwok-ahmad.tg", "cpu:9/own link:1,0", 16},
    };
    counts c = {0, 0, 0};
    fixture f;

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        check_optimum(example(&f, row[i].graph, row[i].platform), row[i].best, &c);
        fixture_close(&f);
    }
    assert_int_equal(c.bounded, sizeof row / sizeof *row);
}

/* with few nodes the schedule stands, and the bound is honest and no worse than the root's */
static void few_nodes(void **state)
{
    double before = 0;
    tgs_schedule *s;
    fixture f;
    char spec[40];

    (void)state;
    example(&f, "peft.tg", "peft.tgp");
    for (int32_t nodes = 1; nodes <= 4096; nodes *= 4) {
        snprintf(spec, sizeof spec, "bnb:nodes=%d", (int)nodes);
        assert_int_equal(tgs_schedule_make(&s, f.pb, spec, 1, NULL), 0);
        assert_true(s->lower_bound >= 75 && s->lower_bound <= 113);
        assert_true(s->lower_bound >= before);
        assert_true(tgs_schedule_makespan(s) >= 113 && tgs_schedule_makespan(s) <= 133);
        assert_text(s->note, "not proven optimal in * nodes: at most * above the optimum");
        before = s->lower_bound;
        tgs_schedule_free(s);
    }
    /* so does a limit in time */
    assert_int_equal(tgs_schedule_make(&s, f.pb, "bnb:seconds=1e-9", 1, NULL), 0);
    assert_true(s->lower_bound >= 75 && s->lower_bound <= 113);
    assert_true(tgs_schedule_makespan(s) >= 113);
    assert_text(s->note, "not proven optimal in * nodes: at most * above the optimum; ended by the "
                         "limit of 1e-09 s: not the same again");
    tgs_schedule_free(s);
    fixture_close(&f);
}

static void too_many_tasks(void **state)
{
    fixture f;
    tgs_schedule *s;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_graph_generate(&f.g, "independent:n=501", 1, NULL), 0);
    f.p = fixture_platform("cpu:2");
    f.pb = fixture_problem(f.g, f.p, "latbw");
    assert_int_equal(tgs_schedule_make(&s, f.pb, "bnb", 1, &err), TGS_ENOTAPPLICABLE);
    assert_text(err.text, "501 tasks, more than*");
    assert_null(s);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_processors), cmocka_unit_test(unequal_processors),
        cmocka_unit_test(routes),           cmocka_unit_test(relays),
        cmocka_unit_test(published),        cmocka_unit_test(few_nodes),
        cmocka_unit_test(too_many_tasks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
