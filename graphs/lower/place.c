/* place.c -- which memory each part of the step lives in: replica by replica, in each stage by
 * stage, in each shard by shard.
 *
 * What no replica has, the updates and reductions that all of them share, goes where the first
 * replica has its stage; without stages such a task stays free, so that reductions can run where
 * their parts meet. */
#include <string.h>
#include "tgsched/model.h"

typedef struct grid {
    int32_t replicas, stages, shards;
} grid;

static grid measure(const tgs_lowering *l)
{
    grid g = {1, l->stages > 1 ? l->stages : 1, l->shards > 1 ? l->shards : 1};

    for (int64_t i = 0; i < l->tasks; i++) {
        const tgs_low_task *t = &l->task[i];

        if (!t->dropped && t->replica >= g.replicas)
            g.replicas = t->replica + 1;
    }
    return g;
}

static tgs_status mismatch(const grid *g, int32_t given, tgs_error *err)
{
    return tgs_fail(err, TGS_EINVAL,
                    "place: %d memories for %lld places (%d replicas, %d stages, %d shards)",
                    (int)given, (long long)g->replicas * g->stages * g->shards, (int)g->replicas,
                    (int)g->stages, (int)g->shards);
}

static void pin(tgs_lowering *l, const grid *g, const char *const *memory)
{
    for (int64_t i = 0; i < l->tasks; i++) {
        tgs_low_task *t = &l->task[i];
        const int64_t replica = t->replica > 0 ? t->replica : 0;
        const int64_t stage = t->stage > 0 ? t->stage - 1 : 0;

        if (!t->memory && (t->replica >= 0 || g->replicas == 1 || t->stage > 0))
            t->memory = memory[(replica * g->stages + stage) * g->shards
                               + (t->shard > 0 ? t->shard - 1 : 0)];
    }
}

/* splits names at their commas; memory: as many as names has */
static tgs_status read_names(char *names, const char **memory, tgs_error *err)
{
    int32_t n = 0;

    for (char *name; (name = strsep(&names, ","));) {
        if (!*name || !tgs_name_take(name))
            return tgs_fail(err, TGS_EINVAL, "place: '%s' is no name of a memory", name);
        memory[n++] = name;
    }
    return TGS_OK;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const char *text = tgs_arg_text(a, "memories");
    const char *copy = tgs_low_text(l, "%s", text), **memory;
    const grid g = measure(l);
    int32_t given = *text != 0;
    tgs_status status;

    for (const char *s = text; *s; s++)
        given += *s == ',';
    if (given != (int64_t)g.replicas * g.stages * g.shards)
        return mismatch(&g, given, err);
    memory = tgs_mem_alloc((size_t)given, sizeof *memory);
    if (!copy || !memory) {
        tgs_mem_free(memory);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    status = read_names((char *)copy, memory, err);
    if (!status)
        pin(l, &g, memory);
    tgs_mem_free(memory);
    return status;
}

static const tgs_param params[] = {
    {"memories", "", TGS_PARAM_TEXT, 0, 0, "comma list: a memory for each replica, stage, shard"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_place = {
    .base = {TGS_PLUGIN_ABI, "place", "which memory each replica, stage and shard lives in", NULL,
             params},
    .stage = 95,
    .apply = apply,
};
