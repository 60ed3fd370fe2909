/* limits.c -- where tasks may run: pinned processors and memories, trust, capacity, colocation.
 *
 * A task's memories are kept as a mask of a bit each, made only when something restricts one.
 * O(tasks x kinds x memories / 64 + accesses), and sorting what is in groups. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "masks.h"
#include "problem.h"

typedef struct limits {
    tgs_problem *pb;
    const tgs_view *v;
    tgs_i_arena arena; /* names of the platform, to look many up */
    tgs_i_names procs, memories;
    size_t words;            /* of a mask */
    uint64_t *kind_memories; /* [kinds * words] memories with a processor of the kind */
    uint64_t *all;           /* [words] memories with a processor */
    uint64_t *some, *common; /* [words] scratch */
} limits;

static uint64_t *mask_of(const limits *l, int32_t task)
{
    return l->pb->mem_mask + (size_t)task * l->words;
}

static void limits_free(limits *l)
{
    tgs_i_arena_free(&l->arena);
    tgs_i_names_free(&l->procs);
    tgs_i_names_free(&l->memories);
    tgs_mem_free(l->kind_memories);
    tgs_mem_free(l->all);
}

static tgs_status remember(tgs_i_arena *arena, tgs_i_names *names, const char *name, int32_t value)
{
    const int32_t offset = tgs_i_arena_add(arena, name);

    return offset < 0 ? TGS_ENOMEM : tgs_i_names_put(names, arena, offset, value);
}

static tgs_status limits_new(limits *l, tgs_problem *pb)
{
    const tgs_platform_view *p = pb->v.p;
    tgs_status status = TGS_OK;

    *l = (limits){.pb = pb, .v = &pb->v, .words = (size_t)pb->v.mem_words};
    l->kind_memories = tgs_mem_alloc((size_t)p->kinds * l->words, sizeof *l->kind_memories);
    l->all = tgs_mem_alloc(3 * l->words, sizeof *l->all);
    if (!l->kind_memories || !l->all)
        return TGS_ENOMEM;
    l->some = l->all + l->words;
    l->common = l->some + l->words;
    for (int32_t i = 0; i < p->procs; i++) {
        tgs_i_mask_add(l->kind_memories + (size_t)p->proc[i].kind * l->words, p->proc[i].memory);
        tgs_i_mask_add(l->all, p->proc[i].memory);
    }
    if (!pb->v.g->constraints)
        return TGS_OK;
    for (int32_t i = 0; i < p->procs && !status; i++)
        status = remember(&l->arena, &l->procs, p->proc[i].name, i);
    for (int32_t i = 0; i < p->memories && !status; i++)
        status = remember(&l->arena, &l->memories, p->memory[i].name, i);
    return status;
}

static const tgs_constraint *constraint_of(const tgs_view *v, int32_t task)
{
    const int32_t c = v->g->task[task].constraint;

    return c < 0 ? NULL : &v->g->constraint[c];
}

__attribute__((format(__printf__, 5, 6))) static tgs_status
refuse(const limits *l, int32_t task, tgs_status status, tgs_error *err, const char *format, ...)
{
    char label[TGS_I_LABEL], text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tgs_fail(err, status, "task %s %s", tgs_i_task_label(l->v->g, task, label, sizeof label),
                    text);
}

/* the masks, when the first restriction asks for them */
static tgs_status need_masks(limits *l, tgs_error *err)
{
    if (l->pb->mem_mask)
        return TGS_OK;
    l->pb->mem_mask = tgs_mem_alloc((size_t)l->v->n, l->words * sizeof *l->pb->mem_mask);
    if (!l->pb->mem_mask)
        return tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
    for (int32_t i = 0; i < l->v->n; i++)
        memcpy(mask_of(l, i), l->all, l->words * sizeof *l->all);
    return TGS_OK;
}

/* ---- pins ---- */

static tgs_status pin_processor(limits *l, int32_t task, const char *name, tgs_error *err)
{
    const int32_t proc = tgs_i_names_get(&l->procs, &l->arena, name);

    if (proc < 0)
        return refuse(l, task, TGS_EINVAL, err,
                      "is pinned to '%.80s', which is no processor of the platform", name);
    if (!l->pb->pin_proc) {
        l->pb->pin_proc = tgs_mem_alloc((size_t)l->v->n, sizeof *l->pb->pin_proc);
        if (!l->pb->pin_proc)
            return tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
        for (int32_t i = 0; i < l->v->n; i++)
            l->pb->pin_proc[i] = -1;
    }
    l->pb->pin_proc[task] = proc;
    return TGS_OK;
}

