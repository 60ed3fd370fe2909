/* adopt.c -- tasks and data of a graph taken over into another that is being written. */
#include <string.h>
#include "builder.h"

tgs_status tgs_builder_adopt_kinds(tgs_builder *b, const tgs_graph_view *g)
{
    for (int32_t k = 0; k < g->kinds; k++)
        tgs_builder_kind(b, g->kind_name[k]);
    return b->first.status;
}

/* "cpu,gpu" of a mask */
static void constrain_kinds(tgs_builder *b, const tgs_graph_view *g, int32_t task, uint64_t mask)
{
    size_t size = 1, used = 0;
    char *text;

    for (int32_t k = 0; k < g->kinds; k++)
        size += strlen(g->kind_name[k]) + 1;
    text = tgs_mem_alloc(size, 1);
    if (!text) {
        tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
        return;
    }
    for (int32_t k = 0; k < g->kinds && k < 64; k++)
        if (mask >> k & 1)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "",
                                     g->kind_name[k]);
    tgs_builder_task_constrain(b, task, "kinds", text);
    tgs_mem_free(text);
}

static void constrain(tgs_builder *b, const tgs_graph_view *g, int32_t task,
                      const tgs_constraint *c)
{
    const struct {
        const char *key;
        int32_t name;
    } text[] = {{"processor", c->processor}, {"memory", c->memory}, {"trust", c->trust}};
    const struct {
        const char *key;
        double value, plain;
    } number[] = {{"priority", c->priority, 0},
                  {"release", c->release, 0},
                  {"deadline", c->deadline, INFINITY},
                  {"group", c->group, -1},
                  {"job", c->job, 0}};
    char word[40];

    if (c->kinds != UINT64_MAX)
        constrain_kinds(b, g, task, c->kinds);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (text[i].name)
            tgs_builder_task_constrain(b, task, text[i].key, tgs_text(g, text[i].name));
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (number[i].value != number[i].plain) {
            snprintf(word, sizeof word, "%.17g", number[i].value);
            tgs_builder_task_constrain(b, task, number[i].key, word);
        }
}

int32_t tgs_builder_adopt_task(tgs_builder *b, const tgs_graph_view *g, int32_t task)
{
    const tgs_task *t = &g->task[task];
    const char *codelet = t->codelet < 0 ? NULL : g->codelet_name[t->codelet];
    const int32_t x =
        tgs_builder_task(b, t->name ? tgs_task_name(g, task, TGS_ROOM) : NULL, codelet, t->work);

    if (x < 0)
        return x;
    for (int32_t k = 0; g->time && k < g->kinds; k++)
        if (!isnan(g->time[(int64_t)task * g->kinds + k]))
            tgs_builder_task_time(b, x, g->kind_name[k], g->time[(int64_t)task * g->kinds + k]);
    if (!isnan(t->flops) || !isnan(t->bytes))
        tgs_builder_task_cost(b, x, t->flops, t->bytes);
    if (t->phase != TGS_PHASE_OTHER)
        tgs_builder_task_phase(b, x, (tgs_phase)t->phase);
    if (t->attrs)
        tgs_builder_task_attrs(b, x, tgs_text(g, t->attrs));
    if (t->constraint >= 0)
        constrain(b, g, x, &g->constraint[t->constraint]);
    return b->first.status ? (int32_t)b->first.status : x;
}

int32_t tgs_builder_adopt_datum(tgs_builder *b, const tgs_graph_view *g, int32_t datum)
{
    const tgs_datum *d = &g->datum[datum];
    const tgs_datum_extra *e = d->extra < 0 ? NULL : &g->extra[d->extra];
    const int32_t x =
        tgs_builder_datum(b, d->name ? tgs_datum_name(g, datum, TGS_ROOM) : NULL, d->bytes);

    if (x < 0 || !e)
        return x;
    if (e->rank >= 0)
        tgs_builder_datum_shape(b, x, (tgs_dtype)e->dtype, e->rank, &g->dim[e->dims]);
    if (e->class_ != TGS_CLASS_OTHER)
        tgs_builder_datum_class(b, x, (tgs_class)e->class_);
    if (e->home)
        tgs_builder_datum_set(b, x, "home", tgs_text(g, e->home));
    if (e->init)
        tgs_builder_datum_set(b, x, "init", tgs_text(g, e->init));
    if (e->persistent)
        tgs_builder_datum_set(b, x, "persistent", "1");
    return b->first.status ? (int32_t)b->first.status : x;
}
