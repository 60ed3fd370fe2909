/* landed.c -- the best pair among ready tasks whose data lie everywhere before any processor is
 * idle.
 *
 * Such a task starts when a processor is free, so that its key on a type of processors (kind and
 * speed) is F + w, F when the first of the type is free.  Which task is best on a type then does
 * not change as F grows, and the tasks are sorted once.  In each order equal tasks (a run) lie side
 * by side, the one that wins ties first.
 *
 * Where the score falls as the key grows, the best pair is the best one of the first tasks of each
 * type; those within what rounding may turn around are compared as well.  Where the score
 * is the key (Max-Min), landtree.c finds it.
 *
 * Sets of places are bitmaps over bitmaps.  O(types log n) for a pair, O(types) per task and byte
 * counts of 12 n for each type, beside the sort. */
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

/* ---- sets of places ---------------------------------------------------------------------------
 */
static tgs_status open_set(tgs_i_set *s, int32_t n)
{
    int32_t words = 0;

    *s = (tgs_i_set){.levels = 0};
    do {
        n = (n + 63) / 64;
        s->at[s->levels++] = words;
        words += n;
    } while (n > 1);
    s->at[s->levels] = words;
    s->word = tgs_mem_alloc((size_t)words, sizeof *s->word);
    return s->word ? TGS_OK : TGS_ENOMEM;
}

static void add_place(tgs_i_set *s, int32_t i)
{
    for (int32_t l = 0; l < s->levels; l++, i /= 64)
        s->word[s->at[l] + i / 64] |= UINT64_C(1) << i % 64;
}

static void remove_place(tgs_i_set *s, int32_t i)
{
    for (int32_t l = 0; l < s->levels; l++, i /= 64) {
        uint64_t *word = &s->word[s->at[l] + i / 64];

        *word &= ~(UINT64_C(1) << i % 64);
        if (*word)
            return;
    }
}

int32_t tgs_i_set_next(const tgs_i_set *s, int32_t i)
{
    for (int32_t l = 0; l < s->levels && i / 64 < s->at[l + 1] - s->at[l]; l++) {
        const uint64_t word = s->word[s->at[l] + i / 64] & ~UINT64_C(0) << i % 64;

        if (word) {
            i = i / 64 * 64 + __builtin_ctzll(word);
            while (l-- > 0)
                i = i * 64 + __builtin_ctzll(s->word[s->at[l] + i]);
            return i;
        }
        i = i / 64 + 1;
    }
    return -1;
}

/* ---- orders -----------------------------------------------------------------------------------
 */
static double w(const tgs_i_landed *x, int32_t task, int32_t type)
{
    return tgs_w(x->s->v, task, x->first[type]);
}

static double term(const tgs_i_landed *x, int32_t task, int32_t type)
{
    return x->s->rule.key == TGS_I_EST ? 0 : w(x, task, type);
}

static double score(const tgs_i_landed *x, int32_t task, double key)
{
    return x->pairs->score(x->pairs, task, &(tgs_i_pick){.key = key, .next_key = INFINITY});
}

typedef struct sorted { /* what tells tasks apart in the order of a type */
    const tgs_i_landed *x;
    double base; /* the score when the type is free at 0 */
    int32_t task;
} sorted;

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

/* of the same score whenever they are compared; the sign is an order of such runs */
static int apart(const tgs_i_landed *x, int32_t a, int32_t b)
{
    int c = x->pairs->level ? compare(x->pairs->level[a], x->pairs->level[b]) : 0;

    for (int32_t t = 0; t < x->types && !c && x->s->rule.key != TGS_I_EST; t++)
        c = compare(w(x, a, t), w(x, b, t));
    return c;
}

static int in_order(const void *a_, const void *b_)
{
    const sorted *a = a_, *b = b_;
    const tgs_i_landed *x = a->x;
    const int32_t *position = x->s->v->g->topo_pos;
    int c = compare(b->base, a->base);

    if (!c)
        c = apart(x, a->task, b->task);
    if (!c)
        c = compare(x->tie[b->task], x->tie[a->task]);
    return c ? c : position[a->task] - position[b->task];
}

static void fill_order(tgs_i_landed *x, int32_t type, sorted *item)
{
    const int32_t n = x->s->v->n;
    int32_t *order = x->order + (int64_t)type * n, *place = x->place + (int64_t)type * n;
    int32_t *run = x->run + (int64_t)type * n;

    for (int32_t j = 0; j < n; j++) {
        const double own = w(x, j, type), base = score(x, j, term(x, j, type));

        item[j] = (sorted){x, base, j};
        if (own < INFINITY && fabs(base) + own > x->scale)
            x->scale = fabs(base) + own;
    }
    qsort(item, (size_t)n, sizeof *item, in_order);
    for (int32_t i = 0; i < n; i++) {
        order[i] = item[i].task;
        place[order[i]] = i;
    }
    for (int32_t i = n - 1; i >= 0; i--)
        run[i] = i + 1 < n && item[i].base == item[i + 1].base && !apart(x, order[i], order[i + 1])
                     ? run[i + 1]
                     : i + 1;
}

