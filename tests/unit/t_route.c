/* t_route.c -- routes and relays: by hand, and against Floyd and Warshall on random machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "platform.h"

#define REFERENCE 1048576.0

typedef struct wire {
    int from, to;
    double latency, bandwidth;
} wire;

/* memories m0 ... with one processor each, and these links */
static tgs_platform *machine(int memories, const wire *w, int wires)
{
    tgs_kind kind = {"k", "cpu", NAN, NAN, 0, NAN, NAN, 0};
    tgs_i_assembly *a;
    tgs_platform *p;

    assert_int_equal(tgs_i_assembly_new(&a, NULL, NULL), TGS_OK);
    assert_int_equal(tgs_i_assembly_kind(a, &kind, NULL, NULL), TGS_OK);
    for (int i = 0; i < memories; i++) {
        char memory[16], proc[16];
        const tgs_memory m = {memory, "", INFINITY, 0};
        const tgs_proc q = {proc, 0, i, 1};

        sprintf(memory, "m%d", i);
        sprintf(proc, "p%d", i);
        assert_int_equal(tgs_i_assembly_memory(a, &m, NULL, NULL), TGS_OK);
        assert_int_equal(tgs_i_assembly_proc(a, &q, NULL, NULL), TGS_OK);
    }
    for (int i = 0; i < wires; i++) {
        const tgs_link l = {w[i].from, w[i].to, -1, w[i].latency, w[i].bandwidth, NAN};

        assert_int_equal(tgs_i_assembly_link(a, &l, NULL), TGS_OK);
    }
    assert_int_equal(tgs_i_assembly_finish(&p, a, NULL), TGS_OK);
    return p;
}

static void assert_route(const tgs_platform *p, int from, int to, const char *links)
{
    const int32_t pair = from * p->v.memories + to;
    char text[200] = "";

    for (int32_t i = p->v.route_at[pair]; i < p->v.route_at[pair + 1]; i++)
        sprintf(text + strlen(text), "%d ", (int)p->v.route[i]);
    assert_string_equal(text, links);
}

