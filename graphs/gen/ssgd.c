/* ssgd.c -- iterations of synchronous SGD on several GPUs, as a DAG.
 *
 * S. Shi, Q. Wang, X. Chu, B. Li, "A DAG model of synchronous stochastic gradient descent in
 * distributed deep learning", ICPADS 2018; with messages merged as in S. Shi, X. Chu, B. Li,
 * "MG-WFBP: efficient data communication for distributed synchronous SGD algorithms", INFOCOM 2019.
 *
 * Per iteration and GPU: read and decode a batch, copy it to the GPU, forward passes f_1 .. f_L,
 * backward passes b_L .. b_1; then messages, one after the other on the one network, each after the
 * backward passes of its layers on all GPUs and taking alpha + beta bytes; then an update, which
 * the next iteration's forward pass waits for.  Layers are the network's kind `net`, reading and
 * copying the kind `cpu`, the rest the kind `gpu`; the tasks of a GPU share a memory. */
#include <string.h>
#include "core.h"

enum { MOST_LAYERS = 10000 };

typedef struct ssgd {
    tgs_builder *b;
    tgs_error *err;
    int64_t layers, gpus, steps, groups;
    double *forward, *backward, *bytes; /* [layers] from the first layer on */
    double *group; /* [groups] layers of each message, the last layer's first */
    double alpha, beta, io, decode, copy, update;
    bool wait_free, prefetch;
    int32_t *back, *before; /* [gpus * layers] backward passes; [gpus] updates of the last step */
} ssgd;

/* "1" or "1+2+3": one number for all of count, or one each */
static tgs_status parse_list(ssgd *g, const char *key, const char *text, int64_t count, double *out)
{
    const char *s = text;
    int64_t n = 0;

    for (; *s && n < count; n++) {
        const size_t size = strcspn(s, "+");
        char word[40];

        snprintf(word, sizeof word, "%.*s", size < sizeof word ? (int)size : 0, s);
        if (!tgs_parse_real(word, &out[n]) || !(out[n] >= 0) || out[n] > 1e15)
            return tgs_fail(g->err, TGS_EINVAL, "ssgd: %s: '%.40s' is none", key, word);
        s += size + (s[size] == '+');
    }
    if (*s || (n != 1 && n != count))
        return tgs_fail(g->err, TGS_EINVAL, "ssgd: %s: one number, or %lld joined by '+'", key,
                        (long long)count);
    for (int64_t i = n; i < count; i++)
        out[i] = out[0];
    return TGS_OK;
}

/* layers of each message; "": one each */
static tgs_status parse_groups(ssgd *g, const char *text)
{
    double all = 0;
    tgs_status status = TGS_OK;

    g->groups = *text ? 1 : g->layers;
    for (const char *s = text; *s; s++)
        g->groups += *s == '+';
    if (g->groups > g->layers)
        return tgs_fail(g->err, TGS_EINVAL, "ssgd: more groups than layers");
    g->group = tgs_mem_alloc((size_t)g->groups, sizeof *g->group);
    if (!g->group)
        return tgs_fail(g->err, TGS_ENOMEM, "out of memory");
    status = parse_list(g, "groups", *text ? text : "1", g->groups, g->group);
    for (int64_t i = 0; i < g->groups && !status; i++) {
        all += g->group[i];
        if (g->group[i] < 1 || g->group[i] != (double)(int64_t)g->group[i])
            return tgs_fail(g->err, TGS_EINVAL, "ssgd: a group of %g layers", g->group[i]);
    }
    if (!status && all != (double)g->layers)
        status = tgs_fail(g->err, TGS_EINVAL, "ssgd: groups of %g layers, and there are %lld", all,
                          (long long)g->layers);
    return status;
}

