/* latencydp.c -- placements for latency along a topological order: the paper's greedy rule, and the
 * least serial time of all ways to cut the order into pieces. */
#include <string.h>
#include "place.h"

static int32_t a_host(const tgs_i_place_devices *d)
{
    for (int32_t q = 0; q < d->devices; q++)
        if (d->host[d->group[q]])
            return q;
    return -1;
}

static double seconds(const tgs_i_place_graph *g, int32_t c, int32_t group)
{
    return g->time[(int64_t)c * g->groups + group];
}

/* ---- greedy ------------------------------------------------------------------------------------
 */
tgs_status tgs_i_place_fill(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                            const int32_t *order, int32_t *device)
{
    const int32_t host = a_host(d);
    int32_t now = -1, last = -1; /* the device that is being filled; the last one that was */
    double left = 0;

    for (int32_t i = 0; i < g->n; i++) {
        const int32_t c = order[i];
        int32_t next = last;

        if (now >= 0 && g->size[c] <= left && !isinf(seconds(g, c, d->group[now]))) {
            device[c] = now;
            left -= g->size[c];
            continue;
        }
        do
            next++;
        while (next < d->devices && d->host[d->group[next]]);
        now = -1;
        if (next < d->devices && g->size[c] <= d->memory[d->group[next]]
            && !isinf(seconds(g, c, d->group[next]))) {
            now = last = next;
            device[c] = now;
            left = d->memory[d->group[now]] - g->size[c];
        } else if (host >= 0 && !isinf(seconds(g, c, d->group[host]))) {
            device[c] = host;
        } else {
            return TGS_EINFEASIBLE;
        }
    }
    return TGS_OK;
}

/* ---- pieces ------------------------------------------------------------------------------------
 */
typedef struct cutting {
    const tgs_i_place_graph *g;
    const tgs_i_place_devices *d;
    const int32_t *order;
    int32_t states, *stride; /* [groups] devices used, per group, mixed radix; hosts count none */
    double *value;           /* [position * states + state] least serial time of what is before */
    int32_t *from;           /* ... where the last piece begins */
    int8_t *via;             /* ... its group */
    int32_t *inside;         /* [item] readers in the piece */
    bool *made;              /* [item] its maker is in the piece */
    double *cost;            /* [groups] of the piece */
} cutting;

static int32_t most_of(const cutting *x, int32_t group)
{
    return x->d->host[group] ? 0 : x->d->count[group];
}

static int32_t used(const cutting *x, int32_t state, int32_t group)
{
    return state / x->stride[group] % (most_of(x, group) + 1);
}

static tgs_status open_cutting(cutting *x)
{
    const size_t places = (size_t)x->g->n + 1, items = (size_t)x->g->items;
    int64_t states = 1;

    x->stride = tgs_mem_alloc((size_t)x->g->groups, sizeof *x->stride);
    if (!x->stride)
        return TGS_ENOMEM;
    for (int32_t q = 0; q < x->g->groups && states <= 1 << 16; q++) {
        x->stride[q] = (int32_t)states;
        states *= most_of(x, q) + 1;
    }
    if (states > 1 << 16 || x->g->groups > INT8_MAX)
        return TGS_ENOTAPPLICABLE;
    x->states = (int32_t)states;
    x->value = tgs_mem_alloc(places * (size_t)states, sizeof *x->value);
    x->from = tgs_mem_alloc(places * (size_t)states, sizeof *x->from);
    x->via = tgs_mem_alloc(places * (size_t)states, sizeof *x->via);
    x->inside = tgs_mem_alloc(items, sizeof *x->inside);
    x->made = tgs_mem_alloc(items, sizeof *x->made);
    x->cost = tgs_mem_alloc((size_t)x->g->groups, sizeof *x->cost);
    if (!x->value || !x->from || !x->via || !x->inside || !x->made || !x->cost)
        return TGS_ENOMEM;
    for (size_t i = 1; i < places * (size_t)states; i++)
        x->value[i] = INFINITY;
    return TGS_OK;
}

