/* t_systems.c -- generators of published systems, by the checks of SYSTEMS.md: synchronous dataflow
 * in blocks (P9), meta-learning (Q15), data that stay (P19), sequences of unlike lengths (P11). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "internal.h"
#include "machine.h"

static tgs_graph *made(const char *spec)
{
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    if (tgs_graph_generate(&g, spec, 3, &err))
        fail_msg("%s: %s", spec, err.text);
    return g;
}

static bool starts(const tgs_graph *g, int32_t task, const char *with)
{
    return !strncmp(tgs_graph_task_name(g, task), with, strlen(with));
}

static int32_t group_of(const tgs_graph *g, int32_t task)
{
    const int32_t c = g->v.task[task].constraint;

    return c < 0 ? -1 : g->v.constraint[c].group;
}

/* bytes along edges between tasks with these names: "ring" -> "ring"; group of the receiver, or -1
 */
static double carried(const tgs_graph *g, const char *from, const char *to, int32_t group)
{
    double bytes = 0;

    for (int32_t v = 0; v < g->v.tasks; v++)
        for (int32_t e = g->v.pred_at[v]; e < g->v.pred_at[v + 1]; e++) {
            const int32_t d = g->v.pred_datum[e];

            if (d >= 0 && starts(g, g->v.pred[e], from) && starts(g, v, to)
                && (group < 0 || group_of(g, v) == group)
                && group_of(g, v) != group_of(g, g->v.pred[e]))
                bytes += g->v.datum[d].bytes;
        }
    return bytes;
}

/* ---- P9 (S16): buffers of a channel, and calls of several firings ---- */

static void p9_buffers(void **state)
{
    static const struct {
        const char *rates, *note;
        int32_t tasks;
    } row[] = {
        {"2/3", "channels hold at least 4 tokens (4)", 3 + 2},
        {"4/6", "channels hold at least 8 tokens (8)", 3 + 2},
        {"1/1", "channels hold at least 1 tokens (1)", 2},
        {"2/3+4/6", "channels hold at least 12 tokens (4 + 8)", -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char spec[80];
        tgs_graph *g;

        snprintf(spec, sizeof spec, "sdf:rates=%s", row[i].rates);
        g = made(spec);
        assert_string_equal(tgs_graph_note(g), row[i].note);
        if (row[i].tasks >= 0)
            assert_int_equal(g->v.tasks, row[i].tasks);
        tgs_graph_free(g);
    }
}

static double on(const tgs_graph *g, const char *kind)
{
    char text[120];
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};
    double makespan;

    snprintf(text, sizeof text, "kind %s\nmemory m\nprocessor p kind=%s memory=m\n", kind, kind);
    p = machine(text);
    pb = priced(g, p, "zero");
    if (tgs_schedule_make(&s, pb, "heft", 1, &err))
        fail_msg("%s", err.text);
    makespan = tgs_schedule_makespan(s);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    return makespan;
}

/* t = 10 + b on the GPU, 5 b on the CPU, 8 firings: 18 against 40 in one call, 48 in calls of two
 */
static void p9_blocks(void **state)
{
    tgs_graph *whole = made("sdf:rates=:iterations=8:blocks=8:kinds=cpu+gpu:setup=0+10:each=5+1");
    tgs_graph *twos = made("sdf:rates=:iterations=8:blocks=2:kinds=cpu+gpu:setup=0+10:each=5+1");

    (void)state;
    assert_int_equal(whole->v.tasks, 1);
    assert_int_equal(twos->v.tasks, 4);
    assert_true(on(whole, "gpu") == 18 && on(whole, "cpu") == 40);
    assert_true(on(twos, "gpu") == 48 && on(twos, "cpu") == 40);
    tgs_graph_free(whole);
    tgs_graph_free(twos);
    whole = made("sdf:rates=2/3:iterations=2:blocks=3+2"); /* 6 and 4 firings in 2 and 2 calls */
    assert_int_equal(whole->v.tasks, 4);
    assert_int_equal(whole->v.edges, 2);
    tgs_graph_free(whole);
}

