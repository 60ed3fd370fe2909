/* ancestors.c -- duplication first, reduction next, of one task on one processor. */
#include <stdlib.h>
#include <string.h>
#include "ancestors.h"

tgs_status tgs_i_ancestors_open(tgs_i_ancestors *d, const tgs_view *v, int64_t most)
{
    const size_t n = (size_t)v->n;

    *d = (tgs_i_ancestors){.v = v, .g = v->g, .most = most < v->n ? (int32_t)most : v->n};
    d->state = tgs_mem_alloc(n, sizeof *d->state);
    d->arrival = tgs_mem_alloc(n, sizeof *d->arrival);
    d->slot = tgs_mem_alloc(n, sizeof *d->slot);
    d->touched = tgs_mem_alloc(n, sizeof *d->touched);
    d->trial = tgs_mem_alloc(n, sizeof *d->trial);
    if (!d->state || !d->arrival || !d->slot || !d->touched || !d->trial)
        return TGS_ENOMEM;
    memset(d->slot, -1, n * sizeof *d->slot);
    return TGS_OK;
}

void tgs_i_ancestors_close(tgs_i_ancestors *d)
{
    tgs_mem_free(d->state);
    tgs_mem_free(d->arrival);
    tgs_mem_free(d->slot);
    tgs_mem_free(d->touched);
    tgs_mem_free(d->trial);
    tgs_mem_free(d->stack);
}

enum { UNSEEN, OPEN, SEEN };

/* ---- which ------------------------------------------------------------------------------------
 */
/* so that what arrives last comes to lie on top */
static int by_arrival(const void *p, const void *q)
{
    const tgs_i_visit *a = p, *b = q;

    if (a->arrival != b->arrival)
        return a->arrival < b->arrival ? -1 : 1;
    return (a->position < b->position) - (a->position > b->position);
}

