/* fit.c -- a schedule made to fit the memories: the same processors and the same order on each, but
 * every transfer is listed, what is in the way leaves in time, and tasks wait for room.
 *
 * Tasks are taken in the order of their planned starts, as far as dependencies and processors
 * allow. Each brings what it reads, takes room for what it writes, and starts when all of that is
 * there. What is not needed at that moment may leave: so a task finds room when what it accesses,
 * and the homes in its memory, fit there, and what has to leave has somewhere to go.  That is
 * certain when one memory (main memory) is large enough for everything and linked with each other
 * one both ways. O((tasks + accesses + transfers) log), and a look at what is in a memory whenever
 * something leaves it. */
#include <string.h>
#include "fit.h"
#include "tgsched/heap.h"

static tgs_status no_memory(tgs_i_fitting *f)
{
    return tgs_fail(f->err, TGS_ENOMEM, "out of memory");
}

/* ---- setting up ----------------------------------------------------------------------------- */
static int32_t version_read(const tgs_graph_view *g, int32_t access)
{
    const tgs_access *a = &g->access[access];

    return a->version < 0 ? g->accesses + (int32_t)a->datum : a->version;
}

/* planned start, then topological position, as far as dependencies and processors allow */
static tgs_status order_tasks(tgs_i_fitting *f)
{
    const tgs_graph_view *g = f->v->g;
    const tgs_schedule_view *s = f->s;
    const size_t n = (size_t)g->tasks;
    int32_t *waits = tgs_mem_alloc(n, sizeof *waits), *behind = tgs_mem_alloc(n, sizeof *behind);
    tgs_heap ready = {tgs_mem_alloc(n, sizeof(tgs_heap_item)), 0};
    int32_t done = 0;

    if (!waits || !behind || !ready.item)
        goto done;
    for (int32_t t = 0; t < g->tasks; t++) {
        waits[t] = g->pred_at[t + 1] - g->pred_at[t];
        behind[t] = -1;
    }
    for (int32_t q = 0; q < f->v->m; q++)
        for (int32_t i = s->order_at[q], last = -1; i < s->order_at[q + 1]; i++) {
            const int32_t t = s->order[i];

            if (t >= s->tasks) /* a further execution */
                continue;
            if (last >= 0) {
                behind[last] = t;
                waits[t]++;
            }
            last = t;
        }
    for (int32_t t = 0; t < g->tasks; t++)
        if (!waits[t])
            tgs_heap_push(&ready, s->place[t].start, g->topo_pos[t]);
    while (ready.size) {
        const int32_t t = g->topo[tgs_heap_pop(&ready).id];

        f->sequence[done++] = t;
        for (int32_t e = g->succ_at[t]; e < g->succ_at[t + 1]; e++)
            if (!--waits[g->succ[e]])
                tgs_heap_push(&ready, s->place[g->succ[e]].start, g->topo_pos[g->succ[e]]);
        if (behind[t] >= 0 && !--waits[behind[t]])
            tgs_heap_push(&ready, s->place[behind[t]].start, g->topo_pos[behind[t]]);
    }
done:
    tgs_mem_free(ready.item);
    tgs_mem_free(behind);
    tgs_mem_free(waits);
    if (done == g->tasks)
        return TGS_OK;
    return done ? tgs_fail(f->err, TGS_ECHECK, "the orders of the processors contradict the graph")
                : no_memory(f);
}

/* who reads each version, and which versions are the last of their data */
static void index_versions(tgs_i_fitting *f)
{
    const tgs_graph_view *g = f->v->g;

    for (int32_t i = 0; i < f->versions; i++) {
        f->head[i] = -1;
        f->lasts[i] = i < g->accesses && g->access[i].mode & TGS_W;
    }
    for (int32_t i = 0; i < g->accesses; i++)
        if (g->access[i].mode & TGS_R)
            f->read_at[version_read(g, i) + 2]++;
    for (int32_t i = 0; i < f->versions; i++)
        f->read_at[i + 2] += f->read_at[i + 1];
    for (int32_t k = 0; k < g->tasks; k++)
        for (int32_t t = f->sequence[k], i = g->access_at[t]; i < g->access_at[t + 1]; i++)
            if (g->access[i].mode & TGS_R)
                f->read[f->read_at[version_read(g, i) + 1]++] = k;
}

/* last: [data] room for the last writing access of each */
static void mark_last(tgs_i_fitting *f, int32_t *last)
{
    const tgs_graph_view *g = f->v->g;

    for (int32_t d = 0; d < g->data; d++)
        last[d] = -1;
    for (int32_t k = 0; k < g->tasks; k++)
        for (int32_t t = f->sequence[k], i = g->access_at[t]; i < g->access_at[t + 1]; i++)
            if (g->access[i].mode & TGS_W) {
                const int32_t d = (int32_t)g->access[i].datum;

                if (last[d] >= 0)
                    f->lasts[last[d]] = false;
                last[d] = i;
            }
    for (int32_t d = 0; d < g->data; d++) {
        const int32_t x = g->datum[d].extra;

        if (last[d] >= 0 && x >= 0 && g->extra[x].persistent)
            f->stays[last[d]] = true;
    }
}

