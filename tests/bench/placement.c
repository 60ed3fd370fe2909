/* placement.c -- `placement [CASE]`, the cases place-ideal*: the best contiguous placement over all
 * ideals (SYSTEMS.md, T6), of the published workload with the most ideals and of graphs with about
 * 40,000 of them.  Rows of bench.c's form; seconds are this process's own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "../../heuristics/plan/place/place.h"
#include "internal.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(tgs_status status, const tgs_error *err)
{
    if (status) {
        fprintf(stderr, "placement: %s\n", err->text);
        exit(1);
    }
}

static void put(const char *name, const char *what, double value, const char *unit, double target)
{
    printf("%s%s,%.4g,%s,", name, what, value, unit);
    if (isnan(target))
        printf(",\n");
    else
        printf("%g,%s\n", target, value <= target ? "yes" : "no");
}

/* DPL, then the dynamic program over all ideals, as place-ideal-dp does */
static void measure(const char *name, const tgs_graph *g, double seconds)
{
    tgs_error err = {TGS_OK, "out of memory"};
    tgs_platform *p;
    tgs_problem *pb;
    tgs_i_place x;
    tgs_i_ideals ideals;
    tgs_i_place_answer a = {.value = INFINITY};
    struct rusage r;
    double start;

    must(tgs_platform_parse(&p, "cpu:1 fpga:6@16.005/own link:1,0", &err), &err);
    must(tgs_problem_new(&pb, g, p, NULL, NULL, &err), &err);
    start = now();
    must(tgs_i_place_open(&x, &pb->v, TGS_I_PLACE_CLASSES, "cpu", &err), &err);
    a.device = calloc((size_t)x.class_.n, sizeof *a.device);
    must(tgs_i_place_dpl(&x.class_, &x.d, 4, &a, NULL, NULL), &err);
    must(tgs_i_ideals_open(&ideals, x.class_.n, x.class_.pred_at, x.class_.pred, x.class_.succ_at,
                           x.class_.succ, 60000),
         &err);
    must(tgs_i_place_dp(&x.class_, &x.d, &ideals, &a, NULL, NULL), &err);
    put(name, "", now() - start, "s", seconds);
    put(name, "-ideals", ideals.count, "ideals", NAN);
    getrusage(RUSAGE_SELF, &r);
    put(name, "-memory", (double)r.ru_maxrss / 1000, "MB", 2000);
    tgs_i_ideals_close(&ideals);
    free(a.device);
    tgs_i_place_close(&x);
    tgs_problem_free(pb);
    tgs_platform_free(p);
}

/* chains of tasks between a source and a sink: (length + 1)^chains + 2 ideals */
static tgs_graph *chains(int chains, int length, uint64_t seed)
{
    tgs_builder *b;
    tgs_graph *g;
    tgs_error err;
    tgs_rng r;

    tgs_rng_seed(&r, seed);
    must(tgs_builder_new(&b, &err), &err);
    for (int i = 0; i < chains * length + 2; i++) {
        const double seconds = 1 + tgs_rng_real(&r);

        tgs_builder_task(b, NULL, NULL, NAN);
        tgs_builder_task_time(b, i, "cpu", 10 * seconds);
        tgs_builder_task_time(b, i, "fpga", seconds);
    }
    for (int c = 0; c < chains; c++)
        for (int i = 0; i <= length; i++)
            tgs_builder_edge(b, i ? 1 + c * length + i : 0, i < length ? 2 + c * length + i : 1,
                             tgs_rng_real(&r));
    must(tgs_builder_finish(&g, b, &err), &err);
    return g;
}

static int published(void)
{
    static const char *const files[] = {
        "%s/../shared/data/dnn-partitioning/throughput-inputs/LayerGraphs/gnmt_training.json",
        "%s/tests/data/dnn-partitioning/throughput/gnmt_inference.json"};
    const char *root = getenv("TGS_SRCDIR");
    char path[4096];
    tgs_error err;
    tgs_graph *g;
    int i = 0;

    do
        snprintf(path, sizeof path, files[i], root ? root : ".");
    while (access(path, R_OK) && ++i < 2);
    if (i == 2 || tgs_graph_read(&g, path, "dnn-partitioning", &err))
        return 0; /* this build reads no JSON */
    measure(i ? "place-ideal-gnmt-inference" : "place-ideal-gnmt-training", g, 1);
    tgs_graph_free(g);
    return 1;
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    static const struct {
        const char *name;
        int chains, length;
    } cases[] = {{"place-ideal-wide-3", 3, 33}, {"place-ideal-wide-4", 4, 13}};

    if (*which && strncmp(which, "place-ideal", 11) != 0)
        return 0;
    if (!strncmp(which, "place-ideal-gnmt", strlen(which)))
        published();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strncmp(which, cases[i].name, strlen(which))) {
            tgs_graph *g = chains(cases[i].chains, cases[i].length, 1);

            measure(cases[i].name, g, 15);
            tgs_graph_free(g);
        }
    return 0;
}
