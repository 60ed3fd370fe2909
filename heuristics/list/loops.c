/* loops.c -- in which order tasks are placed: a given order, the ready task of the highest
 * priority, or the best pair of a ready task and a processor. */
#include <string.h>
#include "core.h"

static tgs_status no_memory(tgs_error *err)
{
    return tgs_fail(err, TGS_ENOMEM, "out of memory for the ready list");
}

static tgs_status place_best(tgs_i_list *s, int32_t task, tgs_error *err)
{
    tgs_i_pick best;

    tgs_i_list_ready(s, task, s->ready);
    tgs_i_list_pick(s, task, s->ready, false, &best);
    return tgs_i_list_place(s, task, best.proc, best.start, err);
}

/* the same with messages booked on links */
static tgs_status place_booked(tgs_i_list *s, struct tgs_i_links *l, int32_t task, tgs_error *err)
{
    tgs_i_pick best;
    tgs_status status = tgs_i_links_ready(l, task, s->ready, err);

    if (status)
        return status;
    tgs_i_list_pick(s, task, s->ready, false, &best);
    if (best.proc >= 0)
        status = tgs_i_links_book(l, task, s->v->p->proc[best.proc].memory, err);
    return status ? status : tgs_i_list_place(s, task, best.proc, best.start, err);
}

tgs_status tgs_i_list_static(const tgs_ctx *c, tgs_plan *plan, const tgs_i_rule *rule,
                             const int32_t *order, tgs_error *err)
{
    struct tgs_i_links *l = NULL;
    tgs_i_list s;
    tgs_status status = tgs_i_list_open(&s, c, plan, rule, err);

    if (status)
        return status;
    if (rule->links)
        status = tgs_i_links_open(&l, &s, err);
    for (int32_t i = 0; i < c->v->n && !status; i++) {
        if (i + 3 * TGS_I_AHEAD < c->v->n)
            tgs_i_list_fetch(&s, order[i + 3 * TGS_I_AHEAD], order[i + 2 * TGS_I_AHEAD],
                             order[i + TGS_I_AHEAD]);
        status = l ? place_booked(&s, l, order[i], err) : place_best(&s, order[i], err);
    }
    tgs_i_links_close(l);
    tgs_i_list_close(&s);
    return status;
}

tgs_status tgs_i_list_by_rank_up(const tgs_ctx *c, tgs_plan *plan, const tgs_i_rule *rule,
                                 tgs_i_mean mean, tgs_error *err)
{
    const tgs_view *v = c->v;
    double *wbar = tgs_mem_alloc((size_t)v->n, sizeof *wbar);
    double *rank_u = tgs_mem_alloc((size_t)v->n, sizeof *rank_u);
    int32_t *order = tgs_mem_alloc((size_t)v->n, sizeof *order);
    tgs_status status = TGS_OK;

    if (!wbar || !rank_u || !order)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ranks of %d tasks", v->n);
    if (!status)
        status = tgs_i_weights(v, mean, wbar, err);
    if (!status) {
        tgs_i_rank_up(v, wbar, true, rank_u);
        status = tgs_i_sort(v, rank_u, NULL, order, err);
    }
    tgs_mem_free(wbar);
    tgs_mem_free(rank_u);
    if (!status)
        status = tgs_i_list_static(c, plan, rule, order, err);
    tgs_mem_free(order);
    return status;
}

/* ---- ready tasks --------------------------------------------------------------------------- */
tgs_status tgs_i_ready_open(tgs_i_ready *r, const tgs_view *v, const double *priority,
                            tgs_error *err)
{
    const tgs_graph_view *g = v->g;
    const size_t n = (size_t)g->tasks;

    *r = (tgs_i_ready){.g = g};
    r->level = tgs_mem_alloc(n, sizeof *r->level);
    r->waits = tgs_mem_alloc(n, sizeof *r->waits);
    r->heap.item = tgs_mem_alloc(n, sizeof *r->heap.item);
    if (!r->level || !r->waits || !r->heap.item) {
        tgs_i_ready_close(r);
        return no_memory(err);
    }
    if (priority) {
        memcpy(r->level, priority, n * sizeof *r->level);
        tgs_i_snap(r->level, g->tasks);
    }
    for (int32_t j = 0; j < g->tasks; j++) {
        r->waits[j] = g->pred_at[j + 1] - g->pred_at[j];
        if (!r->waits[j])
            tgs_i_ready_push(r, j);
    }
    return TGS_OK;
}

void tgs_i_ready_close(tgs_i_ready *r)
{
    tgs_mem_free(r->level);
    tgs_mem_free(r->waits);
    tgs_mem_free(r->heap.item);
    *r = (tgs_i_ready){.g = NULL};
}

