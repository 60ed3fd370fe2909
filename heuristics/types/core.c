/* core.c -- a kind for each task, and lists of tasks with kinds.
 *
 * O(kinds n log n) beside the splits; the list is O(e memories + n (p + log n)). */
#include <stdlib.h>
#include "core.h"
#include "../list/core.h"

typedef struct key { /* of a task in a split */
    double ratio;
    int32_t position, index;
} key;

typedef struct types {
    const tgs_view *v;
    double *count, *speed; /* [kinds] processors, and their mean speed */
    uint64_t *memories;    /* [kinds * mem_words] where they are */
    int32_t *kind;         /* [n] the result */
    bool *late;            /* [n] to be placed last */
    int32_t *task;         /* the tasks of the split at hand */
    double *a, *b;         /* by place in task */
    double *scratch;
    key *key;
    int32_t *order;
    bool *right;
} types;

/* ---- times per kind -------------------------------------------------------------------------- */
static void count_processors(types *t)
{
    const tgs_platform_view *p = t->v->p;

    for (int32_t i = 0; i < p->procs; i++) {
        t->count[p->proc[i].kind]++;
        t->speed[p->proc[i].kind] += p->proc[i].speed;
        t->memories[p->proc[i].kind * t->v->mem_words + p->proc[i].memory / 64] |=
            UINT64_C(1) << p->proc[i].memory % 64;
    }
    for (int32_t k = 0; k < p->kinds; k++)
        t->speed[k] = t->count[k] > 0 ? t->speed[k] / t->count[k] : 1;
}

/* has the kind a processor where the task may be? */
static bool reaches(const types *t, int32_t task, int32_t kind)
{
    const int32_t words = t->v->mem_words;
    const uint64_t *mask = t->v->mem_mask ? t->v->mem_mask + (int64_t)task * words : NULL;

    for (int32_t i = 0; mask && i < words; i++)
        if (mask[i] & t->memories[kind * words + i])
            return true;
    return !mask;
}

static double time_on(const types *t, int32_t task, int32_t kind)
{
    const tgs_view *v = t->v;
    const int32_t pin = v->pin_proc ? v->pin_proc[task] : -1;

    if (!(t->count[kind] > 0) || (pin >= 0 && v->p->proc[pin].kind != kind)
        || !reaches(t, task, kind))
        return INFINITY;
    return v->time[(int64_t)task * v->kinds + kind] / t->speed[kind];
}

/* every kind has processors of one speed only */
static bool is_even(const types *t)
{
    const tgs_platform_view *p = t->v->p;

    for (int32_t i = 0; i < p->procs; i++)
        if (p->proc[i].speed != t->speed[p->proc[i].kind])
            return false;
    return true;
}