/* what a call takes, the firings make that it waits for: token by token */
static void p9_dependencies(void **state)
{
    static const int32_t put = 4, take = 6, block[] = {3, 4}, calls[] = {4, 2};
    tgs_graph *g = made("sdf:rates=4/6:iterations=4:blocks=3+4");

    (void)state;
    assert_int_equal(g->v.tasks, calls[0] + calls[1]);
    for (int32_t k = 0; k < calls[1]; k++) {
        bool need[4] = {false};
        const int32_t task = calls[0] + k;

        for (int32_t token = k * block[1] * take; token < (k + 1) * block[1] * take; token++)
            need[token / put / block[0]] = true;
        for (int32_t u = 0; u < calls[0]; u++) {
            bool found = false;

            for (int32_t e = g->v.pred_at[task]; e < g->v.pred_at[task + 1]; e++)
                found |= g->v.pred[e] == u;
            assert_true(found == need[u]);
        }
    }
    tgs_graph_free(g);
}

/* ---- Q15 (T15) ---- */

/* from task u, is v reached? */
static bool reaches(const tgs_graph *g, int32_t u, int32_t v)
{
    bool *seen = calloc((size_t)g->v.tasks, sizeof *seen), result;

    seen[u] = true;
    for (int32_t k = 0; k < g->v.tasks; k++) {
        const int32_t t = g->v.topo[k];

        for (int32_t e = g->v.succ_at[t]; e < g->v.succ_at[t + 1] && seen[t]; e++)
            seen[g->v.succ[e]] = true;
    }
    result = seen[v];
    free(seen);
    return result;
}

static double exchanges(const tgs_graph *g)
{
    double seconds = 0;

    for (int32_t t = 0; t < g->v.tasks; t++)
        if (starts(g, t, "exchange_support") || starts(g, t, "exchange_query"))
            seconds += g->v.task[t].work;
    return seconds;
}

static void q15_two_loop(void **state)
{
    tgs_graph *g = made("two-loop:workers=8:tasks=3:latency=10:payload=4:dense=1000:fused=0");
    tgs_graph *fused = made("two-loop:workers=8:tasks=3:latency=10:payload=4:dense=1000");
    tgs_graph *gathered = made("two-loop:workers=8:outer=gather:dense=1000");
    tgs_error err = {TGS_OK, ""};
    tgs_graph *none;

    (void)state;
    assert_true(exchanges(g) == 28 && exchanges(fused) == 18);
    assert_true(carried(gathered, "gradient", "gather", -1) == 7000);
    for (int32_t w = 0; w < 8; w++)
        assert_true(carried(fused, "gradient", "ring", w) + carried(fused, "ring", "ring", w)
                    == 1750);
    for (int32_t u = 0; u < g->v.tasks; u++)
        for (int32_t v = 0; v < g->v.tasks && starts(g, u, "inner"); v++)
            assert_true(u == v || !starts(g, v, "inner") || !reaches(g, u, v));
    assert_true(reaches(g, tgs_graph_find_task(g, "inner_0_0"),
                        tgs_graph_find_task(g, "outer_7_2"))); /* by the query rows */
    assert_false(reaches(fused, tgs_graph_find_task(fused, "inner_0_0"),
                         tgs_graph_find_task(fused, "outer_7_2")));
    assert_true(reaches(fused, tgs_graph_find_task(fused, "outer_0_0"),
                        tgs_graph_find_task(fused, "update_7")));
    tgs_graph_free(g);
    tgs_graph_free(fused);
    tgs_graph_free(gathered);
    assert_int_equal(tgs_graph_generate(&none, "two-loop:outer=star", 1, &err), TGS_EINVAL);
}

/* ---- P19 (S15) ---- */

