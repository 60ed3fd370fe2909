/* finish.c -- from a builder to a graph: who depends on whom, CSR, canonical order, fingerprint.
 *
 * Dependencies are StarPU's sequential consistency on the order of the access calls: per datum, a
 * read comes after the last write and carries its data; a write comes after the last write and the
 * reads since, without data (an RW also reads).  O(accesses + edges + n log n). */
#include <stdlib.h>
#include <string.h>
#include "builder.h"
#include "tgsched/heap.h"

typedef struct finish { /* what the steps below hand on; freed as one */
    tgs_builder *b;
    int32_t *final; /* [touches] place of a touch in the CSR of accesses; NULL: its own number */
    tgs_i_arc *arc;
    int64_t arcs, room;
    tgs_error *err, *user; /* user: the caller's, when err is our own */
    int64_t line;          /* of a task on a cycle; 0 unknown */
} finish;

static tgs_status no_memory(finish *f)
{
    return tgs_fail(f->err, TGS_ENOMEM, "out of memory");
}

static const char *name_of(const tgs_builder *b, int32_t offset, int32_t index, char *room)
{
    if (offset)
        return b->arena.text + offset;
    snprintf(room, 24, "@%d", index);
    return room;
}

static tgs_status add_arc(finish *f, int32_t from, int32_t to, int32_t datum)
{
    if (f->arcs == INT32_MAX)
        return tgs_fail(f->err, TGS_EINVAL, "too many dependencies");
    if (tgs_mem_grow(&f->arc, &f->room, f->arcs + 1, sizeof *f->arc))
        return no_memory(f);
    f->arc[f->arcs++] = (tgs_i_arc){from, to, datum};
    return TGS_OK;
}

static tgs_status twice(finish *f, int32_t task, int32_t datum)
{
    char t[24], d[24];

    return tgs_fail(f->err, TGS_EINVAL,
                    "task '%s' reads and writes datum '%s' in two accesses: "
                    "make it one, RW",
                    name_of(f->b, f->b->task[task].name, task, t),
                    name_of(f->b, f->b->datum[datum].name, datum, d));
}

static int32_t place_of(const finish *f, int64_t touch)
{
    return f->final ? f->final[touch] : (int32_t)touch;
}

/* were all accesses of a task told before those of the next one? */
static bool by_task(const tgs_builder *b)
{
    for (int64_t i = 1; i < b->touches; i++)
        if (b->touch[i].task < b->touch[i - 1].task)
            return false;
    return true;
}

/* accesses into CSR by task, calls in order; f->final maps the order of the calls to it */
static tgs_status place_accesses(finish *f, tgs_graph_view *v)
{
    const tgs_builder *b = f->b;
    const bool placed = by_task(b);
    int32_t *at = tgs_mem_alloc((size_t)b->tasks + 2, sizeof *at);
    tgs_access *access = tgs_mem_alloc((size_t)b->touches, sizeof *access);

    v->access_at = at;
    v->access = access;
    v->accesses = (int32_t)b->touches;
    if (!placed)
        f->final = tgs_mem_alloc((size_t)b->touches, sizeof *f->final);
    if (!at || !access || (!placed && !f->final))
        return no_memory(f);
    for (int64_t i = 0; i < b->touches; i++)
        at[b->touch[i].task + 2]++;
    for (int64_t t = 0; t < b->tasks; t++)
        at[t + 2] += at[t + 1];
    for (int64_t i = 0; i < b->touches; i++) {
        const tgs_i_touch x = b->touch[i];
        const int32_t to = at[x.task + 1]++;

        if (!placed)
            f->final[i] = to;
        access[to] = (tgs_access){x.datum, x.mode, -1};
    }
    return TGS_OK;
}

typedef struct history { /* of one datum, while the calls are replayed */
    int32_t write;       /* the last writing touch, -1 none */
    int32_t read;        /* head of the list of reading touches since, -1 none */
} history;

