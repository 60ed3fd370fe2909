/* t_links.c -- plans that book messages on links: valid, the same as others where links do not
 * contend, and better when played where they do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../random.h"

static const char *const machines[] = {
    "cpu:6/own link:1,0", "cpu:4 gpu:3/own link:2,0.5",
    /* a bus for all, of which one link takes a part only */
    "kind cpu\nbus wire bandwidth=3\nmemory a\nmemory b\nmemory c\nmemory d\n"
    "processor p kind=cpu memory=a\nprocessor q kind=cpu memory=b\n"
    "processor r kind=cpu memory=c speed=2\nprocessor s kind=cpu memory=d\n"
    "link a b latency=0.1 bandwidth=2 bus=wire\nlink b a latency=0.1 bandwidth=2 bus=wire\n"
    "link a c latency=0.1 bandwidth=2 bus=wire\nlink c a latency=0.1 bandwidth=2 bus=wire\n"
    "link a d latency=0.1 bandwidth=2 bus=wire\nlink d a latency=0.1 bandwidth=2 bus=wire\n"};
static const char *const graphs[] = {
    "layered:n=80:width=8:ccr=1:bandwidth=1", "layered:n=120:width=12:ccr=4:bandwidth=1",
    "forkjoin:n=30:ccr=1:bandwidth=1", "forkjoin:n=12:stages=4:ccr=0.5:bandwidth=1"};

static double played(const tgs_problem *pb, const char *heuristic)
{
    tgs_schedule *s;
    tgs_trace *t;
    tgs_error err;
    double makespan;

    if (tgs_schedule_make(&s, pb, heuristic, 1, &err) || tgs_simulate(&t, pb, s, &err))
        fail_msg("%s: %s", heuristic, err.text);
    makespan = tgs_trace_makespan(t);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    return makespan;
}

/* the geometric mean of what is played of heft with and without messages that wait */
static void better(const char *model)
{
    double sum = 0;
    int32_t count = 0, wins = 0, losses = 0;

    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        tgs_platform *p = fixture_platform(machines[k]);

        for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
            for (uint64_t seed = 1; seed <= 10; seed++) {
                tgs_graph *g;
                tgs_problem *pb;
                double booked, plain;

                assert_int_equal(tgs_graph_generate(&g, graphs[i], seed, NULL), 0);
                pb = fixture_problem(g, p, model);
                booked = played(pb, "heft");
                plain = played(pb, "heft:links=free");
                sum += tgs_log(booked / plain);
                count++;
                wins += booked < plain;
                losses += booked > plain;
                tgs_problem_free(pb);
                tgs_graph_free(g);
            }
        tgs_platform_free(p);
    }
    printf("%s: booked over plain %.4f, better %d, worse %d of %d\n", model, tgs_exp(sum / count),
           wins, losses, count);
    assert_true(tgs_exp(sum / count) < 0.95);
    assert_true(wins > 2 * losses);
}

static void fifo(void **state)
{
    (void)state;
    better("fifo");
}

static void share(void **state)
{
    (void)state;
    better("share");
}

/* Searches are worth what is played: never longer than what they begin from, mostly shorter, and
 * planned as it is played. */
static void search(const char *model, const char *spec)
{
    double sum = 0;
    int32_t count = 0, wins = 0, as_planned = 0;

    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        tgs_platform *p = fixture_platform(machines[k]);

        for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
            for (uint64_t seed = 1; seed <= 2; seed++) {
                double heft, found;
                tgs_graph *g;
                tgs_problem *pb;
                tgs_schedule *s;

                assert_int_equal(tgs_graph_generate(&g, graphs[i], seed, NULL), 0);
                pb = fixture_problem(g, p, model);
                heft = played(pb, "heft");
                found = played(pb, spec);
                if (found > heft)
                    fail_msg("%s, %s: %.17g, heft %.17g", spec, model, found, heft);
                assert_int_equal(tgs_schedule_make(&s, pb, spec, 1, NULL), 0);
                as_planned += fabs(tgs_schedule_makespan(s) - found) <= 1e-9 * found;
                tgs_schedule_free(s);
                sum += tgs_log(found / heft);
                count++;
                wins += found < heft;
                tgs_problem_free(pb);
                tgs_graph_free(g);
            }
        tgs_platform_free(p);
    }
    printf("%s, %s: over heft %.4f, better %d, played as planned %d of %d\n", spec, model,
           tgs_exp(sum / count), wins, as_planned, count);
    assert_true(tgs_exp(sum / count) < 0.96);
    assert_true(wins > 0.6 * count);
    assert_true(as_planned > 0.8 * count);
}