static void p19_no_shuffle(void **state)
{
    tgs_graph *stays = made("epoch:ranks=4:blocks=500:bytes=8:spread=0");
    tgs_graph *moves = made("epoch:ranks=4:blocks=500:bytes=8:spread=0:shuffle=uniform");
    const double all = 4 * 500 * 8.0;

    (void)state;
    assert_true(carried(stays, "make", "visit", -1) == 0);
    /* 3/4 of all, within five standard deviations */
    assert_true(fabs(carried(moves, "make", "visit", -1) / all - 0.75) < 5 * sqrt(3. / 16 / 2000));
    for (int i = 0; i < 2; i++) {
        const tgs_graph_view *v = i ? &moves->v : &stays->v;
        int32_t *reads = calloc((size_t)v->data, sizeof *reads);

        for (int32_t a = 0; a < v->accesses; a++)
            reads[v->access[a].datum] += v->access[a].mode == TGS_R;
        for (int32_t d = 0; d < v->data; d++)
            assert_int_equal(reads[d], 1); /* every block is visited once */
        free(reads);
    }
    tgs_graph_free(stays);
    tgs_graph_free(moves);
}

/* ---- P11 (S5) ---- */

static double attention_of(const tgs_graph *g, int32_t rank)
{
    double work = 0;

    for (int32_t t = 0; t < g->v.tasks; t++)
        if (starts(g, t, "attend") && group_of(g, t) == rank)
            work += g->v.task[t].work;
    return work;
}

static void p11_chunks(void **state)
{
    /* chunks of one token: half a pair is the unit */
    tgs_graph *balanced = made("varlen:lengths=8:ranks=4:local=0:pair=2");
    tgs_graph *contiguous = made("varlen:lengths=8:ranks=4:local=0:pair=2:chunks=contiguous");

    (void)state;
    for (int32_t r = 0; r < 4; r++) {
        assert_true(attention_of(balanced, r) == 16);
        assert_true(attention_of(contiguous, r) == 4 + 8 * r);
    }
    tgs_graph_free(balanced);
    tgs_graph_free(contiguous);
}

static void p11_remap(void **state)
{
    tgs_graph *g = made("varlen:lengths=10+2+6+6:ranks=4:local=100:token_bytes=1");

    (void)state;
    assert_true(carried(g, "attend", "linear", -1) == 4);
    assert_true(carried(g, "attend", "linear", 1) == 4); /* to rank 1 */
    assert_true(carried(g, "attend_1", "linear", -1) + carried(g, "attend_2", "linear", -1)
                    + carried(g, "attend_3", "linear", -1)
                == 0); /* from rank 0 */
    assert_true(carried(g, "linear", "back", 0) == 4);
    tgs_graph_free(g);
}

/* One token from rank 0 to rank 4 of another node, 8 s a token between nodes and 1 s in one: 8 s by
 * one transfer; over 4 NICs dispatch 3/4, 2 s in parallel and combine 3/4: 3.5 s. */
static void p11_route(void **state)
{
    static const char lengths[] = "varlen:lengths=3+2+2+2+1+2+2+2:ranks=8:node=4:local=9:"
                                  "token_bytes=1:nics=";
    const double between = 8, within = 1;
    char spec[120];
    tgs_graph *one, *four;
    double slowest = 0;

    (void)state;
    snprintf(spec, sizeof spec, "%s1", lengths);
    one = made(spec);
    snprintf(spec, sizeof spec, "%s4", lengths);
    four = made(spec);
    assert_true(between * carried(one, "attend_0", "linear", 4) == 8);
    assert_true(carried(four, "attend_0", "linear", -1) == 0);
    for (int32_t r = 4; r < 8; r++)
        slowest = fmax(slowest, between * carried(four, "dispatch", "arrive", r));
    assert_true(within * carried(four, "attend_0", "dispatch", -1) + slowest
                    + within * carried(four, "arrive", "combine", 4)
                == 3.5);
    tgs_graph_free(one);
    tgs_graph_free(four);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p9_buffers),      cmocka_unit_test(p9_blocks),
        cmocka_unit_test(p9_dependencies), cmocka_unit_test(q15_two_loop),
        cmocka_unit_test(p19_no_shuffle),  cmocka_unit_test(p11_chunks),
        cmocka_unit_test(p11_remap),       cmocka_unit_test(p11_route),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
