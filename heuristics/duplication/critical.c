/* critical.c -- HCPT and HCPFD: the list of the critical parent trees, and the choice of a
 * processor with or without a copy of the critical parent.
 *
 * AEST, the average earliest start, is the downward rank, ALST, the average latest one, what the
 * longest path leaves: CP - rank_u.  Critical tasks have no room between the two. */
#include <stdlib.h>
#include "core.h"

#define SLACK 1e-9 /* of the longest path: the two ranks round apart */

/* ---- the list -------------------------------------------------------------------------------- */
typedef struct entry { /* on the stack */
    double latest;     /* ALST */
    int32_t task, position;
} entry;

typedef struct listing {
    const tgs_graph_view *g;
    double *earliest, *latest; /* AEST, ALST */
    int8_t *state;             /* NEW, OPEN: its parents are above it on the stack, LISTED */
    entry *stack;
    int64_t depth, room;
    int32_t *order, listed;
} listing;
enum { NEW, OPEN, LISTED };

/* so that the earliest comes to lie on top */
static int by_latest(const void *p, const void *q)
{
    const entry *a = p, *b = q;

    if (a->latest != b->latest)
        return a->latest > b->latest ? -1 : 1;
    return (a->position < b->position) - (a->position > b->position);
}

static tgs_status push(listing *l, int32_t task)
{
    if (tgs_mem_grow(&l->stack, &l->room, l->depth + 1, sizeof *l->stack))
        return TGS_ENOMEM;
    l->stack[l->depth++] = (entry){l->latest[task], task, l->g->topo_pos[task]};
    return TGS_OK;
}

static tgs_status push_parents(listing *l, int32_t task)
{
    const int64_t from = l->depth;
    tgs_status status = TGS_OK;

    for (int32_t e = l->g->pred_at[task]; e < l->g->pred_at[task + 1] && !status; e++)
        if (l->state[l->g->pred[e]] == NEW)
            status = push(l, l->g->pred[e]);
    if (!status)
        qsort(l->stack + from, (size_t)(l->depth - from), sizeof *l->stack, by_latest);
    return status;
}

/* parents before children: what is on the stack comes after all that is pushed for it */
static tgs_status empty_stack(listing *l)
{
    tgs_status status = TGS_OK;

    while (l->depth && !status) {
        const int32_t t = l->stack[l->depth - 1].task;

        if (l->state[t] == NEW) {
            l->state[t] = OPEN;
            status = push_parents(l, t);
            continue;
        }
        l->depth--;
        if (l->state[t] == OPEN) {
            l->state[t] = LISTED;
            l->order[l->listed++] = t;
        }
    }
    return status;
}

/* the critical tasks in time, each behind its parents; then what leads to none of them */
static tgs_status list_tasks(listing *l, const double *rank_u)
{
    const int32_t n = l->g->tasks;
    double path = 0;
    tgs_status status = TGS_OK;

    for (int32_t t = 0; t < n; t++)
        path = fmax(path, rank_u[t]);
    for (int32_t t = 0; t < n; t++)
        l->latest[t] = path - rank_u[t];
    for (int pass = 0; pass < 2 && !status; pass++) {
        for (int32_t t = 0; t < n && !status; t++)
            if (l->state[t] == NEW && (pass || l->latest[t] - l->earliest[t] <= SLACK * path))
                status = push(l, t);
        if (l->depth)
            qsort(l->stack, (size_t)l->depth, sizeof *l->stack, by_latest);
        if (!status)
            status = empty_stack(l);
    }
    return status;
}

static tgs_status find_order(const tgs_view *v, int32_t *order, tgs_error *err)
{
    const size_t n = (size_t)v->n;
    double *wbar = tgs_mem_alloc(n, sizeof *wbar), *rank_u = tgs_mem_alloc(n, sizeof *rank_u);
    listing l = {.g = v->g, .order = order};
    tgs_status status;

    l.earliest = tgs_mem_alloc(n, sizeof *l.earliest);
    l.latest = tgs_mem_alloc(n, sizeof *l.latest);
    l.state = tgs_mem_alloc(n, sizeof *l.state);
    if (wbar && rank_u && l.earliest && l.latest && l.state)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    else
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the list of %d tasks", v->n);
    if (!status) {
        tgs_i_rank_up(v, wbar, true, rank_u);
        tgs_i_rank_down(v, wbar, l.earliest);
        status = list_tasks(&l, rank_u);
        if (status)
            tgs_fail(err, status, "out of memory for the list of %d tasks", v->n);
    }
    tgs_mem_free(wbar);
    tgs_mem_free(rank_u);
    tgs_mem_free(l.earliest);
    tgs_mem_free(l.latest);
    tgs_mem_free(l.state);
    tgs_mem_free(l.stack);
    return status;
}