/* ---- splits ---------------------------------------------------------------------------------- */
static int by_ratio(const void *p, const void *q)
{
    const key *x = p, *y = q;

    if (x->ratio != y->ratio)
        return x->ratio > y->ratio ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* the first n of task[] between a kind and those after it; leaves the latter in task[], returns how
 * many.  What can only run on one side is there. */
static int32_t split_off(types *t, int32_t kind, int32_t n, tgs_i_splitter *split, double *bound)
{
    tgs_i_split s = {
        .a = t->a, .b = t->b, .order = t->order, .n = n, .scratch = t->scratch, .right = t->right};
    int32_t rest = 0;

    s.last = -1;
    s.m = t->count[kind];
    for (int32_t k = kind + 1; k < t->v->kinds; k++)
        s.k += t->count[k];
    for (int32_t i = 0; i < n; i++) {
        const int32_t j = t->task[i];

        t->a[i] = time_on(t, j, kind);
        t->b[i] = INFINITY;
        for (int32_t k = kind + 1; k < t->v->kinds; k++)
            t->b[i] = fmin(t->b[i], time_on(t, j, k));
        t->key[i] = (key){t->a[i] / t->b[i], t->v->g->topo_pos[j], i};
        if (t->a[i] == t->b[i]) /* both may be 0 */
            t->key[i].ratio = 1;
    }
    qsort(t->key, (size_t)n, sizeof *t->key, by_ratio);
    for (int32_t i = 0; i < n; i++)
        t->order[i] = t->key[i].index;
    split(&s);
    *bound = s.bound;
    if (s.last >= 0)
        t->late[t->task[s.last]] = true;
    for (int32_t i = 0; i < n; i++) {
        if (t->right[i])
            t->task[rest++] = t->task[i];
        else
            t->kind[t->task[i]] = kind;
    }
    return rest;
}

static void allocate(types *t, tgs_plan *plan, tgs_i_splitter *split)
{
    int32_t n = t->v->n, splits = 0;
    double bound = 0;

    for (int32_t j = 0; j < n; j++)
        t->task[j] = j;
    for (int32_t k = 0; k < t->v->kinds; k++) {
        bool others = false;

        for (int32_t o = k + 1; o < t->v->kinds; o++)
            others |= t->count[o] > 0;
        if (!(t->count[k] > 0))
            continue;
        if (!others) {
            for (int32_t i = 0; i < n; i++)
                t->kind[t->task[i]] = k;
            break;
        }
        n = split_off(t, k, n, split, &bound);
        splits++;
    }
    if (splits == 1 && is_even(t))
        plan->lower_bound = bound;
}

/* ---- lists ----------------------------------------------------------------------------------- */
static tgs_status place(tgs_i_list *s, int32_t task, int32_t kind, tgs_error *err)
{
    const tgs_view *v = s->v;
    tgs_i_pick best = {INFINITY, INFINITY, INFINITY, -1, -1};

    tgs_i_list_ready(s, task, s->ready);
    for (int32_t p = 0; p < v->m; p++) {
        const double ready = s->ready[v->p->proc[p].memory], w = tgs_w(v, task, p);
        double start;

        if (v->p->proc[p].kind != kind || !(ready + w < best.key) || !tgs_i_list_may(s, task, p))
            continue;
        start = tgs_i_timeline_find(&s->line[p], ready, w);
        if (start + w < best.key) {
            best.key = start + w;
            best.start = start;
            best.proc = p;
        }
    }
    if (best.proc < 0)
        tgs_i_list_pick(s, task, s->ready, false, &best);
    return tgs_i_list_place(s, task, best.proc, best.start, err);
}

tgs_status tgs_i_types_list(const tgs_ctx *c, tgs_plan *plan, const int32_t *order,
                            const int32_t *kind, tgs_error *err)
{
    tgs_i_list s;
    tgs_status status =
        tgs_i_list_open(&s, c, plan, &(tgs_i_rule){.key = TGS_I_EFT, .insert = true}, err);

    if (status)
        return status;
    for (int32_t i = 0; i < c->v->n && !status; i++)
        status = place(&s, order[i], kind[order[i]], err);
    tgs_i_list_close(&s);
    return status;
}

static tgs_status find_order(types *t, tgs_error *err)
{
    const tgs_view *v = t->v;
    double *w = t->a, *rank = t->b;

    for (int32_t j = 0; j < v->n; j++)
        w[j] = time_on(t, j, t->kind[j]);
    tgs_i_rank_up(v, w, true, rank);
    for (int32_t j = 0; j < v->n && !v->g->edges; j++)
        rank[j] = t->late[j] ? 0 : rank[j];
    return tgs_i_sort(v, rank, NULL, t->order, err);
}

static void release(types *t)
{
    tgs_mem_free(t->count);
    tgs_mem_free(t->speed);
    tgs_mem_free(t->memories);
    tgs_mem_free(t->kind);
    tgs_mem_free(t->late);
    tgs_mem_free(t->task);
    tgs_mem_free(t->a);
    tgs_mem_free(t->b);
    tgs_mem_free(t->scratch);
    tgs_mem_free(t->key);
    tgs_mem_free(t->order);
    tgs_mem_free(t->right);
}

tgs_status tgs_i_types_run(const tgs_ctx *c, tgs_plan *plan, tgs_i_splitter *split, tgs_error *err)
{
    const size_t n = (size_t)c->v->n, kinds = (size_t)c->v->kinds;
    types t = {.v = c->v};
    tgs_status status = TGS_OK;

    t.count = tgs_mem_alloc(kinds, sizeof *t.count);
    t.speed = tgs_mem_alloc(kinds, sizeof *t.speed);
    t.memories = tgs_mem_alloc(kinds * (size_t)c->v->mem_words, sizeof *t.memories);
    t.kind = tgs_mem_alloc(n, sizeof *t.kind);
    t.late = tgs_mem_alloc(n, sizeof *t.late);
    t.task = tgs_mem_alloc(n, sizeof *t.task);
    t.a = tgs_mem_alloc(n, sizeof *t.a);
    t.b = tgs_mem_alloc(n, sizeof *t.b);
    t.scratch = tgs_mem_alloc(2 * n, sizeof *t.scratch);
    t.key = tgs_mem_alloc(n, sizeof *t.key);
    t.order = tgs_mem_alloc(n, sizeof *t.order);
    t.right = tgs_mem_alloc(n, sizeof *t.right);
    if (!t.count || !t.speed || !t.memories || !t.kind || !t.late || !t.task || !t.a || !t.b
        || !t.scratch || !t.key || !t.order || !t.right)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the kinds of %d tasks", c->v->n);
    if (!status) {
        count_processors(&t);
        allocate(&t, plan, split);
        status = find_order(&t, err);
    }
    if (!status)
        status = tgs_i_types_list(c, plan, t.order, t.kind, err);
    release(&t);
    return status;
}