static void assert_near(double x, double expected)
{
    if (!(x == expected || fabs(x - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", x, expected);
}

static void a_relay_beats_a_slow_link(void **state)
{
    /* 0 -> 2 directly takes 1 MiB / 1e6 = 1.05 s; over 1, 0.3 + 0.3 s of latency and little more */
    static const wire w[] = {{0, 2, 0.001, 1e6}, {0, 1, 0.3, 1e9}, {1, 2, 0.3, 2e9}};
    tgs_platform *p = machine(3, w, 3);

    (void)state;
    assert_route(p, 0, 2, "1 2 ");
    assert_near(p->v.lat[2], 0.6);
    assert_near(p->v.inv[2], 1 / 1e9 + 1 / 2e9);
    assert_near(p->v.relay_lat[2], 0.001); /* the direct link's */
    assert_near(p->v.relay_inv[2], 1 / 1e9 + 1 / 2e9);
    assert_true(isinf(p->v.lat[6])); /* nothing leads back */
    assert_true(p->v.inv[6] == 0);
    assert_true(isinf(p->v.relay_lat[6]));
    assert_true(p->v.relay_inv[6] == 0);
    assert_route(p, 2, 0, "");
    assert_route(p, 1, 1, "");
    tgs_platform_free(p);
}

static void equal_ways_take_fewer_hops_then_the_lower_memory(void **state)
{
    /* latencies that are exact in binary, no difference in bandwidth to speak of */
    static const wire w[] = {{0, 1, 1, 1e30}, {1, 3, 1, 1e30}, {0, 2, 1, 1e30}, {2, 3, 1, 1e30},
                             {0, 3, 2, 1e30}, {3, 4, 1, 1e30}, {1, 4, 2, 1e30}, {2, 4, 2, 1e30}};
    tgs_platform *p = machine(5, w, 8);

    (void)state;
    assert_route(p, 0, 3, "4 ");
    assert_route(p, 0, 4, "0 6 "); /* 0-1-4, 0-2-4 and 0-3-4 all take 3 and two hops */
    tgs_platform_free(p);
}

static void a_long_ring(void **state)
{
    wire w[50];
    tgs_platform *p;

    (void)state;
    for (int i = 0; i < 50; i++)
        w[i] = (wire){i, (i + 1) % 50, 1, 1};
    p = machine(50, w, 50);
    assert_near(p->v.lat[49], 49);
    assert_near(p->v.inv[49], 49);
    assert_route(p, 48, 1, "48 49 0 ");
    tgs_platform_free(p);
}

/* the least sum of each metric, all pairs; INFINITY where there is none */
static void all_pairs(int m, const wire *w, int wires, int metric, double *d)
{
    for (int i = 0; i < m * m; i++)
        d[i] = i % (m + 1) ? INFINITY : 0;
    for (int i = 0; i < wires; i++) {
        const double lat = w[i].latency, inv = 1 / w[i].bandwidth;

        d[w[i].from * m + w[i].to] = metric == 0 ? lat + REFERENCE * inv : metric == 1 ? lat : inv;
    }
    for (int k = 0; k < m; k++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                d[i * m + j] = fmin(d[i * m + j], d[i * m + k] + d[k * m + j]);
}

static void random_machines(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 1);
    for (int trial = 0; trial < 300; trial++) {
        const int m = (int)tgs_rng_int(&r, 1, 9);
        const double density = tgs_rng_real(&r) * 1.3; /* some are complete */
        double best[3][81];
        wire w[81];
        int wires = 0;
        tgs_platform *p;

        for (int i = 0; i < m * m; i++)
            if (i % (m + 1) && tgs_rng_real(&r) < density)
                w[wires++] = (wire){i / m, i % m, 1e-3 * (double)tgs_rng_int(&r, 0, 4),
                                    1e8 * (double)tgs_rng_int(&r, 1, 20)};
        p = machine(m, w, wires);
        for (int metric = 0; metric < 3; metric++)
            all_pairs(m, w, wires, metric, best[metric]);
        for (int i = 0; i < m * m; i++) {
            const bool reached = !isinf(best[0][i]);
            double lat = 0, inv = 0;
            int at = i / m;

            for (int32_t k = p->v.route_at[i]; k < p->v.route_at[i + 1]; k++) {
                const tgs_link *l = &p->v.link[p->v.route[k]];

                assert_int_equal(l->from, at); /* the links form a chain */
                at = l->to;
                lat += l->latency;
                inv += 1 / l->bandwidth;
            }
            assert_int_equal(at, reached ? i % m : i / m);
            assert_near(p->v.lat[i], reached ? lat : INFINITY);
            assert_near(p->v.inv[i], inv);
            if (reached)
                assert_near(p->v.lat[i] + REFERENCE * p->v.inv[i], best[0][i]);
            assert_near(p->v.relay_lat[i], best[1][i]);
            assert_near(p->v.relay_inv[i], reached ? best[2][i] : 0);
        }
        tgs_platform_free(p);
    }
}

static void measured_links_replace_what_they_join(void **state)
{
    static const tgs_link_sample sample[] = {
        {"m0", "m1", 0.25, 5, 0, 0, 3, 0},
        {"m1", "m0", 0.5, 50, 0, 0, 3, 0},
        {"m0", "m9", 1, 1, 0, 0, 3, 0},
        {"m2", "m0", 1, 1, 0, 0, 3, 0}, /* no such memory, no such link */
    };
    tgs_kind kind = {"k", "cpu", NAN, NAN, 0, NAN, NAN, 0};
    const tgs_bus bus = {"b", 10};
    tgs_i_assembly *a;
    tgs_platform *p, *q, *r;

    (void)state;
    assert_int_equal(tgs_i_assembly_new(&a, NULL, NULL), TGS_OK);
    assert_int_equal(tgs_i_assembly_kind(a, &kind, NULL, NULL), TGS_OK);
    assert_int_equal(tgs_i_assembly_bus(a, &bus, NULL, NULL), TGS_OK);
    for (int i = 0; i < 3; i++) {
        const char *const name[] = {"m0", "m1", "m2"};
        const tgs_memory m = {name[i], "", 100, 0};
        const tgs_proc proc = {name[i], 0, i, 2};

        assert_int_equal(tgs_i_assembly_memory(a, &m, NULL, NULL), TGS_OK);
        assert_int_equal(tgs_i_assembly_proc(a, &proc, NULL, NULL), TGS_OK);
    }
    for (int i = 0; i < 2; i++) {
        const tgs_link l = {i, 1 - i, i ? 0 : -1, 1, 1, NAN};

        assert_int_equal(tgs_i_assembly_link(a, &l, NULL), TGS_OK);
    }
    assert_int_equal(tgs_i_assembly_finish(&p, a, NULL), TGS_OK);
    assert_int_equal(tgs_i_platform_relink(&q, p, sample, 4, NULL), TGS_OK);
    assert_near(q->v.link[0].latency, 0.25);
    assert_near(q->v.link[0].bandwidth, 5);
    assert_near(q->v.link[1].bandwidth, 50);
    assert_near(q->v.bus[0].bandwidth, 50); /* it was seen to carry that */
    assert_near(q->v.inv[1], 0.2);
    assert_near(p->v.inv[1], 1); /* the platform itself is as it was */
    assert_int_equal(tgs_i_platform_relink(&r, p, NULL, 0, NULL), TGS_OK);
    assert_true(r->fingerprint == p->fingerprint);
    assert_true(q->fingerprint != p->fingerprint);
    tgs_platform_free(p);
    tgs_platform_free(q);
    tgs_platform_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_relay_beats_a_slow_link),
        cmocka_unit_test(equal_ways_take_fewer_hops_then_the_lower_memory),
        cmocka_unit_test(a_long_ring),
        cmocka_unit_test(random_machines),
        cmocka_unit_test(measured_links_replace_what_they_join),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
