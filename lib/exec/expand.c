/* expand.c -- executions become tasks, so that a backend needs to know nothing of copies.
 *
 * A graph of the executions is built anew from their accesses, in the canonical order of the tasks:
 * it keeps the order of the accesses of every datum, so the builder finds the dependencies that the
 * graph has, and those of the copies.  O(executions, accesses and edges, times the copies). */
#include <string.h>
#include "expand.h"

typedef struct expansion {
    tgs_i_expanded *x;
    const tgs_problem *pb;
    const tgs_graph_view *g;
    const tgs_schedule_view *s;
    tgs_builder *b;
    int32_t *copy_at;  /* CSR by task: its copies among the places */
    int32_t *clone_at; /* [copies] the first of the data that each writes */
    int32_t *writer;   /* [accesses] the task of each */
    int32_t data;
} expansion;

static tgs_status no_memory(tgs_error *err)
{
    return tgs_fail(err, TGS_ENOMEM, "out of memory for the copies of tasks");
}

static tgs_status index_copies(expansion *e, tgs_error *err)
{
    const tgs_graph_view *g = e->g;
    const tgs_schedule_view *s = e->s;
    int64_t data = g->data;

    e->copy_at = tgs_mem_alloc((size_t)g->tasks + 1, sizeof *e->copy_at);
    e->clone_at = tgs_mem_alloc((size_t)(s->places - s->tasks), sizeof *e->clone_at);
    e->writer = tgs_mem_alloc((size_t)g->accesses, sizeof *e->writer);
    if (!e->copy_at || !e->clone_at || !e->writer)
        return no_memory(err);
    for (int32_t t = 0, i = s->tasks; t <= g->tasks; t++) { /* copies stand by task */
        while (i < s->places && s->place[i].task < t)
            i++;
        e->copy_at[t] = i;
    }
    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++)
            e->writer[i] = t;
    for (int32_t i = s->tasks; i < s->places; i++) {
        const int32_t t = s->place[i].task;

        e->clone_at[i - s->tasks] = (int32_t)data;
        for (int32_t a = g->access_at[t]; a < g->access_at[t + 1]; a++)
            data += (g->access[a].mode & TGS_W) != 0;
        if (data > INT32_MAX)
            return tgs_fail(err, TGS_EINVAL, "the copies of tasks write too many data");
    }
    e->data = (int32_t)data;
    return TGS_OK;
}

/* the datum that an execution writes for an access of its task */
static int32_t written(const expansion *e, int32_t place, int32_t access)
{
    const tgs_graph_view *g = e->g;
    int32_t d;

    if (place < e->s->tasks)
        return (int32_t)g->access[access].datum;
    d = e->clone_at[place - e->s->tasks];
    for (int32_t a = g->access_at[e->writer[access]]; a < access; a++)
        d += (g->access[a].mode & TGS_W) != 0;
    return d;
}

/* the datum that an execution reads: of the writer's executions that from which it arrives first */
static int32_t read_from(const expansion *e, int32_t place, int32_t access)
{
    const tgs_view *v = &e->pb->v;
    const tgs_access *a = &e->g->access[access];
    const int32_t memory = v->p->proc[e->s->place[place].proc].memory;
    int32_t task, best;
    double first;

    if (a->version < 0)
        return (int32_t)a->datum;
    task = best = e->writer[a->version];
    first = e->s->place[task].end
            + tgs_c(v, (int32_t)a->datum, v->p->proc[e->s->place[task].proc].memory, memory);
    for (int32_t k = e->copy_at[task]; k < e->copy_at[task + 1]; k++) {
        const tgs_place *x = &e->s->place[k];
        const double t = x->end + tgs_c(v, (int32_t)a->datum, v->p->proc[x->proc].memory, memory);

        if (t < first) {
            first = t;
            best = k;
        }
    }
    return written(e, best, a->version);
}

