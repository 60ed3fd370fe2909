/* graph.c -- a finished graph: what it owns, its fingerprint, and the questions users ask. */
#include <string.h>
#include "builder.h"

/* give back what growing reserved beyond the use */
static void *fit(void *p, int64_t count, size_t size)
{
    void *smaller = tgs_mem_resize(p, (size_t)count, size);

    return smaller ? smaller : p;
}

/* columns of times, one per kind, into rows */
static tgs_status adopt_times(tgs_graph_view *v, tgs_builder *b)
{
    double *time;
    bool any = false;

    for (int64_t k = 0; k < b->kinds; k++)
        any |= b->time[k] != NULL;
    if (!any)
        return TGS_OK;
    v->time = time = tgs_mem_alloc((size_t)(b->tasks * b->kinds), sizeof *time);
    if (!time)
        return TGS_ENOMEM;
    for (int64_t k = 0; k < b->kinds; k++) {
        for (int64_t t = 0; t < b->tasks; t++)
            time[t * b->kinds + k] = t < b->times[k] ? b->time[k][t] : NAN;
        tgs_mem_free(b->time[k]);
        b->time[k] = NULL;
    }
    return TGS_OK;
}

static const char **texts(const char *arena, const int32_t *offset, int64_t count)
{
    const char **text = tgs_mem_alloc((size_t)count, sizeof *text);

    for (int64_t i = 0; text && i < count; i++)
        text[i] = arena + offset[i];
    return text;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 1099511628211u;
    return h ^ h >> 32;
}

static uint64_t hash_tasks(uint64_t h, const tgs_graph_view *v)
{
    char room[TGS_NAME_ROOM];

    for (int32_t t = 0; t < v->tasks; t++) {
        const tgs_task *x = &v->task[t];

        h = tgs_i_hash_text(h, tgs_task_name(v, t, room));
        h = tgs_i_hash_text(h, tgs_text(v, x->attrs));
        h = x->codelet < 0 ? mix(h, 0) : tgs_i_hash_text(h, v->codelet_name[x->codelet]);
        h = tgs_i_hash_real(tgs_i_hash_real(tgs_i_hash_real(h, x->work), x->flops), x->bytes);
        h = mix(h, (uint64_t)x->phase);
        for (int32_t k = 0; v->time && k < v->kinds; k++)
            h = tgs_i_hash_real(h, v->time[(int64_t)t * v->kinds + k]);
        if (x->constraint >= 0) {
            const tgs_constraint *c = &v->constraint[x->constraint];

            h = tgs_i_hash_real(tgs_i_hash_real(tgs_i_hash_real(h, c->priority), c->release),
                                c->deadline);
            h = mix(mix(mix(h, c->kinds), (uint64_t)c->group), (uint64_t)c->job);
            h = tgs_i_hash_text(h, tgs_text(v, c->processor));
            h = tgs_i_hash_text(tgs_i_hash_text(h, tgs_text(v, c->memory)), tgs_text(v, c->trust));
        }
    }
    return h;
}

static uint64_t hash_data(uint64_t h, const tgs_graph_view *v)
{
    char room[TGS_NAME_ROOM];

    for (int32_t d = 0; d < v->data; d++) {
        const tgs_datum_extra *x = v->datum[d].extra < 0 ? NULL : &v->extra[v->datum[d].extra];

        h = tgs_i_hash_real(h, v->datum[d].bytes);
        if (v->datum[d].name)
            h = tgs_i_hash_text(h, tgs_datum_name(v, d, room));
        if (!x)
            continue;
        h = mix(mix(mix(mix(h, (uint64_t)x->dtype), (uint64_t)x->class_), (uint64_t)x->rank),
                (uint64_t)x->persistent);
        for (int32_t i = 0; i < x->rank; i++)
            h = mix(h, (uint64_t)v->dim[x->dims + i]);
        h = tgs_i_hash_text(tgs_i_hash_text(h, tgs_text(v, x->home)), tgs_text(v, x->init));
    }
    return h;
}

