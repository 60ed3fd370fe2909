/* t_starpu_limits.c -- runs where a device holds less than the data that come to it: they end,
 * tasks run in the planned order, the device never holds more than its limit, results are the same
 * to the bit as without a limit, and every copy is in the log (the backend compares it with
 * StarPU's counters after each step). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "starpu_case.h"

enum { MIB = 1 << 20 };

static double peak_of(const tgs_trace_view *t, int32_t memory)
{
    double peak = 0;

    for (int32_t i = 0; i < t->useds; i++)
        if (t->used[i].memory == memory && t->used[i].bytes > peak)
            peak = t->used[i].bytes;
    return peak;
}

static bool in_order(const tgs_schedule_view *s, const tgs_trace_view *t)
{
    double *start = tgs_mem_alloc((size_t)s->tasks, sizeof *start);
    bool ok = t->rans == t->steps * s->tasks;

    for (int32_t step = 0; step < t->steps && ok; step++) {
        for (int32_t i = 0; i < t->rans; i++)
            if (t->ran[i].step == step) {
                ok &= t->ran[i].proc == s->place[t->ran[i].task].proc;
                start[t->ran[i].task] = t->ran[i].start;
            }
        for (int32_t p = 0; p < s->procs; p++)
            for (int32_t k = s->order_at[p] + 1; k < s->order_at[p + 1]; k++)
                ok &= start[s->order[k - 1]] <= start[s->order[k]];
    }
    tgs_mem_free(start);
    return ok;
}

/* two steps of integer tasks on data of 1 MiB */
static int limited_to(int32_t mebibytes, const char *heuristic, const char *platform)
{
    spu_case c;
    tgs_platform *p, *all;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_run *run;
    tgs_trace *trace;
    int32_t dropped;

    case_make(&c, 60, MIB / 4, 1, platform);
    all = NULL;
    for (int32_t m = 1; m < c.p->v.memories; m++) {
        MUST(tgs_platform_limit(&p, all ? all : c.p, c.p->v.memory[m].name, (double)mebibytes * MIB,
                                err));
        tgs_platform_free(all);
        all = p;
    }
    MUST(tgs_problem_new(&pb, c.g, p, NULL, "latbw", err));
    MUST(tgs_schedule_make(&s, pb, heuristic, 1, err));
    CHECK(mebibytes > 9 || s->v.moves > 0);
    CHECK(mebibytes > 6 || strcmp(heuristic, "roundrobin") || s->v.drops > 10);
    MUST(tgs_run_open(&run, pb, s, c.c, "starpu", err));
    for (int32_t step = 0; step < 2; step++) {
        MUST(tgs_run_step(run, err));
        case_expect(&c);
    }
    CHECK(case_equal(&c, run, &dropped)); /* exactly what it computes without limits */
    MUST(tgs_run_close(run, &trace, err));
    CHECK(in_order(&s->v, &trace->v));
    for (int32_t m = 1; m < p->v.memories; m++)
        CHECK(peak_of(&trace->v, m) <= (double)mebibytes * MIB);
    fprintf(stderr, "%s at %d MiB: planned %.0f MiB in 2 steps, moved %.0f, %d orders to drop\n",
            heuristic, mebibytes, 2 * tgs_schedule_bytes_moved(s, pb) / MIB,
            tgs_trace_bytes_moved(trace) / MIB, s->v.drops);
    tgs_trace_free(trace);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    case_free(&c);
    return 0;
}

/* one StarPU after the other in one process, each with its limits; the last without */
static int one_device(void)
{
    static const int32_t limit[] = {5, 6, 9, 20, 1 << 20};
    int bad = 0;

    for (size_t i = 0; i < sizeof limit / sizeof *limit && !bad; i++)
        bad = limited_to(limit[i], "roundrobin", "cpu:1 gpu:1")
              || limited_to(limit[i], "memheft", "cpu:1 gpu:1")
              || limited_to(limit[i], "m-topo", "cpu:1 gpu:1");
    return bad;
}

