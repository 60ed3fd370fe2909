/* bisect.c -- two sides: the graph is made smaller, cut, and made larger again, refined each time.
 *
 * The smallest graph is cut behind a prefix of one of several topological orders: the numbering;
 * always the vertex that lets the cut rise least; always the newest one that may come; and the last
 * two from the sinks backwards.  O((n + e) log n): the graphs shrink by a constant factor. */
#include "dag.h"
#include "tgsched/heap.h"

#define SMALL 80 /* vertices that are not made fewer */

/* ---- cutting -------------------------------------------------------------------------------- */
typedef struct cutting {
    const tgs_i_dag *d;
    const tgs_i_sides *s;
    double *rise;   /* [n] what leaves a vertex less what enters it */
    int32_t *waits; /* [n] */
    int32_t *order; /* [n] */
    uint8_t *side;  /* [n] */
    tgs_heap ready;
} cutting;

static double excess(const tgs_i_sides *s, double first, double second)
{
    return fmax(0, first - s->most[0]) + fmax(0, second - s->most[1]);
}

/* by growing side 0 from the sources, or (backward) side 1 from the sinks */
static void grow(cutting *c, bool backward, bool newest)
{
    const tgs_i_dag *d = c->d;
    const int32_t *in_at = backward ? d->out_at : d->in_at;
    const int32_t *out_at = backward ? d->in_at : d->out_at;
    const tgs_i_arc *out = backward ? d->in : d->out;
    int32_t count = 0;

    c->ready.size = 0;
    for (int32_t v = 0; v < d->n; v++) {
        c->waits[v] = in_at[v + 1] - in_at[v];
        if (!c->waits[v])
            tgs_heap_push(&c->ready, newest ? 0 : backward ? -c->rise[v] : c->rise[v], v);
    }
    while (c->ready.size) {
        const int32_t v = tgs_heap_pop(&c->ready).id;

        c->order[backward ? d->n - ++count : count++] = v;
        for (int32_t i = out_at[v]; i < out_at[v + 1]; i++) {
            const int32_t w = out[i].to;

            if (!--c->waits[w])
                tgs_heap_push(&c->ready, newest ? -count : backward ? -c->rise[w] : c->rise[w], w);
        }
    }
}

/* cuts behind the best prefix of the order */
static void cut_order(cutting *c)
{
    const tgs_i_dag *d = c->d;
    const double all = tgs_i_dag_weight(d);
    double weight = 0, cut = 0, best_cut = 0, best_excess = excess(c->s, 0, all);
    int32_t best = 0;

    for (int32_t i = 0; i < d->n; i++) {
        double over;

        weight += d->weight[c->order[i]];
        cut += c->rise[c->order[i]];
        over = excess(c->s, weight, all - weight);
        if (over < best_excess || (over == best_excess && cut < best_cut)) {
            best_excess = over;
            best_cut = cut;
            best = i + 1;
        }
    }
    for (int32_t i = 0; i < d->n; i++)
        c->side[c->order[i]] = i >= best;
}

static void judge(const cutting *c, const uint8_t *side, double *over, double *cut)
{
    double weight[2] = {0, 0};

    *cut = 0;
    for (int32_t v = 0; v < c->d->n; v++) {
        weight[side[v]] += c->d->weight[v];
        *cut += side[v] ? 0 : c->rise[v];
    }
    *over = excess(c->s, weight[0], weight[1]);
}

/* the best of the orders, each refined */
static bool cut_all(cutting *c, uint8_t *side)
{
    double best_over = INFINITY, best_cut = INFINITY, over, cut;
    bool good = true;

    for (int32_t k = 0; k < 5 && good; k++) {
        if (!k)
            for (int32_t v = 0; v < c->d->n; v++)
                c->order[v] = v;
        else
            grow(c, (k - 1) & 1, (k - 1) & 2);
        cut_order(c);
        good = tgs_i_dag_refine(c->d, c->s, c->side);
        judge(c, c->side, &over, &cut);
        if (over > best_over || (over == best_over && cut >= best_cut))
            continue;
        best_over = over;
        best_cut = cut;
        for (int32_t v = 0; v < c->d->n; v++)
            side[v] = c->side[v];
    }
    return good;
}

