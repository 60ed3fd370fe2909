/* log.c -- a trace being written: names first, then what happened, in any order. */
#include <stdlib.h>
#include <string.h>
#include "timesort.h"
#include "trace.h"

tgs_status tgs_i_log_empty(tgs_trace_log **out, const char *origin, const char *title)
{
    tgs_trace_log *l = *out = tgs_mem_alloc(1, sizeof *l);

    if (!l)
        return TGS_ENOMEM;
    l->lower_bound = NAN;
    if (tgs_i_arena_add(&l->arena, "") == 0) { /* offset 0 is "" */
        l->origin = tgs_i_arena_add(&l->arena, origin);
        l->title = l->origin < 0 ? -1 : tgs_i_arena_add(&l->arena, title);
        if (l->title >= 0)
            return TGS_OK;
    }
    tgs_i_log_free(l);
    *out = NULL;
    return TGS_ENOMEM;
}

void tgs_i_log_free(tgs_trace_log *l)
{
    if (!l)
        return;
    tgs_i_arena_free(&l->arena);
    tgs_mem_free(l->task.at);
    tgs_mem_free(l->codelet.at);
    tgs_mem_free(l->datum.at);
    tgs_mem_free(l->proc.at);
    tgs_mem_free(l->kind.at);
    tgs_mem_free(l->memory.at);
    tgs_mem_free(l->phase);
    tgs_mem_free(l->proc_memory);
    tgs_mem_free(l->edge_at);
    tgs_mem_free(l->edge);
    tgs_mem_free(l->step_start);
    tgs_mem_free(l->step_end);
    tgs_mem_free(l->ran);
    tgs_mem_free(l->moved);
    tgs_mem_free(l->used);
    tgs_mem_free(l);
}

/* ---- names ---------------------------------------------------------------------------------- */
tgs_status tgs_i_log_text(tgs_trace_log *l, tgs_i_texts *t, const char *text)
{
    const int32_t offset = tgs_i_arena_add(&l->arena, text);

    if (offset < 0)
        return (tgs_status)offset;
    if (tgs_mem_grow(&t->at, &t->room, t->count + 1, sizeof *t->at))
        return TGS_ENOMEM;
    t->at[t->count++] = offset;
    return TGS_OK;
}

/* the text is often that of the one before: codelets and kinds repeat */
static tgs_status repeated_text(tgs_trace_log *l, tgs_i_texts *t, const char *text)
{
    if (!t->count || strcmp(l->arena.text + t->at[t->count - 1], text) != 0)
        return tgs_i_log_text(l, t, text);
    if (tgs_mem_grow(&t->at, &t->room, t->count + 1, sizeof *t->at))
        return TGS_ENOMEM;
    t->at[t->count] = t->at[t->count - 1];
    t->count++;
    return TGS_OK;
}

tgs_status tgs_i_log_task(tgs_trace_log *l, const char *name, const char *codelet, int32_t phase)
{
    tgs_status status =
        tgs_mem_grow(&l->phase, &l->phase_room, l->task.count + 1, sizeof *l->phase);

    if (status)
        return status;
    l->phase[l->task.count] = phase;
    status = tgs_i_log_text(l, &l->task, name);
    return status ? status : repeated_text(l, &l->codelet, codelet);
}

tgs_status tgs_i_log_proc(tgs_trace_log *l, const char *name, const char *kind, int32_t memory)
{
    tgs_status status = tgs_mem_grow(&l->proc_memory, &l->proc_memory_room, l->proc.count + 1,
                                     sizeof *l->proc_memory);

    if (status)
        return status;
    l->proc_memory[l->proc.count] = memory;
    status = tgs_i_log_text(l, &l->proc, name);
    return status ? status : repeated_text(l, &l->kind, kind);
}

static tgs_status copy_edges(tgs_trace_log *l, const tgs_graph_view *g)
{
    int32_t count = 0;

    l->edge_at = tgs_mem_alloc((size_t)g->tasks + 1, sizeof *l->edge_at);
    l->edge = tgs_mem_alloc((size_t)g->edges, sizeof *l->edge);
    if (!l->edge_at || !l->edge)
        return TGS_ENOMEM;
    for (int32_t t = 0; t < g->tasks; t++) {
        for (int32_t e = g->succ_at[t]; e < g->succ_at[t + 1]; e++)
            if (count == l->edge_at[t] || l->edge[count - 1] != g->succ[e])
                l->edge[count++] = g->succ[e]; /* once, however many data it carries */
        l->edge_at[t + 1] = count;
    }
    return TGS_OK;
}

