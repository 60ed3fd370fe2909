/* placepieces.c -- what the pieces of an order of classes cost.
 *
 * On a device the piece [b, e] costs its times, and for each item that is made in it and read
 * elsewhere, or read in it and made elsewhere, the transfer.  Whether an item costs that changes
 * from e - 1 to e where its maker or a reader stands at e, and then by a step function of b: with
 * the maker at m and readers at r_1 <= ... <= r_k, at
 *
 *   e = r_j   it begins to, of pieces that begin after r_j-1 and, where m < e, after m
 *   e = r_k   and m < e: it ends to, of those that begin at min(m, r_1) or before
 *   e = m     it begins to, of those that begin after the readers before m
 *   e = m     and r_k < m: it ends to, of those that begin at r_1 or before
 *
 * (Backward halves of classes are read by those that stand before them.)  So the costs for all b
 * are carried from e - 1 to e in O(n + edges of e). */
#include <stdlib.h>
#include "place.h"

struct tgs_i_piece_event { /* at e the item */
    int32_t e, b, item;
    bool ends; /* ends to cost pieces that begin before b; or begins to cost those that begin later
                */
};
typedef struct tgs_i_piece_event event;

static int by_end(const void *pa, const void *pb)
{
    const event *a = pa, *b = pb;

    if (a->e != b->e)
        return a->e < b->e ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

static int by_place(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

static void put(tgs_i_pieces *x, int32_t e, int32_t b, int32_t item, bool ends)
{
    x->event[x->events++] = (event){e, b, item, ends};
}

/* readers: count > 0, in order, none of them the maker */
static void list_item(tgs_i_pieces *x, int32_t item, int32_t maker, const int32_t *reader,
                      int32_t count)
{
    const int32_t first = reader[0], last = reader[count - 1];
    int32_t before = -1; /* the last reader before the maker */

    for (int32_t k = 0; k < count; k++) {
        const int32_t r = reader[k], other = k ? reader[k - 1] : -1;

        put(x, r, (maker < r && maker > other ? maker : other) + 1, item, false);
        before = r < maker ? r : before;
    }
    put(x, maker, before + 1, item, false);
    if (maker < last)
        put(x, last, (maker < first ? maker : first) + 1, item, true);
    else
        put(x, maker, first + 1, item, true);
}

static tgs_status list_events(tgs_i_pieces *x)
{
    const tgs_i_place_graph *g = x->g;
    int32_t *readers = tgs_mem_alloc((size_t)g->item_at[g->items], sizeof *readers);
    int32_t *place = tgs_mem_alloc((size_t)g->n, sizeof *place); /* of a class in the order */

    for (int32_t k = 0; k < g->n && place; k++)
        place[x->order[k]] = k;
    for (int32_t i = 0; i < g->items && place && readers; i++) {
        const int32_t count = g->item_at[i + 1] - g->item_at[i];

        for (int32_t k = 0; k < count; k++)
            readers[k] = place[g->item_to[g->item_at[i] + k]];
        qsort(readers, (size_t)count, sizeof *readers, by_place);
        list_item(x, i, place[g->item_from[i]], readers, count);
    }
    tgs_mem_free(readers);
    tgs_mem_free(place);
    qsort(x->event, (size_t)x->events, sizeof *x->event, by_end);
    return readers && place ? TGS_OK : TGS_ENOMEM;
}

tgs_status tgs_i_pieces_open(tgs_i_pieces *x, const tgs_i_place_graph *g,
                             const tgs_i_place_devices *d, const int32_t *order)
{
    const size_t n = (size_t)g->n, groups = (size_t)g->groups, uses = (size_t)g->item_at[g->items];

    *x = (tgs_i_pieces){.g = g, .d = d, .order = order, .e = -1};
    x->event = tgs_mem_alloc(3 * uses, sizeof *x->event);
    x->cost = tgs_mem_alloc(n * groups, sizeof *x->cost);
    x->held = tgs_mem_alloc(n, sizeof *x->held);
    x->low = tgs_mem_alloc(groups, sizeof *x->low);
    return x->event && x->cost && x->held && x->low ? list_events(x) : TGS_ENOMEM;
}

void tgs_i_pieces_close(tgs_i_pieces *x)
{
    tgs_mem_free(x->event);
    tgs_mem_free(x->cost);
    tgs_mem_free(x->held);
    tgs_mem_free(x->low);
}

static double seconds(const tgs_i_pieces *x, int32_t q)
{
    return x->g->time[(int64_t)x->order[x->e] * x->g->groups + q];
}

/* from and to: the events of e */
static void extend(tgs_i_pieces *x, const event *from, const event *to, int32_t q)
{
    const tgs_i_place_graph *g = x->g;
    double *cost = &x->cost[(int64_t)q * g->n], more = seconds(x, q);
    int32_t b = x->low[q];

    for (const event *s = from; s < to; s++)
        more -= s->ends ? g->item_cost[(int64_t)s->item * g->groups + q] : 0;
    for (const event *s = from; s < to; s++) {
        for (; b < s->b; b++)
            cost[b] += more;
        more += g->item_cost[(int64_t)s->item * g->groups + q];
    }
    for (; b <= x->e; b++)
        cost[b] += more;
}

void tgs_i_pieces_next(tgs_i_pieces *x)
{
    const event *from = x->event + x->at, *to = from;
    const int32_t e = ++x->e;

    while (to < x->event + x->events && to->e == e)
        to++;
    x->at = (int32_t)(to - x->event);
    for (int32_t b = 0; b <= e; b++)
        x->held[b] += x->g->size[x->order[e]];
    for (int32_t q = 0; q < x->g->groups; q++) {
        if (isinf(seconds(x, q)))
            x->low[q] = e + 1;
        while (x->low[q] <= e && x->held[x->low[q]] > x->d->memory[q])
            x->low[q]++;
        if (x->low[q] <= e)
            extend(x, from, to, q);
    }
}
