/* t_step.c -- what planners of a training step share, against brute force and known answers:
 * Q0 (HetPipe), Q7 (merged gradients), Q13 (pieces), P5 (AxoNN's memory). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "../heuristics/plan/step.h"

#define NEAR(a, b) assert_true(fabs((double)(a) - (b)) <= 1e-9 * (1 + fabs((double)(b))))

enum { LAYERS = 7, DEVICES = 4 };
typedef struct chain {
    double time[DEVICES * (LAYERS + 1)], cut[LAYERS + 1], fixed[LAYERS + 1], saved[LAYERS + 1];
    double lat[DEVICES * DEVICES], inv[DEVICES * DEVICES], capacity[DEVICES];
    int32_t type[DEVICES], flight[DEVICES];
    tgs_i_chain x;
} chain;

static void connect(chain *c, int32_t n, int32_t devices)
{
    c->x = (tgs_i_chain){.n = n,
                         .devices = devices,
                         .time = c->time,
                         .cut = c->cut,
                         .lat = c->lat,
                         .inv = c->inv,
                         .fixed = c->fixed,
                         .saved = c->saved,
                         .capacity = c->capacity,
                         .flight = c->flight,
                         .type = c->type};
}

static void fill(chain *c, tgs_rng *r, int32_t n, int32_t devices)
{
    memset(c, 0, sizeof *c);
    for (int32_t d = 0; d < devices; d++) {
        c->type[d] = (int32_t)tgs_rng_int(r, 0, d);
        if (c->type[d] < d && tgs_rng_int(r, 0, 1)) { /* alike */
            c->type[d] = c->type[c->type[d]];
            memcpy(c->time + d * (n + 1), c->time + c->type[d] * (n + 1),
                   (size_t)(n + 1) * sizeof *c->time);
        } else {
            c->type[d] = d;
            for (int32_t i = 0; i < n; i++)
                c->time[d * (n + 1) + i + 1] =
                    c->time[d * (n + 1) + i] + (double)tgs_rng_int(r, 0, 9);
        }
        c->capacity[d] = c->type[d] < d ? c->capacity[c->type[d]] : (double)tgs_rng_int(r, 20, 60);
        c->flight[d] = devices - d;
    }
    for (int32_t i = 1; i <= n; i++) {
        c->cut[i] = i < n ? (double)tgs_rng_int(r, 0, 5) : 0;
        c->fixed[i] = c->fixed[i - 1] + (double)tgs_rng_int(r, 0, 9);
        c->saved[i] = c->saved[i - 1] + (double)tgs_rng_int(r, 0, 4);
    }
    for (int32_t a = 0; a < devices; a++)
        for (int32_t b = 0; b < devices; b++) {
            c->lat[a * devices + b] = a == b ? 0 : 1;
            c->inv[a * devices + b] = a == b ? 0 : 0.5;
        }
    connect(c, n, devices);
}

/* the smallest longest stage over all cuts of one order */
static double every_cut(const tgs_i_chain *x, const int32_t *order, int32_t k, int32_t p, int32_t i)
{
    double best = INFINITY;

    if (p == k)
        return i == x->n ? 0 : INFINITY;
    for (int32_t j = i + 1; j <= x->n; j++)
        best = fmin(
            best, fmax(tgs_i_chain_stage(x, order, k, p, i, j), every_cut(x, order, k, p + 1, j)));
    return best;
}

static double every_order(const tgs_i_chain *x, int32_t *order, int32_t k, int32_t p)
{
    double best = INFINITY;

    if (p == k)
        return every_cut(x, order, k, 0, 0);
    for (int32_t i = p; i < k; i++) {
        const int32_t a = order[p];

        order[p] = order[i];
        order[i] = a;
        best = fmin(best, every_order(x, order, k, p + 1));
        order[i] = order[p];
        order[p] = a;
    }
    return best;
}

