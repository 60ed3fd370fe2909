/* refine.c -- Fiduccia-Mattheyses on a bisection in which side 0 holds all predecessors of what it
 * holds.
 *
 * A vertex of side 0 may move when all its successors are in side 1, one of side 1 when all its
 * predecessors are in side 0.  Then all its edges to one side cross before and none after, so its
 * gain is what enters it less what leaves it, or the reverse, and never changes.  A pass moves each
 * vertex at most once, the best allowed one first, also where that costs; then what came after the
 * best moment is undone.  O((n + e) log) a pass, of which there are few. */
#include "dag.h"
#include "tgsched/heap.h"

#define PASSES 6

typedef struct refining {
    const tgs_i_dag *d;
    const tgs_i_sides *s;
    uint8_t *side;
    double heavy[2]; /* weights of the sides */
    double *rise;    /* [n] what leaves a vertex less what enters it: how the cut rises in side 0 */
    int32_t *waits;  /* [n] neighbours because of which it may not move */
    bool *locked;    /* [n] has moved in this pass, or is too heavy to */
    int32_t *moved;  /* [n] in their order */
    tgs_heap may[2]; /* those that can leave each side, by gain; some no longer can */
} refining;

static double excess(const refining *r)
{
    return fmax(0, r->heavy[0] - r->s->most[0]) + fmax(0, r->heavy[1] - r->s->most[1]);
}

static double gain(const refining *r, int32_t v)
{
    return r->side[v] ? -r->rise[v] : r->rise[v];
}

static void offer(refining *r, int32_t v)
{
    if (!r->waits[v] && !r->locked[v])
        tgs_heap_push(&r->may[r->side[v]], -gain(r, v), v);
}

static void begin(refining *r)
{
    const tgs_i_dag *d = r->d;

    r->may[0].size = r->may[1].size = 0;
    for (int32_t v = 0; v < d->n; v++) {
        r->waits[v] = 0;
        r->locked[v] = false;
    }
    for (int32_t v = 0; v < d->n; v++)
        for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++) {
            const int32_t to = d->out[i].to;

            r->waits[v] += !r->side[v] && !r->side[to];
            r->waits[to] += r->side[v] && r->side[to];
        }
    for (int32_t v = 0; v < d->n; v++)
        offer(r, v);
}

/* counts one more or one less of what keeps v from moving */
static void hold(refining *r, int32_t v, int32_t change)
{
    r->waits[v] += change;
    if (change < 0)
        offer(r, v);
}

static void flip(refining *r, int32_t v)
{
    const uint8_t from = r->side[v];

    r->heavy[from] -= r->d->weight[v];
    r->heavy[!from] += r->d->weight[v];
    r->side[v] = !from;
}

/* to the other side; its predecessors stand in side 0, its successors in side 1 */
static void move(refining *r, int32_t v)
{
    const tgs_i_dag *d = r->d;
    const int32_t change = r->side[v] ? 1 : -1;

    flip(r, v);
    r->locked[v] = true;
    for (int32_t i = d->in_at[v]; i < d->in_at[v + 1]; i++)
        hold(r, d->in[i].to, change);
    for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++)
        hold(r, d->out[i].to, -change);
}

/* the best vertex that can leave a side without making the sides fit less; -1 if none can */
static int32_t best_of(refining *r, int32_t from)
{
    tgs_heap *h = &r->may[from];

    for (; h->size; tgs_heap_pop(h)) {
        const int32_t v = h->item[0].id;
        const double w = r->d->weight[v], now = excess(r);
        double then;

        if (r->locked[v] || r->side[v] != from || r->waits[v])
            continue;
        then = fmax(0, r->heavy[from] - w - r->s->most[from])
               + fmax(0, r->heavy[!from] + w - r->s->most[!from]);
        if (then <= now)
            return v;
        r->locked[v] = true;
    }
    return -1;
}

static int32_t choose(refining *r)
{
    const int32_t a = best_of(r, 0), b = best_of(r, 1);

    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    if (gain(r, a) != gain(r, b))
        return gain(r, a) > gain(r, b) ? a : b;
    return r->heavy[0] - r->s->target > 0 ? a : b;
}

/* true: better than before */
static bool pass(refining *r)
{
    const int32_t patience = 100 + r->d->n / 20;
    double cut = 0, best_cut = 0, best_excess;
    int32_t moves = 0, best = 0;

    begin(r);
    best_excess = excess(r);
    while (moves - best < patience) {
        const int32_t v = choose(r);

        if (v < 0)
            break;
        cut -= gain(r, v);
        move(r, v);
        r->moved[moves++] = v;
        if (excess(r) < best_excess || (excess(r) == best_excess && cut < best_cut)) {
            best_excess = excess(r);
            best_cut = cut;
            best = moves;
        }
    }
    while (moves > best)
        flip(r, r->moved[--moves]);
    return best > 0;
}

bool tgs_i_dag_refine(const tgs_i_dag *d, const tgs_i_sides *s, uint8_t *side)
{
    const size_t n = (size_t)d->n, most = n + (size_t)d->out_at[d->n];
    refining r = {.d = d, .s = s, .side = side};
    bool good;

    r.rise = tgs_mem_alloc(n, sizeof *r.rise);
    r.waits = tgs_mem_alloc(n, sizeof *r.waits);
    r.locked = tgs_mem_alloc(n, sizeof *r.locked);
    r.moved = tgs_mem_alloc(n, sizeof *r.moved);
    r.may[0].item = tgs_mem_alloc(most, sizeof *r.may[0].item);
    r.may[1].item = tgs_mem_alloc(most, sizeof *r.may[1].item);
    good = r.rise && r.waits && r.locked && r.moved && r.may[0].item && r.may[1].item;
    for (int32_t v = 0; v < d->n && good; v++) {
        r.heavy[side[v]] += d->weight[v];
        for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++) {
            r.rise[v] += d->out[i].cost;
            r.rise[d->out[i].to] -= d->out[i].cost;
        }
    }
    for (int32_t i = 0; i < PASSES && good && pass(&r); i++)
        ;
    tgs_mem_free(r.rise);
    tgs_mem_free(r.waits);
    tgs_mem_free(r.locked);
    tgs_mem_free(r.moved);
    tgs_mem_free(r.may[0].item);
    tgs_mem_free(r.may[1].item);
    return good;
}
