/* loads.c -- what a placement costs its devices, and what none can cost less than. */
#include <string.h>
#include "place.h"

static double cost(const tgs_i_place_graph *g, const tgs_i_place_devices *d, int32_t item,
                   int32_t device)
{
    return g->item_cost[(int64_t)item * g->groups + d->group[device]];
}

static double seconds(const tgs_i_place_graph *g, const tgs_i_place_devices *d, int32_t node,
                      int32_t device)
{
    return g->time[(int64_t)node * g->groups + d->group[device]];
}

/* ---- from the definition -----------------------------------------------------------------------
 */
tgs_status tgs_i_place_loads(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                             const int32_t *device, double *load, double *held)
{
    int32_t *seen = tgs_mem_alloc((size_t)d->devices, sizeof *seen); /* last item read there, + 1 */

    if (!seen)
        return TGS_ENOMEM;
    for (int32_t k = 0; k < d->devices; k++)
        load[k] = held[k] = 0;
    for (int32_t v = 0; v < g->n; v++) {
        load[device[v]] += seconds(g, d, v, device[v]);
        held[device[v]] += g->size[v];
    }
    for (int32_t i = 0; i < g->items; i++) {
        const int32_t maker = device[g->item_from[i]];
        bool leaves = false;

        for (int32_t k = g->item_at[i]; k < g->item_at[i + 1]; k++) {
            const int32_t reader = device[g->item_to[k]];

            if (reader == maker || seen[reader] == i + 1)
                continue;
            seen[reader] = i + 1;
            load[reader] += cost(g, d, i, reader);
            leaves = true;
        }
        if (leaves)
            load[maker] += cost(g, d, i, maker);
    }
    tgs_mem_free(seen);
    return TGS_OK;
}

double tgs_i_place_largest(const double *load, int32_t devices)
{
    double most = 0;

    for (int32_t k = 0; k < devices; k++)
        most = fmax(most, load[k]);
    return most;
}

/* ---- step by step ------------------------------------------------------------------------------
 */
tgs_status tgs_i_loads_open(tgs_i_loads *l, const tgs_i_place_graph *g,
                            const tgs_i_place_devices *d)
{
    const size_t devices = (size_t)d->devices;

    *l = (tgs_i_loads){.g = g, .d = d};
    l->device = tgs_mem_alloc((size_t)g->n, sizeof *l->device);
    l->readers = tgs_mem_alloc((size_t)g->items * devices, sizeof *l->readers);
    l->spread = tgs_mem_alloc((size_t)g->items, sizeof *l->spread);
    l->load = tgs_mem_alloc(devices, sizeof *l->load);
    l->held = tgs_mem_alloc(devices, sizeof *l->held);
    if (!l->device || !l->readers || !l->spread || !l->load || !l->held) {
        tgs_i_loads_close(l);
        return TGS_ENOMEM;
    }
    return TGS_OK;
}

/* a class comes to a device: what it reads is brought there unless it was, or is made there */
static void enter(tgs_i_loads *l, int32_t c, int32_t device)
{
    const tgs_i_place_graph *g = l->g;
    const tgs_i_place_devices *d = l->d;
    double load = seconds(g, d, c, device);

    for (int32_t k = g->use_at[c]; k < g->use_at[c + 1]; k++) {
        const int32_t i = g->use[k], maker = l->device[g->item_from[i]];

        if (l->readers[(int64_t)i * d->devices + device]++ > 0)
            continue;
        l->spread[i]++;
        if (maker < 0)
            continue;
        if (maker != device)
            load += cost(g, d, i, device);
        if (maker != device
            && l->spread[i] - (l->readers[(int64_t)i * d->devices + maker] > 0) == 1)
            l->load[maker] += cost(g, d, i, maker); /* the first reader elsewhere */
    }
    l->device[c] = device;
    for (int32_t k = g->make_at[c]; k < g->make_at[c + 1]; k++) {
        const int32_t i = g->make[k], *readers = &l->readers[(int64_t)i * d->devices];

        if (l->spread[i] > (readers[device] > 0))
            load += cost(g, d, i, device);
        for (int32_t q = 0, left = l->spread[i]; left > 0; q++)
            if (readers[q] > 0) {
                left--;
                l->load[q] += q == device ? 0 : cost(g, d, i, q);
            }
    }
    l->load[device] += load;
    l->held[device] += g->size[c];
}

