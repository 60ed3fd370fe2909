/* kway.c -- any number of parts by bisecting again and again, then moves between them.
 *
 * O((n + e) log n log parts). */
#include <string.h>
#include "dag.h"

#define PASSES 8

typedef struct kway {
    int32_t parts;
    double *most;   /* [parts] the heaviest that each may be */
    double *target; /* [parts] */
    double heaviest, imbalance;
    int32_t depth; /* bisections above a single part */
    int32_t *part; /* [n] of the whole graph */
} kway;

double tgs_i_dag_cut(const tgs_i_dag *d, const int32_t *part)
{
    double cut = 0;

    for (int32_t v = 0; v < d->n; v++)
        for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++)
            cut += part[v] == part[d->out[i].to] ? 0 : d->out[i].cost;
    return cut;
}

/* ---- bisecting ------------------------------------------------------------------------------ */
static double sum(const double *x, int32_t first, int32_t last)
{
    double s = 0;

    for (int32_t p = first; p < last; p++)
        s += x[p];
    return s;
}

/* The imbalance is used up little by little, so that the last bisections have some left. */
static tgs_i_sides sides_of(const kway *k, double all, int32_t first, int32_t middle, int32_t last,
                            int32_t level)
{
    const double slack = 1 + k->imbalance * level / k->depth;
    const double a = sum(k->target, first, middle), b = sum(k->target, middle, last);

    return (tgs_i_sides){
        .most = {fmax(a * slack, a + k->heaviest), fmax(b * slack, b + k->heaviest)},
        .target = a + b > 0 ? all * (a / (a + b)) : 0};
}

/* d holds the vertices vertex[d->n] of the whole graph, for the parts [first, last) */
static bool divide(kway *k, const tgs_i_dag *d, const int32_t *vertex, int32_t first, int32_t last,
                   int32_t level)
{
    const int32_t middle = first + (last - first) / 2;
    const tgs_i_sides s = sides_of(k, tgs_i_dag_weight(d), first, middle, last, level);
    uint8_t *side = NULL;
    int32_t *number = NULL, *inner = NULL;
    bool good = true;

    if (last - first <= 1 || !d->n) {
        for (int32_t v = 0; v < d->n; v++)
            k->part[vertex[v]] = first;
        return true;
    }
    side = tgs_mem_alloc((size_t)d->n, sizeof *side);
    number = tgs_mem_alloc((size_t)d->n, sizeof *number);
    inner = tgs_mem_alloc((size_t)d->n, sizeof *inner);
    good = side && number && inner && tgs_i_dag_bisect(d, &s, side);
    for (uint8_t which = 0; which < 2 && good; which++) {
        tgs_i_dag half;

        good = tgs_i_dag_side(d, side, which, number, &half);
        if (!good)
            break;
        for (int32_t v = 0; v < d->n; v++)
            if (number[v] >= 0)
                inner[number[v]] = vertex[v];
        good = divide(k, &half, inner, which ? middle : first, which ? last : middle, level + 1);
        tgs_i_dag_close(&half);
    }
    tgs_mem_free(side);
    tgs_mem_free(number);
    tgs_mem_free(inner);
    return good;
}

/* ---- blocks --------------------------------------------------------------------------------- */
/* by where the middle of a vertex falls among the targets: a block is heavier by one vertex at most
 */
static void blocks(const kway *k, const tgs_i_dag *d, int32_t *part)
{
    double before = 0, end = k->target[0];
    int32_t p = 0;

    for (int32_t v = 0; v < d->n; v++) {
        while (p + 1 < k->parts && before + d->weight[v] / 2 > end)
            end += k->target[++p];
        part[v] = p;
        before += d->weight[v];
    }
}

/* ---- moves between parts -------------------------------------------------------------------- */
/* Between the latest part of its predecessors and the earliest of its successors a vertex may go
 * anywhere; only in these two has it neighbours, besides its own. */
