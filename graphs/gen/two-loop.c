/* two-loop.c -- a step of meta-learning on several workers (G-Meta, T15): support look-up, an inner
 * update for each task, query look-up, an outer gradient for each task; then the dense gradients
 * are joined over the workers, and those of the embeddings exchanged.
 *
 * Embeddings are spread over the workers, so that each look-up ends in an all-to-all, a task of
 * latency + payload seconds; fused, support and query rows come in one, of latency + 2 payload.
 * The dense gradients (dense bytes a worker) are gathered at worker 0, which sends the sum back, or
 * reduced along a ring: 2 (W - 1) rounds of dense / W bytes.  Tasks of a worker share a memory.
 * Inner updates of different tasks do not depend on each other.
 *
 * O(workers tasks + workers^2) with outer=ring, else O(workers tasks). */
#include <string.h>
#include "core.h"

enum { MOST_WORKERS = 1000 };

typedef struct loops {
    tgs_i_gen g;
    int64_t workers, tasks;
    double latency, payload, dense;
    bool fused, ring;
} loops;

static int32_t on_worker(loops *x, const char *what, int64_t worker, int64_t number)
{
    char name[64], group[24];
    int32_t task;

    snprintf(name, sizeof name, "%s_%lld%s", what, (long long)worker, number < 0 ? "" : "_");
    task = tgs_i_gen_task(&x->g, name, number, x->g.work);
    snprintf(group, sizeof group, "%lld", (long long)worker);
    if (task >= 0)
        tgs_builder_task_constrain(x->g.b, task, "group", group);
    return task;
}

/* an all-to-all: nobody goes on before all are there */
static int32_t exchange(loops *x, const char *name, int32_t payloads)
{
    const int32_t task = tgs_builder_task(x->g.b, name, NULL, x->latency + payloads * x->payload);

    tgs_builder_task_phase(x->g.b, task, TGS_PHASE_COMMUNICATION);
    return task;
}

/* every worker looks rows up, and gets those of the others; before: [workers][tasks] or NULL */
static int32_t look_up(loops *x, const char *what, const int32_t *before, int32_t payloads)
{
    const int32_t first = on_worker(x, what, 0, -1);
    char name[32];
    int32_t task;

    for (int64_t w = 1; w < x->workers; w++)
        on_worker(x, what, w, -1);
    for (int64_t i = 0; before && i < x->workers * x->tasks; i++)
        tgs_builder_after(x->g.b, before[i], first + (int32_t)(i / x->tasks));
    snprintf(name, sizeof name, "exchange_%s", what);
    task = exchange(x, name, payloads);
    for (int32_t w = 0; w < x->workers; w++)
        tgs_builder_after(x->g.b, first + w, task);
    return task;
}

static tgs_status inner_and_outer(loops *x, int32_t *inner, int32_t *outer)
{
    int32_t rows = look_up(x, "support", NULL, x->fused ? 2 : 1);

    for (int64_t i = 0; i < x->workers * x->tasks && !tgs_builder_status(x->g.b, NULL); i++) {
        inner[i] = on_worker(x, "inner", i / x->tasks, i % x->tasks);
        tgs_builder_after(x->g.b, rows, inner[i]);
    }
    if (!x->fused)
        rows = look_up(x, "query", inner, 1);
    for (int64_t i = 0; i < x->workers * x->tasks && !tgs_builder_status(x->g.b, NULL); i++) {
        outer[i] = on_worker(x, "outer", i / x->tasks, i % x->tasks);
        tgs_builder_after(x->g.b, inner[i], outer[i]);
        if (!x->fused)
            tgs_builder_after(x->g.b, rows, outer[i]);
    }
    return tgs_i_gen_status(&x->g);
}

/* sum: [workers] the tasks that hold the gradient of each worker, then of all */
static void gather(loops *x, int32_t *sum)
{
    const int32_t total = on_worker(x, "gather", 0, -1);

    for (int64_t w = 0; w < x->workers; w++)
        tgs_builder_edge(x->g.b, sum[w], total, x->dense);
    for (int64_t w = 0; w < x->workers; w++) {
        sum[w] = on_worker(x, "receive", w, -1);
        tgs_builder_edge(x->g.b, total, sum[w], x->dense);
    }
}