/* the reverse of enter */
static void leave(tgs_i_loads *l, int32_t c)
{
    const tgs_i_place_graph *g = l->g;
    const tgs_i_place_devices *d = l->d;
    const int32_t device = l->device[c];
    double load = seconds(g, d, c, device);

    for (int32_t k = g->make_at[c]; k < g->make_at[c + 1]; k++) {
        const int32_t i = g->make[k], *readers = &l->readers[(int64_t)i * d->devices];

        if (l->spread[i] > (readers[device] > 0))
            load += cost(g, d, i, device);
        for (int32_t q = 0, left = l->spread[i]; left > 0; q++)
            if (readers[q] > 0) {
                left--;
                l->load[q] -= q == device ? 0 : cost(g, d, i, q);
            }
    }
    l->device[c] = -1;
    for (int32_t k = g->use_at[c]; k < g->use_at[c + 1]; k++) {
        const int32_t i = g->use[k], maker = l->device[g->item_from[i]];

        if (--l->readers[(int64_t)i * d->devices + device] > 0)
            continue;
        l->spread[i]--;
        if (maker < 0 || maker == device)
            continue;
        load += cost(g, d, i, device);
        if (l->spread[i] == (l->readers[(int64_t)i * d->devices + maker] > 0))
            l->load[maker] -= cost(g, d, i, maker);
    }
    l->load[device] -= load;
    l->held[device] -= g->size[c];
}

void tgs_i_loads_move(tgs_i_loads *l, int32_t class_, int32_t device)
{
    if (l->device[class_] >= 0)
        leave(l, class_);
    enter(l, class_, device);
}

void tgs_i_loads_set(tgs_i_loads *l, const int32_t *device)
{
    const size_t items = (size_t)l->g->items, devices = (size_t)l->d->devices;

    memset(l->readers, 0, items * devices * sizeof *l->readers);
    memset(l->spread, 0, items * sizeof *l->spread);
    memset(l->load, 0, devices * sizeof *l->load);
    memset(l->held, 0, devices * sizeof *l->held);
    for (int32_t c = 0; c < l->g->n; c++)
        l->device[c] = -1;
    for (int32_t c = 0; c < l->g->n; c++)
        enter(l, c, device[c]);
}

void tgs_i_loads_close(tgs_i_loads *l)
{
    tgs_mem_free(l->device);
    tgs_mem_free(l->readers);
    tgs_mem_free(l->spread);
    tgs_mem_free(l->load);
    tgs_mem_free(l->held);
    *l = (tgs_i_loads){.g = NULL};
}

/* ---- bounds ------------------------------------------------------------------------------------
 * For any prices p >= 0 of the groups, T * sum(count p) >= sum over classes of min(p time), since
 * the work of a group is at most T * count.  The best prices are looked for one group at a time,
 * among those at which some class would change its group. */
static double priced(const tgs_i_place_graph *g, const tgs_i_place_devices *d, const double *price)
{
    double work = 0, rate = 0;

    for (int32_t q = 0; q < g->groups; q++)
        rate += price[q] * d->count[q];
    for (int32_t c = 0; c < g->n; c++) {
        double least = INFINITY;

        for (int32_t q = 0; q < g->groups; q++)
            if (g->time[(int64_t)c * g->groups + q] < INFINITY)
                least = fmin(least, price[q] * g->time[(int64_t)c * g->groups + q]);
        work += least;
    }
    return rate > 0 ? work / rate : 0;
}

static double best_price(const tgs_i_place_graph *g, const tgs_i_place_devices *d, double *price,
                         int32_t q, double best)
{
    const int32_t step = 1 + g->n / 400; /* any price gives a bound: some are enough */
    double kept = price[q];

    for (int32_t c = 0; c < g->n; c += step)
        for (int32_t r = 0; r < g->groups; r++) {
            const double here = g->time[(int64_t)c * g->groups + q];
            const double there = g->time[(int64_t)c * g->groups + r];

            if (r == q || !(here > 0) || !(there > 0) || isinf(here) || isinf(there))
                continue;
            price[q] = price[r] * there / here;
            const double bound = priced(g, d, price);

            if (bound > best) {
                best = bound;
                kept = price[q];
            }
        }
    price[q] = kept;
    return best;
}

tgs_status tgs_i_place_bound(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                             double *bound)
{
    double *price = tgs_mem_alloc((size_t)g->groups, sizeof *price), best = 0;

    *bound = 0;
    if (!price)
        return TGS_ENOMEM;
    for (int32_t c = 0; c < g->n; c++) {
        double least = INFINITY;

        for (int32_t q = 0; q < g->groups; q++)
            least = fmin(least, g->time[(int64_t)c * g->groups + q]);
        best = fmax(best, least);
    }
    for (int32_t q = 0; q < g->groups; q++)
        price[q] = 1;
    best = fmax(best, priced(g, d, price));
    for (int32_t pass = 0; pass < 2; pass++)
        for (int32_t q = 0; q < g->groups; q++)
            best = best_price(g, d, price, q, best);
    tgs_mem_free(price);
    *bound = best;
    return TGS_OK;
}