/* gpu -1: of all */
static int32_t add(ssgd *g, const char *what, int64_t layer, int64_t gpu, int64_t step,
                   const char *kind, double seconds)
{
    char name[100], text[24];
    int used = snprintf(name, sizeof name, "%s", what);
    int32_t task;

    if (layer)
        used += snprintf(name + used, sizeof name - (size_t)used, "%lld", (long long)layer);
    if (gpu >= 0)
        used += snprintf(name + used, sizeof name - (size_t)used, "@g%lld", (long long)gpu);
    if (g->steps > 1)
        snprintf(name + used, sizeof name - (size_t)used, "#%lld", (long long)step);
    task = tgs_builder_task(g->b, name, NULL, seconds);
    tgs_builder_task_constrain(g->b, task, "kinds", kind);
    if (gpu >= 0 && !strcmp(kind, "gpu")) {
        snprintf(text, sizeof text, "%lld", (long long)gpu);
        tgs_builder_task_constrain(g->b, task, "group", text);
    }
    return task;
}

/* task after another, which may be absent */
static void after(ssgd *g, int32_t before, int32_t task)
{
    if (before >= 0)
        tgs_builder_after(g->b, before, task);
}

/* the batch on the GPU: its last task, or -1; reading waits for updates unless it runs ahead */
static int32_t load(ssgd *g, int64_t gpu, int64_t step, int32_t updated)
{
    const struct {
        const char *what;
        double seconds;
    } stage[] = {{"read", g->io}, {"decode", g->decode}, {"copy", g->copy}};
    int32_t last = -1;

    for (int i = 0; i < 3; i++) {
        int32_t task;

        if (stage[i].seconds == 0)
            continue;
        task = add(g, stage[i].what, 0, gpu, step, "cpu", stage[i].seconds);
        after(g, last, task);
        if (last < 0 && !g->prefetch)
            after(g, updated, task);
        last = task;
    }
    return last;
}

static void compute(ssgd *g, int64_t gpu, int64_t step)
{
    int32_t last = load(g, gpu, step, g->before[gpu]);
    const int32_t updated = g->before[gpu];

    for (int64_t l = 0; l < g->layers; l++) {
        const int32_t task = add(g, "f", l + 1, gpu, step, "gpu", g->forward[l]);

        after(g, last, task);
        if (!l)
            after(g, updated, task);
        last = task;
    }
    for (int64_t l = g->layers - 1; l >= 0; l--) {
        const int32_t task = add(g, "b", l + 1, gpu, step, "gpu", g->backward[l]);

        after(g, last, task);
        last = g->back[gpu * g->layers + l] = task;
    }
}

/* the messages of a step, the last layer's first */
static int32_t exchange(ssgd *g, int64_t step)
{
    int64_t layer = g->layers;
    int32_t last = -1;

    for (int64_t k = 0; k < g->groups; k++) {
        const int64_t from = layer - (int64_t)g->group[k];
        double bytes = 0;
        int32_t task;

        for (int64_t l = from; l < layer; l++)
            bytes += g->bytes[l];
        task = add(g, "c", from + 1, -1, step, "net", g->alpha + g->beta * bytes);
        for (int64_t i = 0; i < g->gpus; i++)
            after(g, g->back[i * g->layers + (g->wait_free ? from : 0)], task);
        after(g, last, task);
        last = task;
        layer = from;
    }
    return last;
}

static tgs_status write(ssgd *g)
{
    const char *text;
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < g->gpus; i++)
        g->before[i] = -1;
    for (int64_t s = 0; s < g->steps && !status; s++) {
        int32_t sent;

        for (int64_t i = 0; i < g->gpus; i++)
            compute(g, i, s);
        sent = exchange(g, s);
        for (int64_t i = 0; i < g->gpus; i++) {
            g->before[i] = add(g, "u", 0, i, s, "gpu", g->update);
            after(g, sent, g->before[i]);
        }
        status = tgs_builder_status(g->b, &text);
        if (status)
            tgs_fail(g->err, status, "%s", text);
    }
    return status;
}