static int32_t best_part(const kway *k, const tgs_i_dag *d, const double *heavy, int32_t v,
                         const int32_t *part)
{
    const int32_t own = part[v];
    const double w = d->weight[v];
    const bool over = heavy[own] > k->most[own];
    int32_t low = 0, high = k->parts - 1, best = own;
    double to_low = 0, to_high = 0, to_own = 0, gain = 0;

    for (int32_t i = d->in_at[v]; i < d->in_at[v + 1]; i++)
        low = part[d->in[i].to] > low ? part[d->in[i].to] : low;
    for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++)
        high = part[d->out[i].to] < high ? part[d->out[i].to] : high;
    for (int32_t i = d->in_at[v]; i < d->in_at[v + 1]; i++) {
        to_low += part[d->in[i].to] == low ? d->in[i].cost : 0;
        to_own += part[d->in[i].to] == own ? d->in[i].cost : 0;
    }
    for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++) {
        to_high += part[d->out[i].to] == high ? d->out[i].cost : 0;
        to_own += part[d->out[i].to] == own ? d->out[i].cost : 0;
    }
    if (low != own && heavy[low] + w <= k->most[low] && (over || to_low > to_own)) {
        best = low;
        gain = to_low - to_own;
    }
    if (high != own && heavy[high] + w <= k->most[high]
        && ((over && best == own) || to_high - to_own > gain))
        best = high;
    return best;
}

static void improve(const kway *k, const tgs_i_dag *d, double *heavy, int32_t *part)
{
    bool moved = true;

    memset(heavy, 0, (size_t)k->parts * sizeof *heavy);
    for (int32_t v = 0; v < d->n; v++)
        heavy[part[v]] += d->weight[v];
    for (int32_t pass = 0; pass < PASSES && moved; pass++) {
        moved = false;
        for (int32_t i = 0; i < d->n; i++) {
            const int32_t v = pass % 2 ? d->n - 1 - i : i;
            const int32_t to = best_part(k, d, heavy, v, part);

            if (to == part[v])
                continue;
            heavy[part[v]] -= d->weight[v];
            heavy[to] += d->weight[v];
            part[v] = to;
            moved = true;
        }
    }
}

static double excess(const kway *k, const double *heavy)
{
    double over = 0;

    for (int32_t p = 0; p < k->parts; p++)
        over += fmax(0, heavy[p] - k->most[p]);
    return over;
}

/* ---- all of it ------------------------------------------------------------------------------ */
static bool open_kway(kway *k, const tgs_i_dag *d, const double *share)
{
    const double all = tgs_i_dag_weight(d), shares = sum(share, 0, k->parts);

    k->most = tgs_mem_alloc((size_t)k->parts, sizeof *k->most);
    k->target = tgs_mem_alloc((size_t)k->parts, sizeof *k->target);
    if (!k->most || !k->target)
        return false;
    for (int32_t v = 0; v < d->n; v++)
        k->heaviest = fmax(k->heaviest, d->weight[v]);
    for (int32_t p = 0; p < k->parts; p++) {
        k->target[p] = shares > 0 ? all * (share[p] / shares) : all / k->parts;
        k->most[p] = fmax(k->target[p] * (1 + k->imbalance), k->target[p] + k->heaviest)
                     * (1 + 1e-12); /* sums are rounded */
    }
    for (k->depth = 1; (int64_t)1 << k->depth < k->parts; k->depth++)
        ;
    return true;
}

static bool divide_all(kway *k, const tgs_i_dag *d)
{
    int32_t *vertex = tgs_mem_alloc((size_t)d->n, sizeof *vertex);
    bool good = vertex;

    for (int32_t v = 0; v < d->n && good; v++)
        vertex[v] = v;
    good = good && divide(k, d, vertex, 0, k->parts, 1);
    tgs_mem_free(vertex);
    return good;
}

bool tgs_i_dag_parts(const tgs_i_dag *d, int32_t parts, const double *share, double imbalance,
                     int32_t *part)
{
    kway k = {.parts = parts, .imbalance = imbalance, .part = part};
    double *heavy = tgs_mem_alloc((size_t)parts, sizeof *heavy);
    int32_t *block = tgs_mem_alloc((size_t)d->n, sizeof *block);
    bool good = heavy && block && open_kway(&k, d, share) && divide_all(&k, d);

    if (good) {
        double over;

        improve(&k, d, heavy, part);
        over = excess(&k, heavy);
        blocks(&k, d, block);
        improve(&k, d, heavy, block);
        if (over > excess(&k, heavy)
            || (over >= excess(&k, heavy) && tgs_i_dag_cut(d, block) < tgs_i_dag_cut(d, part)))
            memcpy(part, block, (size_t)d->n * sizeof *part);
    }
    tgs_mem_free(k.most);
    tgs_mem_free(k.target);
    tgs_mem_free(heavy);
    tgs_mem_free(block);
    return good;
}
