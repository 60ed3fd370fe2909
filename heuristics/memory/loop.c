/* loop.c -- in which order tasks are placed when memories are limited.
 *
 * By level, or the pair of a ready task and a processor of the least key.  Keys are looked up again
 * when their turn comes, since other tasks have been placed meanwhile; what has become cheaper
 * because memory was given back is not noticed before its turn. */
#include <string.h>
#include "core.h"
#include "tgsched/heap.h"

typedef struct loop {
    const tgs_ctx *c;
    const tgs_view *v;
    const tgs_i_room_rule *rule;
    const double *level; /* snapped; NULL: by key */
    tgs_i_rooms r;
    int32_t *waits;   /* [n] predecessors that are not placed */
    int32_t *blocked; /* [n] ready tasks that fit nowhere */
    int32_t blockeds;
    int64_t given; /* r.given when they were found to */
    tgs_heap ready;
} loop;

static void enter(loop *l, int32_t task)
{
    tgs_heap_push(&l->ready, l->level ? -l->level[task] : 0, l->v->g->topo_pos[task]);
}

static void retry(loop *l)
{
    while (l->blockeds)
        enter(l, l->blocked[--l->blockeds]);
    l->given = l->r.given;
}

/* where the highest of the tasks that fit nowhere could, others make room for it */
static tgs_status make_room(loop *l, tgs_error *err)
{
    bool moved = false;
    tgs_status status = TGS_OK;
    int32_t first = -1;

    for (int32_t i = 0; i < l->blockeds && !moved && !status; i++) {
        status = tgs_i_rooms_spill(&l->r, l->blocked[i], &moved, err);
        first = l->blocked[0];
    }
    if (!status && !moved)
        status = tgs_fail(err, TGS_EINFEASIBLE,
                          "no memory has room for task %d '%s', nor for any other that is ready",
                          first, tgs_task_name(l->v->g, first, TGS_ROOM));
    if (!status)
        retry(l);
    return status;
}

static tgs_status place(loop *l, int32_t task, const tgs_i_room_pick *best, tgs_error *err)
{
    const tgs_graph_view *g = l->v->g;
    const tgs_status status = tgs_i_rooms_place(&l->r, task, best->proc, best->start, err);

    if (status)
        return status;
    if (l->rule->placed)
        l->rule->placed(l->rule, task, best->proc);
    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++)
        if (!--l->waits[g->succ[k]])
            enter(l, g->succ[k]);
    if (l->blockeds && l->r.given > l->given)
        retry(l);
    return TGS_OK;
}

/* by key: another task comes first when this one's has grown beyond its */
static bool overtaken(const loop *l, const tgs_heap_item *item, const tgs_i_room_pick *best)
{
    const tgs_heap_item now = {best->key, item->id};

    return !l->level && best->key != item->key && l->ready.size
           && tgs_heap_before(l->ready.item[0], now);
}

static tgs_status step(loop *l, tgs_error *err)
{
    const tgs_heap_item item = tgs_heap_pop(&l->ready);
    const int32_t task = l->v->g->topo[item.id];
    tgs_i_room_pick best;
    tgs_status status = tgs_i_rooms_pick(&l->r, l->rule, task, &best, err);

    if (status)
        return status;
    if (best.proc < 0)
        l->blocked[l->blockeds++] = task;
    else if (overtaken(l, &item, &best))
        tgs_heap_push(&l->ready, best.key, item.id);
    else
        status = place(l, task, &best, err);
    if (!status && !l->ready.size && l->blockeds)
        status = make_room(l, err);
    return status;
}

static tgs_status open_loop(loop *l, tgs_plan *plan, bool insert, tgs_error *err)
{
    const tgs_graph_view *g = l->v->g;
    const size_t n = (size_t)l->v->n;

    l->waits = tgs_mem_alloc(n, sizeof *l->waits);
    l->blocked = tgs_mem_alloc(n, sizeof *l->blocked);
    l->ready.item = tgs_mem_alloc(n, sizeof *l->ready.item);
    if (!l->waits || !l->blocked || !l->ready.item)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for the ready list");
    for (int32_t j = 0; j < l->v->n; j++) {
        l->waits[j] = g->pred_at[j + 1] - g->pred_at[j];
        if (!l->waits[j])
            enter(l, j);
    }
    return tgs_i_rooms_open(&l->r, l->c, plan, insert, err);
}

tgs_status tgs_i_rooms_run(const tgs_ctx *c, tgs_plan *plan, const tgs_i_room_rule *rule,
                           const double *level, const double *urgent, bool insert, tgs_error *err)
{
    loop l = {.c = c, .v = c->v, .rule = rule, .level = level};
    tgs_status status = open_loop(&l, plan, insert, err);

    l.r.level = urgent;
    while (!status && l.ready.size)
        status = step(&l, err);
    tgs_i_rooms_close(&l.r);
    tgs_mem_free(l.waits);
    tgs_mem_free(l.blocked);
    tgs_mem_free(l.ready.item);
    plan->timed = true; /* earlier transfers would need more memory */
    return status;
}

tgs_status tgs_i_rooms_levels(const tgs_view *v, bool communication, double **levels,
                              tgs_error *err)
{
    double *wbar = tgs_mem_alloc((size_t)v->n, sizeof *wbar);
    tgs_status status = TGS_OK;

    *levels = tgs_mem_alloc((size_t)v->n, sizeof **levels);
    if (!wbar || !*levels)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ranks of %d tasks", v->n);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    if (!status) {
        tgs_i_rank_up(v, wbar, communication, *levels);
        tgs_i_snap(*levels, v->n);
    } else {
        tgs_mem_free(*levels);
        *levels = NULL;
    }
    tgs_mem_free(wbar);
    return status;
}