static int by_key(const void *p, const void *q)
{
    const tgs_i_trial *a = p, *b = q;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static void touch(tgs_i_ancestors *d, int32_t task, int8_t state)
{
    if (d->state[task] == UNSEEN)
        d->touched[d->touches++] = task;
    d->state[task] = state;
}

static void forget(tgs_i_ancestors *d)
{
    while (d->touches) {
        const int32_t t = d->touched[--d->touches];

        d->state[t] = UNSEEN;
        d->slot[t] = -1;
    }
    d->trials = 0;
}

/* may u run again on proc, and would it be of use there? */
static bool useful(const tgs_i_ancestors *d, int32_t u, int32_t proc, int32_t prefix,
                   double arrival)
{
    if (!d->x.may[u] || !tgs_allowed(d->v, u, proc))
        return false;
    if (prefix >= 0)
        return tgs_i_copies_on(&d->x, u, prefix);
    return arrival > d->tail && !tgs_i_copies_on(&d->x, u, proc);
}

static tgs_status push_parents(tgs_i_ancestors *d, int32_t task, int32_t proc, int32_t prefix)
{
    const tgs_graph_view *g = d->g;
    const int32_t memory = d->v->p->proc[proc].memory;
    const int64_t from = d->depth;

    for (int32_t e = g->pred_at[task]; e < g->pred_at[task + 1]; e++) {
        const int32_t u = g->pred[e];
        const double t = tgs_i_copies_arrival(&d->x, u, g->pred_datum[e], memory);

        if (d->state[u] != UNSEEN) {
            d->arrival[u] = fmax(d->arrival[u], t);
            continue;
        }
        if (d->touches + d->depth >= d->most || !useful(d, u, proc, prefix, t))
            continue;
        if (tgs_mem_grow(&d->stack, &d->room, d->depth + 1, sizeof *d->stack))
            return TGS_ENOMEM;
        d->stack[d->depth++] = (tgs_i_visit){t, u, g->topo_pos[u]};
    }
    if (d->depth > from + 1)
        qsort(d->stack + from, (size_t)(d->depth - from), sizeof *d->stack, by_arrival);
    return TGS_OK;
}

/* trial[]: what is on the stack and the ancestors of that, each behind its own */
static tgs_status gather(tgs_i_ancestors *d, int32_t proc, int32_t prefix)
{
    tgs_status status = TGS_OK;

    while (d->depth && !status) {
        const tgs_i_visit *top = &d->stack[d->depth - 1];
        const int32_t u = top->task;

        if (d->state[u] == UNSEEN) {
            d->arrival[u] = top->arrival;
            touch(d, u, OPEN);
            status = push_parents(d, u, proc, prefix);
            continue;
        }
        d->depth--;
        if (d->state[u] == OPEN) {
            d->state[u] = SEEN;
            d->trial[d->trials++] = (tgs_i_trial){.task = u, .position = d->g->topo_pos[u]};
        }
    }
    return status;
}

/* ---- a task on a processor ------------------------------------------------------------------- */
static double ready(const tgs_i_ancestors *d, int32_t task, int32_t proc)
{
    const tgs_graph_view *g = d->g;
    const int32_t memory = d->v->p->proc[proc].memory;
    double most = tgs_i_copies_initial(&d->x, task, memory);

    for (int32_t e = g->pred_at[task]; e < g->pred_at[task + 1]; e++) {
        const int32_t u = g->pred[e];
        double t = tgs_i_copies_arrival(&d->x, u, g->pred_datum[e], memory);

        if (d->slot[u] >= 0)
            t = fmin(t, d->trial[d->slot[u]].end);
        most = fmax(most, t);
    }
    return fmax(most, d->tail);
}

/* the trials from first on, those that are of use, one behind the other */
static void run_trials(tgs_i_ancestors *d, int32_t first, int32_t proc, bool all, double base)
{
    int32_t kept = first;

    for (int32_t i = first; i < d->trials; i++) {
        tgs_i_trial t = d->trial[i];

        t.start = ready(d, t.task, proc);
        t.end = t.start + tgs_w(d->v, t.task, proc);
        if (!all && (t.end >= d->arrival[t.task] || t.end > base))
            continue;
        d->slot[t.task] = kept;
        d->trial[kept++] = t;
        d->tail = t.end;
    }
    d->trials = kept;
}

static void take_back(tgs_i_ancestors *d, int32_t first, double tail)
{
    while (d->trials > first)
        d->slot[d->trial[--d->trials].task] = -1;
    d->tail = tail;
}

/* the critical parent, and before it those of its ancestors that ran on its processor, in the order
 * they had there */
static tgs_status run_up(tgs_i_ancestors *d, int32_t parent, int32_t proc, int32_t prefix)
{
    const int32_t memory = d->v->p->proc[proc].memory;
    tgs_status status;

    if (!d->x.may[parent] || !tgs_allowed(d->v, parent, proc))
        return TGS_OK;
    if (tgs_mem_grow(&d->stack, &d->room, d->depth + 1, sizeof *d->stack))
        return TGS_ENOMEM;
    d->stack[d->depth++] =
        (tgs_i_visit){tgs_i_copies_ready(&d->x, parent, memory), parent, d->g->topo_pos[parent]};
    status = gather(d, proc, prefix);
    for (int32_t i = 0; i < d->trials; i++)
        for (int32_t k = 0; k >= 0;) {
            tgs_i_copy e;

            k = tgs_i_copies_next(&d->x, d->trial[i].task, k, &e);
            if (e.proc == prefix)
                d->trial[i].key = e.start;
        }
    qsort(d->trial, (size_t)d->trials, sizeof *d->trial, by_key);
    run_trials(d, 0, proc, true, INFINITY);
    return status;
}

tgs_status tgs_i_ancestors_look(tgs_i_ancestors *d, int32_t task, int32_t parent,
                                const tgs_i_option *o, double *start)
{
    tgs_status status = TGS_OK;
    double base, tail;
    int32_t before;

    forget(d);
    d->tail = d->x.list.line[o->proc].free;
    if (o->prefix >= 0)
        status = run_up(d, parent, o->proc, o->prefix);
    base = *start = ready(d, task, o->proc);
    before = d->trials;
    tail = d->tail;
    if (!status)
        status = push_parents(d, task, o->proc, -1);
    if (!status)
        status = gather(d, o->proc, -1);
    run_trials(d, before, o->proc, false, base);
    *start = ready(d, task, o->proc);
    if (*start >= base) {
        take_back(d, before, tail);
        *start = base;
    }
    return status;
}