static tgs_status pin_memory(limits *l, int32_t task, const char *name, tgs_error *err)
{
    const int32_t memory = tgs_i_names_get(&l->memories, &l->arena, name);
    tgs_status status;

    if (memory < 0)
        return refuse(l, task, TGS_EINVAL, err,
                      "is pinned to '%.80s', which is no memory of the platform", name);
    status = need_masks(l, err);
    if (!status && tgs_i_mask_has(mask_of(l, task), memory)) {
        memset(mask_of(l, task), 0, l->words * sizeof *l->all);
        tgs_i_mask_add(mask_of(l, task), memory);
    } else if (!status)
        memset(mask_of(l, task), 0, l->words * sizeof *l->all);
    return status;
}

/* a task with a trust label runs in the memories of that label only */
static tgs_status pin_trust(limits *l, int32_t task, const char *trust, tgs_error *err)
{
    const tgs_status status = need_masks(l, err);

    for (int32_t i = 0; i < l->v->memories && !status; i++)
        if (strcmp(l->v->p->memory[i].trust, trust) != 0)
            tgs_i_mask_drop(mask_of(l, task), i);
    return status;
}

static tgs_status pins(limits *l, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t task = 0; task < l->v->n && !status; task++) {
        const tgs_constraint *c = constraint_of(l->v, task);

        if (c && c->processor)
            status = pin_processor(l, task, tgs_text(l->v->g, c->processor), err);
        if (!status && c && c->memory)
            status = pin_memory(l, task, tgs_text(l->v->g, c->memory), err);
        if (!status && c && c->trust)
            status = pin_trust(l, task, tgs_text(l->v->g, c->trust), err);
        if (!status && c && c->group >= 0)
            status = need_masks(l, err);
    }
    return status;
}

/* ---- capacity ---- */

/* bytes of what a task touches, a datum as often as it is touched */
static double touched(const tgs_graph_view *g, int32_t task)
{
    double bytes = 0;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++)
        bytes += g->datum[g->access[i].datum].bytes;
    return bytes;
}

/* the same, each datum once; last: [data] the task that counted each last, plus 1 */
static double working_set(const tgs_graph_view *g, int32_t task, int32_t *last)
{
    double bytes = 0;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++) {
        const int32_t d = (int32_t)g->access[i].datum;

        if (last[d] != task + 1)
            bytes += g->datum[d].bytes;
        last[d] = task + 1;
    }
    return bytes;
}

/* bytes of its data that are at home in a memory, each once; last: as for working_set, which must
 * have counted the task: afterwards its data are marked as counted by no task */
static double at_home(const tgs_view *v, int32_t task, int32_t memory, int32_t *last)
{
    const tgs_graph_view *g = v->g;
    double bytes = 0;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++) {
        const int32_t d = (int32_t)g->access[i].datum;

        if (v->home[d] == memory && last[d] == task + 1) {
            bytes += g->datum[d].bytes;
            last[d] = 0;
        }
    }
    return bytes;
}

static bool memories_of(const limits *l, int32_t task, uint64_t *mask);

/* A task may not run where its working set does not fit beside what is at home there.  homes:
 * [memories] bytes of that. */
static tgs_status exclude_full(limits *l, int32_t task, double bytes, const double *homes,
                               int32_t *last, tgs_error *err)
{
    const tgs_platform_view *p = l->v->p;
    double least = INFINITY;
    tgs_status status = need_masks(l, err);
    const bool before = !status && memories_of(l, task, l->common);

    for (int32_t i = 0; i < p->memories && !status; i++) {
        const double need = bytes - at_home(l->v, task, i, last) + homes[i];

        if (need <= p->memory[i].capacity || !tgs_i_mask_has(l->common, i))
            continue;
        tgs_i_mask_drop(mask_of(l, task), i);
        least = fmin(least, need - p->memory[i].capacity);
    }
    if (before && !memories_of(l, task, l->common))
        status = refuse(l, task, TGS_EINFEASIBLE, err,
                        "may run nowhere: its data, %.17g bytes together, fit in no memory it may "
                        "use; %.17g bytes are missing",
                        bytes, least);
    return status;
}

static tgs_status capacities(limits *l, tgs_error *err)
{
    const tgs_platform_view *p = l->v->p;
    double least = INFINITY, *homes = tgs_mem_alloc((size_t)p->memories, sizeof *homes);
    int32_t *last = NULL;
    tgs_status status = homes ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "problem: out of memory");

    for (int32_t d = 0; d < l->v->g->data && homes; d++)
        if (l->v->home[d] >= 0)
            homes[l->v->home[d]] += l->v->g->datum[d].bytes;
    for (int32_t i = 0; i < p->memories && homes; i++)
        least = fmin(least, p->memory[i].capacity - homes[i]);
    for (int32_t task = 0; task < l->v->n && !isinf(least) && !status; task++) {
        double bytes = touched(l->v->g, task); /* decides for nearly all */

        if (bytes <= least)
            continue;
        if (!last) {
            last = tgs_mem_alloc((size_t)l->v->g->data, sizeof *last);
            if (!last) {
                status = tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
                break;
            }
        }
        bytes = working_set(l->v->g, task, last);
        if (bytes > least)
            status = exclude_full(l, task, bytes, homes, last, err);
    }
    tgs_mem_free(last);
    tgs_mem_free(homes);
    return status;
}