static tgs_status copy_names(tgs_trace_log *l, const tgs_view *v)
{
    const tgs_graph_view *g = v->g;
    char room[TGS_NAME_ROOM];
    tgs_status status = TGS_OK;

    for (int32_t t = 0; t < g->tasks && !status; t++)
        status = tgs_i_log_task(l, tgs_task_name(g, t, room),
                                g->task[t].codelet < 0 ? "" : g->codelet_name[g->task[t].codelet],
                                g->task[t].phase);
    for (int32_t d = 0; d < g->data && !status; d++)
        status = tgs_i_log_text(l, &l->datum, tgs_datum_name(g, d, room));
    for (int32_t m = 0; m < v->memories && !status; m++)
        status = tgs_i_log_text(l, &l->memory, v->p->memory[m].name);
    for (int32_t q = 0; q < v->m && !status; q++)
        status = tgs_i_log_proc(l, v->p->proc[q].name, v->p->kind[v->p->proc[q].kind].name,
                                v->p->proc[q].memory);
    return status ? status : copy_edges(l, g);
}

tgs_status tgs_i_log_new(tgs_trace_log **out, const tgs_problem *pb, const char *origin,
                         const char *title, tgs_error *err)
{
    tgs_status status = tgs_i_log_empty(out, origin, title);

    if (!status)
        status = copy_names(*out, &pb->v);
    if (status) {
        tgs_i_log_free(*out);
        *out = NULL;
        return tgs_fail(err, status, status == TGS_ENOMEM ? "out of memory" : "too much text");
    }
    return TGS_OK;
}

void tgs_i_log_bound(tgs_trace_log *l, double lower_bound)
{
    l->lower_bound = lower_bound;
}

void tgs_i_log_rename(tgs_trace_log *l, const int32_t *task, const int32_t *datum)
{
    l->task_of = task;
    l->datum_of = datum;
}

/* ---- what happened -------------------------------------------------------------------------- */
tgs_status tgs_log_ran(tgs_trace_log *l, const tgs_ran *r)
{
    if (l->rans == INT32_MAX || tgs_mem_grow(&l->ran, &l->ran_room, l->rans + 1, sizeof *r))
        return TGS_ENOMEM;
    l->ran[l->rans] = *r;
    if (l->task_of)
        l->ran[l->rans].task = l->task_of[r->task];
    l->rans++;
    return TGS_OK;
}

tgs_status tgs_log_moved(tgs_trace_log *l, const tgs_moved *m)
{
    if (l->moveds == INT32_MAX || tgs_mem_grow(&l->moved, &l->moved_room, l->moveds + 1, sizeof *m))
        return TGS_ENOMEM;
    l->moved[l->moveds] = *m;
    if (l->datum_of)
        l->moved[l->moveds].datum = l->datum_of[m->datum];
    l->moveds++;
    return TGS_OK;
}

tgs_status tgs_log_used(tgs_trace_log *l, const tgs_used *u)
{
    if (l->useds == INT32_MAX || tgs_mem_grow(&l->used, &l->used_room, l->useds + 1, sizeof *u))
        return TGS_ENOMEM;
    l->used[l->useds++] = *u;
    return TGS_OK;
}

tgs_status tgs_log_step(tgs_trace_log *l, double start, double end)
{
    if (l->steps == INT32_MAX
        || tgs_mem_grow(&l->step_start, &l->start_room, l->steps + 1, sizeof start)
        || tgs_mem_grow(&l->step_end, &l->end_room, l->steps + 1, sizeof end))
        return TGS_ENOMEM;
    l->step_start[l->steps] = start;
    l->step_end[l->steps++] = end;
    return TGS_OK;
}

/* ---- from log to trace ---------------------------------------------------------------------- */
static int compare(double a, double b)
{
    return a < b ? -1 : a > b;
}

static int by_ran(const void *x, const void *y)
{
    const tgs_ran *a = x, *b = y;

    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    if (a->start != b->start)
        return compare(a->start, b->start);
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    return compare(a->proc, b->proc);
}

static int by_moved(const void *x, const void *y)
{
    const tgs_moved *a = x, *b = y;

    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    if (a->start != b->start)
        return compare(a->start, b->start);
    if (a->datum != b->datum)
        return a->datum < b->datum ? -1 : 1;
    if (a->end != b->end)
        return compare(a->end, b->end);
    return a->to != b->to ? compare(a->to, b->to) : compare(a->from, b->from);
}

static int by_used(const void *x, const void *y)
{
    const tgs_used *a = x, *b = y;

    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    if (a->time != b->time)
        return compare(a->time, b->time);
    return a->memory != b->memory ? compare(a->memory, b->memory) : compare(a->bytes, b->bytes);
}

typedef int comparison(const void *, const void *);

static bool sorted(const char *p, int64_t count, size_t size, comparison *order)
{
    for (int64_t i = 1; i < count; i++)
        if (order(p + (size_t)(i - 1) * size, p + (size_t)i * size) > 0)
            return false;
    return true;
}