static bool cut_small(const tgs_i_dag *d, const tgs_i_sides *s, uint8_t *side)
{
    const size_t n = (size_t)d->n;
    cutting c = {.d = d, .s = s};
    bool good;

    c.rise = tgs_mem_alloc(n, sizeof *c.rise);
    c.waits = tgs_mem_alloc(n, sizeof *c.waits);
    c.order = tgs_mem_alloc(n, sizeof *c.order);
    c.side = tgs_mem_alloc(n, sizeof *c.side);
    c.ready.item = tgs_mem_alloc(n, sizeof *c.ready.item);
    good = c.rise && c.waits && c.order && c.side && c.ready.item;
    for (int32_t v = 0; v < d->n && good; v++)
        for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++) {
            c.rise[v] += d->out[i].cost;
            c.rise[d->out[i].to] -= d->out[i].cost;
        }
    good = good && cut_all(&c, side);
    tgs_mem_free(c.rise);
    tgs_mem_free(c.waits);
    tgs_mem_free(c.order);
    tgs_mem_free(c.side);
    tgs_mem_free(c.ready.item);
    return good;
}

/* ---- smaller and smaller -------------------------------------------------------------------- */
typedef struct coarse { /* a graph and how the one before it maps to it */
    tgs_i_dag d;
    int32_t *cluster;
} coarse;

#define MOST 64 /* graphs: each is at most 0.95 of the one before, or the last */

/* the next graph, by one of the pairings in turn; *out: 1 made, 0 it is hardly smaller */
static bool shrink(const tgs_i_dag *d, int32_t round, double limit, coarse *next, bool *made)
{
    int32_t clusters;

    *made = false;
    next->cluster = tgs_mem_alloc((size_t)d->n, sizeof *next->cluster);
    if (!next->cluster)
        return false;
    clusters = tgs_i_dag_pair(d, (tgs_i_pairing)(round % TGS_I_PAIRINGS), limit, next->cluster);
    if (clusters >= 0 && clusters <= 0.95 * d->n)
        *made = tgs_i_dag_contract(d, clusters, next->cluster, &next->d);
    if (*made)
        return true;
    tgs_mem_free(next->cluster);
    next->cluster = NULL;
    return clusters > 0.95 * d->n;
}

/* from the last graph back to the first, with side of each in turn */
static bool grow_back(const tgs_i_dag *d, const tgs_i_sides *s, coarse *level, int32_t levels,
                      uint8_t *side)
{
    uint8_t *large = tgs_mem_alloc((size_t)d->n, sizeof *large);
    bool good = large && cut_small(levels ? &level[levels - 1].d : d, s, side);

    for (int32_t k = levels - 1; k >= 0 && good; k--) {
        const tgs_i_dag *up = k ? &level[k - 1].d : d;

        for (int32_t v = 0; v < up->n; v++)
            large[v] = side[level[k].cluster[v]];
        for (int32_t v = 0; v < up->n; v++)
            side[v] = large[v];
        good = tgs_i_dag_refine(up, s, side);
    }
    tgs_mem_free(large);
    return good;
}

bool tgs_i_dag_bisect(const tgs_i_dag *d, const tgs_i_sides *s, uint8_t *side)
{
    const double all = tgs_i_dag_weight(d);
    const double limit = fmin(s->target, all - s->target) / 10;
    coarse level[MOST];
    const tgs_i_dag *now = d;
    int32_t levels = 0, idle = 0;
    bool good = true, made;

    for (int32_t round = 0; now->n > SMALL && idle < TGS_I_PAIRINGS && levels < MOST && good;
         round++) {
        good = shrink(now, round, limit, &level[levels], &made);
        idle = made ? 0 : idle + 1;
        if (made)
            now = &level[levels++].d;
    }
    good = good && grow_back(d, s, level, levels, side);
    for (int32_t k = 0; k < levels; k++) {
        tgs_mem_free(level[k].cluster);
        tgs_i_dag_close(&level[k].d);
    }
    return good;
}
