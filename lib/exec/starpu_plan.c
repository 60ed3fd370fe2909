/* starpu_plan.c -- from a schedule to what is submitted: in which order, which transfers are asked
 * for when, and which data are dropped after which task. */
#include <math.h>
#include <string.h>
#include "tgsched/heap.h"
#include "starpu_core.h"

/* A task that is never free of predecessors lies on a cycle or behind one; walking back along what
 * is not done ends on the cycle. */
static tgs_status refuse_cycle(const spu_run *r, const int32_t *waits, tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    char name[TGS_NAME_ROOM], other[TGS_NAME_ROOM];
    int32_t t = 0, before = -1;

    while (waits[t] <= 0)
        t++;
    for (int32_t step = 0; step <= g->tasks; step++) {
        const int32_t proc = r->s->place[t].proc;
        int32_t prev = -1;

        for (int32_t k = g->pred_at[t]; k < g->pred_at[t + 1] && prev < 0; k++)
            if (waits[g->pred[k]] > 0)
                prev = g->pred[k];
        if (prev < 0 && r->placed && r->plan.turn[t] > 1)
            prev = r->s->order[r->s->order_at[proc] + r->plan.turn[t] - 2];
        before = t;
        t = prev;
    }
    return tgs_fail(err, TGS_ECYCLE,
                    "the order of processor %s contradicts the dependencies: task %s waits for %s",
                    r->v->p->proc[r->s->place[before].proc].name,
                    tgs_i_spu_task_name(g, before, name, sizeof name),
                    tgs_i_spu_task_name(g, t, other, sizeof other));
}

static void release(const spu_run *r, int32_t t, int32_t *waits, tgs_heap *ready)
{
    if (--waits[t] == 0)
        tgs_heap_push(ready, r->s->place[t].start, r->v->g->topo_pos[t]);
}

/* Planned start, then topological position, as far as dependencies and orders allow: any other
 * order can contradict a processor's order once there are writes after reads. */
tgs_status tgs_i_spu_plan_order(spu_run *r, tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    const tgs_schedule_view *s = r->s;
    spu_plan *plan = &r->plan;
    const size_t n = (size_t)g->tasks;
    int32_t *waits = tgs_mem_alloc(n, sizeof *waits), done = 0;
    tgs_heap ready = {tgs_mem_alloc(n, sizeof(tgs_heap_item)), 0};
    tgs_status status = TGS_OK;

    plan->sequence = tgs_mem_alloc(n, sizeof *plan->sequence);
    plan->position = tgs_mem_alloc(n, sizeof *plan->position);
    plan->turn = tgs_mem_alloc(n, sizeof *plan->turn);
    if (!waits || !ready.item || !plan->sequence || !plan->position || !plan->turn) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
        goto done;
    }
    for (int32_t p = 0; p < r->v->m; p++)
        for (int32_t k = s->order_at[p]; k < s->order_at[p + 1]; k++)
            plan->turn[s->order[k]] = k - s->order_at[p] + 1;
    for (int32_t t = 0; t < g->tasks; t++)
        waits[t] = 1 + g->pred_at[t + 1] - g->pred_at[t] + (r->placed && plan->turn[t] > 1);
    for (int32_t t = 0; t < g->tasks; t++)
        release(r, t, waits, &ready);
    while (ready.size) {
        const int32_t t = g->topo[tgs_heap_pop(&ready).id], proc = s->place[t].proc;

        plan->position[t] = done;
        plan->sequence[done++] = t;
        for (int32_t k = g->succ_at[t]; k < g->succ_at[t + 1]; k++)
            release(r, g->succ[k], waits, &ready);
        if (r->placed && s->order_at[proc] + plan->turn[t] < s->order_at[proc + 1])
            release(r, s->order[s->order_at[proc] + plan->turn[t]], waits, &ready);
    }
    if (done < g->tasks)
        status = refuse_cycle(r, waits, err);
done:
    tgs_mem_free(waits);
    tgs_mem_free(ready.item);
    return status;
}

tgs_status tgs_i_spu_group(const int32_t *key, int32_t items, int32_t keys, int32_t **at,
                           int32_t **list)
{
    int32_t *fill = tgs_mem_alloc((size_t)keys + 1, sizeof *fill);

    *at = tgs_mem_alloc((size_t)keys + 1, sizeof **at);
    *list = tgs_mem_alloc((size_t)items, sizeof **list);
    if (!fill || !*at || !*list) {
        tgs_mem_free(fill);
        return TGS_ENOMEM;
    }
    for (int32_t i = 0; i < items; i++)
        if (key[i] >= 0)
            (*at)[key[i] + 1]++;
    for (int32_t k = 0; k < keys; k++)
        fill[k + 1] = (*at)[k + 1] += (*at)[k];
    for (int32_t i = 0; i < items; i++)
        if (key[i] >= 0)
            (*list)[fill[key[i]]++] = i;
    tgs_mem_free(fill);
    return TGS_OK;
}