/* what is free at first: the capacity less the homes; and what is at home */
static tgs_status open_rooms(tgs_i_fitting *f)
{
    const tgs_view *v = f->v;
    double homes;
    tgs_status status = TGS_OK;

    for (int32_t m = 0; m < v->memories && !status; m++) {
        const double capacity = v->p->memory[m].capacity;

        f->room[m].limited = capacity < INFINITY;
        if (!f->room[m].limited)
            continue;
        homes = 0;
        for (int32_t d = 0; d < v->g->data; d++)
            homes += v->home[d] == m ? v->g->datum[d].bytes : 0;
        if (homes > capacity)
            return tgs_fail(f->err, TGS_EINFEASIBLE,
                            "the data at home in memory '%s' lack %.17g bytes there",
                            v->p->memory[m].name, homes - capacity);
        status = tgs_i_fit_give(f, m, 0, capacity - homes);
    }
    for (int32_t d = 0; d < v->g->data && !status; d++)
        if (v->home[d] >= 0 && tgs_i_fit_add(f, v->g->accesses + d, v->home[d], 0) < 0)
            status = TGS_ENOMEM;
    return status;
}

/* ---- one task ------------------------------------------------------------------------------- */
/* from where a version arrives first */
static int32_t source_of(const tgs_i_fitting *f, int32_t version, int32_t memory)
{
    const int32_t d = tgs_i_fit_datum(f, version);
    int32_t best = -1;
    double least = INFINITY;

    for (int32_t i = f->head[version]; i >= 0; i = f->spot[i].next) {
        const double t = f->spot[i].there + tgs_c(f->v, d, f->spot[i].memory, memory);

        if (!f->spot[i].left
            && (t < least
                || (t == least && best >= 0 && f->spot[i].memory < f->spot[best].memory))) {
            best = i;
            least = t;
        }
    }
    return best;
}

static tgs_status bring(tgs_i_fitting *f, int32_t version, int32_t memory, double *start)
{
    int32_t here = tgs_i_fit_find(f, version, memory), from;

    if (here < 0) {
        from = source_of(f, version, memory);
        if (from < 0)
            return tgs_fail(f->err, TGS_EINFEASIBLE,
                            "no route brings datum number %d to memory '%s'",
                            (int)tgs_i_fit_datum(f, version), f->v->p->memory[memory].name);
        here = tgs_i_fit_send(f, from, memory, false);
    }
    if (here < 0)
        return (tgs_status)here;
    f->spot[here].pinned = f->position + 1;
    *start = fmax(*start, f->spot[here].there);
    return TGS_OK;
}

/* what it accesses, there or brought; when it can start */
static tgs_status gather(tgs_i_fitting *f, int32_t memory, double *start)
{
    const tgs_graph_view *g = f->v->g;
    const int32_t first = g->access_at[f->task], end = g->access_at[f->task + 1];
    tgs_status status = TGS_OK;

    for (int32_t i = first; i < end; i++) { /* first of all nobody takes away what is there */
        const int32_t here =
            g->access[i].mode & TGS_R ? tgs_i_fit_find(f, version_read(g, i), memory) : -1;

        if (here >= 0)
            f->spot[here].pinned = f->position + 1;
    }
    for (int32_t i = first; i < end && !status; i++)
        if (g->access[i].mode & TGS_R)
            status = bring(f, version_read(g, i), memory, start);
    for (int32_t i = first; i < end && !status; i++)
        if (g->access[i].mode == TGS_W) {
            double time;

            status = tgs_i_fit_take(f, memory, tgs_i_fit_bytes(f, i, memory), false, &time);
            *start = fmax(*start, time);
        }
    return status;
}

/* Nothing reads a version any more: its copies are over.  In a memory that is short of room an
 * invalidation says so, unless its place is about to be written again. */
static tgs_status finish_version(tgs_i_fitting *f, int32_t version)
{
    double time = 0;
    bool short_ = false;
    tgs_status status = TGS_OK;

    for (int32_t i = f->head[version]; i >= 0 && !status; i = f->spot[i].next) {
        time = fmax(time, f->spot[i].until);
        if (f->spot[i].left)
            continue;
        short_ |= f->spot[i].slot >= 0;
        status = tgs_i_fit_leave(f, i);
    }
    return !status && short_ && f->lasts[version] ? tgs_i_fit_drop(f, version, -1, time) : status;
}

/* one more reader of a version has been placed in a memory */
static tgs_status finish_read(tgs_i_fitting *f, int32_t version, int32_t memory, double end)
{
    const int32_t here = tgs_i_fit_find(f, version, memory);
    bool another = false;

    f->done[version]++;
    f->spot[here].until = fmax(f->spot[here].until, end);
    tgs_i_fit_look(f, here);
    if (f->stays[version])
        return TGS_OK;
    if (f->done[version] == f->read_at[version + 1] - f->read_at[version])
        return finish_version(f, version);
    for (int32_t i = f->head[version]; i >= 0; i = f->spot[i].next)
        another |= i != here && !f->spot[i].left;
    return f->spot[here].use == INT32_MAX && another && f->spot[here].slot >= 0
               ? tgs_i_fit_leave(f, here)
               : TGS_OK;
}

