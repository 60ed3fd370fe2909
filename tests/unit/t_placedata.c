/* t_placedata.c -- device placement on the workloads of msr-fiddle/dnn-partitioning: the values of
 * the authors' own program (contiguous), and the best ones known (not contiguous; latency), as in
 * SYSTEMS.md, T6 (check Q6, (e) and (f)).  A few of the files are beside the tests; all of them
 * where the data is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../../heuristics/plan/place/place.h"
#include "../fixture.h"

typedef struct row {
    const char *file; /* of the data */
    const char *here; /* of tests/data; NULL it is not there */
    int32_t k, ideals;
    double contiguous; /* ms; the optimum */
    double apart;      /* the better one of an annealing and of the integer program */
    double bound;      /* no placement is better */
} row;

#define LAYER    "LayerGraphs/"
#define OPERATOR "OperatorGraphs/"
static const row throughput[] = {
    {LAYER "bert24_inference", "bert24_inference", 6, 30, 17.7899, 17.715, 17.539},
    {LAYER "bert24_training", "bert24_training", 6, 30, 41.7458, 39.790, 39.790},
    {LAYER "gnmt_inference", "gnmt_inference", 6, 17914, 32.9107, 31.687, 31.189},
    {LAYER "gnmt_training", NULL, 6, 17914, 107.004, 88.462, 87.722},
    {LAYER "resnet50_inference", NULL, 6, 242, 33.7747, 33.478, 33.143},
    {LAYER "resnet50_training", NULL, 6, 242, 78.6318, 76.755, 75.988},
    {OPERATOR "bert_l-3_inference", "bert_l-3_inference", 3, 1428, 27.9186, 21.908, 21.908},
    {OPERATOR "bert_l-3_training", NULL, 3, 2774, 65.3031, 54.207, 54.207},
    {OPERATOR "bert_l-6_inference", NULL, 3, 1923, 29.5795, 28.383, 28.100},
    {OPERATOR "bert_l-6_training", NULL, 3, 3776, 72.865, 71.642, 67.154},
    {OPERATOR "resnet50_inference", NULL, 6, 241, 124.349, 124.349, 123.112},
};

typedef struct latency_row {
    const char *file, *here;
    int32_t k;
    double capacity, path, cpu, segments, known; /* GiB; ms */
} latency_row;

static const latency_row latencies[] = {
    {LAYER "bert24_inference", "../bert24_inference", 5, .5859375, 92.406, 924.060, 100.219,
     100.219},
    {LAYER "gnmt_inference", "gnmt_inference", 6, .5859375, 182.435, 1824.350, 245.423, 244.331},
    {LAYER "resnet50_inference", NULL, 14, 2, 187.455, 1874.550, 1156.881, 1156.881},
    {OPERATOR "bert_l-3_inference", NULL, 4, .5859375, 47.823, 1099.934, 415.162, 414.441},
    {OPERATOR "bert_l-6_inference", NULL, 6, .5859375, 74.991, 1724.791, 444.752, 444.020},
    {OPERATOR "resnet50_inference", NULL, 9, .5859375, 289.855, 6666.672, 651.121, 651.121},
};

typedef struct instance {
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
    tgs_i_place x;
} instance;

/* false: the file is not at hand */
static bool find(const char *set, const char *file, const char *here, char *path, size_t size)
{
    const char *root = getenv("TGS_SRCDIR");

    root = root ? root : ".";
    snprintf(path, size, "%s/../shared/data/dnn-partitioning/%s-inputs/%s.json", root, set, file);
    if (access(path, R_OK) && here)
        snprintf(path, size, "%s/tests/data/dnn-partitioning/%s/%s.json", root, set, here);
    return !access(path, R_OK);
}

static bool open_instance(instance *i, const char *path, const char *machine, tgs_i_place_what what)
{
    tgs_error err = {TGS_OK, ""};

    if (tgs_graph_read(&i->g, path, "dnn-partitioning", &err)) {
        if (err.status != TGS_ENOTFOUND) /* no JSON in this build */
            fail_msg("%s", err.text);
        return false;
    }
    assert_int_equal(tgs_platform_parse(&i->p, machine, NULL), TGS_OK);
    assert_int_equal(tgs_problem_new(&i->pb, i->g, i->p, NULL, NULL, NULL), TGS_OK);
    assert_int_equal(tgs_i_place_open(&i->x, &i->pb->v, what, "cpu", NULL), TGS_OK);
    return true;
}

static void close_instance(instance *i)
{
    tgs_i_place_close(&i->x);
    tgs_problem_free(i->pb);
    tgs_platform_free(i->p);
    tgs_graph_free(i->g);
}

/* of the nodes, by the definition */
static double load_of(const instance *i, const int32_t *device)
{
    const tgs_i_place *x = &i->x;
    int32_t *node = malloc((size_t)x->node.n * sizeof *node);
    double load[32], held[32];

    for (int32_t v = 0; v < x->node.n; v++)
        node[v] = device[x->class_of[v]];
    assert_int_equal(tgs_i_place_loads(&x->node, &x->d, node, load, held), TGS_OK);
    free(node);
    for (int32_t k = 0; k < x->d.devices; k++)
        assert_true(held[k] <= x->d.memory[x->d.group[k]]);
    return 1e3 * tgs_i_place_largest(load, x->d.devices);
}

static void close_to(const char *what, const row *r, double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-4 * expected))
        fail_msg("%s, %s: %.6g instead of %.6g", r->file, what, value, expected);
}

