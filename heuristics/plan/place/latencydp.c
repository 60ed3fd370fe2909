/* latencydp.c -- placements for latency along a topological order: the paper's greedy rule, and the
 * least serial time of all ways to cut the order into pieces. */
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
    tgs_i_pieces piece;
    int32_t states, *stride; /* [groups] devices used, per group, mixed radix; hosts count none */
    double *value;           /* [state * (n + 1) + position] least serial time of what is before */
    int32_t *from;           /* ... where the last piece begins */
    int8_t *via;             /* ... its group */
} cutting;

static int32_t most_of(const cutting *x, int32_t group)
{
    return x->d->host[group] ? 0 : x->d->count[group];
}

static int32_t used(const cutting *x, int32_t state, int32_t group)
{
    return state / x->stride[group] % (most_of(x, group) + 1);
}

static int64_t cell(const cutting *x, int32_t state, int32_t position)
{
    return (int64_t)state * (x->g->n + 1) + position;
}

static tgs_status open_cutting(cutting *x, const int32_t *order)
{
    size_t cells;
    int64_t states = 1;
    const tgs_status status = tgs_i_pieces_open(&x->piece, x->g, x->d, order);

    x->stride = tgs_mem_alloc((size_t)x->g->groups, sizeof *x->stride);
    if (status || !x->stride)
        return TGS_ENOMEM;
    for (int32_t q = 0; q < x->g->groups && states <= 1 << 16; q++) {
        x->stride[q] = (int32_t)states;
        states *= most_of(x, q) + 1;
    }
    if (states > 1 << 16 || x->g->groups > INT8_MAX)
        return TGS_ENOTAPPLICABLE;
    x->states = (int32_t)states;
    cells = ((size_t)x->g->n + 1) * (size_t)states;
    x->value = tgs_mem_alloc(cells, sizeof *x->value);
    x->from = tgs_mem_alloc(cells, sizeof *x->from);
    x->via = tgs_mem_alloc(cells, sizeof *x->via);
    if (!x->value || !x->from || !x->via)
        return TGS_ENOMEM;
    for (size_t i = 1; i < cells; i++)
        x->value[i] = INFINITY;
    return TGS_OK;
}

static void close_cutting(cutting *x)
{
    tgs_i_pieces_close(&x->piece);
    tgs_mem_free(x->stride);
    tgs_mem_free(x->value);
    tgs_mem_free(x->from);
    tgs_mem_free(x->via);
}

static void take(cutting *x, int64_t at, double value, int32_t from, int32_t group)
{
    if (!(value < x->value[at]))
        return;
    x->value[at] = value;
    x->from[at] = from;
    x->via[at] = (int8_t)group;
}

/* the best piece that ends at e and takes a device of the group, after each state */
static void relax(cutting *x, int32_t e, int32_t q)
{
    const double *cost = &x->piece.cost[(int64_t)q * x->g->n];

    for (int32_t k = 0; k < x->states; k++) {
        const double *before = &x->value[cell(x, k, 0)];
        double best = INFINITY;
        int32_t from = -1;

        if (used(x, k, q) == most_of(x, q))
            continue;
        for (int32_t b = x->piece.low[q]; b <= e; b++)
            if (before[b] + cost[b] < best) {
                best = before[b] + cost[b];
                from = b;
            }
        take(x, cell(x, k + x->stride[q], e + 1), best, from, q);
    }
}

/* one class on a host, which takes no device */
static void relax_host(cutting *x, int32_t e, int32_t q)
{
    const double time = seconds(x->g, x->piece.order[e], q);

    for (int32_t k = 0; k < x->states; k++)
        take(x, cell(x, k, e + 1), x->value[cell(x, k, e)] + time, e, q);
}

static void trace_back(const cutting *x, int32_t state, int32_t *device)
{
    int32_t end = x->g->n;

    while (end > 0) {
        const int64_t at = cell(x, state, end);
        const int32_t q = x->via[at], begin = x->from[at];
        const bool host = x->d->host[q];

        for (int32_t i = begin; i < end; i++)
            device[x->piece.order[i]] = x->d->first[q] + (host ? 0 : used(x, state, q) - 1);
        state -= host ? 0 : x->stride[q];
        end = begin;
    }
}

tgs_status tgs_i_place_segments(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                                const int32_t *order, int32_t *device, double *serial)
{
    cutting x = {.g = g, .d = d};
    tgs_status status = open_cutting(&x, order);
    int32_t best = -1;

    *serial = INFINITY;
    for (int32_t e = 0; e < g->n && !status; e++) {
        tgs_i_pieces_next(&x.piece);
        for (int32_t q = 0; q < g->groups; q++)
            if (d->host[q])
                relax_host(&x, e, q);
            else
                relax(&x, e, q);
    }
    for (int32_t k = 0; k < x.states && !status; k++)
        if (x.value[cell(&x, k, g->n)] < *serial) {
            *serial = x.value[cell(&x, k, g->n)];
            best = k;
        }
    if (best >= 0)
        trace_back(&x, best, device);
    close_cutting(&x);
    return status;
}
