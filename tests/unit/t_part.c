/* t_part.c -- partitions of graphs: what is refused, what is promised, the same again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include "../fixture.h"
#include "tgsched/part.h"

#define SIDE 20 /* of a square grid */
#define GRID (SIDE * SIDE)

typedef struct grid {
    tgs_part_edge edge[2 * GRID];
    double weight[2 * GRID];
    tgs_part_graph g;
} grid;

static const double tight[] = {0.05, 0.05};

static void make_grid(grid *x, int32_t parts, double scale)
{
    *x = (grid){.g = {.vertices = GRID, .weights = 1, .parts = parts, .slack = tight}};
    for (int32_t i = 0; i < GRID; i++) {
        x->weight[i] = scale;
        if (i % SIDE)
            x->edge[x->g.edges++] = (tgs_part_edge){i, i - 1, scale};
        if (i >= SIDE)
            x->edge[x->g.edges++] = (tgs_part_edge){i - SIDE, i, scale};
    }
    x->g.weight = x->weight;
    x->g.edge = x->edge;
}

static double weight_of(const grid *x, const int32_t *part, int32_t p, int32_t k)
{
    double sum = 0;

    for (int32_t v = 0; v < x->g.vertices; v++)
        sum += part[v] == p ? x->weight[v * x->g.weights + k] : 0;
    return sum;
}

static void halves(void **state)
{
    static grid x;
    int32_t part[GRID], again[GRID];
    double cut;

    (void)state;
    for (double scale = 1e-12; scale < 1e13; scale *= 1e6) { /* 32-bit weights inside */
        make_grid(&x, 2, scale);
        assert_int_equal(tgs_part_kway(&x.g, part, &cut, NULL), 0);
        assert_true(cut <= 1.3 * SIDE * scale); /* straight through is SIDE */
        assert_true(weight_of(&x, part, 0, 0) <= 1.05 * GRID / 2 * scale * (1 + 1e-9));
        assert_true(weight_of(&x, part, 1, 0) <= 1.05 * GRID / 2 * scale * (1 + 1e-9));
        srand(99); /* a stranger's numbers change nothing */
        assert_int_equal(tgs_part_kway(&x.g, again, NULL, NULL), 0);
        assert_memory_equal(part, again, sizeof part);
    }
}

static void shares(void **state)
{
    static const double share[] = {3, 1};
    static grid x;
    int32_t part[GRID];

    (void)state;
    make_grid(&x, 2, 1);
    x.g.share = share;
    assert_int_equal(tgs_part_kway(&x.g, part, NULL, NULL), 0);
    assert_true(weight_of(&x, part, 0, 0) <= 1.05 * GRID * 3 / 4 + 1e-9);
    assert_true(weight_of(&x, part, 1, 0) <= 1.05 * GRID / 4 + 1e-9);
}

/* the second weight is that of the upper half, the third is zero everywhere */
static void several_weights(void **state)
{
    static const double slack[] = {0.1, 0.1, 0.1};
    static grid x;
    static double weight[3 * GRID];
    int32_t part[GRID];
    double upper[4] = {0}, all[4] = {0};

    (void)state;
    make_grid(&x, 4, 1);
    for (int32_t i = 0; i < GRID; i++) {
        weight[3 * i] = 1;
        weight[3 * i + 1] = i < GRID / 2;
    }
    x.g.weights = 3;
    x.g.weight = weight;
    x.g.slack = slack;
    assert_int_equal(tgs_part_kway(&x.g, part, NULL, NULL), 0);
    for (int32_t i = 0; i < GRID; i++) {
        all[part[i]]++;
        upper[part[i]] += i < GRID / 2;
    }
    for (int32_t p = 0; p < 4; p++) {
        assert_true(all[p] <= 1.1 * GRID / 4 + 1);
        assert_true(upper[p] <= 1.1 * GRID / 8 + 1);
    }
}

static void little(void **state)
{
    const tgs_part_edge loop[] = {{0, 0, 1}, {1, 0, 2}, {0, 1, 3}};
    const double weight[] = {0, 0, 0};
    int32_t part[3] = {7, 7, 7};
    double cut = -1;
    tgs_part_graph g = {.weights = 1, .parts = 3, .weight = weight, .edge = loop, .slack = tight};

    (void)state;
    assert_int_equal(tgs_part_kway(&g, part, &cut, NULL), 0); /* nothing at all */
    assert_true(cut == 0);
    g.vertices = 3;
    g.edges = 3;
    assert_int_equal(tgs_part_kway(&g, part, &cut, NULL), 0); /* no weight */
    for (int32_t v = 0; v < 3; v++)
        assert_true(part[v] >= 0 && part[v] < 3);
    assert_true(cut == (part[0] == part[1] ? 0 : 5));
    g.parts = 1;
    assert_int_equal(tgs_part_kway(&g, part, &cut, NULL), 0);
    assert_true(!part[0] && !part[1] && !part[2]);
}