/* ---- transfer tasks ------------------------------------------------------------------------- */

typedef struct asked { /* which memories have been asked for a version: one mask per version */
    uint32_t *initial, *written; /* [data], [accesses] */
    int32_t *task;               /* [accesses] whose access it is */
    int64_t room;
} asked;

static tgs_status ask(spu_run *r, asked *a, const spu_move *m, int32_t source)
{
    uint32_t *mask = m->version < 0 ? &a->initial[m->datum] : &a->written[m->version];
    const uint32_t bit = 1u << r->node_of[m->memory];
    spu_plan *plan = &r->plan;

    if (m->memory == source || *mask & bit)
        return TGS_OK;
    *mask |= bit;
    if (tgs_mem_grow(&plan->move, &a->room, plan->moves + 1, sizeof *plan->move))
        return TGS_ENOMEM;
    plan->move[plan->moves++] = *m;
    return TGS_OK;
}

/* the window: a transfer is let go when the task `window` places before its reader has ended */
static int32_t opener(const spu_run *r, int32_t task)
{
    const int32_t first = r->s->order_at[r->s->place[task].proc], turn = r->plan.turn[task];

    return turn > r->window ? r->s->order[first + turn - 1 - r->window] : -1;
}

static tgs_status ask_for_reads(spu_run *r, asked *a, int32_t t)
{
    const tgs_graph_view *g = r->v->g;
    const int32_t memory = r->v->p->proc[r->s->place[t].proc].memory, wait = opener(r, t);
    tgs_status status = TGS_OK;

    for (int32_t k = g->access_at[t]; k < g->access_at[t + 1] && !status; k++) {
        const int32_t datum = g->access[k].datum, version = g->access[k].version;
        const int32_t producer = version < 0 ? -1 : a->task[version];
        spu_move m = {datum, version, memory, producer < 0 ? -1 : r->plan.position[producer],
                      wait,  -1,      false,  false};

        if (!(g->access[k].mode & TGS_R))
            continue;
        if (wait >= 0 && r->plan.position[wait] > m.after)
            m.after = r->plan.position[wait];
        status = ask(r, a, &m,
                     producer < 0 ? r->host : r->v->p->proc[r->s->place[producer].proc].memory);
    }
    return status;
}

/* initial values begin in main memory here; the plan has them at home */
static tgs_status ask_for_homes(spu_run *r, asked *a)
{
    tgs_status status = TGS_OK;

    for (int32_t d = 0; d < r->v->g->data && !status; d++) {
        const spu_move m = {d, -1, r->v->home[d], -1, -1, -1, false, false};

        if (r->datum[d].read_first && m.memory >= 0)
            status = ask(r, a, &m, r->host);
    }
    return status;
}

tgs_status tgs_i_spu_plan_moves(spu_run *r, tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    asked a = {tgs_mem_alloc((size_t)g->data, sizeof *a.initial),
               tgs_mem_alloc((size_t)g->accesses, sizeof *a.written),
               tgs_mem_alloc((size_t)g->accesses, sizeof *a.task), 0};
    tgs_status status = a.initial && a.written && a.task ? TGS_OK : TGS_ENOMEM;
    int32_t *after;

    for (int32_t t = 0; t < g->tasks && !status; t++)
        for (int32_t k = g->access_at[t]; k < g->access_at[t + 1]; k++)
            a.task[k] = t;
    if (r->placed && r->window > 0) {
        if (!status)
            status = ask_for_homes(r, &a);
        for (int32_t i = 0; i < g->tasks && !status && !r->s->moves; i++)
            status = ask_for_reads(r, &a, r->plan.sequence[i]);
    }
    if (r->placed && r->window > 0 && r->s->moves && !status)
        status = tgs_i_spu_plan_orders(r, err);
    after = status ? NULL : tgs_mem_alloc((size_t)r->plan.moves, sizeof *after);
    if (!after && !status)
        status = TGS_ENOMEM;
    for (int32_t i = 0; i < r->plan.moves && !status; i++)
        after[i] = r->plan.move[i].after + 1;
    if (!status)
        status = tgs_i_spu_group(after, r->plan.moves, g->tasks + 1, &r->plan.move_at,
                                 &r->plan.by_anchor);
    if (status)
        tgs_fail(err, status, "out of memory");
    tgs_mem_free(after);
    tgs_mem_free(a.initial);
    tgs_mem_free(a.written);
    tgs_mem_free(a.task);
    return status;
}

/* ---- dead data ------------------------------------------------------------------------------ */