/* true: what was found is within 1 % of the best one known */
static bool try_row(const row *r, instance *i)
{
    const tgs_i_place_graph *g = &i->x.class_;
    int32_t *device = calloc((size_t)g->n, sizeof *device);
    tgs_i_place_answer a = {.value = INFINITY, .device = device};
    tgs_i_ideals ideals;
    tgs_rng rng;
    double dpl, dp, apart, bound;

    assert_int_equal(tgs_i_place_dpl(g, &i->x.d, 4, &a, NULL, NULL), TGS_OK);
    dpl = load_of(i, device);
    assert_true(dpl >= r->contiguous * (1 - 1e-4) && dpl <= 1.01 * r->contiguous);
    assert_int_equal(
        tgs_i_ideals_open(&ideals, g->n, g->pred_at, g->pred, g->succ_at, g->succ, 60000), TGS_OK);
    assert_int_equal(ideals.count, r->ideals);
    assert_int_equal(tgs_i_place_dp(g, &i->x.d, &ideals, &a, NULL, NULL), TGS_OK);
    tgs_i_ideals_close(&ideals);
    dp = load_of(i, device);
    close_to("ideal DP", r, 1e3 * a.value, r->contiguous);
    close_to("its loads", r, dp, r->contiguous);
    tgs_rng_seed(&rng, 1);
    assert_int_equal(tgs_i_place_anneal(g, &i->x.d, 5000000, 4, &rng, &a, NULL, NULL), TGS_OK);
    apart = load_of(i, device);
    print_message("%-34s ideals %6d  dpl %.4f  dp %.4f  apart %.4f (%.4f of the best known)\n",
                  r->file, r->ideals, dpl, dp, apart, apart / r->apart);
    assert_true(apart <= dp * (1 + 1e-12) && dp <= dpl * (1 + 1e-12));
    assert_true(apart >= r->bound * (1 - 1e-4));
    assert_int_equal(tgs_i_place_bound(g, &i->x.d, &bound), TGS_OK);
    assert_true(1e3 * bound <= apart * (1 + 1e-12));
    free(device);
    return apart <= 1.01 * r->apart;
}

static void loads(void **state)
{
    const size_t rows = sizeof throughput / sizeof *throughput;
    size_t there = 0, good = 0;

    (void)state;
    for (size_t k = 0; k < rows; k++) {
        const row *r = &throughput[k];
        char path[4096], machine[80];
        instance i;

        snprintf(machine, sizeof machine, "cpu:1 fpga:%d@16.005/own link:1,0", r->k);
        if (!find("throughput", r->file, r->here, path, sizeof path)
            || !open_instance(&i, path, machine, TGS_I_PLACE_CLASSES))
            continue;
        there++;
        good += try_row(r, &i);
        close_instance(&i);
    }
    if (!there) {
        print_message("no JSON in this build\n");
        skip();
    }
    assert_true(there == rows ? good >= 9 : good == there);
}

static double evaluate(const instance *i, const int32_t *device)
{
    int32_t *node = malloc((size_t)i->x.node.n * sizeof *node);
    double out;

    for (int32_t v = 0; v < i->x.node.n; v++)
        node[v] = device[i->x.class_of[v]];
    assert_int_equal(tgs_i_place_latency(&i->x.node, &i->x.d, node, &out), TGS_OK);
    free(node);
    load_of(i, device); /* that it fits */
    return 1e3 * out;
}

static void try_latency(const latency_row *r, const instance *i)
{
    const tgs_i_place_graph *g = &i->x.class_;
    int32_t *device = calloc((size_t)g->n, sizeof *device), *order = malloc(3 * (size_t)g->n * 4);
    double best = INFINITY, filled = INFINITY, serial;

    for (int32_t c = 0; c < g->n; c++)
        device[c] = i->x.d.first[i->x.d.host[0] ? 0 : 1];
    assert_true(fabs(evaluate(i, device) - r->cpu) < 1e-3);
    for (int32_t k = 0; k < 8; k++) {
        tgs_i_place_depth_first(g, k, order, order + g->n);
        assert_int_equal(tgs_i_place_segments(g, &i->x.d, order, device, &serial), TGS_OK);
        best = fmin(best, evaluate(i, device));
        assert_int_equal(tgs_i_place_fill(g, &i->x.d, order, device), TGS_OK);
        filled = fmin(filled, evaluate(i, device));
    }
    print_message("%-34s lat-seg-dp %.3f (published %.3f, best known %.3f), greedy %.3f\n", r->file,
                  best, r->segments, r->known, filled);
    assert_true(best <= filled); /* the published rule is not the best one */
    assert_true(best <= r->segments + 1e-3);
    assert_true(best >= r->path - 1e-3 && best <= r->cpu);
    free(device);
    free(order);
}

static void through(void **state)
{
    int32_t there = 0;

    (void)state;
    for (size_t k = 0; k < sizeof latencies / sizeof *latencies; k++) {
        const latency_row *r = &latencies[k];
        char path[4096], machine[80];
        instance i;

        snprintf(machine, sizeof machine, "cpu:8 fpga:%d@%.10g/own link:1,0", r->k, r->capacity);
        if (!find("latency", r->file, r->here, path, sizeof path)
            || !open_instance(&i, path, machine, TGS_I_PLACE_BLOCKS))
            continue;
        there++;
        try_latency(r, &i);
        close_instance(&i);
    }
    if (!there) {
        print_message("no JSON in this build\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads), cmocka_unit_test(through)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