/* records by time (a double at offset `at`), ties by the comparison */
static tgs_status sort_by_time(void **base, int64_t count, size_t size, size_t at,
                               comparison *order)
{
    const char *in = *base;
    char *out = tgs_mem_alloc((size_t)count, size);
    double *time = tgs_mem_alloc((size_t)count, sizeof *time);
    int32_t *rank = tgs_mem_alloc((size_t)count, sizeof *rank);
    tgs_status status = out && time && rank ? TGS_OK : TGS_ENOMEM;

    for (int64_t i = 0; !status && i < count; i++)
        memcpy(&time[i], in + (size_t)i * size + at, sizeof *time);
    if (!status)
        status = tgs_i_time_order(time, (int32_t)count, rank);
    for (int64_t i = 0; !status && i < count; i++)
        memcpy(out + (size_t)i * size, in + (size_t)rank[i] * size, size);
    for (int64_t i = 0, end; !status && i < count; i = end) {
        for (end = i + 1; end < count && time[rank[end]] == time[rank[i]];)
            end++;
        if (end - i > 1)
            qsort(out + (size_t)i * size, (size_t)(end - i), size, order);
    }
    tgs_mem_free(rank);
    tgs_mem_free(time);
    if (status) {
        tgs_mem_free(out);
        return status;
    }
    tgs_mem_free(*base);
    *base = out;
    return TGS_OK;
}

/* Sorts unless it is sorted: what is logged in order costs one pass.  Steps mostly follow each
 * other in time; where they overlap the comparison decides. */
static tgs_status sort(void **base, int64_t count, size_t size, size_t at, comparison *order)
{
    tgs_status status;

    if (sorted(*base, count, size, order))
        return TGS_OK;
    status = sort_by_time(base, count, size, at, order);
    if (!status && !sorted(*base, count, size, order))
        qsort(*base, (size_t)count, size, order);
    return status;
}

static tgs_status sort_all(tgs_trace_log *l)
{
    void *ran = l->ran, *moved = l->moved, *used = l->used;
    tgs_status status = sort(&ran, l->rans, sizeof *l->ran, offsetof(tgs_ran, start), by_ran);

    if (!status)
        status = sort(&moved, l->moveds, sizeof *l->moved, offsetof(tgs_moved, start), by_moved);
    if (!status)
        status = sort(&used, l->useds, sizeof *l->used, offsetof(tgs_used, time), by_used);
    l->ran = ran;
    l->moved = moved;
    l->used = used;
    return status;
}

static const char *const *pointers(const tgs_i_arena *a, const tgs_i_texts *t)
{
    const char **p = tgs_mem_alloc((size_t)t->count, sizeof *p);

    for (int64_t i = 0; p && i < t->count; i++)
        p[i] = a->text + t->at[i];
    return p;
}

/* the log's arrays become the trace's */
static void hand_over(tgs_trace_view *v, tgs_trace_log *l)
{
    v->ran = l->ran;
    v->moved = l->moved;
    v->used = l->used;
    v->step_start = l->step_start;
    v->step_end = l->step_end;
    v->proc_memory = l->proc_memory;
    v->task_phase = l->phase;
    v->edge_at = l->edge_at;
    v->edge = l->edge;
    l->ran = NULL;
    l->moved = NULL;
    l->used = NULL;
    l->step_start = l->step_end = NULL;
    l->proc_memory = l->phase = l->edge_at = l->edge = NULL;
}

int64_t tgs_i_log_steps(const tgs_trace_log *l)
{
    return l->steps;
}

tgs_status tgs_i_log_finish(tgs_trace **out, tgs_trace_log *l, tgs_error *err)
{
    tgs_trace *t = *out = tgs_mem_alloc(1, sizeof *t);
    tgs_trace_view *v;

    if (!t || sort_all(l)) {
        tgs_mem_free(t);
        tgs_i_log_free(l);
        *out = NULL;
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    v = &t->v;
    v->tasks = (int32_t)l->task.count;
    v->data = (int32_t)l->datum.count;
    v->procs = (int32_t)l->proc.count;
    v->memories = (int32_t)l->memory.count;
    v->steps = (int32_t)l->steps;
    v->rans = (int32_t)l->rans;
    v->moveds = (int32_t)l->moveds;
    v->useds = (int32_t)l->useds;
    v->lower_bound = l->lower_bound;
    v->task_name = pointers(&l->arena, &l->task);
    v->task_codelet = pointers(&l->arena, &l->codelet);
    v->datum_name = pointers(&l->arena, &l->datum);
    v->proc_name = pointers(&l->arena, &l->proc);
    v->proc_kind = pointers(&l->arena, &l->kind);
    v->memory_name = pointers(&l->arena, &l->memory);
    v->origin = l->arena.text + l->origin;
    v->title = l->arena.text + l->title;
    t->names = l->arena.text;
    l->arena.text = NULL;
    hand_over(v, l);
    tgs_i_log_free(l);
    if (v->task_name && v->task_codelet && v->datum_name && v->proc_name && v->proc_kind
        && v->memory_name)
        return TGS_OK;
    tgs_trace_free(t);
    *out = NULL;
    return tgs_fail(err, TGS_ENOMEM, "out of memory");
}