static tgs_status replay_read(finish *f, tgs_access *access, history *h, int64_t i)
{
    const tgs_i_touch x = f->b->touch[i];

    if (h->write < 0)
        return TGS_OK;
    if (f->b->touch[h->write].task == x.task)
        return twice(f, x.task, (int32_t)x.datum);
    access[place_of(f, i)].version = place_of(f, h->write);
    return add_arc(f, f->b->touch[h->write].task, x.task, (int32_t)x.datum);
}

static tgs_status replay_write(finish *f, history *h, const int32_t *next, int64_t i)
{
    const tgs_i_touch x = f->b->touch[i];
    tgs_status status = TGS_OK;

    if (h->write >= 0 && f->b->touch[h->write].task == x.task)
        return twice(f, x.task, (int32_t)x.datum);
    for (int32_t r = h->read; r >= 0 && !status; r = next[r])
        status = f->b->touch[r].task == x.task ? twice(f, x.task, (int32_t)x.datum)
                                               : add_arc(f, f->b->touch[r].task, x.task, -1);
    if (!status && h->read < 0 && h->write >= 0 && x.mode == TGS_W)
        status = add_arc(f, f->b->touch[h->write].task, x.task, -1);
    return status;
}

/* every dependency, as arcs in any order and possibly repeated */
static tgs_status derive_arcs(finish *f, tgs_graph_view *v)
{
    const tgs_builder *b = f->b;
    history *h = tgs_mem_alloc((size_t)b->data, sizeof *h);
    int32_t *next = tgs_mem_alloc((size_t)b->touches, sizeof *next);
    tgs_access *access = (tgs_access *)v->access;
    tgs_status status = h && next ? TGS_OK : no_memory(f);

    for (int64_t d = 0; d < b->data && !status; d++)
        h[d] = (history){-1, -1};
    for (int64_t i = 0; i < b->touches && !status; i++) {
        const tgs_i_touch x = b->touch[i];
        history *this = &h[x.datum];

        if (x.mode & TGS_R)
            status = replay_read(f, access, this, i);
        if (!status && x.mode & TGS_W) {
            status = replay_write(f, this, next, i);
            *this = (history){(int32_t)i, -1};
        } else {
            next[i] = this->read;
            this->read = (int32_t)i;
        }
    }
    for (int64_t i = 0; i < b->afters && !status; i += 2)
        status = add_arc(f, b->after[i], b->after[i + 1], -1);
    tgs_mem_free(next);
    tgs_mem_free(h);
    return status;
}

/* the builder's touches have become arcs */
static tgs_status link_tasks(finish *f, tgs_graph_view *v)
{
    tgs_i_arc *arc = f->arc;

    tgs_mem_free(f->b->touch);
    f->b->touch = NULL;
    f->arc = NULL;
    return tgs_i_arcs_link(v, arc, f->arcs) ? no_memory(f) : TGS_OK;
}

/* a predecessor of t that is on or behind a cycle too */
static int32_t waiting_pred(const tgs_graph_view *v, const int32_t *waiting, int32_t t)
{
    for (int32_t e = v->pred_at[t]; e < v->pred_at[t + 1]; e++)
        if (waiting[v->pred[e]])
            return v->pred[e];
    return t;
}

static tgs_status tell_cycle(finish *f, const tgs_graph_view *v, const int32_t *waiting)
{
    int32_t t = 0, start, length = 0;
    char text[300] = "", more[400], room[24];

    while (!waiting[t])
        t++;
    for (int32_t i = 0; i < v->tasks; i++) /* so many steps back end on a cycle */
        t = waiting_pred(v, waiting, t);
    start = t;
    do { /* backwards, so each name goes in front */
        if (length++ < 6) {
            snprintf(more, sizeof more, "%.40s -> %s", name_of(f->b, f->b->task[t].name, t, room),
                     text);
            memcpy(text, more, sizeof text - 1);
        }
        t = waiting_pred(v, waiting, t);
    } while (t != start);
    text[strlen(text) - 4] = 0; /* the last arrow */
    f->line = f->b->line && start < f->b->lines ? f->b->line[start] : 0;
    return tgs_fail(f->err, TGS_ECYCLE, "the graph has a cycle of %d tasks: %.40s -> %s%s", length,
                    name_of(f->b, f->b->task[start].name, start, room), length > 6 ? "... -> " : "",
                    text);
}