static void ring(loops *x, int32_t *sum, int32_t *next)
{
    const double piece = x->dense / (double)x->workers;

    for (int64_t k = 0; k < 2 * (x->workers - 1) && !tgs_builder_status(x->g.b, NULL); k++) {
        for (int64_t w = 0; w < x->workers; w++) {
            next[w] = on_worker(x, "ring", w, k);
            tgs_builder_edge(x->g.b, sum[(w + x->workers - 1) % x->workers], next[w], piece);
            tgs_builder_after(x->g.b, sum[w], next[w]);
        }
        memcpy(sum, next, (size_t)x->workers * sizeof *sum);
    }
}

static tgs_status join(loops *x, const int32_t *outer, int32_t *sum, int32_t *next)
{
    int32_t rows;

    for (int64_t w = 0; w < x->workers; w++)
        sum[w] = on_worker(x, "gradient", w, -1);
    for (int64_t i = 0; i < x->workers * x->tasks; i++)
        tgs_builder_after(x->g.b, outer[i], sum[i / x->tasks]);
    rows = exchange(x, "exchange_gradients", 1);
    for (int64_t w = 0; w < x->workers; w++)
        tgs_builder_after(x->g.b, sum[w], rows);
    if (x->ring)
        ring(x, sum, next);
    else
        gather(x, sum);
    for (int64_t w = 0; w < x->workers && !tgs_builder_status(x->g.b, NULL); w++) {
        const int32_t update = on_worker(x, "update", w, -1);

        tgs_builder_task_phase(x->g.b, update, TGS_PHASE_UPDATE);
        tgs_builder_after(x->g.b, rows, update);
        tgs_builder_after(x->g.b, sum[w], update);
    }
    return tgs_i_gen_status(&x->g);
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    const char *outer_rule = tgs_arg_text(a, "outer");
    loops x = {.workers = tgs_arg_int(a, "workers"),
               .tasks = tgs_arg_int(a, "tasks"),
               .latency = tgs_arg_real(a, "latency"),
               .payload = tgs_arg_real(a, "payload"),
               .dense = tgs_arg_real(a, "dense"),
               .fused = tgs_arg_int(a, "fused") != 0,
               .ring = !strcmp(outer_rule, "ring")};
    const double tasks = (double)x.workers * (double)x.tasks;
    int32_t *inner = NULL, *outer = NULL, *sum = NULL, *next = NULL;
    tgs_status status = tgs_i_gen_open(&x.g, a, r, b, err);

    if (!status && !x.ring && strcmp(outer_rule, "gather"))
        status = tgs_fail(err, TGS_EINVAL, "two-loop: outer=%.40s: there are ring and gather",
                          outer_rule);
    if (!status)
        status = tgs_i_gen_limit(&x.g, "two-loop",
                                 2 * tasks + 8 * (double)x.workers * (double)x.workers, 8 * tasks);
    if (!status) {
        inner = tgs_mem_alloc((size_t)tasks, sizeof *inner);
        outer = tgs_mem_alloc((size_t)tasks, sizeof *outer);
        sum = tgs_mem_alloc((size_t)x.workers, sizeof *sum);
        next = tgs_mem_alloc((size_t)x.workers, sizeof *next);
        status = inner && outer && sum && next ? inner_and_outer(&x, inner, outer)
                                               : tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    if (!status)
        status = join(&x, outer, sum, next);
    tgs_mem_free(inner);
    tgs_mem_free(outer);
    tgs_mem_free(sum);
    tgs_mem_free(next);
    tgs_i_gen_close(&x.g);
    return status;
}

static const tgs_param params[] = {
    {"workers", "4", TGS_PARAM_INT, 1, MOST_WORKERS, "workers"},
    {"tasks", "4", TGS_PARAM_INT, 1, 1000000, "tasks of a worker"},
    {"fused", "1", TGS_PARAM_INT, 0, 1, "1: support and query rows in one all-to-all"},
    {"outer", "ring", TGS_PARAM_TEXT, 0, 0,
     "how dense gradients are joined: ring or gather (at worker 0)"},
    {"latency", "1", TGS_PARAM_REAL, 0, 1e9, "seconds of an all-to-all, whatever its size"},
    {"payload", "1", TGS_PARAM_REAL, 0, 1e9, "seconds of the rows of one look-up"},
    {"dense", "1000", TGS_PARAM_REAL, 0, 1e18, "bytes of the dense gradients of a worker"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_two_loop = {
    .base = {TGS_PLUGIN_ABI, "two-loop", "a step of meta-learning: inner and outer updates",
             "Xiao et al., G-Meta: distributed meta learning in GPU clusters for large-scale "
             "recommender systems, CIKM 2023",
             params},
    .make = make,
};