/* ---- the graph ------------------------------------------------------------------------------- */
static void add_task(const expansion *e, int32_t place)
{
    const tgs_graph_view *g = e->g;
    const int32_t t = e->s->place[place].task;
    const tgs_task *x = &g->task[t];
    char room[TGS_NAME_ROOM];
    const char *name = place < e->s->tasks && x->name ? tgs_task_name(g, t, room) : NULL;
    const char *codelet = x->codelet < 0 ? NULL : tgs_task_codelet(g, t);

    e->x->task[place] = t;
    tgs_builder_task(e->b, name, codelet, x->work);
    if (!isnan(x->flops) || !isnan(x->bytes))
        tgs_builder_task_cost(e->b, place, x->flops, x->bytes);
    tgs_builder_task_phase(e->b, place, (tgs_phase)x->phase);
    if (*tgs_text(g, x->attrs))
        tgs_builder_task_attrs(e->b, place, tgs_text(g, x->attrs));
}

/* a copy's datum has neither home nor first value, and does not outlive the step */
static void add_datum(const expansion *e, int32_t datum, int32_t as)
{
    const tgs_graph_view *g = e->g;
    const tgs_datum *d = &g->datum[datum];
    const tgs_datum_extra *x = d->extra >= 0 ? &g->extra[d->extra] : NULL;
    const bool own = as == datum;

    e->x->datum[as] = datum;
    tgs_builder_datum(e->b, own && d->name ? tgs_datum_name(g, datum, TGS_ROOM) : NULL, d->bytes);
    if (!x)
        return;
    if (x->rank >= 0)
        tgs_builder_datum_shape(e->b, as, (tgs_dtype)x->dtype, x->rank, g->dim + x->dims);
    tgs_builder_datum_class(e->b, as, (tgs_class)x->class_);
    if (own && x->home)
        tgs_builder_datum_set(e->b, as, "home", tgs_text(g, x->home));
    if (own && x->init)
        tgs_builder_datum_set(e->b, as, "init", tgs_text(g, x->init));
    if (own && x->persistent)
        tgs_builder_datum_set(e->b, as, "persistent", "1");
}

static void add_accesses(const expansion *e, int32_t place)
{
    const tgs_graph_view *g = e->g;
    const int32_t t = e->s->place[place].task;

    for (int32_t a = g->access_at[t]; a < g->access_at[t + 1]; a++) {
        const tgs_mode mode = (tgs_mode)g->access[a].mode;

        tgs_builder_access(e->b, place,
                           mode == TGS_R ? read_from(e, place, a) : written(e, place, a), mode);
    }
}

static int32_t next_place(const expansion *e, int32_t task, int32_t place)
{
    const int32_t next = place == task ? e->copy_at[task] : place + 1;

    return next < e->copy_at[task + 1] ? next : -1;
}

/* what waits for a task without data waits for all its executions */
static void add_orders(const expansion *e, int32_t task)
{
    const tgs_graph_view *g = e->g;

    for (int32_t i = g->succ_at[task]; i < g->succ_at[task + 1]; i++) {
        const int32_t s = g->succ[i];

        for (int32_t p = task; g->succ_datum[i] < 0 && p >= 0; p = next_place(e, task, p))
            for (int32_t q = s; q >= 0; q = next_place(e, s, q))
                tgs_builder_after(e->b, p, q);
    }
}

static tgs_status build(expansion *e, tgs_error *err)
{
    const tgs_graph_view *g = e->g;
    tgs_status status = tgs_builder_new(&e->b, err);

    if (status)
        return status;
    for (int32_t i = 0; i < e->s->places; i++)
        add_task(e, i);
    for (int32_t d = 0; d < g->data; d++)
        add_datum(e, d, d);
    for (int32_t i = e->s->tasks; i < e->s->places; i++)
        for (int32_t t = e->s->place[i].task, a = g->access_at[t]; a < g->access_at[t + 1]; a++)
            if (g->access[a].mode & TGS_W)
                add_datum(e, (int32_t)g->access[a].datum, written(e, i, a));
    for (int32_t k = 0; k < g->tasks; k++)
        for (int32_t t = g->topo[k], p = t; p >= 0; p = next_place(e, t, p))
            add_accesses(e, p);
    for (int32_t t = 0; t < g->tasks; t++)
        add_orders(e, t);
    status = tgs_builder_finish(&e->x->g, e->b, err); /* frees it */
    e->b = NULL;
    return status;
}