static void searches(void **state)
{
    static const char *const specs[] = {"ils:evals=6000", "sa:evals=6000", "tabu:evals=6000",
                                        "ga:evals=2000:descent=1"};

    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        search("fifo", specs[i]);
        search("share", specs[i]);
    }
}

/* the portfolio compares what is played */
static void best_of(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        tgs_platform *p = fixture_platform(machines[seed % 3]);
        tgs_graph *g;
        tgs_problem *pb;
        double best;

        assert_int_equal(tgs_graph_generate(&g, graphs[seed % 4], seed, NULL), 0);
        pb = fixture_problem(g, p, "fifo");
        best = fmin(played(pb, "cpop"), fmin(played(pb, "heft"), played(pb, "heft:links=free")));
        assert_true(played(pb, "portfolio:of=cpop+heft+heft/links=free") == best);
        tgs_problem_free(pb);
        tgs_graph_free(g);
        tgs_platform_free(p);
    }
}

/* Data that several tasks read, updates, relays, homes: every plan is valid; and where messages do
 * not wait, booking them apart makes no difference to what is not booked. */
static void valid(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 11);
    for (int32_t i = 0; i < 300; i++) {
        static const char *const models[] = {"fifo", "share", "latbw", "zero"};
        tgs_platform *p = random_platform(&r);
        tgs_graph *g = random_graph(&r, p, (int32_t)tgs_rng_int(&r, 0, 30), i % 7, false);
        tgs_problem *pb = fixture_problem(g, p, models[i % 4]);
        tgs_schedule *s[3];
        static const char *const specs[] = {"heft", "heft:links=book", "heft:links=free"};
        static const char *const small[] = {"ils:evals=100", "sa:evals=100", "tabu:evals=100",
                                            "ga:evals=100:size=5"};

        for (int32_t k = 0; k < 3; k++) {
            tgs_error err;

            if (tgs_schedule_make(&s[k], pb, specs[k], 1, &err))
                fail_msg("round %d, %s: %s", i, specs[k], err.text);
        }
        assert_memory_equal(s[0]->v.place, s[i % 4 < 2 ? 1 : 2]->v.place,
                            (size_t)g->v.tasks * sizeof *s[0]->v.place);
        for (int32_t k = 0; k < 3; k++)
            tgs_schedule_free(s[k]);
        for (size_t k = 0; k < sizeof small / sizeof *small; k++)
            if (played(pb, small[k]) > played(pb, "heft") * (1 + 1e-9))
                fail_msg("round %d, %s under %s: worse than heft", i, small[k], models[i % 4]);
        tgs_problem_free(pb);
        tgs_graph_free(g);
        tgs_platform_free(p);
    }
}

/* two messages over one link take twice as long: the second child stays at home */
static void two_messages(void **state)
{
    static const char graph[] = "task a work=1\ntask b work=4\ntask c work=4\ntask d work=4\n"
                                "edge a b 2\nedge a c 2\nedge a d 2\n";
    static const char machine[] =
        "kind cpu\nmemory m0\nmemory m1\nprocessor p kind=cpu memory=m0\n"
        "processor q kind=cpu memory=m1\nprocessor r kind=cpu memory=m1\n"
        "link m0 m1 latency=0 bandwidth=1\nlink m1 m0 latency=0 bandwidth=1\n";
    static const char *const search[] = {"ils:evals=500", "sa:evals=500", "tabu:evals=500",
                                         "ga:evals=500"};
    fixture f = fixture_open(graph, machine, "fifo");
    tgs_schedule *s;

    (void)state;
    assert_int_equal(tgs_schedule_make(&s, f.pb, "heft", 1, NULL), 0);
    /* b at home until 5, c in m1 from 3 to 7; d's message comes second: at 5, to end at 9 */
    assert_real(tgs_schedule_end(s, 1), 5);
    assert_real(tgs_schedule_start(s, 2), 3);
    assert_real(tgs_schedule_start(s, 3), 5);
    tgs_schedule_free(s);
    /* with a in m1 only one message is left: 1 + 2 + 4, and no schedule is shorter, since with
     * less than three processors one has two tasks, and from m0 two messages go one by one */
    for (size_t k = 0; k < sizeof search / sizeof *search; k++)
        assert_real(played(f.pb, search[k]), 7);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_messages), cmocka_unit_test(valid),
                                       cmocka_unit_test(fifo),         cmocka_unit_test(share),
                                       cmocka_unit_test(searches),     cmocka_unit_test(best_of)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