static int three_devices(void)
{
    setenv("POCL_DEVICES", "pthread pthread pthread", 1);
    return limited_to(5, "roundrobin", "cpu:1 gpu:3/own")
           || limited_to(8, "memheft", "cpu:1 gpu:3/own");
}

/* ---- training ------------------------------------------------------------------------------- */
static float *train(const tgs_problem *pb, const tgs_schedule *s, int64_t *values)
{
    const tgs_graph_view *g = pb->v.g;
    void **memory = tgs_mem_alloc((size_t)g->data, sizeof *memory);
    float *result = NULL;
    int64_t room = 0;
    tgs_rng rng;
    tgs_run *run;

    *values = 0;
    tgs_rng_seed(&rng, 7);
    MUST(tgs_run_open(&run, pb, s, NULL, "starpu", err));
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
    for (int32_t i = 0; i < 3; i++)
        MUST(tgs_run_step(run, err));
    for (int32_t d = 0; d < g->data; d++) { /* weights and what they are updated with */
        const int32_t x = g->datum[d].extra;
        const int64_t n = (int64_t)(g->datum[d].bytes / 4);

        if (x < 0 || !g->extra[x].persistent)
            continue;
        tgs_mem_grow(&result, &room, *values + n, sizeof *result);
        MUST(tgs_run_read(run, d, result + *values, err));
        *values += n;
    }
    MUST(tgs_run_close(run, NULL, err));
    for (int32_t d = 0; d < g->data; d++)
        tgs_mem_free(memory[d]);
    tgs_mem_free(memory);
    return result;
}

/* the same placement with all the memory there is, and with little more than a task needs */
static int same_to_the_bit(void)
{
    char path[4096];
    tgs_model *m;
    tgs_strategy *strategy;
    tgs_graph *g;
    tgs_platform *p, *small;
    tgs_problem *pb, *tight;
    tgs_schedule *s, *fitted;
    float *one, *two;
    int64_t values, again;
    double need = 0;

    snprintf(path, sizeof path, "%s/tests/data/onnx/mlp.onnx", getenv("TGS_SRCDIR"));
    MUST(tgs_model_read(&m, path, NULL, "batch=8", err));
    MUST(tgs_strategy_parse(&strategy, "train sgd lr=0.01; loss xent; micro-batches 4", err));
    MUST(tgs_model_lower(&g, m, strategy, err));
    MUST(tgs_platform_parse(&p, "cpu:1 gpu:1", err));
    MUST(tgs_problem_new(&pb, g, p, NULL, "latbw", err));
    MUST(tgs_schedule_make(&s, pb, "roundrobin", 1, err));
    for (int32_t t = 0; t < g->v.tasks; t++) {
        double bytes = 0;

        for (int32_t i = g->v.access_at[t]; i < g->v.access_at[t + 1]; i++)
            bytes += g->v.datum[g->v.access[i].datum].bytes;
        need = bytes > need ? bytes : need;
    }
    MUST(tgs_platform_limit(&small, p, "gpu0", need, err));
    MUST(tgs_problem_new(&tight, g, small, NULL, "latbw", err));
    MUST(tgs_schedule_make(&fitted, tight, "roundrobin", 1, err));
    CHECK(fitted->v.drops > 0 && !s->v.drops);
    for (int32_t t = 0; t < g->v.tasks; t++)
        CHECK(fitted->v.place[t].proc == s->v.place[t].proc);
    one = train(pb, s, &values);
    two = train(tight, fitted, &again);
    CHECK(values > 100 && values == again && !memcmp(one, two, (size_t)values * sizeof *one));
    fprintf(stderr, "%lld values equal, %d orders to drop\n", (long long)values, fitted->v.drops);
    tgs_mem_free(one);
    tgs_mem_free(two);
    tgs_schedule_free(fitted);
    tgs_problem_free(tight);
    tgs_platform_free(small);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    tgs_strategy_free(strategy);
    tgs_model_free(m);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DEVICE(one_device, 200),
        ON_DEVICE(three_devices, 200),
        ON_DEVICE(same_to_the_bit, 200),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