/* bytes of all data that ever come to a memory: what StarPU holds there if nothing is dropped */
static bool overflows(const spu_run *r, int32_t memory, bool *touched)
{
    const tgs_graph_view *g = r->v->g;
    const double room =
        fmin(r->v->p->memory[memory].capacity, tgs_i_spu_capacity((unsigned)r->node_of[memory]));
    double sum = 0;

    memset(touched, 0, (size_t)g->data * sizeof *touched);
    for (int32_t t = 0; t < g->tasks; t++)
        if (!r->placed || r->v->p->proc[r->s->place[t].proc].memory == memory)
            for (int32_t k = g->access_at[t]; k < g->access_at[t + 1]; k++)
                touched[g->access[k].datum] = true;
    for (int32_t d = 0; d < g->data; d++)
        if (touched[d] || (memory == r->host && r->datum[d].read_first))
            sum += fmax(1, ceil(g->datum[d].bytes));
    return sum > room;
}

/* An invalidation costs more than a task, so only what lies in a memory that would overflow is
 * dropped: values made and last read within the step.  Results (last written) stay. */
tgs_status tgs_i_spu_plan_dead(spu_run *r, tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    spu_plan *plan = &r->plan;
    bool *touched = tgs_mem_alloc((size_t)g->data, sizeof *touched);
    bool *tight = tgs_mem_alloc((size_t)g->data, sizeof *tight);
    int32_t *last = tgs_mem_alloc((size_t)g->data, sizeof *last);
    tgs_status status = TGS_OK;

    if (!touched || !tight || !last) {
        status = TGS_ENOMEM;
        goto done;
    }
    for (int32_t m = 0; m < r->v->memories; m++)
        if (overflows(r, m, touched))
            for (int32_t d = 0; d < g->data; d++)
                tight[d] |= touched[d];
    for (int32_t d = 0; d < g->data; d++)
        last[d] = -1;
    for (int32_t i = 0; i < g->tasks; i++) {
        const int32_t t = plan->sequence[i];

        for (int32_t k = g->access_at[t]; k < g->access_at[t + 1]; k++)
            last[g->access[k].datum] = g->access[k].mode & TGS_W ? -1 : i;
    }
    for (int32_t d = 0; d < g->data; d++)
        if (!tight[d] || r->datum[d].read_first || r->datum[d].persistent)
            last[d] = -1;
    status = tgs_i_spu_group(last, g->data, g->tasks, &plan->dead_at, &plan->dead);
done:
    if (status)
        tgs_fail(err, status, "out of memory");
    tgs_mem_free(touched);
    tgs_mem_free(tight);
    tgs_mem_free(last);
    return status;
}

/* ---- what StarPU does not see by itself ------------------------------------------------------ */

static bool share_conflict(const tgs_graph_view *g, int32_t a, int32_t b)
{
    for (int32_t i = g->access_at[a]; i < g->access_at[a + 1]; i++)
        for (int32_t j = g->access_at[b]; j < g->access_at[b + 1]; j++)
            if (g->access[i].datum == g->access[j].datum
                && ((g->access[i].mode | g->access[j].mode) & TGS_W))
                return true;
    return false;
}

/* A task that another one waits for by name has to outlive it; all others go when they end. */
tgs_status tgs_i_spu_plan_waits(spu_run *r, tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    spu_plan *plan = &r->plan;

    plan->before_at = tgs_mem_alloc((size_t)g->tasks + 1, sizeof *plan->before_at);
    plan->before = tgs_mem_alloc((size_t)g->pred_at[g->tasks], sizeof *plan->before);
    plan->awaited = tgs_mem_alloc((size_t)g->tasks, sizeof *plan->awaited);
    if (!plan->before_at || !plan->before || !plan->awaited)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t t = 0; t < g->tasks; t++) {
        plan->before_at[t + 1] = plan->before_at[t];
        for (int32_t k = g->pred_at[t]; k < g->pred_at[t + 1]; k++)
            if (g->pred_datum[k] < 0 && !share_conflict(g, g->pred[k], t)) {
                plan->before[plan->before_at[t + 1]++] = g->pred[k];
                plan->awaited[g->pred[k]] = true;
            }
    }
    for (int32_t i = 0; i < plan->moves; i++) {
        const spu_move *m = &plan->move[i];

        if (m->wait >= 0)
            plan->awaited[m->wait] = true;
        if (m->behind >= 0)
            plan->move[m->behind].awaited = true;
    }
    return TGS_OK;
}

void tgs_i_spu_plan_free(spu_plan *p)
{
    tgs_mem_free(p->sequence);
    tgs_mem_free(p->position);
    tgs_mem_free(p->turn);
    tgs_mem_free(p->move);
    tgs_mem_free(p->move_at);
    tgs_mem_free(p->by_anchor);
    tgs_mem_free(p->dead);
    tgs_mem_free(p->dead_at);
    tgs_mem_free(p->before_at);
    tgs_mem_free(p->before);
    tgs_mem_free(p->awaited);
}