static void chains(void **state)
{
    tgs_rng r;
    int infeasible = 0;

    (void)state;
    tgs_rng_seed(&r, 1);
    for (int i = 0; i < 400; i++) {
        const int32_t n = (int32_t)tgs_rng_int(&r, 1, LAYERS);
        const int32_t k = (int32_t)tgs_rng_int(&r, 1, n < DEVICES ? n : DEVICES);
        int32_t order[DEVICES] = {0, 1, 2, 3}, cut[DEVICES + 1], all[DEVICES] = {0, 1, 2, 3};
        double longest, best;
        chain c;

        fill(&c, &r, n, k);
        best = every_cut(&c.x, order, k, 0, 0);
        assert_int_equal(tgs_i_chain_cut(&c.x, order, k, INFINITY, cut, &longest), TGS_OK);
        assert_true(longest == best);
        infeasible += isinf(best);
        if (best < INFINITY) { /* the cuts are what they are said to be */
            double own = 0;

            assert_true(cut[0] == 0 && cut[k] == n);
            for (int32_t p = 0; p < k; p++)
                own = fmax(own, tgs_i_chain_stage(&c.x, order, k, p, cut[p], cut[p + 1]));
            assert_true(own == best);
            assert_int_equal(tgs_i_chain_cut(&c.x, order, k, best, cut, &longest), TGS_OK);
            assert_true(isinf(longest)); /* nothing is below the best */
        }
        assert_int_equal(tgs_i_chain_order(&c.x, k, order, cut, 1000, INFINITY, &longest), TGS_OK);
        best = every_order(&c.x, all, k, 0);
        assert_true(longest == best);
        if (best < INFINITY) {
            assert_true(every_cut(&c.x, order, k, 0, 0) == best);
            assert_int_equal(
                tgs_i_chain_order(&c.x, k, order, cut, 1000, 1.01 * best + 1, &longest), TGS_OK);
            assert_true(longest == best);
            assert_int_equal(tgs_i_chain_order(&c.x, k, order, cut, 1000, best, &longest), TGS_OK);
            assert_true(isinf(longest));
        }
    }
    assert_true(infeasible > 0 && infeasible < 200);
}

/* a layer takes time on the first type and slow times that on the second; the first two devices
 * are of the first type, in one node, the others of the second type in another */
static void two_kinds(chain *c, const double *layer, double slow, double transfer)
{
    memset(c, 0, sizeof *c);
    for (int32_t d = 0; d < 4; d++) {
        for (int32_t i = 0; i < 6; i++)
            c->time[d * 7 + i + 1] = c->time[d * 7 + i] + layer[i] * (d < 2 ? 1 : slow);
        c->type[d] = d < 2 ? 0 : 2;
        c->capacity[d] = INFINITY;
    }
    for (int32_t i = 0; i < 16; i++)
        c->lat[i] = i % 5 ? transfer : 0;
    connect(c, 6, 4);
    c->x.flight = NULL;
}