static uint64_t fingerprint(const tgs_graph_view *v)
{
    uint64_t h =
        mix(mix(mix(TGS_I_HASH_START, (uint64_t)v->tasks), (uint64_t)v->data), (uint64_t)v->edges);

    for (int32_t k = 0; k < v->kinds; k++)
        h = tgs_i_hash_text(h, v->kind_name[k]);
    h = hash_data(hash_tasks(h, v), v);
    for (int32_t t = 0; t < v->tasks; t++)
        for (int32_t i = v->access_at[t]; i < v->access_at[t + 1]; i++)
            h = mix(h, (uint64_t)t << 32 | (uint64_t)v->access[i].datum << 2 | v->access[i].mode);
    for (int32_t t = 0; t < v->tasks; t++)
        for (int32_t e = v->pred_at[t]; e < v->pred_at[t + 1]; e++)
            h = mix(h, (uint64_t)v->pred[e] << 32 | (uint32_t)v->pred_datum[e]);
    return h;
}

/* v has the accesses, dependencies and order; take the rest from the builder */
tgs_status tgs_i_graph_adopt(tgs_graph *g, tgs_builder *b, tgs_error *err)
{
    tgs_graph_view *v = &g->v;

    v->kinds = (int32_t)b->kinds;
    v->data = (int32_t)b->data;
    v->extras = (int32_t)b->extras;
    v->constraints = (int32_t)b->constraints;
    v->codelets = (int32_t)b->codelets;
    v->names = fit(b->arena.text, b->arena.size, 1);
    v->task = fit(b->task, b->tasks, sizeof *b->task);
    v->datum = fit(b->datum, b->data, sizeof *b->datum);
    v->extra = fit(b->extra, b->extras, sizeof *b->extra);
    v->constraint = fit(b->constraint, b->constraints, sizeof *b->constraint);
    v->dim = fit(b->dim, b->dims, sizeof *b->dim);
    b->arena.text = NULL;
    b->task = NULL;
    b->datum = NULL;
    b->extra = NULL;
    b->constraint = NULL;
    b->dim = NULL;
    v->kind_name = texts(v->names, b->kind, b->kinds);
    v->codelet_name = texts(v->names, b->codelet, b->codelets);
    g->task_name = tgs_i_shelves_new(v->tasks);
    g->datum_name = tgs_i_shelves_new(v->data);
    if (!v->kind_name || !v->codelet_name || !g->task_name || !g->datum_name || adopt_times(v, b))
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    return TGS_OK;
}

void tgs_graph_free(tgs_graph *g)
{
    if (!g)
        return;
    /* the view is const for readers; this struct owns what it shows */
    const void *owned[] = {g->v.task,       g->v.time,       g->v.kind_name,   g->v.succ_at,
                           g->v.succ,       g->v.succ_datum, g->v.pred_at,     g->v.pred,
                           g->v.pred_datum, g->v.access_at,  g->v.access,      g->v.topo,
                           g->v.topo_pos,   g->v.datum,      g->v.extra,       g->v.constraint,
                           g->v.dim,        g->v.names,      g->v.codelet_name};

    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        tgs_mem_free((void *)owned[i]);
    tgs_i_shelves_free(g->task_name);
    tgs_i_shelves_free(g->datum_name);
    tgs_mem_free(g);
}

int32_t tgs_graph_tasks(const tgs_graph *g)
{
    return g->v.tasks;
}

int32_t tgs_graph_edges(const tgs_graph *g)
{
    return g->v.edges;
}

int32_t tgs_graph_data(const tgs_graph *g)
{
    return g->v.data;
}

double tgs_graph_datum_bytes(const tgs_graph *g, int32_t datum)
{
    return datum < 0 || datum >= g->v.data ? NAN : g->v.datum[datum].bytes;
}

const char *tgs_graph_note(const tgs_graph *g)
{
    return g->note;
}

uint64_t tgs_graph_fingerprint(const tgs_graph *g)
{
    _Atomic uint64_t *kept = &((tgs_graph *)g)->fingerprint; /* graphs are const to their users */
    uint64_t h = atomic_load(kept);

    if (!h) { /* threads that ask at once find the same */
        h = fingerprint(&g->v);
        atomic_store(kept, h);
    }
    return h;
}