tgs_status tgs_i_landed_open(tgs_i_landed *x, const tgs_i_list *s, const tgs_i_pairs *pairs,
                             const double *tie, tgs_error *err)
{
    const tgs_view *v = s->v;
    const size_t n = (size_t)v->n, m = (size_t)v->m;
    sorted *item = NULL;
    tgs_status status = TGS_ENOMEM;

    *x = (tgs_i_landed){.s = s, .pairs = pairs, .tie = tie, .by_tree = pairs->slope > 0};
    if (!pairs->slope || s->rule.bias || s->rule.insert || s->rule.prefer)
        return TGS_OK;
    x->type = tgs_mem_alloc(m, sizeof *x->type);
    x->first = tgs_mem_alloc(m, sizeof *x->first);
    item = tgs_mem_alloc(n, sizeof *item);
    if (!x->type || !x->first || !item)
        goto done;
    x->types = tgs_i_types(v, x->type, x->first);
    if (x->types > TGS_I_LAND_TYPES) {
        x->types = 0;
        status = TGS_OK;
        goto done;
    }
    x->order = tgs_mem_alloc((size_t)x->types * n, sizeof *x->order);
    x->place = tgs_mem_alloc((size_t)x->types * n, sizeof *x->place);
    x->run = tgs_mem_alloc((size_t)x->types * n, sizeof *x->run);
    x->set = tgs_mem_alloc((size_t)x->types, sizeof *x->set);
    x->free = tgs_mem_alloc((size_t)x->types, sizeof *x->free);
    if (!x->order || !x->place || !x->run || !x->set || !x->free)
        goto done;
    status = TGS_OK;
    for (int32_t t = 0; t < (x->by_tree ? 1 : x->types) && !status; t++) {
        fill_order(x, t, item);
        status = open_set(&x->set[t], v->n);
    }
    if (!status && x->by_tree)
        status = tgs_i_land_tree_open(x);
done:
    tgs_mem_free(item);
    if (status)
        tgs_i_landed_close(x);
    return status ? tgs_fail(err, status, "out of memory for the ready list") : TGS_OK;
}

void tgs_i_landed_close(tgs_i_landed *x)
{
    for (int32_t t = 0; x->set && t < x->types; t++)
        tgs_mem_free(x->set[t].word);
    tgs_mem_free(x->type);
    tgs_mem_free(x->first);
    tgs_mem_free(x->order);
    tgs_mem_free(x->place);
    tgs_mem_free(x->run);
    tgs_mem_free(x->set);
    tgs_mem_free(x->free);
    tgs_i_land_tree_close(&x->tree);
    *x = (tgs_i_landed){.s = NULL};
}

/* ---- tasks ------------------------------------------------------------------------------------
 */
bool tgs_i_landed_may(const tgs_i_landed *x, int32_t task)
{
    const tgs_view *v = x->s->v;
    const int32_t i = v->g->task[task].constraint;

    return x->types && !v->mem_mask && !(v->pin_proc && v->pin_proc[task] >= 0)
           && !(i >= 0 && v->g->constraint[i].group >= 0);
}

static void change(tgs_i_landed *x, int32_t task, void (*how)(tgs_i_set *, int32_t), int32_t by)
{
    if (x->by_tree) {
        how(&x->set[0], x->place[task]);
        tgs_i_land_tree_change(x, task, by);
        return;
    }
    for (int32_t t = 0; t < x->types; t++)
        if (w(x, task, t) < INFINITY)
            how(&x->set[t], x->place[(int64_t)t * x->s->v->n + task]);
}

void tgs_i_landed_add(tgs_i_landed *x, int32_t task)
{
    change(x, task, add_place, 1);
}

void tgs_i_landed_remove(tgs_i_landed *x, int32_t task)
{
    change(x, task, remove_place, -1);
}

double tgs_i_landed_renew(tgs_i_landed *x, int32_t proc)
{
    double least = INFINITY;

    if (!x->types)
        return -1;
    x->free[x->type[proc]] = INFINITY;
    for (int32_t p = 0; p < x->s->v->m; p++)
        if (x->type[p] == x->type[proc] && x->s->line[p].free < x->free[x->type[p]])
            x->free[x->type[p]] = x->s->line[p].free;
    for (int32_t t = 0; t < x->types; t++)
        least = x->free[t] < least ? x->free[t] : least;
    return least;
}

/* ---- the best pair ----------------------------------------------------------------------------
 */
void tgs_i_landed_consider(const tgs_i_landed *x, int32_t task, double own, int32_t *best,
                           double *most)
{
    const int32_t *position = x->s->v->g->topo_pos;

    if (*best >= 0 && own == *most && task != *best)
        if (x->tie[task] != x->tie[*best] ? x->tie[task] < x->tie[*best]
                                          : position[task] > position[*best])
            return;
    if (*best < 0 || own >= *most) {
        *best = task;
        *most = own;
    }
}

/* scores fall: the first of a type, and what rounding may bring before it */
static void follow(const tgs_i_landed *x, int32_t type, int32_t *best, double *most)
{
    const int32_t *order = x->order + (int64_t)type * x->s->v->n;
    const int32_t *run = x->run + (int64_t)type * x->s->v->n;
    const double slack = 8 * DBL_EPSILON * (x->free[type] + 2 * x->scale);
    double floor = -INFINITY;

    for (int32_t i = tgs_i_set_next(&x->set[type], 0); i >= 0;
         i = run[i] < x->s->v->n ? tgs_i_set_next(&x->set[type], run[i]) : -1) {
        const double part = term(x, order[i], type), base = score(x, order[i], part);

        if (floor == -INFINITY)
            floor = base - slack;
        if (base < floor)
            return;
        tgs_i_landed_consider(x, order[i], score(x, order[i], x->free[type] + part), best, most);
    }
}

int32_t tgs_i_landed_best(const tgs_i_landed *x, double *most)
{
    int32_t best = -1;

    *most = -INFINITY;
    if (x->by_tree)
        tgs_i_land_tree_best(x, &best, most);
    else
        for (int32_t t = 0; t < x->types; t++)
            follow(x, t, &best, most);
    return best;
}
