/* plan.c -- what a heuristic fills: a place for every task, and copies. */
#include <string.h>
#include "internal.h"

struct tgs_plan_copies {
    tgs_place *place; /* end: its number, so that copies of a task keep their order */
    int64_t count, room;
};

struct tgs_plan_moves {
    tgs_move *move;
    int64_t count, room;
};

struct tgs_plan_drops {
    tgs_drop *drop;
    int64_t count, room;
};

tgs_status tgs_i_plan_new(tgs_plan *plan, int32_t tasks)
{
    memset(plan, 0, sizeof *plan);
    plan->lower_bound = NAN;
    plan->proc = tgs_mem_alloc((size_t)tasks, sizeof *plan->proc);
    plan->start = tgs_mem_alloc((size_t)tasks, sizeof *plan->start);
    if (!plan->proc || !plan->start) {
        tgs_i_plan_free(plan);
        return TGS_ENOMEM;
    }
    for (int32_t t = 0; t < tasks; t++) {
        plan->proc[t] = -1;
        plan->start[t] = NAN;
    }
    return TGS_OK;
}

void tgs_i_plan_free(tgs_plan *plan)
{
    if (plan->copies)
        tgs_mem_free(plan->copies->place);
    tgs_mem_free(plan->copies);
    tgs_i_cases_free(plan->cases);
    if (plan->moves)
        tgs_mem_free(plan->moves->move);
    tgs_mem_free(plan->moves);
    if (plan->drops)
        tgs_mem_free(plan->drops->drop);
    tgs_mem_free(plan->drops);
    tgs_mem_free(plan->proc);
    tgs_mem_free(plan->start);
    memset(plan, 0, sizeof *plan);
}

tgs_status tgs_plan_copy(tgs_plan *plan, int32_t task, int32_t proc, double start)
{
    struct tgs_plan_copies *c = plan->copies;

    if (!c)
        c = plan->copies = tgs_mem_alloc(1, sizeof *c);
    if (!c || c->count == INT32_MAX
        || tgs_mem_grow(&c->place, &c->room, c->count + 1, sizeof *c->place))
        return TGS_ENOMEM;
    c->place[c->count] = (tgs_place){task, proc, start, (double)c->count};
    c->count++;
    return TGS_OK;
}

tgs_status tgs_plan_move(tgs_plan *plan, const tgs_move *move)
{
    struct tgs_plan_moves *m = plan->moves;

    if (!m)
        m = plan->moves = tgs_mem_alloc(1, sizeof *m);
    if (!m || m->count >= INT32_MAX - 2
        || tgs_mem_grow(&m->move, &m->room, m->count + 1, sizeof *m->move))
        return TGS_ENOMEM;
    m->move[m->count++] = *move;
    return TGS_OK;
}

tgs_status tgs_plan_drop(tgs_plan *plan, const tgs_drop *drop)
{
    struct tgs_plan_drops *d = plan->drops;

    if (!d)
        d = plan->drops = tgs_mem_alloc(1, sizeof *d);
    if (!d || d->count >= INT32_MAX - 2
        || tgs_mem_grow(&d->drop, &d->room, d->count + 1, sizeof *d->drop))
        return TGS_ENOMEM;
    d->drop[d->count++] = *drop;
    return TGS_OK;
}

const tgs_drop *tgs_plan_drops(const tgs_plan *plan, int32_t *count)
{
    *count = plan->drops ? (int32_t)plan->drops->count : 0;
    return plan->drops ? plan->drops->drop : NULL;
}

const tgs_move *tgs_plan_moves(const tgs_plan *plan, int32_t *count)
{
    *count = plan->moves ? (int32_t)plan->moves->count : 0;
    return plan->moves ? plan->moves->move : NULL;
}

const tgs_place *tgs_plan_copies(const tgs_plan *plan, int32_t *count)
{
    *count = plan->copies ? (int32_t)plan->copies->count : 0;
    return plan->copies ? plan->copies->place : NULL;
}

/* ---- plans of heuristics that call heuristics ------------------------------------------------ */
tgs_status tgs_plan_open(tgs_plan **out, const tgs_view *v, tgs_error *err)
{
    tgs_plan *plan = *out = tgs_mem_alloc(1, sizeof *plan);

    if (plan && !tgs_i_plan_new(plan, v->n))
        return TGS_OK;
    tgs_mem_free(plan);
    *out = NULL;
    return tgs_fail(err, TGS_ENOMEM, "out of memory");
}

void tgs_plan_free(tgs_plan *plan)
{
    if (plan)
        tgs_i_plan_free(plan);
    tgs_mem_free(plan);
}

void tgs_i_plan_clear(tgs_plan *plan, int32_t tasks)
{
    for (int32_t t = 0; t < tasks; t++) {
        plan->proc[t] = -1;
        plan->start[t] = NAN;
    }
    if (plan->copies)
        plan->copies->count = 0;
    tgs_i_cases_free(plan->cases);
    plan->cases = NULL;
    if (plan->moves)
        plan->moves->count = 0;
    if (plan->drops)
        plan->drops->count = 0;
    plan->timed = false;
    plan->lower_bound = NAN;
    plan->note[0] = '\0';
}

static double place_end(const tgs_view *v, int32_t task, int32_t proc, double start)
{
    return proc >= 0 && proc < v->m ? start + tgs_w(v, task, proc) : INFINITY;
}

double tgs_plan_makespan(const tgs_view *v, const tgs_plan *plan)
{
    double end = 0;

    for (int32_t t = 0; t < v->n; t++)
        end = fmax(end, place_end(v, t, plan->proc[t], plan->start[t]));
    for (int64_t i = 0; plan->copies && i < plan->copies->count; i++) {
        const tgs_place *x = &plan->copies->place[i];

        end = fmax(end, place_end(v, x->task, x->proc, x->start));
    }
    return end;
}

tgs_status tgs_plan_assign(const tgs_view *v, tgs_plan *plan, const tgs_plan *other)
{
    tgs_i_plan_clear(plan, v->n);
    memcpy(plan->proc, other->proc, (size_t)v->n * sizeof *plan->proc);
    memcpy(plan->start, other->start, (size_t)v->n * sizeof *plan->start);
    memcpy(plan->note, other->note, sizeof plan->note);
    plan->timed = other->timed;
    plan->lower_bound = other->lower_bound;
    for (int64_t i = 0; other->copies && i < other->copies->count; i++) {
        const tgs_place *x = &other->copies->place[i];

        if (tgs_plan_copy(plan, x->task, x->proc, x->start))
            return TGS_ENOMEM;
    }
    for (int64_t i = 0; other->moves && i < other->moves->count; i++)
        if (tgs_plan_move(plan, &other->moves->move[i]))
            return TGS_ENOMEM;
    for (int64_t i = 0; other->drops && i < other->drops->count; i++)
        if (tgs_plan_drop(plan, &other->drops->drop[i]))
            return TGS_ENOMEM;
    return tgs_i_cases_copy(&plan->cases, other->cases);
}
