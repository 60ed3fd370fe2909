/* t_starpu_train.c -- a training step on a CPU worker and an OpenCL device together: for every
 * tensor, the distance to the float64 run is at most four times that of the serial float32 run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "starpu_case.h"

enum { STEPS = 2, SEEDS = 3 };

typedef struct values {
    double **of; /* [data]; NULL: has none */
} values;

/* what has no initial value is an input: pixels in [0, 1), or a class */
static void bind_inputs(tgs_run *run, const tgs_graph_view *g, void **memory, uint64_t seed)
{
    tgs_rng rng;

    tgs_rng_seed(&rng, seed);
    for (int32_t d = 0; d < g->data; d++) {
        const int32_t x = g->datum[d].extra, n = (int32_t)(g->datum[d].bytes / 4);
        const char *init = x >= 0 ? tgs_text(g, g->extra[x].init) : "";

        if (x < 0 || (*init && strcmp(init, "bound")))
            continue;
        memory[d] = tgs_mem_alloc((size_t)g->datum[d].bytes, 1);
        for (int32_t i = 0; i < n; i++)
            if (g->extra[x].dtype == TGS_F32)
                ((float *)memory[d])[i] = (float)tgs_rng_real(&rng);
            else
                ((int32_t *)memory[d])[i] = (int32_t)tgs_rng_int(&rng, 0, 9);
        MUST(tgs_run_bind(run, d, memory[d], err));
    }
}

static values train(const tgs_problem *pb, const tgs_schedule *s, const char *backend,
                    uint64_t seed, tgs_trace **trace)
{
    const tgs_graph_view *g = pb->v.g;
    values v = {tgs_mem_alloc((size_t)g->data, sizeof *v.of)};
    void **memory = tgs_mem_alloc((size_t)g->data, sizeof *memory);
    tgs_run *run;

    MUST(tgs_run_open(&run, pb, s, NULL, backend, err));
    bind_inputs(run, g, memory, seed);
    for (int32_t i = 0; i < STEPS; i++)
        MUST(tgs_run_step(run, err));
    for (int32_t d = 0; d < g->data; d++) {
        const int32_t x = g->datum[d].extra;

        if (x < 0 || g->extra[x].dtype != TGS_F32)
            continue;
        v.of[d] = tgs_mem_alloc((size_t)(g->datum[d].bytes / 4), sizeof(double));
        if (tgs_run_read_f64(run, d, v.of[d], NULL)) {
            tgs_mem_free(v.of[d]);
            v.of[d] = NULL;
        }
    }
    MUST(tgs_run_close(run, trace, err));
    for (int32_t d = 0; d < g->data; d++)
        tgs_mem_free(memory[d]);
    tgs_mem_free(memory);
    return v;
}

static void values_free(values v, int32_t data)
{
    for (int32_t d = 0; d < data; d++)
        tgs_mem_free(v.of[d]);
    tgs_mem_free(v.of);
}

static double distance(const double *a, const double *b, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static int compare(const tgs_graph_view *g, values starpu, values f32, values f64)
{
    int32_t compared = 0, bad = 0;

    for (int32_t d = 0; d < g->data; d++) {
        const int64_t n = (int64_t)(g->datum[d].bytes / 4);
        double error, serial;

        if (!starpu.of[d] || !f32.of[d] || !f64.of[d])
            continue;
        compared++;
        serial = distance(f32.of[d], f64.of[d], n);
        error = distance(starpu.of[d], f64.of[d], n);
        if (!(error <= 4 * serial)) {
            fprintf(stderr, "%s: error %g, serial %g\n", tgs_datum_name(g, d, TGS_ROOM), error,
                    serial);
            bad++;
        }
    }
    fprintf(stderr, "%d tensors compared\n", compared);
    return bad || compared < 10;
}

/* one training, three ways; the work must be shared for the comparison to mean anything */
static int three_ways(const tgs_problem *pb, const tgs_schedule *s, uint64_t seed)
{
    const int32_t data = pb->v.g->data;
    tgs_trace *trace;
    const values f32 = train(pb, s, "serial", seed, NULL);
    const values f64 = train(pb, s, "serial:precision=f64", seed, NULL);
    const values starpu = train(pb, s, "starpu", seed, &trace);
    int32_t on[2] = {0, 0};
    int bad;

    for (int32_t i = 0; i < trace->v.rans; i++)
        on[trace->v.ran[i].proc]++;
    fprintf(stderr, "%d tasks on the CPU, %d on the device, %.0f bytes moved\n", on[0], on[1],
            tgs_trace_bytes_moved(trace));
    bad = compare(pb->v.g, starpu, f32, f64) || on[0] < 5 || on[1] < 5
          || !(tgs_trace_bytes_moved(trace) > 0);
    values_free(f32, data);
    values_free(f64, data);
    values_free(starpu, data);
    tgs_trace_free(trace);
    return bad;
}

static int mixed(const char *path, const char *bind)
{
    tgs_model *m;
    tgs_strategy *strategy;
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb, *limited;
    tgs_codelets *c;
    tgs_schedule *s;
    int bad = 0;

    MUST(tgs_model_read(&m, path, NULL, bind, err));
    MUST(tgs_strategy_parse(&strategy, "train sgd lr=0.01; loss xent", err));
    MUST(tgs_model_lower(&g, m, strategy, err));
    MUST(tgs_platform_parse(&p, "cpu:1 gpu:1", err));
    MUST(tgs_problem_new(&pb, g, p, NULL, "latbw", err));
    MUST(tgs_codelets_new(&c, err));
    MUST(tgs_problem_restrict(&limited, pb, c, err));
    MUST(tgs_schedule_make(&s, limited, "roundrobin", 1, err)); /* both get work */
    for (uint64_t seed = 7; seed < 7 + SEEDS; seed++)
        bad |= three_ways(limited, s, seed);
    tgs_schedule_free(s);
    tgs_codelets_free(c);
    tgs_problem_free(limited);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    tgs_strategy_free(strategy);
    tgs_model_free(m);
    return bad;
}

static int fixture(const char *name, const char *bind)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/tests/data/onnx/%s", getenv("TGS_SRCDIR"), name);
    return mixed(path, bind);
}

static int mnist(void)
{
    return fixture("mnist-8.onnx", NULL);
}

static int mlp(void)
{
    return fixture("mlp.onnx", "batch=8");
}

static int lenet(void)
{
    return fixture("lenet.onnx", "batch=4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {ALONE(mnist, 200), ALONE(mlp, 200), ALONE(lenet, 200)};

    if (no_opencl()) {
        print_message("no OpenCL device here\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