static tgs_status read_args(ssgd *g, const tgs_args *a)
{
    const double tasks =
        (double)g->steps * ((double)g->gpus * (2.0 * (double)g->layers + 4) + (double)g->layers);
    tgs_status status;

    if (tasks > TGS_I_GEN_MOST)
        return tgs_fail(g->err, TGS_EINVAL, "ssgd: more than %d tasks", TGS_I_GEN_MOST);
    g->forward = tgs_mem_alloc((size_t)g->layers, sizeof *g->forward);
    g->backward = tgs_mem_alloc((size_t)g->layers, sizeof *g->backward);
    g->bytes = tgs_mem_alloc((size_t)g->layers, sizeof *g->bytes);
    g->back = tgs_mem_alloc((size_t)(g->layers * g->gpus), sizeof *g->back);
    g->before = tgs_mem_alloc((size_t)g->gpus, sizeof *g->before);
    if (!g->forward || !g->backward || !g->bytes || !g->back || !g->before)
        return tgs_fail(g->err, TGS_ENOMEM, "out of memory");
    status = parse_list(g, "forward", tgs_arg_text(a, "forward"), g->layers, g->forward);
    if (!status)
        status = parse_list(g, "backward", tgs_arg_text(a, "backward"), g->layers, g->backward);
    if (!status)
        status = parse_list(g, "bytes", tgs_arg_text(a, "bytes"), g->layers, g->bytes);
    return status ? status : parse_groups(g, tgs_arg_text(a, "groups"));
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    ssgd g = {.b = b,
              .err = err,
              .layers = tgs_arg_int(a, "layers"),
              .gpus = tgs_arg_int(a, "gpus"),
              .steps = tgs_arg_int(a, "steps"),
              .alpha = tgs_arg_real(a, "alpha"),
              .beta = tgs_arg_real(a, "beta"),
              .io = tgs_arg_real(a, "io"),
              .decode = tgs_arg_real(a, "decode"),
              .copy = tgs_arg_real(a, "h2d"),
              .update = tgs_arg_real(a, "update"),
              .wait_free = tgs_arg_int(a, "wfbp") != 0,
              .prefetch = tgs_arg_int(a, "prefetch") != 0};
    tgs_status status = read_args(&g, a);

    (void)r;
    if (!status)
        status = write(&g);
    tgs_mem_free(g.forward);
    tgs_mem_free(g.backward);
    tgs_mem_free(g.bytes);
    tgs_mem_free(g.group);
    tgs_mem_free(g.back);
    tgs_mem_free(g.before);
    return status;
}

static const tgs_param params[] = {
    {"layers", "3", TGS_PARAM_INT, 1, MOST_LAYERS, "of the network"},
    {"gpus", "1", TGS_PARAM_INT, 1, 10000, "that share the batch"},
    {"steps", "1", TGS_PARAM_INT, 1, 10000, "iterations"},
    {"forward", "1", TGS_PARAM_TEXT, 0, 0, "seconds of a layer, or of each: 1+2+3"},
    {"backward", "1", TGS_PARAM_TEXT, 0, 0, "the same of its backward pass"},
    {"bytes", "1", TGS_PARAM_TEXT, 0, 0, "of its gradient"},
    {"groups", "", TGS_PARAM_TEXT, 0, 0,
     "layers of each message, the last layers first: 1+2; by default one each"},
    {"alpha", "0", TGS_PARAM_REAL, 0, 1e15, "seconds of a message, and"},
    {"beta", "1", TGS_PARAM_REAL, 0, 1e15, "of a byte of it"},
    {"io", "0", TGS_PARAM_REAL, 0, 1e15, "seconds of reading a batch"},
    {"decode", "0", TGS_PARAM_REAL, 0, 1e15, "of decoding it"},
    {"h2d", "0", TGS_PARAM_REAL, 0, 1e15, "of copying it to the GPU"},
    {"update", "0", TGS_PARAM_REAL, 0, 1e15, "of the update"},
    {"wfbp", "1", TGS_PARAM_INT, 0, 1, "1: a message leaves while earlier layers still compute"},
    {"prefetch", "1", TGS_PARAM_INT, 0, 1, "1: the next batch is read meanwhile"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_ssgd = {
    .base = {TGS_PLUGIN_ABI, "ssgd", "iterations of synchronous SGD on several GPUs and a network",
             "Shi, Wang, Chu, Li (2018), A DAG model of synchronous stochastic gradient descent in "
             "distributed deep learning, ICPADS",
             params},
    .make = make,
};
