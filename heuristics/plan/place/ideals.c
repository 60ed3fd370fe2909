/* ideals.c -- the ideals (down-sets) of an order: all of them, by size.
 *
 * What can be added to an ideal is what could be added to the one it came from, and what the last
 * member set free.  A table from sets to ideals says which are there already.  O(n / 64 + width)
 * per pair of an ideal and an addition. */
#include <string.h>
#include "place.h"

typedef struct table { /* open addressing, at most half full */
    int32_t *slot;     /* ideal + 1; 0 empty */
    int64_t size;      /* a power of two */
} table;

typedef struct walk {
    tgs_i_ideals *x;
    const int32_t *pred_at, *pred, *succ_at, *succ;
    table t;
    int32_t *parent, *via; /* [count] the ideal that one came from, and its last member */
    int64_t parent_room, via_room;
    int32_t *ready; /* [n] */
    int32_t most;
} walk;

static uint64_t hash(const uint64_t *set, int32_t words)
{
    uint64_t h = 0x9e3779b97f4a7c15u;

    for (int32_t i = 0; i < words; i++) {
        h = (h ^ set[i]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

static uint64_t *set_of(const tgs_i_ideals *x, int32_t ideal)
{
    return &x->set[(int64_t)ideal * x->words];
}

static int32_t *slot_of(const walk *w, const uint64_t *set)
{
    const int32_t words = w->x->words;
    uint64_t at = hash(set, words);

    for (;; at++) {
        int32_t *slot = &w->t.slot[at & (uint64_t)(w->t.size - 1)];

        if (!*slot || !memcmp(set_of(w->x, *slot - 1), set, (size_t)words * sizeof *set))
            return slot;
    }
}

static tgs_status widen(walk *w)
{
    int32_t *old = w->t.slot;

    w->t.size = w->t.size ? 2 * w->t.size : 64;
    w->t.slot = tgs_mem_alloc((size_t)w->t.size, sizeof *w->t.slot);
    if (!w->t.slot) {
        w->t.slot = old;
        return TGS_ENOMEM;
    }
    tgs_mem_free(old);
    for (int32_t i = 0; i < w->x->count; i++)
        *slot_of(w, set_of(w->x, i)) = i + 1;
    return TGS_OK;
}

/* makes room for another ideal; its words are zero or what was there before */
static tgs_status make_room(walk *w)
{
    tgs_i_ideals *x = w->x;
    const int64_t need = x->count + 1;

    if (tgs_mem_grow(&x->set, &x->room, need * x->words, sizeof *x->set)
        || tgs_mem_grow(&w->parent, &w->parent_room, need, sizeof *w->parent)
        || tgs_mem_grow(&w->via, &w->via_room, need, sizeof *w->via))
        return TGS_ENOMEM;
    return 2 * need > w->t.size ? widen(w) : TGS_OK;
}

/* the ideal that has one member more */
static tgs_status reach(walk *w, int32_t from, int32_t node, int32_t *out)
{
    tgs_i_ideals *x = w->x;
    tgs_status status = make_room(w);
    uint64_t *set;
    int32_t *slot;

    if (status)
        return status;
    set = set_of(x, x->count); /* the next one, if it is new */
    memcpy(set, set_of(x, from), (size_t)x->words * sizeof *set);
    set[node / 64] |= (uint64_t)1 << node % 64;
    slot = slot_of(w, set);
    if (!*slot) {
        w->parent[x->count] = from;
        w->via[x->count] = node;
        *slot = ++x->count;
    }
    *out = *slot - 1;
    return TGS_OK;
}

static bool is_ready(const walk *w, int32_t ideal, int32_t node)
{
    for (int32_t k = w->pred_at[node]; k < w->pred_at[node + 1]; k++)
        if (!tgs_i_ideal_has(w->x, ideal, w->pred[k]))
            return false;
    return true;
}

/* what can be added to an ideal, by number, into w->ready; how many */
static int32_t gather(walk *w, int32_t ideal)
{
    const tgs_i_ideals *x = w->x;
    const int32_t from = w->parent[ideal], via = w->via[ideal];
    int32_t count = 0;

    for (int64_t k = x->next_at[from]; k < x->next_at[from + 1]; k++)
        if (x->added[k] != via)
            w->ready[count++] = x->added[k];
    for (int32_t k = w->succ_at[via]; k < w->succ_at[via + 1]; k++) {
        int32_t i = count;

        if (!is_ready(w, ideal, w->succ[k]))
            continue;
        for (; i > 0 && w->ready[i - 1] > w->succ[k]; i--)
            w->ready[i] = w->ready[i - 1];
        w->ready[i] = w->succ[k];
        count++;
    }
    return count;
}

static int32_t gather_first(walk *w)
{
    int32_t count = 0;

    for (int32_t v = 0; v < w->x->n; v++)
        if (w->pred_at[v] == w->pred_at[v + 1])
            w->ready[count++] = v;
    return count;
}

static tgs_status expand(walk *w, int32_t ideal)
{
    tgs_i_ideals *x = w->x;
    const int32_t count = ideal ? gather(w, ideal) : gather_first(w);
    const int64_t begin = x->next_at[ideal];
    int64_t room = x->next_room;
    tgs_status status = tgs_mem_grow(&x->next, &room, begin + count, sizeof *x->next);

    if (!status)
        status = tgs_mem_grow(&x->added, &x->next_room, begin + count, sizeof *x->added);
    for (int32_t i = 0; i < count && !status; i++) {
        x->added[begin + i] = w->ready[i];
        status = reach(w, ideal, w->ready[i], &x->next[begin + i]);
    }
    x->next_at[ideal + 1] = begin + count;
    return status;
}

static tgs_status all(walk *w)
{
    tgs_i_ideals *x = w->x;
    int64_t room = 0;
    tgs_status status = make_room(w);

    if (status)
        return status;
    memset(x->set, 0, (size_t)x->words * sizeof *x->set);
    x->count = 1;
    *slot_of(w, x->set) = 1;
    for (int32_t i = 0; i < x->count && x->count <= w->most && !status; i++) {
        status = tgs_mem_grow(&x->next_at, &room, (int64_t)i + 2, sizeof *x->next_at);
        if (status)
            break;
        if (i == 0)
            x->next_at[0] = 0;
        status = expand(w, i);
    }
    return status;
}

tgs_status tgs_i_ideals_open(tgs_i_ideals *x, int32_t n, const int32_t *pred_at,
                             const int32_t *pred, const int32_t *succ_at, const int32_t *succ,
                             int32_t most)
{
    walk w = {
        .x = x, .pred_at = pred_at, .pred = pred, .succ_at = succ_at, .succ = succ, .most = most};
    tgs_status status;

    *x = (tgs_i_ideals){.n = n, .words = n / 64 + 1};
    w.ready = tgs_mem_alloc((size_t)n, sizeof *w.ready);
    status = w.ready ? all(&w) : TGS_ENOMEM;
    tgs_mem_free(w.ready);
    tgs_mem_free(w.parent);
    tgs_mem_free(w.via);
    tgs_mem_free(w.t.slot);
    if (status || x->count > most)
        tgs_i_ideals_close(x);
    return status;
}

void tgs_i_ideals_close(tgs_i_ideals *x)
{
    tgs_mem_free(x->set);
    tgs_mem_free(x->next_at);
    tgs_mem_free(x->next);
    tgs_mem_free(x->added);
    *x = (tgs_i_ideals){.n = 0};
}