/* an update is in place: the new version has the bytes of the old one */
static tgs_status finish_write(tgs_i_fitting *f, int32_t access, int32_t memory, double end)
{
    const tgs_graph_view *g = f->v->g;
    int32_t spot;

    if (g->access[access].mode == TGS_RW)
        tgs_i_fit_forget(f, tgs_i_fit_find(f, version_read(g, access), memory));
    spot = tgs_i_fit_add(f, access, memory, end);
    if (spot < 0)
        return (tgs_status)spot;
    if (f->stays[access] || f->read_at[access + 1] > f->read_at[access])
        return TGS_OK;
    return tgs_i_fit_leave(f, spot); /* nobody reads it */
}

static tgs_status fit_task(tgs_i_fitting *f)
{
    const tgs_graph_view *g = f->v->g;
    const int32_t t = f->task, proc = f->s->place[t].proc, c = g->task[t].constraint;
    const int32_t memory = f->v->p->proc[proc].memory;
    double start = fmax(f->idle[proc], c < 0 ? 0 : g->constraint[c].release);
    tgs_status status;

    for (int32_t e = g->pred_at[t]; e < g->pred_at[t + 1]; e++)
        start = fmax(start, f->end[g->pred[e]]);
    status = gather(f, memory, &start);
    if (status)
        return status;
    f->plan->proc[t] = proc;
    f->plan->start[t] = start;
    f->end[t] = f->idle[proc] = start + tgs_w(f->v, t, proc);
    for (int32_t i = g->access_at[t]; i < g->access_at[t + 1] && !status; i++)
        if (g->access[i].mode & TGS_W)
            status = finish_write(f, i, memory, f->end[t]);
    for (int32_t i = g->access_at[t]; i < g->access_at[t + 1] && !status; i++)
        if (g->access[i].mode == TGS_R)
            status = finish_read(f, version_read(g, i), memory, f->end[t]);
        else if (g->access[i].mode == TGS_RW) {
            f->done[version_read(g, i)]++;
            status = finish_version(f, version_read(g, i));
        }
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */
static void clean(tgs_i_fitting *f)
{
    for (int32_t m = 0; f->room && m < f->v->memories; m++) {
        tgs_mem_free(f->room[m].heap);
        tgs_mem_free(f->room[m].spot);
    }
    tgs_mem_free(f->room);
    tgs_mem_free(f->spot);
    tgs_mem_free(f->head);
    tgs_mem_free(f->read_at);
    tgs_mem_free(f->read);
    tgs_mem_free(f->done);
    tgs_mem_free(f->stays);
    tgs_mem_free(f->lasts);
    tgs_mem_free(f->sequence);
    tgs_mem_free(f->end);
    tgs_mem_free(f->idle);
}

static tgs_status prepare(tgs_i_fitting *f)
{
    const tgs_graph_view *g = f->v->g;
    const size_t versions = (size_t)g->accesses + (size_t)g->data, n = (size_t)g->tasks;
    int32_t *last = tgs_mem_alloc((size_t)g->data, sizeof *last);
    tgs_status status = TGS_ENOMEM;

    f->versions = (int32_t)versions;
    f->room = tgs_mem_alloc((size_t)f->v->memories, sizeof *f->room);
    f->head = tgs_mem_alloc(versions, sizeof *f->head);
    f->read_at = tgs_mem_alloc(versions + 2, sizeof *f->read_at);
    f->read = tgs_mem_alloc((size_t)g->accesses, sizeof *f->read);
    f->done = tgs_mem_alloc(versions, sizeof *f->done);
    f->stays = tgs_mem_alloc(versions, sizeof *f->stays);
    f->lasts = tgs_mem_alloc(versions, sizeof *f->lasts);
    f->sequence = tgs_mem_alloc(n, sizeof *f->sequence);
    f->end = tgs_mem_alloc(n, sizeof *f->end);
    f->idle = tgs_mem_alloc((size_t)f->v->m, sizeof *f->idle);
    if (last && f->room && f->head && f->read_at && f->read && f->done && f->stays && f->lasts
        && f->sequence && f->end && f->idle)
        status = order_tasks(f);
    else
        no_memory(f);
    if (!status) {
        index_versions(f);
        mark_last(f, last);
        status = open_rooms(f);
    }
    tgs_mem_free(last);
    return status;
}

tgs_status tgs_i_fit(tgs_plan *plan, const tgs_problem *pb, const tgs_schedule_view *s,
                     tgs_error *err)
{
    tgs_i_fitting f = {.v = &pb->v, .s = s, .plan = plan, .err = err};
    tgs_status status = prepare(&f);

    for (f.position = 0; f.position < pb->v.n && !status; f.position++) {
        f.task = f.sequence[f.position];
        status = fit_task(&f);
    }
    plan->timed = true; /* what came earlier would need more memory */
    clean(&f);
    return status;
}
