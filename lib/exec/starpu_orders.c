/* starpu_orders.c -- a schedule that lists its transfers is followed by it: every transfer and
 * every eviction is a task of its own, submitted where the plan has it in time.
 *
 * Into a memory that is limited a transfer waits for what the plan has ended there by then: the
 * task before it on the memory's processor, and the evictions before it.  As everything waits for
 * what is planned earlier, nothing waits for ever.
 *
 * StarPU 1.3 cannot take a copy from one memory.  But a task that updates a datum in main memory,
 * and does nothing, leaves the only copy there.  That is done where the plan has no copy elsewhere;
 * elsewhere StarPU evicts what it has not used for longest when it needs room. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "starpu_core.h"

typedef struct order { /* a move or a drop of the schedule */
    double time;
    bool move;
    int32_t index;
} order;

typedef struct orders {
    spu_run *r;
    order *order;
    int32_t count;
    int32_t *writer;  /* [accesses] */
    int32_t *dead;    /* [data] the position after which it is dropped, INT32_MAX: never */
    uint32_t *where;  /* [data] memories that have its value, by the plan */
    int32_t *passed;  /* [procs] tasks of its order that have ended by now */
    int32_t *evicted; /* [memories] the last eviction from there, an index of plan.move; -1 */
    int64_t room;
} orders;

static int by_time(const void *x, const void *y)
{
    const order *a = x, *b = y;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->move != b->move)
        return a->move ? 1 : -1; /* what goes, goes first */
    return a->index < b->index ? -1 : a->index > b->index;
}

static void list_orders(orders *o)
{
    const tgs_schedule_view *s = o->r->s;

    for (int32_t i = 0; i < s->moves; i++)
        o->order[o->count++] = (order){s->move[i].start, true, i};
    for (int32_t i = 0; i < s->drops; i++)
        if (s->drop[i].memory >= 0) /* invalidations: tgs_i_spu_plan_dead */
            o->order[o->count++] = (order){s->drop[i].time, false, i};
    if (o->count)
        qsort(o->order, (size_t)o->count, sizeof *o->order, by_time);
}

static void index_all(orders *o)
{
    const spu_run *r = o->r;
    const tgs_graph_view *g = r->v->g;

    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t k = g->access_at[t]; k < g->access_at[t + 1]; k++)
            o->writer[k] = t;
    for (int32_t d = 0; d < g->data; d++) {
        o->dead[d] = INT32_MAX;
        o->where[d] = r->datum[d].read_first ? 1u << r->host : 0;
        if (r->datum[d].read_first && r->v->home[d] >= 0)
            o->where[d] |= 1u << r->v->home[d];
    }
    for (int32_t i = 0; i < g->tasks; i++)
        for (int32_t k = r->plan.dead_at[i]; k < r->plan.dead_at[i + 1]; k++)
            o->dead[r->plan.dead[k]] = i;
    for (int32_t m = 0; m < r->v->memories; m++)
        o->evicted[m] = -1;
}

/* the last task of a memory that has ended by a time, -1 none; times come in order */
static int32_t ended(orders *o, int32_t memory, double time)
{
    const spu_run *r = o->r;
    const tgs_schedule_view *s = r->s;
    int32_t last = -1;

    for (int32_t p = 0; p < r->v->m; p++) {
        if (r->v->p->proc[p].memory != memory)
            continue;
        while (s->order_at[p] + o->passed[p] < s->order_at[p + 1]) {
            const tgs_place *x = &s->place[s->order[s->order_at[p] + o->passed[p]]];

            if (!(x->end <= time + 1e-9 * fabs(time) && x->start < time))
                break;
            o->passed[p]++;
        }
        if (o->passed[p])
            last = s->order[s->order_at[p] + o->passed[p] - 1];
    }
    return last;
}

static tgs_status add(orders *o, const spu_move *m)
{
    spu_plan *plan = &o->r->plan;

    if (tgs_mem_grow(&plan->move, &o->room, (int64_t)plan->moves + 1, sizeof *plan->move))
        return TGS_ENOMEM;
    plan->move[plan->moves++] = *m;
    return TGS_OK;
}