static void q0(void **state)
{
    static const double even[] = {1, 1, 1, 1, 1, 1}, uneven[] = {2, 4, 6, 6, 4, 2};
    static const int32_t node[] = {0, 0, 1, 1};
    tgs_i_workers w;
    chain c;

    (void)state;
    assert_int_equal(tgs_i_workers_open(&w, 4), TGS_OK);
    two_kinds(&c, even, 2, 0);
    assert_int_equal(tgs_i_workers_make(&w, &c.x, node, "np", 0, true, NULL), TGS_OK);
    assert_true(w.count == 2 && w.size == 2 && w.stage[0] == 3 && w.stage[1] == 6);
    NEAR(tgs_i_workers_rate(&w, true), 2.0 / 6);
    NEAR(tgs_i_workers_rate(&w, false), 1.0 / 3 + 1.0 / 6);
    assert_int_equal(tgs_i_workers_make(&w, &c.x, node, "ed", 0, true, NULL), TGS_OK);
    assert_true(w.count == 2 && w.size == 2 && w.stage[0] == 4 && w.stage[1] == 4);
    assert_int_equal(w.cut[1], w.device[0] < 2 ? 4 : 2);
    NEAR(tgs_i_workers_rate(&w, true), 0.5);
    assert_int_equal(tgs_i_workers_make(&w, &c.x, node, "best", 2, true, NULL), TGS_OK);
    NEAR(tgs_i_workers_rate(&w, true), 0.5);
    two_kinds(&c, even, 2, 0.5);
    assert_int_equal(tgs_i_workers_make(&w, &c.x, node, "np", 0, true, NULL), TGS_OK);
    assert_true(w.stage[0] == 3.5 && w.stage[1] == 6.5);
    assert_int_equal(tgs_i_workers_make(&w, &c.x, node, "ed", 0, true, NULL), TGS_OK);
    assert_true(w.stage[0] == 4.5 && w.stage[1] == 4.5);
    two_kinds(&c, uneven, 1.5, 0); /* the layers are too coarse for the fast device to help */
    assert_int_equal(tgs_i_workers_make(&w, &c.x, node, "np", 0, true, NULL), TGS_OK);
    assert_true(w.stage[0] == 12 && w.stage[1] == 18);
    assert_int_equal(tgs_i_workers_make(&w, &c.x, node, "ed", 0, true, NULL), TGS_OK);
    assert_true(w.stage[0] == 18 && w.stage[1] == 18);
    assert_int_equal(tgs_i_workers_make(&w, &c.x, node, "hd", 0, true, NULL), TGS_OK);
    assert_true(w.count == 2 && w.stage[0] == 18);
    tgs_i_workers_close(&w);
    assert_int_equal(tgs_i_wave_staleness(4, 0), 6);
    assert_int_equal(tgs_i_wave_staleness(4, 1), 10);
    assert_int_equal(tgs_i_wave_staleness(4, 4), 22);
    assert_int_equal(tgs_i_wave_staleness(4, 32), 134);
}

/* the rule of the waves, played: what the last minibatch before each may have missed */
static void q0_waves(void **state)
{
    static const int64_t flight[] = {1, 2, 4, 7}, distance[] = {0, 1, 4, 32};

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const int64_t nm = flight[i], d = distance[j];
            int64_t most = 0;

            for (int64_t p = nm * (d + 3); p < nm * (2 * d + 8); p++) {
                const int64_t wave = p / nm; /* from 0; the last of a wave sees one more */
                const int64_t seen = (p % nm == nm - 1 ? wave - d : wave - 1 - d) * nm;
                const int64_t missing = p - seen; /* global updates before it that it lacks */

                most = missing > most ? missing : most;
            }
            assert_int_equal(most, tgs_i_wave_staleness(nm, d));
        }
}

/* all 2^(n - 1) ways to join neighbours */
static double every_merge(int32_t n, const double *ready, const double *size, double alpha,
                          double beta)
{
    double best = INFINITY;

    for (int32_t mask = 0; mask < 1 << (n - 1); mask++) {
        bool joined[8] = {false};

        for (int32_t l = 1; l < n; l++)
            joined[l] = mask >> (l - 1) & 1;
        best = fmin(best, tgs_i_merge_time(n, ready, size, alpha, beta, joined));
    }
    return best;
}

static void q7(void **state)
{
    static const double ready[] = {3, 2, 1}, size[] = {1, 1, 1};
    static const struct {
        double alpha, beta, none, greedy, best;
    } known[] = {{1, 0.5, 5.5, 5, 5}, {1.2, 0.3, 5.5, 5.1, 4.8}, {0.5, 0.25, 3.75, 3.75, 3.75}};
    tgs_rng r;
    int worse = 0;
    double most = 1;

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const double a = known[i].alpha, b = known[i].beta;
        bool joined[3] = {false};
        double end;

        NEAR(tgs_i_merge_time(3, ready, size, a, b, joined), known[i].none);
        tgs_i_merge_greedy(3, ready, size, a, b, joined);
        NEAR(tgs_i_merge_time(3, ready, size, a, b, joined), known[i].greedy);
        assert_int_equal(tgs_i_merge_exact(3, ready, size, a, b, joined, &end), TGS_OK);
        NEAR(end, known[i].best);
        NEAR(tgs_i_merge_time(3, ready, size, a, b, joined), known[i].best);
    }
    tgs_rng_seed(&r, 7);
    for (int i = 0; i < 2000; i++) {
        const int32_t n = (int32_t)tgs_rng_int(&r, 1, 8);
        double at[8], bytes[8], end, t = 0, greedy;
        const double alpha = tgs_rng_real(&r) * 2, beta = tgs_rng_real(&r);
        bool joined[8] = {false};

        for (int32_t l = n - 1; l >= 0; l--) {
            at[l] = t += tgs_rng_real(&r);
            bytes[l] = tgs_rng_real(&r);
        }
        assert_int_equal(tgs_i_merge_exact(n, at, bytes, alpha, beta, joined, &end), TGS_OK);
        NEAR(end, every_merge(n, at, bytes, alpha, beta));
        tgs_i_merge_greedy(n, at, bytes, alpha, beta, joined);
        greedy = tgs_i_merge_time(n, at, bytes, alpha, beta, joined);
        assert_true(greedy >= end - 1e-12);
        worse += greedy > end * (1 + 1e-9);
        most = fmax(most, greedy / end);
    }
    assert_true(worse > 200 && most > 1.1); /* the published rule is not the best one */
}

