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

        for (int32_t k = 0; k < 3; k++) {
            tgs_error err;

            if (tgs_schedule_make(&s[k], pb, specs[k], 1, &err))
                fail_msg("round %d, %s: %s", i, specs[k], err.text);
        }
        assert_memory_equal(s[0]->v.place, s[i % 4 < 2 ? 1 : 2]->v.place,
                            (size_t)g->v.tasks * sizeof *s[0]->v.place);
        for (int32_t k = 0; k < 3; k++)
            tgs_schedule_free(s[k]);
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
    fixture f = fixture_open(graph, machine, "fifo");
    tgs_schedule *s;

    (void)state;
    assert_int_equal(tgs_schedule_make(&s, f.pb, "heft", 1, NULL), 0);
    /* b at home until 5, c in m1 from 3 to 7; d's message comes second: at 5, to end at 9 */
    assert_real(tgs_schedule_end(s, 1), 5);
    assert_real(tgs_schedule_start(s, 2), 3);
    assert_real(tgs_schedule_start(s, 3), 5);
    tgs_schedule_free(s);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_messages), cmocka_unit_test(valid),
                                       cmocka_unit_test(fifo), cmocka_unit_test(share)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
