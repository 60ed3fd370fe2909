/* t_simgrid.c -- the simulator against SimGrid: `latbw` to rounding, task by task, on random placed
 * graphs with relays; `share` where all routes have one latency (SimGrid weighs flows by theirs).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "play_simgrid.h"
#include "random.h"

enum { CASES = 50 };

typedef struct one_case {
    fixture f;
    tgs_schedule *s;
    tgs_trace *t;
    double *end;
} one_case;

/* every pair of memories joined, all latencies 0.5, some links on a bus */
static tgs_platform *even_platform(tgs_rng *r)
{
    char text[8000] = "kind k\nbus wire bandwidth=60\n";
    const int memories = (int)tgs_rng_int(r, 2, 5);

    for (int m = 0; m < memories; m++)
        sprintf(text + strlen(text), "memory m%d\nprocessor p%d kind=k memory=m%d\n", m, m, m);
    for (int a = 0; a < memories; a++)
        for (int b = 0; b < memories; b++)
            if (a != b)
                sprintf(text + strlen(text), "link m%d m%d latency=0.5 bandwidth=%.17g%s\n", a, b,
                        20 + 20 * tgs_rng_real(r), tgs_rng_int(r, 0, 1) ? "" : " bus=wire");
    return fixture_platform(text);
}

static one_case make_case(uint64_t seed, bool fair)
{
    one_case c;
    tgs_rng r;
    tgs_error err = {TGS_OK, ""};

    tgs_rng_seed(&r, seed);
    c.f.p = fair ? even_platform(&r) : random_platform(&r);
    c.f.g = random_graph(&r, c.f.p, (int32_t)tgs_rng_int(&r, 20, 60),
                         (int32_t)tgs_rng_int(&r, 5, 30), true);
    c.f.pb = fixture_problem(c.f.g, c.f.p, fair ? "share" : "latbw");
    c.s = random_schedule(&r, c.f.pb, 0, false);
    if (tgs_simulate(&c.t, c.f.pb, c.s, &err))
        fail_msg("%s", err.text);
    c.end = calloc((size_t)c.f.g->v.tasks, sizeof *c.end);
    return c;
}

static void free_case(one_case *c)
{
    free(c->end);
    tgs_trace_free(c->t);
    tgs_schedule_free(c->s);
    fixture_close(&c->f);
}

/* the largest difference of an end, relative to the makespan */
static double difference(const one_case *c)
{
    double worst = 0;

    for (int32_t i = 0; i < c->t->v.rans; i++)
        worst = fmax(worst, fabs(c->t->v.ran[i].end - c->end[c->t->v.ran[i].task]));
    return worst / tgs_trace_makespan(c->t);
}

static double makespan(const one_case *c)
{
    double last = 0;

    for (int32_t i = 0; i < c->t->v.tasks; i++)
        last = fmax(last, c->end[i]);
    return last;
}

/* SimGrid is one per process, so all cases are one test */
static void test_simgrid(void **state)
{
    static one_case c[2 * CASES];
    static play_case play[2 * CASES];
    const char *failure;
    double worst[2] = {0, 0}, worst_makespan = 0, contention = 0;

    (void)state;
    for (int i = 0; i < 2 * CASES; i++) {
        c[i] = make_case((uint64_t)i, i >= CASES);
        play[i] = (play_case){&c[i].f.pb->v, &c[i].s->v, i >= CASES, c[i].end};
    }
    failure = play_simgrid(play, 2 * CASES);
    if (failure)
        fail_msg("%s", failure);
    for (int i = 0; i < 2 * CASES; i++) {
        const double mine = tgs_trace_makespan(c[i].t);

        worst[i >= CASES] = fmax(worst[i >= CASES], difference(&c[i]));
        worst_makespan = fmax(worst_makespan, fabs(makespan(&c[i]) - mine) / mine);
        if (i >= CASES)
            contention = fmax(contention, mine / tgs_schedule_makespan(c[i].s) - 1);
        free_case(&c[i]);
    }
    print_message("ends differ by at most %.3g (latbw), %.3g (share) of the makespan, makespans by "
                  "%.3g; contention adds up to %.3g\n",
                  worst[0], worst[1], worst_makespan, contention);
    assert_true(worst[0] <= 1e-9);
    assert_true(worst[1] <= 1e-6);
    assert_true(contention > 0.05); /* or the second half shows nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_simgrid)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
