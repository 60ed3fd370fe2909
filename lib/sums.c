/* sums.c -- what a graph adds up to, by phase, codelet, layer or class of data. */
#include <string.h>
#include "hash.h"
#include "internal.h"
#include "sums.h"

void tgs_i_layer_name(const char *task, char *text, size_t size)
{
    const size_t copy = strcspn(task, "@"); /* "conv1.bwd@r0.m1" */
    size_t n = strcspn(task, "./");

    if (n == 0 && copy > 1) /* "/model/layer" */
        n = 1 + strcspn(task + 1, "./");
    /* "layer1.0.conv1": a number belongs to what stands before it */
    if (n < copy && task[n + 1] >= '0' && task[n + 1] <= '9')
        n += 1 + strspn(task + n + 1, "0123456789");
    if (n > copy)
        n = copy;
    if (n >= size)
        n = size - 1;
    memcpy(text, task, n);
    text[n] = 0;
}

struct tgs_sums {
    tgs_i_arena arena;
    tgs_i_names names;
    struct group {
        int32_t name; /* in the arena */
        int32_t count;
        double flops, bytes;
    } * group;
    int64_t groups, room;
};

void tgs_sums_free(tgs_sums *s)
{
    if (!s)
        return;
    tgs_i_arena_free(&s->arena);
    tgs_i_names_free(&s->names);
    tgs_mem_free(s->group);
    tgs_mem_free(s);
}

static tgs_status add(tgs_sums *s, const char *name, double flops, double bytes)
{
    int32_t at = tgs_i_names_get(&s->names, &s->arena, name);

    if (at < 0) {
        const int32_t offset = tgs_i_arena_add(&s->arena, name);

        at = (int32_t)s->groups;
        if (offset < 0 || tgs_i_names_put(&s->names, &s->arena, offset, at)
            || tgs_mem_grow(&s->group, &s->room, s->groups + 1, sizeof *s->group))
            return TGS_ENOMEM;
        s->group[s->groups++] = (struct group){offset, 0, 0, 0};
    }
    s->group[at].count++;
    s->group[at].flops += isnan(flops) ? 0 : flops;
    s->group[at].bytes += isnan(bytes) ? 0 : bytes;
    return TGS_OK;
}

static tgs_status add_tasks(tgs_sums *s, const tgs_graph_view *g, tgs_sum_by by)
{
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < g->tasks && !status; i++) {
        const tgs_task *t = &g->task[i];
        char layer[200];
        const char *name =
            by == TGS_SUM_PHASE ? tgs_phase_name((tgs_phase)t->phase) : tgs_task_codelet(g, i);

        if (by == TGS_SUM_LAYER) {
            tgs_i_layer_name(tgs_text(g, t->name), layer, sizeof layer);
            name = layer;
        }
        status = add(s, *name ? name : "(none)", t->flops, t->bytes);
    }
    return status;
}

static tgs_status add_data(tgs_sums *s, const tgs_graph_view *g)
{
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < g->data && !status; i++) {
        const tgs_datum *d = &g->datum[i];
        const int class_ = d->extra >= 0 ? g->extra[d->extra].class_ : TGS_CLASS_OTHER;

        status = add(s, tgs_class_name((tgs_class)class_), 0, d->bytes);
    }
    return status;
}

tgs_status tgs_graph_sum(tgs_sums **out, const tgs_graph *g, tgs_sum_by by, tgs_error *err)
{
    tgs_sums *s = tgs_mem_alloc(1, sizeof *s);
    tgs_status status = s ? TGS_OK : TGS_ENOMEM;

    *out = NULL;
    if (!status)
        status = by == TGS_SUM_CLASS ? add_data(s, &g->v) : add_tasks(s, &g->v, by);
    if (status) {
        tgs_sums_free(s);
        return tgs_fail(err, status, "out of memory");
    }
    *out = s;
    return TGS_OK;
}

int32_t tgs_sums_count(const tgs_sums *s)
{
    return (int32_t)s->groups;
}

void tgs_sums_at(const tgs_sums *s, int32_t i, tgs_sum *out)
{
    const struct group *g = &s->group[i];

    *out = (tgs_sum){s->arena.text + g->name, g->count, g->flops, g->bytes};
}