static tgs_status take_move(orders *o, const tgs_move *x, int32_t *after)
{
    const spu_run *r = o->r;
    const int32_t producer = x->version < 0 ? -1 : o->writer[x->version];
    spu_move m = {x->datum, x->version, x->to, *after, -1, -1, false, false};

    o->where[x->datum] |= 1u << x->to;
    if (producer >= 0 && r->plan.position[producer] > m.after)
        m.after = r->plan.position[producer];
    if (m.after >= o->dead[x->datum])
        return TGS_OK;
    if (r->v->p->memory[x->to].capacity < INFINITY && x->to != r->host) {
        m.wait = ended(o, x->to, x->start);
        m.behind = o->evicted[x->to];
        if (m.wait >= 0 && r->plan.position[m.wait] > m.after)
            m.after = r->plan.position[m.wait];
    }
    *after = m.after;
    return add(o, &m);
}

static tgs_status take_drop(orders *o, const tgs_drop *x, int32_t *after)
{
    const spu_run *r = o->r;
    const spu_move m = {x->datum, x->version, x->memory, *after, -1, o->evicted[x->memory],
                        true,     false};

    o->where[x->datum] &= ~(1u << x->memory);
    if (x->memory == r->host || o->where[x->datum] != 1u << r->host || m.after >= o->dead[x->datum])
        return TGS_OK;
    o->evicted[x->memory] = r->plan.moves;
    return add(o, &m);
}

/* what a task writes is then where it runs and nowhere else */
static void pass_task(orders *o, int32_t task)
{
    const tgs_graph_view *g = o->r->v->g;

    for (int32_t k = g->access_at[task]; k < g->access_at[task + 1]; k++)
        if (g->access[k].mode & TGS_W)
            o->where[g->access[k].datum] = 1u << o->r->v->p->proc[o->r->s->place[task].proc].memory;
}

static tgs_status take_all(orders *o)
{
    const spu_run *r = o->r;
    int32_t next = 0, after = -1;
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < o->count && !status; k++) {
        const order *x = &o->order[k];

        while (next < r->v->n) {
            const tgs_place *p = &r->s->place[r->plan.sequence[next]];

            if (p->start > x->time || (p->start == x->time && (x->move || p->end > x->time)))
                break;
            pass_task(o, r->plan.sequence[next++]);
        }
        after = next - 1 > after ? next - 1 : after;
        status = x->move ? take_move(o, &r->s->move[x->index], &after)
                         : take_drop(o, &r->s->drop[x->index], &after);
    }
    return status;
}

tgs_status tgs_i_spu_plan_orders(spu_run *r, tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    orders o = {.r = r, .room = r->plan.moves};
    tgs_status status = TGS_ENOMEM;

    o.order = tgs_mem_alloc((size_t)r->s->moves + (size_t)r->s->drops, sizeof *o.order);
    o.writer = tgs_mem_alloc((size_t)g->accesses, sizeof *o.writer);
    o.dead = tgs_mem_alloc((size_t)g->data, sizeof *o.dead);
    o.where = tgs_mem_alloc((size_t)g->data, sizeof *o.where);
    o.passed = tgs_mem_alloc((size_t)r->v->m, sizeof *o.passed);
    o.evicted = tgs_mem_alloc((size_t)r->v->memories, sizeof *o.evicted);
    if (o.order && o.writer && o.dead && o.where && o.passed && o.evicted) {
        list_orders(&o);
        index_all(&o);
        status = take_all(&o);
    }
    if (status)
        tgs_fail(err, status, "out of memory");
    tgs_mem_free(o.order);
    tgs_mem_free(o.writer);
    tgs_mem_free(o.dead);
    tgs_mem_free(o.where);
    tgs_mem_free(o.passed);
    tgs_mem_free(o.evicted);
    return status;
}
