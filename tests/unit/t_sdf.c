/* t_sdf.c -- synchronous dataflow (SYSTEMS.md S16, check P9): repetitions, buffers, schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../../heuristics/plan/operators/sdf.h"
#include "../fixture.h"

enum { ACTORS = 4, CHANNELS = 4 };

typedef struct graph {
    tgs_i_sdf_actor actor[ACTORS];
    tgs_i_sdf_channel channel[CHANNELS];
    tgs_i_sdf x;
    int64_t block[ACTORS];
    int32_t side[ACTORS];
} graph;

/* actors alike: host 5 b, device 10 + b */
static void make(graph *g, int32_t actors, int32_t channels, const tgs_i_sdf_channel *channel)
{
    *g = (graph){.x = {actors, channels, 1, g->actor, g->channel, 1, 0}};
    for (int32_t a = 0; a < actors; a++) {
        g->actor[a] = (tgs_i_sdf_actor){{0, 10}, {5, 1}, 0, 1};
        g->block[a] = 1;
    }
    for (int32_t e = 0; e < channels; e++)
        g->channel[e] = channel[e];
}

static double run(graph *g)
{
    tgs_i_sdf_plan p = {.block = g->block, .side = g->side};

    assert_int_equal(tgs_i_sdf_schedule(&g->x, &p), TGS_OK);
    return p.makespan;
}

static void repetitions(void **state)
{
    static const struct {
        int64_t produce, consume, from, to, buffer;
    } cases[] = {{2, 3, 3, 2, 4}, {4, 6, 3, 2, 8}, {1, 1, 1, 1, 1}, {5, 1, 1, 5, 5}};
    static const tgs_i_sdf_channel diamond[] = {
        {0, 1, 2, 1, 0, 1}, {0, 2, 1, 1, 0, 1}, {1, 3, 1, 2, 0, 1}, {2, 3, 3, 3, 0, 1}};
    static const tgs_i_sdf_channel wrong[] = {
        {0, 1, 2, 1, 0, 1}, {0, 2, 1, 1, 0, 1}, {1, 3, 1, 2, 0, 1}, {2, 3, 1, 2, 0, 1}};
    static const tgs_i_sdf_channel loop[] = {{0, 1, 1, 1, 0, 1}, {1, 0, 1, 1, 0, 1}};
    static const tgs_i_sdf_channel delayed[] = {{0, 1, 1, 1, 0, 1}, {1, 0, 1, 1, 1, 1}};
    graph g;
    int32_t at;

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const tgs_i_sdf_channel c = {0, 1, cases[k].produce, cases[k].consume, 0, 1};

        make(&g, 3, 1, &c);
        assert_int_equal(tgs_i_sdf_repetitions(&g.x, &at), TGS_OK);
        assert_int_equal(g.actor[0].times, cases[k].from);
        assert_int_equal(g.actor[1].times, cases[k].to);
        assert_int_equal(g.actor[2].times, 1); /* connected to nothing */
        assert_int_equal(tgs_i_sdf_buffer(c.produce, c.consume, 0), cases[k].buffer);
    }
    assert_int_equal(tgs_i_sdf_buffer(2, 3, 1), 4);
    assert_int_equal(tgs_i_sdf_buffer(4, 6, 3), 9);
    assert_int_equal(tgs_i_sdf_buffer(2, 3, 7), 7);
    make(&g, 4, 4, diamond);
    assert_int_equal(tgs_i_sdf_repetitions(&g.x, &at), TGS_OK);
    for (int32_t a = 0; a < 4; a++)
        assert_int_equal(g.actor[a].times, a == 1 ? 2 : 1);
    make(&g, 4, 4, wrong);
    assert_int_equal(tgs_i_sdf_repetitions(&g.x, &at), TGS_EINVAL);
    assert_int_equal(at, 3);
    make(&g, 2, 2, loop);
    assert_int_equal(tgs_i_sdf_repetitions(&g.x, &at), TGS_ECYCLE);
    make(&g, 2, 2, delayed);
    assert_int_equal(tgs_i_sdf_repetitions(&g.x, &at), TGS_OK);
}

/* P9: eight firings on a GPU whose calls take 10 + b, or on a CPU with 5 b */
static void vectors(void **state)
{
    graph g;

    (void)state;
    make(&g, 1, 0, NULL);
    g.x.iterations = 8;
    assert_real(run(&g), 40);
    g.side[0] = TGS_I_SDF_DEVICE;
    g.block[0] = 8;
    assert_real(run(&g), 18);
    g.block[0] = 2;
    assert_real(run(&g), 48);
}

static void pipelines(void **state)
{
    static const tgs_i_sdf_channel one = {0, 1, 1, 1, 0, 4};
    graph g;
    tgs_i_sdf_plan p = {.block = g.block, .side = g.side};

    (void)state;
    make(&g, 2, 1, &one);
    g.x.iterations = 4;
    g.side[1] = TGS_I_SDF_DEVICE;
    g.x.change = 2;
    /* a buffer of one token: a and b take turns; b takes 10 + 1 + 2 */
    assert_real(run(&g), 4 * (5 + 13));
    g.block[0] = g.block[1] = 2; /* twice as many in a call, and twice the memory */
    assert_int_equal(tgs_i_sdf_schedule(&g.x, &p), TGS_OK);
    assert_real(p.makespan, 2 * (10 + 14));
    assert_real(p.memory, 8);
    g.block[1] = 1; /* three tokens fit: a's second call waits for the second of b */
    assert_int_equal(tgs_i_sdf_schedule(&g.x, &p), TGS_OK);
    assert_real(p.memory, 8);
    g.actor[1].each[TGS_I_SDF_DEVICE] = INFINITY;
    assert_true(isinf(run(&g)));
}

/* two paths whose buffers would block each other grow until they do not */
static void reconvergent(void **state)
{
    static const tgs_i_sdf_channel paths[] = {
        {0, 1, 1, 4, 0, 1}, {0, 2, 1, 1, 0, 1}, {1, 2, 4, 1, 0, 1}};
    graph g;
    tgs_i_sdf_plan p = {.block = g.block, .side = g.side};
    int32_t at;

    (void)state;
    make(&g, 3, 3, paths);
    assert_int_equal(tgs_i_sdf_repetitions(&g.x, &at), TGS_OK);
    assert_int_equal(g.actor[0].times, 4);
    assert_int_equal(tgs_i_sdf_schedule(&g.x, &p), TGS_OK);
    assert_real(p.makespan, 5 * (4 + 1 + 4)); /* one core */
    assert_real(p.memory, 4 + 4 + 4);         /* the direct channel holds 4, not 1 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repetitions), cmocka_unit_test(vectors),
                                       cmocka_unit_test(pipelines), cmocka_unit_test(reconvergent)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