static bool already_sorted(const tgs_graph_view *v)
{
    for (int32_t t = 0; t < v->tasks; t++)
        if (v->pred_at[t + 1] > v->pred_at[t] && v->pred[v->pred_at[t + 1] - 1] > t)
            return false;
    return true;
}

/* Kahn's algorithm with a min-heap on the id */
static tgs_status sort_tasks(finish *f, tgs_graph_view *v)
{
    const int32_t n = v->tasks;
    int32_t *topo = tgs_mem_alloc((size_t)n, sizeof *topo);
    int32_t *pos = tgs_mem_alloc((size_t)n, sizeof *pos);
    int32_t *waiting = NULL, done = 0;
    tgs_heap heap = {0};
    tgs_status status = TGS_OK;

    v->topo = topo;
    v->topo_pos = pos;
    if (!topo || !pos)
        return no_memory(f);
    if (already_sorted(v)) { /* then the ids themselves are that order */
        for (int32_t t = 0; t < n; t++)
            topo[t] = pos[t] = t;
        return TGS_OK;
    }
    waiting = tgs_mem_alloc((size_t)n, sizeof *waiting);
    heap.item = tgs_mem_alloc((size_t)n, sizeof *heap.item);
    if (!waiting || !heap.item) {
        status = no_memory(f);
        goto done;
    }
    for (int32_t t = 0; t < n; t++) {
        waiting[t] = v->pred_at[t + 1] - v->pred_at[t];
        if (!waiting[t])
            tgs_heap_push(&heap, t, t);
    }
    while (heap.size) {
        const int32_t t = tgs_heap_pop(&heap).id;

        pos[t] = done;
        topo[done++] = t;
        for (int32_t e = v->succ_at[t]; e < v->succ_at[t + 1]; e++)
            if (!--waiting[v->succ[e]])
                tgs_heap_push(&heap, v->succ[e], v->succ[e]);
    }
    if (done < n)
        status = tell_cycle(f, v, waiting);
done:
    tgs_mem_free(heap.item);
    tgs_mem_free(waiting);
    return status;
}

/* "the graph has a cycle" becomes "path:line: the graph has a cycle" */
static tgs_status placed(const finish *f, const tgs_source *s, tgs_status status)
{
    tgs_source at = *s;

    at.line = f->line;
    if (status == TGS_EINVAL) /* the file's fault, not the caller's */
        status = TGS_EPARSE;
    tgs_source_fail(&at, f->user, "%s", f->err->text);
    if (f->user)
        f->user->status = status;
    return status;
}

tgs_status tgs_builder_finish(tgs_graph **out, tgs_builder *b, tgs_error *err)
{
    return tgs_i_builder_finish_from(out, b, NULL, err);
}

tgs_status tgs_i_builder_finish_from(tgs_graph **out, tgs_builder *b, const tgs_source *s,
                                     tgs_error *err)
{
    tgs_error own;
    finish f = {.b = b, .err = s ? &own : err, .user = err};
    tgs_graph *g = NULL;
    tgs_status status = b->first.status;

    *out = NULL;
    if (status)
        tgs_fail(f.err, status, "%s", b->first.text);
    else if (!(g = tgs_mem_alloc(1, sizeof *g)))
        status = no_memory(&f);
    if (!status) {
        tgs_i_names_free(&b->task_names);
        tgs_i_names_free(&b->datum_names);
        tgs_i_names_free(&b->attrs);
        g->v.tasks = (int32_t)b->tasks;
        status = place_accesses(&f, &g->v);
    }
    if (!status)
        status = derive_arcs(&f, &g->v);
    if (!status)
        status = link_tasks(&f, &g->v);
    if (!status)
        status = sort_tasks(&f, &g->v);
    if (!status)
        status = tgs_i_graph_adopt(g, b, f.err);
    tgs_mem_free(f.final);
    tgs_mem_free(f.arc);
    if (!status)
        memcpy(g->note, b->note, sizeof g->note);
    tgs_builder_free(b);
    if (status)
        tgs_graph_free(g);
    else
        *out = g;
    return status && s ? placed(&f, s, status) : status;
}
