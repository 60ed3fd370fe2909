/* latency.c -- when one sample is through, of a placement.
 *
 * As Tarnawski et al. (2020) have it: a node on the host starts when all before it are done, as if
 * the host had a processor for each.  What a device holds is one piece, which brings in all that it
 * reads, computes everything, and takes out all that others read, in this order: it starts when all
 * that it depends on is done, and all of it is done at its end.  Where a path leaves the device and
 * comes back, what is behind is a piece of its own.  O(devices (n + edges)). */
#include "place.h"

typedef struct units { /* what is done at once: a node of the host, or a piece */
    const tgs_i_place_graph *g;
    const tgs_i_place_devices *d;
    const int32_t *device;
    int32_t n;      /* at most 2 g->n */
    int32_t *of;    /* [g->n] */
    int32_t *place; /* [n] its device; -1: none of its own */
    int32_t *order; /* [g->n] the nodes, those before first */
    int32_t *waits; /* [2 g->n] */
    int32_t *piece; /* [g->n] of the device that is looked at */
    double *cost;   /* [n] */
    double *start;  /* [n] */
} units;

static tgs_status open_units(units *u)
{
    const size_t n = (size_t)u->g->n;

    u->of = tgs_mem_alloc(n, sizeof *u->of);
    u->place = tgs_mem_alloc(2 * n, sizeof *u->place);
    u->order = tgs_mem_alloc(2 * n, sizeof *u->order);
    u->waits = tgs_mem_alloc(2 * n, sizeof *u->waits);
    u->piece = tgs_mem_alloc(2 * n, sizeof *u->piece);
    u->cost = tgs_mem_alloc(2 * n, sizeof *u->cost);
    u->start = tgs_mem_alloc(2 * n, sizeof *u->start);
    return u->of && u->place && u->order && u->waits && u->piece && u->cost && u->start
               ? TGS_OK
               : TGS_ENOMEM;
}

static void close_units(units *u)
{
    tgs_mem_free(u->of);
    tgs_mem_free(u->place);
    tgs_mem_free(u->order);
    tgs_mem_free(u->waits);
    tgs_mem_free(u->piece);
    tgs_mem_free(u->cost);
    tgs_mem_free(u->start);
}

static void sort_nodes(units *u)
{
    const tgs_i_place_graph *g = u->g;
    int32_t count = 0;

    for (int32_t v = 0; v < g->n; v++) {
        u->waits[v] = g->pred_at[v + 1] - g->pred_at[v];
        if (!u->waits[v])
            u->order[count++] = v;
    }
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = g->succ_at[u->order[i]]; k < g->succ_at[u->order[i] + 1]; k++)
            if (--u->waits[g->succ[k]] == 0)
                u->order[count++] = g->succ[k];
}

/* the pieces of a device: how often a path to a node comes back to it */
static void cut(units *u, int32_t device)
{
    const tgs_i_place_graph *g = u->g;
    int32_t most = -1;

    for (int32_t i = 0; i < g->n; i++) {
        const int32_t v = u->order[i];
        const bool here = u->device[v] == device;
        int32_t piece = here ? 0 : -1;

        for (int32_t k = g->pred_at[v]; k < g->pred_at[v + 1]; k++) {
            const int32_t p = g->pred[k], before = u->piece[p];
            const int32_t mine = before + (here && u->device[p] != device && before >= 0);

            piece = mine > piece ? mine : piece;
        }
        u->piece[v] = piece;
        if (here) {
            u->of[v] = u->n + piece;
            u->place[u->of[v]] = device;
            most = piece > most ? piece : most;
        }
    }
    u->n += most + 1;
}

static void make_units(units *u)
{
    u->n = u->g->n;
    for (int32_t v = 0; v < u->g->n; v++) {
        u->of[v] = v;
        u->place[v] = -1;
    }
    for (int32_t q = 0; q < u->d->devices; q++)
        if (!u->d->host[u->d->group[q]])
            cut(u, q);
}

static double transfer(const units *u, int32_t item, int32_t unit)
{
    return u->place[unit] < 0
               ? 0
               : u->g->item_cost[(int64_t)item * u->g->groups + u->d->group[u->place[unit]]];
}

static void add_costs(units *u)
{
    const tgs_i_place_graph *g = u->g;
    int32_t *seen = u->piece; /* [unit] last item that it reads, + 1 */

    for (int32_t i = 0; i < u->n; i++) {
        u->cost[i] = u->start[i] = 0;
        seen[i] = u->waits[i] = 0;
    }
    for (int32_t v = 0; v < g->n; v++)
        u->cost[u->of[v]] += g->time[(int64_t)v * g->groups + u->d->group[u->device[v]]];
    for (int32_t i = 0; i < g->items; i++) {
        const int32_t maker = u->of[g->item_from[i]];
        bool leaves = false;

        for (int32_t k = g->item_at[i]; k < g->item_at[i + 1]; k++) {
            const int32_t reader = u->of[g->item_to[k]];

            if (reader == maker || seen[reader] == i + 1)
                continue;
            seen[reader] = i + 1;
            u->cost[reader] += transfer(u, i, reader);
            leaves = true;
        }
        if (leaves)
            u->cost[maker] += transfer(u, i, maker);
    }
}

/* in what order the nodes of a unit stand, for all that follows a node: those of one unit follow
 * each other */
static tgs_status run_units(units *u, double *latency)
{
    const tgs_i_place_graph *g = u->g;
    int32_t *at = NULL, *member = NULL, *queue = u->order, ready = 0, units_there = 0;
    tgs_i_pair *pair = tgs_mem_alloc((size_t)g->n, sizeof *pair);
    tgs_status status = TGS_ENOMEM;

    *latency = 0;
    for (int32_t v = 0; v < g->n && pair; v++)
        pair[v] = (tgs_i_pair){u->of[v], v};
    if (pair)
        status = tgs_i_pairs_rows(pair, g->n, u->n, false, &at, &member);
    tgs_mem_free(pair);
    for (int32_t v = 0; v < g->n && !status; v++)
        for (int32_t k = g->succ_at[v]; k < g->succ_at[v + 1]; k++)
            u->waits[u->of[g->succ[k]]] += u->of[v] != u->of[g->succ[k]];
    for (int32_t i = 0; i < u->n && !status; i++)
        if (at[i] < at[i + 1]) {
            units_there++;
            if (!u->waits[i])
                queue[ready++] = i;
        }
    for (int32_t i = 0; i < ready; i++) {
        const int32_t unit = queue[i];
        const double end = u->start[unit] + u->cost[unit];

        *latency = fmax(*latency, end);
        for (int32_t m = at[unit]; m < at[unit + 1]; m++)
            for (int32_t k = g->succ_at[member[m]]; k < g->succ_at[member[m] + 1]; k++) {
                const int32_t next = u->of[g->succ[k]];

                if (next == unit)
                    continue;
                u->start[next] = fmax(u->start[next], end);
                if (--u->waits[next] == 0)
                    queue[ready++] = next;
            }
    }
    if (ready < units_there)
        *latency = INFINITY; /* pieces wait for each other */
    tgs_mem_free(at);
    tgs_mem_free(member);
    return status;
}

tgs_status tgs_i_place_latency(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                               const int32_t *device, double *latency)
{
    units u = {.g = g, .d = d, .device = device};
    tgs_status status = open_units(&u);

    if (!status) {
        sort_nodes(&u);
        make_units(&u);
        add_costs(&u);
        status = run_units(&u, latency);
    }
    close_units(&u);
    return status;
}