static void refused(void **state)
{
    static grid x;
    int32_t part[GRID];
    tgs_error err;

    (void)state;
    make_grid(&x, 0, 1);
    assert_int_equal(tgs_part_kway(&x.g, part, NULL, &err), TGS_EINVAL);
    x.g.parts = 2;
    x.weight[3] = -1;
    assert_int_equal(tgs_part_kway(&x.g, part, NULL, &err), TGS_EINVAL);
    x.weight[3] = NAN;
    assert_int_equal(tgs_part_kway(&x.g, part, NULL, &err), TGS_EINVAL);
    x.weight[3] = 1;
    x.edge[5].b = GRID;
    assert_int_equal(tgs_part_kway(&x.g, part, NULL, &err), TGS_EINVAL);
    assert_text(err.text, "partition: edge 5 from * to 400 *");
    x.edge[5].b = 0;
    x.edge[5].cost = INFINITY;
    assert_int_equal(tgs_part_kway(&x.g, part, NULL, &err), TGS_EINVAL);
}

/* a module that is not there is no partitioner, and says so */
static void absent(void **state)
{
    static grid x;
    int32_t part[GRID];
    tgs_error err;

    (void)state;
    make_grid(&x, 2, 1);
    assert_int_equal(tgs_part_kway(&x.g, part, NULL, &err), TGS_ENOTAPPLICABLE);
    assert_text(err.text, "no partitioner: module part is not available: *");
}

/* whatever the graph, nothing is printed: METIS would, where a part of a part has no vertex */
static void silent(void **state)
{
    FILE *seen = tmpfile();
    const int out = dup(1);
    tgs_rng r;
    long printed;

    (void)state;
    tgs_rng_seed(&r, 5);
    fflush(stdout);
    assert_true(dup2(fileno(seen), 1) == 1);
    for (int32_t i = 0; i < 1000; i++) {
        static tgs_part_edge edge[600];
        static double weight[900], share[120];
        static const double slack[] = {0.05, 0.3, 0.05};
        static int32_t part[300];
        const int32_t n = (int32_t)tgs_rng_int(&r, 1, i % 3 ? 20 : 300);
        tgs_part_graph g = {.vertices = n,
                            .weights = 1 + i % 3,
                            .parts = (int32_t)tgs_rng_int(&r, 1, 40),
                            .edges = tgs_rng_int(&r, 0, 2 * n),
                            .weight = weight,
                            .edge = edge,
                            .share = i % 2 ? share : NULL,
                            .slack = slack};

        for (int32_t v = 0; v < n * g.weights; v++)
            weight[v] = tgs_rng_int(&r, 0, 3) ? tgs_exp(8 * tgs_rng_real(&r)) : 0;
        for (int64_t e = 0; e < g.edges; e++)
            edge[e] = (tgs_part_edge){(int32_t)tgs_rng_int(&r, 0, n - 1),
                                      (int32_t)tgs_rng_int(&r, 0, n - 1), tgs_rng_real(&r)};
        for (int32_t p = 0; p < g.parts * g.weights; p++)
            share[p] = (double)tgs_rng_int(&r, 0, 4);
        assert_int_equal(tgs_part_kway(&g, part, NULL, NULL), 0);
        for (int32_t v = 0; v < n; v++)
            assert_true(part[v] >= 0 && part[v] < g.parts);
    }
    fflush(stdout);
    dup2(out, 1);
    close(out);
    fseek(seen, 0, SEEK_END);
    printed = ftell(seen);
    fclose(seen);
    assert_int_equal(printed, 0);
}

static void *in_thread(void *answer)
{
    static const double share[] = {1, 2, 3, 4};
    grid *x = malloc(sizeof *x);

    make_grid(x, 4, 1);
    x->g.share = share;
    for (int32_t i = 0; i < 20; i++)
        assert_int_equal(tgs_part_kway(&x->g, answer, NULL, NULL), 0);
    free(x);
    return NULL;
}

static void threads(void **state)
{
    static int32_t part[4][GRID];
    pthread_t thread[4];

    (void)state;
    for (int32_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, in_thread, part[i]), 0);
    for (int32_t i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    for (int32_t i = 1; i < 4; i++)
        assert_memory_equal(part[0], part[i], sizeof part[0]);
}

int main(void)
{
    const struct CMUnitTest present[] = {
        cmocka_unit_test(halves), cmocka_unit_test(shares),  cmocka_unit_test(several_weights),
        cmocka_unit_test(little), cmocka_unit_test(refused), cmocka_unit_test(threads),
        cmocka_unit_test(silent),
    };
    const struct CMUnitTest missing[] = {cmocka_unit_test(refused), cmocka_unit_test(absent)};

    return tgs_part_available() ? cmocka_run_group_tests(present, NULL, NULL)
                                : cmocka_run_group_tests(missing, NULL, NULL);
}