int32_t tgs_i_ready_pop(tgs_i_ready *r)
{
    return r->heap.size ? r->g->topo[tgs_heap_pop(&r->heap).id] : -1;
}

void tgs_i_ready_push(tgs_i_ready *r, int32_t task)
{
    tgs_heap_push(&r->heap, -r->level[task], r->g->topo_pos[task]);
}

void tgs_i_ready_release(tgs_i_ready *r, int32_t task)
{
    const tgs_graph_view *g = r->g;

    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++)
        if (!--r->waits[g->succ[k]])
            tgs_i_ready_push(r, g->succ[k]);
}

tgs_status tgs_i_list_by_priority(const tgs_ctx *c, tgs_plan *plan, const tgs_i_rule *rule,
                                  const double *priority, tgs_error *err)
{
    tgs_i_list s = {.v = NULL};
    tgs_i_ready ready;
    tgs_status status = tgs_i_ready_open(&ready, c->v, priority, err);

    if (!status)
        status = tgs_i_list_open(&s, c, plan, rule, err);
    for (int32_t j; !status && (j = tgs_i_ready_pop(&ready)) >= 0;) {
        status = place_best(&s, j, err);
        tgs_i_ready_release(&ready, j);
    }
    tgs_i_list_close(&s);
    tgs_i_ready_close(&ready);
    return status;
}

/* ---- pairs --------------------------------------------------------------------------------- */
typedef struct candidate { /* a ready task and its best processor at this moment */
    tgs_i_pick best;
    double score, tie, last; /* last: its data lie everywhere; INFINITY when it is not to land */
    double everywhere;       /* its data lie */
    int32_t task, position;
} candidate;

typedef struct pool { /* the ready tasks, in no order, and their data ready times */
    tgs_i_list *s;
    const tgs_i_pairs *rule;
    const double *tie; /* snapped */
    candidate *item;
    double *ready; /* [item * memories + memory] */
    int64_t item_room, ready_room;
    int32_t size;
    int32_t *next;         /* tasks that wait for the next batch */
    int32_t nexts, landed; /* landed: how many lie there */
    tgs_i_landed land;
    double idle;  /* when the first processor is idle, -1: nothing lands */
    tgs_i_two by; /* where the second best counts */
} pool;

static bool by_types(const pool *l, int32_t i)
{
    return l->by.types && l->item[i].everywhere <= l->by.idle;
}

static void evaluate(const pool *l, int32_t i)
{
    candidate *x = &l->item[i];

    if (by_types(l, i))
        tgs_i_two_pick(&l->by, l->s->v, x->task, &x->best);
    else
        tgs_i_list_pick(l->s, x->task, l->ready + (int64_t)i * l->s->v->memories, l->rule->second,
                        &x->best);
    x->score = l->rule->score(l->rule, x->task, &x->best);
}

static tgs_status enter(pool *l, int32_t task, tgs_error *err)
{
    const int64_t M = l->s->v->memories, n = l->size;

    if (tgs_mem_grow(&l->item, &l->item_room, n + 1, sizeof *l->item)
        || tgs_mem_grow(&l->ready, &l->ready_room, (n + 1) * M, sizeof *l->ready))
        return no_memory(err);
    l->item[n] =
        (candidate){.task = task, .position = l->s->v->g->topo_pos[task], .tie = l->tie[task]};
    tgs_i_list_ready(l->s, task, l->ready + n * M);
    l->item[n].last = tgs_i_landed_may(&l->land, task) ? 0 : INFINITY;
    for (int32_t a = 0; a < M; a++)
        l->item[n].everywhere = fmax(l->item[n].everywhere, l->ready[n * M + a]);
    l->item[n].last = fmax(l->item[n].last, l->item[n].everywhere);
    if (l->item[n].last <= l->idle) {
        tgs_i_landed_add(&l->land, task);
        l->landed++;
    } else {
        evaluate(l, l->size++);
    }
    return TGS_OK;
}

static void leave(pool *l, int32_t i)
{
    const int64_t M = l->s->v->memories;
    const int32_t last = --l->size;

    l->item[i] = l->item[last];
    memmove(l->ready + i * M, l->ready + last * M, (size_t)M * sizeof *l->ready);
}

static bool better(const candidate *a, const candidate *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    return a->tie != b->tie ? a->tie > b->tie : a->position < b->position;
}

/* The time on one processor has passed: a pair with another one is what it was, since every key
 * only grows.  A group that has just got its memory is looked at again. */
