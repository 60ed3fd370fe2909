/* capture_trace.c -- what happened in a captured run, on the graph of an earlier capture.
 *
 * Events of the application (waits, accesses) have no time of their own: in the trace they are when
 * what they wait for is there, on the processor that the schedule gives them. */
#include <math.h>
#include <string.h>
#include "capture.h"

typedef struct telling {
    const tgs_capture *c;
    const tgs_problem *pb;
    const tgs_schedule *s;
    tgs_trace_log *log;
    int32_t *captured;     /* [task of the graph] the captured one, -1 none */
    double *end;           /* [task of the graph], us */
    int32_t memory_of[64]; /* of StarPU's nodes, -1 none */
    double base;           /* us */
} telling;

static tgs_status match(telling *t, tgs_error *err)
{
    const tgs_graph_view *g = t->pb->v.g;
    tgs_i_arena arena = {0};
    tgs_i_names names = {0};
    tgs_status status = tgs_i_index_tasks(g, &arena, &names);

    if (status)
        tgs_fail(err, status, "out of memory");
    for (int32_t i = 0; i < g->tasks; i++)
        t->captured[i] = -1;
    for (int32_t i = 0; i < t->c->task.count && !status; i++) {
        const char *name = cap_text(t->c, t->c->task.at[i].name);
        const int32_t at = tgs_i_names_get(&names, &arena, name);

        if (at < 0)
            status = tgs_fail(err, TGS_EINVAL, "the graph has no task %s, which has run", name);
        else
            t->captured[at] = i;
    }
    tgs_i_names_free(&names);
    tgs_i_arena_free(&arena);
    return status;
}

/* StarPU's memories by the processors that use them; main memory may have none */
static void map_memories(telling *t)
{
    const tgs_platform_view *p = t->pb->v.p;

    for (int i = 0; i < 64; i++)
        t->memory_of[i] = -1;
    t->memory_of[0] = 0;
    for (int32_t i = 0; i < t->c->worker.count; i++) {
        const cap_worker *w = &t->c->worker.at[i];
        const int32_t proc = tgs_i_cap_processor(t->c, p, w->id);

        if (proc >= 0 && w->node < 64)
            t->memory_of[w->node] = p->proc[proc].memory;
    }
}

static void find_base(telling *t)
{
    t->base = INFINITY;
    for (int32_t i = 0; i < t->c->task.count; i++)
        if (t->c->task.at[i].end > 0)
            t->base = fmin(t->base, t->c->task.at[i].start);
    for (int32_t i = 0; i < t->c->moved.count; i++)
        if (t->c->moved.at[i].datum >= 0)
            t->base = fmin(t->base, t->c->moved.at[i].start);
}

static tgs_status put_task(telling *t, int32_t task, tgs_error *err)
{
    const tgs_graph_view *g = t->pb->v.g;
    const cap_task *k = t->captured[task] < 0 ? NULL : &t->c->task.at[t->captured[task]];
    tgs_ran r = {.task = task, .proc = t->s->v.place[task].proc};
    double start = t->base;

    if (k && k->end > 0) {
        r.proc = tgs_i_cap_processor(t->c, t->pb->v.p, k->ran_on);
        if (r.proc < 0)
            return tgs_fail(err, TGS_EINVAL, "task %s ran on a worker that the platform has not",
                            cap_text(t->c, k->name));
        start = k->start;
        t->end[task] = k->end;
    } else if ((k && k->archs >= 0) || (!k && g->task[task].work > 0)) {
        return tgs_fail(err, TGS_EINVAL, "task %s of the graph has not run",
                        tgs_task_name(g, task, TGS_ROOM));
    } else { /* an event */
        for (int32_t e = g->pred_at[task]; e < g->pred_at[task + 1]; e++)
            start = fmax(start, t->end[g->pred[e]]);
        t->end[task] = start;
    }
    r.start = (start - t->base) * 1e-6;
    r.end = (t->end[task] - t->base) * 1e-6;
    return tgs_log_ran(t->log, &r) ? tgs_fail(err, TGS_ENOMEM, "out of memory") : TGS_OK;
}

static tgs_status put_moves(telling *t, double *last, tgs_error *err)
{
    for (int32_t i = 0; i < t->c->moved.count; i++) {
        const cap_moved *m = &t->c->moved.at[i];
        const int32_t from = m->from < 64 ? t->memory_of[m->from] : -1;
        const int32_t to = m->to < 64 ? t->memory_of[m->to] : -1;
        const tgs_moved moved = {.datum = m->datum,
                                 .from = from,
                                 .to = to,
                                 .why = TGS_WHY_DEMAND,
                                 .bytes = m->bytes,
                                 .start = (m->start - t->base) * 1e-6,
                                 .end = (m->end - t->base) * 1e-6};

        if (m->datum < 0 || from < 0 || to < 0) /* of StarPU's own: a part of a reduction */
            continue;
        if (m->datum >= t->pb->v.g->data)
            return tgs_fail(err, TGS_EINVAL, "datum %d is not in the graph", (int)m->datum);
        *last = fmax(*last, moved.end);
        if (tgs_log_moved(t->log, &moved))
            return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    return TGS_OK;
}

static tgs_status put_all(telling *t, tgs_error *err)
{
    const tgs_graph_view *g = t->pb->v.g;
    double last = 0;
    tgs_status status = match(t, err);

    map_memories(t);
    find_base(t);
    if (!status && t->base == INFINITY)
        status = tgs_fail(err, TGS_EINVAL, "no task has run");
    for (int32_t i = 0; i < g->tasks && !status; i++)
        status = put_task(t, g->topo[i], err);
    for (int32_t i = 0; i < g->tasks && !status; i++)
        last = fmax(last, (t->end[i] - t->base) * 1e-6);
    if (!status)
        status = put_moves(t, &last, err);
    if (!status && tgs_log_step(t->log, 0, last))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    return status;
}

tgs_status tgs_capture_trace(tgs_trace **out, const tgs_capture *c, const tgs_problem *pb,
                             const tgs_schedule *s, tgs_error *err)
{
    telling t = {.c = c, .pb = pb, .s = s};
    tgs_status status;

    *out = NULL;
    if (s->v.tasks != pb->v.n)
        return tgs_fail(err, TGS_EINVAL, "the schedule is for another graph");
    status = tgs_i_log_new(&t.log, pb, "starpu", "", err);
    t.captured = tgs_mem_alloc((size_t)pb->v.n, sizeof *t.captured);
    t.end = tgs_mem_alloc((size_t)pb->v.n, sizeof *t.end);
    if (!status && (!t.captured || !t.end))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = put_all(&t, err);
    if (!status)
        status = tgs_i_log_finish(out, t.log, err);
    else
        tgs_i_log_free(t.log);
    tgs_mem_free(t.captured);
    tgs_mem_free(t.end);
    return status;
}