/* ---- where all that leaves a task ---- */

static bool may_run(const limits *l, int32_t task, int32_t kind)
{
    return l->v->time[(int64_t)task * l->v->kinds + kind] < INFINITY;
}

/* memories where the task has a processor it may use; false: there are none */
static bool memories_of(const limits *l, int32_t task, uint64_t *mask)
{
    const int32_t pin = l->pb->pin_proc ? l->pb->pin_proc[task] : -1;

    memset(mask, 0, l->words * sizeof *mask);
    if (pin >= 0 && may_run(l, task, l->v->p->proc[pin].kind))
        tgs_i_mask_add(mask, l->v->p->proc[pin].memory);
    for (int32_t k = 0; pin < 0 && k < l->v->kinds; k++)
        for (size_t i = 0; i < l->words && may_run(l, task, k); i++)
            mask[i] |= l->kind_memories[(size_t)k * l->words + i];
    if (l->pb->mem_mask)
        tgs_i_mask_meet(mask, mask_of(l, task), l->words);
    return tgs_i_mask_any(mask, l->words);
}

static tgs_status nowhere(const limits *l, int32_t task, tgs_error *err)
{
    const int32_t pin = l->pb->pin_proc ? l->pb->pin_proc[task] : -1;
    bool kinds = false;

    for (int32_t k = 0; k < l->v->kinds; k++)
        kinds = kinds || may_run(l, task, k);
    if (!kinds)
        return refuse(l, task, TGS_EINFEASIBLE, err,
                      "may run nowhere: the platform has no processor of a kind it may use");
    if (pin >= 0 && !may_run(l, task, l->v->p->proc[pin].kind))
        return refuse(l, task, TGS_EINFEASIBLE, err,
                      "may run nowhere: it is pinned to '%.80s', whose kind it may not use",
                      l->v->p->proc[pin].name);
    return refuse(l, task, TGS_EINFEASIBLE, err,
                  "may run nowhere: no memory it may use has a processor it may use");
}

static tgs_status feasible(const limits *l, tgs_error *err)
{
    for (int32_t task = 0; task < l->v->n; task++)
        if (!memories_of(l, task, l->some))
            return nowhere(l, task, err);
    return TGS_OK;
}

/* ---- colocation ---- */

typedef struct member {
    int32_t group, task;
} member;

static int by_group(const void *pa, const void *pb)
{
    const member *a = pa, *b = pb;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->task < b->task ? -1 : a->task > b->task;
}

/* the tasks of a group share a memory: each may use only what all may */
static tgs_status colocate(limits *l, tgs_error *err)
{
    member *all;
    int32_t n = 0;
    tgs_status status = TGS_OK;

    if (!l->pb->mem_mask)
        return TGS_OK; /* a group would have made it */
    all = tgs_mem_alloc((size_t)l->v->n, sizeof *all);
    if (!all)
        return tgs_fail(err, TGS_ENOMEM, "problem: out of memory");
    for (int32_t task = 0; task < l->v->n; task++)
        if (constraint_of(l->v, task) && constraint_of(l->v, task)->group >= 0)
            all[n++] = (member){constraint_of(l->v, task)->group, task};
    qsort(all, (size_t)n, sizeof *all, by_group);
    for (int32_t i = 0, j; i < n && !status; i = j) {
        memset(l->common, 0xff, l->words * sizeof *l->common);
        for (j = i; j < n && all[j].group == all[i].group && !status; j++) {
            memories_of(l, all[j].task, l->some);
            tgs_i_mask_meet(l->common, l->some, l->words);
            if (!tgs_i_mask_any(l->common, l->words))
                status =
                    refuse(l, all[j].task, TGS_EINFEASIBLE, err,
                           "shares no memory with the others of its group %d", (int)all[i].group);
        }
        for (int32_t k = i; k < j && !status; k++)
            memcpy(mask_of(l, all[k].task), l->common, l->words * sizeof *l->common);
    }
    tgs_mem_free(all);
    return status;
}

tgs_status tgs_i_problem_limit(tgs_problem *pb, tgs_error *err)
{
    limits l;
    tgs_status status;

    status = limits_new(&l, pb) ? tgs_fail(err, TGS_ENOMEM, "problem: out of memory") : TGS_OK;
    if (!status)
        status = pins(&l, err);
    if (!status)
        status = capacities(&l, err);
    if (!status)
        status = feasible(&l, err);
    if (!status)
        status = colocate(&l, err);
    pb->v.pin_proc = pb->pin_proc;
    pb->v.mem_mask = pb->mem_mask;
    limits_free(&l);
    return status;
}