static void renew(pool *l, int32_t proc, bool group)
{
    l->idle = tgs_i_landed_renew(&l->land, proc);
    tgs_i_two_renew(&l->by, l->s);
    for (int32_t i = l->size - 1; i >= 0; i--) {
        const candidate *x = &l->item[i];

        if (x->last <= l->idle) {
            tgs_i_landed_add(&l->land, x->task);
            l->landed++;
            leave(l, i);
        } else if (group || by_types(l, i) || x->best.proc == proc
                   || (l->rule->second && x->best.next_proc == proc)) {
            evaluate(l, i);
        }
    }
}

/* takes the best task out */
static candidate take(pool *l)
{
    candidate best = {.task = -1}, x = {.task = -1};
    int32_t at = 0;

    for (int32_t i = 1; i < l->size; i++)
        if (better(&l->item[i], &l->item[at]))
            at = i;
    if (l->size)
        best = l->item[at];
    x.task = tgs_i_landed_best(&l->land, &x.score);
    if (x.task >= 0) {
        x.tie = l->tie[x.task];
        x.position = l->s->v->g->topo_pos[x.task];
    }
    if (x.task < 0 || (l->size && better(&best, &x))) {
        if (by_types(l, at)) /* which processor */
            tgs_i_list_pick(l->s, best.task, l->ready + (int64_t)at * l->s->v->memories, false,
                            &best.best);
        leave(l, at);
        return best;
    }
    tgs_i_landed_remove(&l->land, x.task);
    l->landed--;
    tgs_i_list_ready(l->s, x.task, l->s->ready);
    tgs_i_list_pick(l->s, x.task, l->s->ready, false, &x.best);
    return x;
}

/* waits[n]: predecessors not yet placed, an edge counted once per datum */
static int32_t *count_preds(const tgs_graph_view *g)
{
    int32_t *waits = tgs_mem_alloc((size_t)g->tasks, sizeof *waits);

    for (int32_t j = 0; waits && j < g->tasks; j++)
        waits[j] = g->pred_at[j + 1] - g->pred_at[j];
    return waits;
}

static tgs_status release(pool *l, int32_t *waits, int32_t task, tgs_error *err)
{
    const tgs_graph_view *g = l->s->v->g;
    tgs_status status = TGS_OK;

    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1] && !status; k++) {
        if (--waits[g->succ[k]])
            continue;
        if (l->rule->batch)
            l->next[l->nexts++] = g->succ[k];
        else
            status = enter(l, g->succ[k], err);
    }
    if (!l->size && !l->landed)
        for (; l->nexts && !status; l->nexts--)
            status = enter(l, l->next[l->nexts - 1], err);
    return status;
}

static tgs_status step(pool *l, int32_t *waits, tgs_error *err)
{
    const candidate best = take(l);
    tgs_status status;

    status = tgs_i_list_place(l->s, best.task, best.best.proc, best.best.start, err);
    if (status)
        return status;
    renew(l, best.best.proc, l->s->groups && l->s->v->g->task[best.task].constraint >= 0);
    return release(l, waits, best.task, err);
}

tgs_status tgs_i_list_by_pairs(const tgs_ctx *c, tgs_plan *plan, const tgs_i_rule *rule,
                               const tgs_i_pairs *pairs, tgs_error *err)
{
    const int32_t n = c->v->n;
    int32_t *waits = count_preds(c->v->g);
    double *tie = tgs_mem_alloc((size_t)n, sizeof *tie);
    tgs_i_list s = {.v = NULL};
    pool l = {.s = &s, .rule = pairs, .tie = tie};
    tgs_status status;

    l.next = tgs_mem_alloc(pairs->batch ? (size_t)n : 1, sizeof *l.next);
    status = waits && tie && l.next ? TGS_OK : no_memory(err);
    if (!status)
        status = tgs_i_list_open(&s, c, plan, rule, err);
    if (status)
        goto done;
    if (pairs->tie) {
        memcpy(tie, pairs->tie, (size_t)n * sizeof *tie);
        tgs_i_snap(tie, n);
    }
    status = tgs_i_landed_open(&l.land, &s, pairs, tie, err);
    l.idle = l.land.types ? 0 : -1;
    if (!status && tgs_i_two_open(&l.by, &s, pairs))
        status = no_memory(err);
    tgs_i_two_renew(&l.by, &s);
    for (int32_t j = 0; j < n && !status; j++)
        if (!waits[j])
            status = enter(&l, j, err);
    while ((l.size || l.landed) && !status)
        status = step(&l, waits, err);
done:
    tgs_i_landed_close(&l.land);
    tgs_i_two_close(&l.by);
    tgs_i_list_close(&s);
    tgs_mem_free(waits);
    tgs_mem_free(tie);
    tgs_mem_free(l.item);
    tgs_mem_free(l.ready);
    tgs_mem_free(l.next);
    return status;
}