/* ---- the views ------------------------------------------------------------------------------- */
static void fill_views(expansion *e)
{
    tgs_i_expanded *x = e->x;
    const tgs_view *v = &e->pb->v;
    const int32_t n = e->s->places;

    x->v = *v;
    x->v.g = &x->g->v;
    x->v.n = n;
    x->v.time = x->time;
    x->v.home = x->home;
    x->v.pin_proc = v->pin_proc ? x->pin_proc : NULL;
    x->v.mem_mask = v->mem_mask ? x->mem_mask : NULL;
    for (int32_t i = 0; i < n; i++) {
        const int32_t t = e->s->place[i].task;

        x->place[i] = e->s->place[i];
        x->place[i].task = i;
        memcpy(x->time + (int64_t)i * v->kinds, v->time + (int64_t)t * v->kinds,
               (size_t)v->kinds * sizeof *x->time);
        x->pin_proc[i] = v->pin_proc ? v->pin_proc[t] : -1;
        if (v->mem_mask)
            memcpy(x->mem_mask + (int64_t)i * v->mem_words, v->mem_mask + (int64_t)t * v->mem_words,
                   (size_t)v->mem_words * sizeof *x->mem_mask);
    }
    for (int32_t d = 0; d < e->data; d++)
        x->home[d] = d < e->g->data ? v->home[d] : -1;
    x->s = *e->s;
    x->s.tasks = x->s.places = n;
    x->s.place = x->place;
}

tgs_status tgs_i_expand(tgs_i_expanded **out, const tgs_problem *pb, const tgs_schedule_view *s,
                        tgs_error *err)
{
    const size_t n = (size_t)s->places;
    tgs_i_expanded *x = tgs_mem_alloc(1, sizeof *x);
    expansion e = {.x = x, .pb = pb, .g = pb->v.g, .s = s};
    tgs_status status = x ? TGS_OK : no_memory(err);

    *out = NULL;
    if (!status && s->moves)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "the schedule runs copies of tasks and lists its transfers: only one of "
                          "the two can be run");
    if (!status)
        status = index_copies(&e, err);
    if (!status) {
        x->task = tgs_mem_alloc(n, sizeof *x->task);
        x->datum = tgs_mem_alloc((size_t)e.data, sizeof *x->datum);
        x->time = tgs_mem_alloc(n * (size_t)pb->v.kinds, sizeof *x->time);
        x->pin_proc = tgs_mem_alloc(n, sizeof *x->pin_proc);
        x->home = tgs_mem_alloc((size_t)e.data, sizeof *x->home);
        x->mem_mask = tgs_mem_alloc(n * (size_t)pb->v.mem_words, sizeof *x->mem_mask);
        x->place = tgs_mem_alloc(n, sizeof *x->place);
        status = x->task && x->datum && x->time && x->pin_proc && x->home && x->mem_mask && x->place
                     ? build(&e, err)
                     : no_memory(err);
    }
    if (!status)
        fill_views(&e);
    tgs_mem_free(e.copy_at);
    tgs_mem_free(e.clone_at);
    tgs_mem_free(e.writer);
    if (status)
        tgs_i_expanded_free(x);
    else
        *out = x;
    return status;
}

void tgs_i_expanded_free(tgs_i_expanded *x)
{
    if (!x)
        return;
    tgs_graph_free(x->g);
    tgs_mem_free(x->task);
    tgs_mem_free(x->datum);
    tgs_mem_free(x->time);
    tgs_mem_free(x->pin_proc);
    tgs_mem_free(x->home);
    tgs_mem_free(x->mem_mask);
    tgs_mem_free(x->place);
    tgs_mem_free(x);
}