/* ---- the processor --------------------------------------------------------------------------- */
typedef struct inputs {   /* of a task in one memory */
    double first, second; /* when the last datum is there, and the last from another parent */
    double parent_ready;  /* when the inputs of that parent would be */
    int32_t parent;       /* the critical parent, -1: nothing would be gained by a copy */
} inputs;

static inputs find_inputs(const tgs_i_copies *x, int32_t task, int32_t memory, bool copies)
{
    const tgs_graph_view *g = x->list.v->g;
    const double initial = tgs_i_copies_initial(x, task, memory);
    inputs in = {initial, initial, 0, -1};

    for (int32_t e = g->pred_at[task]; e < g->pred_at[task + 1]; e++) {
        const int32_t u = g->pred[e];
        const double t = tgs_i_copies_arrival(x, u, g->pred_datum[e], memory);

        if (t > in.first) {
            in.second = u == in.parent ? in.second : in.first;
            in.first = t;
            in.parent = u;
        } else if (t > in.second && u != in.parent) {
            in.second = t;
        }
    }
    if (in.parent >= 0 && (!copies || !x->may[in.parent] || !(in.first < INFINITY)))
        in.parent = -1;
    if (in.parent >= 0)
        in.parent_ready = tgs_i_copies_ready(x, in.parent, memory);
    return in;
}

typedef struct choice {
    double start, end, copied; /* copied: start of the copy of the parent */
    int32_t proc, parent;      /* parent -1: no copy */
} choice;

static choice try(const tgs_i_copies *x, int32_t task, int32_t proc, const inputs *in)
{
    const tgs_view *v = x->list.v;
    const tgs_i_timeline *line = &x->list.line[proc];
    const double w = tgs_w(v, task, proc);
    choice c = {tgs_i_timeline_find(line, in->first, w), 0, 0, proc, -1};

    if (in->parent >= 0 && tgs_allowed(v, in->parent, proc)) {
        const double own = tgs_w(v, in->parent, proc);
        const double copied = tgs_i_timeline_find(line, in->parent_ready, own);
        const double there = fmax(in->second, copied + own);

        if (copied + own < in->first) {
            const double start = tgs_i_timeline_find(line, there, w);

            if (start < c.start) {
                c.start = start;
                c.copied = copied;
                c.parent = in->parent;
            }
        }
    }
    c.end = c.start + w;
    return c;
}

static tgs_status place(tgs_i_copies *x, int32_t task, inputs *in, bool copies, tgs_error *err)
{
    const tgs_view *v = x->list.v;
    choice best = {0, INFINITY, 0, -1, -1};
    tgs_status status = TGS_OK;

    for (int32_t a = 0; a < v->memories; a++)
        in[a] = find_inputs(x, task, a, copies);
    for (int32_t p = 0; p < v->m; p++) {
        const inputs *here = &in[v->p->proc[p].memory];
        choice c;

        if (!(here->second < INFINITY) || !tgs_i_list_may(&x->list, task, p))
            continue;
        c = try(x, task, p, here);
        if (c.end < best.end)
            best = c;
    }
    if (best.parent >= 0)
        status = tgs_i_copies_place(x, best.parent, best.proc, best.copied, err);
    if (!status)
        status = tgs_i_copies_place(x, task, best.proc, best.start, err);
    return status;
}

tgs_status tgs_i_critical_parents(const tgs_ctx *c, tgs_plan *plan, bool copies, tgs_error *err)
{
    const tgs_view *v = c->v;
    int32_t *order = tgs_mem_alloc((size_t)v->n, sizeof *order);
    inputs *in = tgs_mem_alloc((size_t)v->memories, sizeof *in);
    tgs_i_copies x = {.may = NULL};
    tgs_status status = TGS_OK;

    if (!order || !in)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the list of %d tasks", v->n);
    if (!status)
        status = find_order(v, order, err);
    if (!status)
        status = tgs_i_copies_open(&x, c, plan, true, err);
    for (int32_t i = 0; i < v->n && !status; i++)
        status = place(&x, order[i], in, copies, err);
    if (!status)
        status = tgs_i_copies_finish(&x, err);
    tgs_i_copies_close(&x);
    tgs_mem_free(order);
    tgs_mem_free(in);
    return status;
}