static void q7_iteration(void **state)
{
    const tgs_i_iteration x = {.read = 2,
                               .copy = 1,
                               .forward = 3,
                               .backward = 3,
                               .update = 1,
                               .exchange = 4.5,
                               .exchanged = 5.5};

    (void)state;
    NEAR(tgs_i_ssgd(TGS_I_NAIVE, &x), 14.5);
    NEAR(tgs_i_ssgd(TGS_I_PREFETCH, &x), 11.5);
    NEAR(tgs_i_ssgd(TGS_I_WAIT_FREE, &x), 9.5);
}

/* rounds of a ring, each rank's part counted */
static void collectives(void **state)
{
    (void)state;
    for (int32_t p = 2; p <= 9; p++) {
        double round = 0;

        for (int32_t i = 1; i < p; i++)
            round += 3 + 12.0 / p * 0.5;
        NEAR(tgs_i_collective(TGS_I_ALL_GATHER, TGS_I_RING, p, 12, 3, 0.5), round);
        NEAR(tgs_i_collective(TGS_I_REDUCE_SCATTER, TGS_I_RING, p, 12, 3, 0.5), round);
        NEAR(tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_RING, p, 12, 3, 0.5), 2 * round);
        assert_true(tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_TREE, p, 1, 3, 0)
                    <= tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_RING, p, 1, 3, 0));
    }
    NEAR(tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_TREE, 8, 2, 1, 1), 2 * 3 * 3);
    NEAR(tgs_i_collective(TGS_I_ALL_TO_ALL, TGS_I_TREE, 8, 2, 1, 1), 3 * 2);
    NEAR(tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_RING, 1, 5, 1, 1), 0);
    /* one group, or groups of one: the plain ring */
    NEAR(tgs_i_collective_grouped(TGS_I_ALL_REDUCE, 4, 1, 12, 3, 0.5, 9, 9),
         tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_RING, 4, 12, 3, 0.5));
    NEAR(tgs_i_collective_grouped(TGS_I_ALL_REDUCE, 1, 4, 12, 9, 9, 3, 0.5),
         tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_RING, 4, 12, 3, 0.5));
    /* slow links between the groups carry a share of the bytes only */
    assert_true(tgs_i_collective_grouped(TGS_I_ALL_REDUCE, 4, 4, 1000, 0, 1, 0, 10)
                < tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_RING, 16, 1000, 0, 10));
}

static void q13_p5(void **state)
{
    (void)state;
    assert_int_equal(tgs_i_piece(17, 5, 3), 4);
    assert_int_equal(tgs_i_piece(7, 5, 3), 0);
    assert_int_equal(tgs_i_piece(4, 5, 3), 0);
    NEAR(tgs_i_axonn_bytes(1e9, 0), 20e9);
    NEAR(tgs_i_axonn_bytes(1e9, 16e6), 4.256e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains), cmocka_unit_test(q0),           cmocka_unit_test(q0_waves),
        cmocka_unit_test(q7),     cmocka_unit_test(q7_iteration), cmocka_unit_test(collectives),
        cmocka_unit_test(q13_p5),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