static void close_cutting(cutting *x)
{
    tgs_mem_free(x->stride);
    tgs_mem_free(x->value);
    tgs_mem_free(x->from);
    tgs_mem_free(x->via);
    tgs_mem_free(x->inside);
    tgs_mem_free(x->made);
    tgs_mem_free(x->cost);
}

static void charge(cutting *x, int32_t item, int32_t count)
{
    for (int32_t q = 0; q < x->g->groups && count; q++)
        x->cost[q] += count * x->g->item_cost[(int64_t)item * x->g->groups + q];
}

/* the piece gets another class: see placedp.c */
static void extend(cutting *x, int32_t c)
{
    const tgs_i_place_graph *g = x->g;

    for (int32_t q = 0; q < g->groups; q++)
        x->cost[q] += seconds(g, c, q);
    for (int32_t k = g->use_at[c]; k < g->use_at[c + 1]; k++) {
        const int32_t i = g->use[k], before = x->inside[i]++;

        if (!x->made[i])
            charge(x, i, before == 0);
        else
            charge(x, i, -(before + 1 == g->item_at[i + 1] - g->item_at[i]));
    }
    for (int32_t k = g->make_at[c]; k < g->make_at[c + 1]; k++) {
        const int32_t i = g->make[k], all = g->item_at[i + 1] - g->item_at[i];

        x->made[i] = true;
        charge(x, i, (x->inside[i] < all) - (x->inside[i] > 0));
    }
}

/* the piece [begin, end) on a group, after everything before it */
static void relax(cutting *x, int32_t begin, int32_t end, int32_t group)
{
    const int32_t step = x->d->host[group] ? 0 : x->stride[group];
    const double *before = &x->value[(int64_t)begin * x->states];

    for (int32_t k = 0; k < x->states; k++) {
        const int64_t at = (int64_t)end * x->states + k + step;
        const double value = before[k] + x->cost[group];

        if (isinf(before[k]) || (step && used(x, k, group) == most_of(x, group))
            || !(value < x->value[at]))
            continue;
        x->value[at] = value;
        x->from[at] = begin;
        x->via[at] = (int8_t)group;
    }
}

static void pieces_from(cutting *x, int32_t begin)
{
    double held = 0;
    bool any = true;

    memset(x->cost, 0, (size_t)x->g->groups * sizeof *x->cost);
    memset(x->inside, 0, (size_t)x->g->items * sizeof *x->inside);
    memset(x->made, 0, (size_t)x->g->items * sizeof *x->made);
    for (int32_t i = begin; i < x->g->n && any; i++) {
        extend(x, x->order[i]);
        held += x->g->size[x->order[i]];
        any = false;
        for (int32_t q = 0; q < x->g->groups; q++) {
            if (isinf(x->cost[q]) || held > x->d->memory[q] || (x->d->host[q] && i > begin))
                continue;
            relax(x, begin, i + 1, q);
            any |= !x->d->host[q];
        }
    }
}

static void trace_back(const cutting *x, int32_t state, int32_t *device)
{
    int32_t end = x->g->n;

    while (end > 0) {
        const int64_t at = (int64_t)end * x->states + state;
        const int32_t q = x->via[at], begin = x->from[at];
        const bool host = x->d->host[q];

        for (int32_t i = begin; i < end; i++)
            device[x->order[i]] = x->d->first[q] + (host ? 0 : used(x, state, q) - 1);
        state -= host ? 0 : x->stride[q];
        end = begin;
    }
}

tgs_status tgs_i_place_segments(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                                const int32_t *order, int32_t *device, double *serial)
{
    cutting x = {.g = g, .d = d, .order = order};
    tgs_status status = open_cutting(&x);
    int32_t best = -1;

    *serial = INFINITY;
    for (int32_t i = 0; i < g->n && !status; i++)
        pieces_from(&x, i);
    for (int32_t k = 0; k < x.states && !status; k++)
        if (x.value[(int64_t)g->n * x.states + k] < *serial) {
            *serial = x.value[(int64_t)g->n * x.states + k];
            best = k;
        }
    if (best >= 0)
        trace_back(&x, best, device);
    close_cutting(&x);
    return status;
}
