/* workers.c -- virtual workers of HetPipe (Park et al., USENIX ATC 2020): groups of devices that
 * each run the model as a pipeline.
 *
 *   np    node partition: a worker is a node
 *   ed    equal distribution: a worker takes one device of every node
 *   hd    hybrid: strong and weak nodes in pairs, and half of both for each of two workers
 *   best  every way to deal devices of like types to equal workers, for up to 16 devices; of more,
 *         for each size, workers of devices that follow one another, fast ones first, and workers
 *         that take turns in choosing the fastest that is left
 *
 * A worker is as fast as the longest stage of its best order and cuts.  When workers wait for each
 * other (any finite distance D), each goes at the pace of the slowest. */
#include <string.h>
#include "../step.h"

enum { MOST_ORDERS = 5040 };
#define MOST_STEPS 1e9 /* of the cuts of all orders of a worker, about */

tgs_status tgs_i_workers_open(tgs_i_workers *w, int32_t devices)
{
    const size_t n = (size_t)devices;

    *w = (tgs_i_workers){.devices = devices};
    w->device = tgs_mem_alloc(n, sizeof *w->device);
    w->cut = tgs_mem_alloc(2 * n, sizeof *w->cut);
    w->stage = tgs_mem_alloc(n, sizeof *w->stage);
    if (w->device && w->cut && w->stage)
        return TGS_OK;
    tgs_i_workers_close(w);
    return TGS_ENOMEM;
}

void tgs_i_workers_close(tgs_i_workers *w)
{
    tgs_mem_free(w->device);
    tgs_mem_free(w->cut);
    tgs_mem_free(w->stage);
    memset(w, 0, sizeof *w);
}

void tgs_i_workers_assign(tgs_i_workers *to, const tgs_i_workers *from)
{
    const size_t n = (size_t)from->devices;

    to->count = from->count;
    to->size = from->size;
    memcpy(to->device, from->device, n * sizeof *to->device);
    memcpy(to->cut, from->cut, 2 * n * sizeof *to->cut);
    memcpy(to->stage, from->stage, n * sizeof *to->stage);
}

double tgs_i_workers_rate(const tgs_i_workers *w, bool coupled)
{
    double sum = 0, longest = 0;

    for (int32_t v = 0; v < w->count; v++) {
        sum += 1 / w->stage[v];
        longest = fmax(longest, w->stage[v]);
    }
    return coupled ? w->count / longest : sum;
}

/* are the devices of two workers alike, position by position, and the links among them? */
static bool alike(const tgs_i_chain *x, const int32_t *a, const int32_t *b, int32_t k)
{
    const size_t row = ((size_t)x->n + 1) * sizeof *x->time;

    for (int32_t p = 0; p < k; p++) {
        if (x->capacity && x->capacity[a[p]] != x->capacity[b[p]])
            return false;
        for (int32_t q = 0; q < k && x->lat; q++) {
            const int64_t i = (int64_t)a[p] * x->devices + a[q],
                          j = (int64_t)b[p] * x->devices + b[q];

            if (x->lat[i] != x->lat[j] || x->inv[i] != x->inv[j])
                return false;
        }
        for (int32_t q = 0; q < p; q++)
            if ((x->type[a[p]] == x->type[a[q]]) != (x->type[b[p]] == x->type[b[q]]))
                return false;
        if (memcmp(x->time + (int64_t)a[p] * (x->n + 1), x->time + (int64_t)b[p] * (x->n + 1), row))
            return false;
    }
    return true;
}

/* Each worker's order and cuts; those that are alike have the same.  first: [devices] scratch, as
 * the workers were given. */
static tgs_status cut_each(const tgs_i_chain *x, tgs_i_workers *w, int32_t *first)
{
    const int32_t k = w->size;
    const double steps = 2.0 * x->n * x->n;
    const int64_t orders =
        MOST_STEPS / steps < MOST_ORDERS ? (int64_t)(MOST_STEPS / steps) + 1 : MOST_ORDERS;
    int32_t *position = first + w->devices;
    tgs_status status = TGS_OK;

    memcpy(first, w->device, (size_t)w->devices * sizeof *first);
    for (int32_t v = 0; v < w->count && !status; v++) {
        int32_t u = 0;

        while (u < v && !alike(x, first + u * k, first + v * k, k))
            u++;
        if (u == v) {
            status = tgs_i_chain_order(x, k, w->device + v * k, w->cut + v * (k + 1), orders,
                                       INFINITY, &w->stage[v]);
            continue;
        }
        for (int32_t p = 0; p < k; p++) /* where the device that u has there was given */
            for (position[p] = 0; first[u * k + position[p]] != w->device[u * k + p];)
                position[p]++;
        for (int32_t p = 0; p < k; p++)
            w->device[v * k + p] = first[v * k + position[p]];
        memcpy(w->cut + v * (k + 1), w->cut + u * (k + 1), ((size_t)k + 1) * sizeof *w->cut);
        w->stage[v] = w->stage[u];
    }
    return status;
}

tgs_status tgs_i_workers_cut(const tgs_i_chain *x, tgs_i_workers *w)
{
    int32_t *first = tgs_mem_alloc(2 * (size_t)w->devices, sizeof *first);
    const tgs_status status = first ? cut_each(x, w, first) : TGS_ENOMEM;

    tgs_mem_free(first);
    return status;
}

/* ---- by nodes ---- */
typedef struct nodes { /* of one size, in the order of their first devices: the fast ones first */
    int32_t count, size;
    int32_t *device; /* [count * size] */
} nodes;

/* false: they have unlike sizes.  room: [3 * devices] */
static bool list_nodes(nodes *x, int32_t devices, const int32_t *node, int32_t *room)
{
    int32_t *first = room + devices, *size = first + devices;

    *x = (nodes){.device = room};
    for (int32_t d = 0; d < devices; d++) {
        int32_t k = 0;

        while (k < x->count && node[first[k]] != node[d])
            k++;
        if (k == x->count) {
            first[k] = d;
            size[x->count++] = 0;
        }
        size[k]++;
    }
    x->size = x->count ? devices / x->count : 0;
    for (int32_t k = 0; k < x->count; k++) {
        int32_t at = 0;

        if (size[k] != x->size)
            return false;
        for (int32_t d = first[k]; d < devices; d++)
            if (node[d] == node[first[k]])
                x->device[k * x->size + at++] = d;
    }
    return true;
}

static bool by_nodes(tgs_i_workers *w, const nodes *x, const char *policy)
{
    const int32_t half = x->size / 2;

    w->count = x->count;
    w->size = x->size;
    if (!strcmp(policy, "np")) {
        memcpy(w->device, x->device, (size_t)w->devices * sizeof *w->device);
        return true;
    }
    if (!strcmp(policy, "ed")) {
        w->count = x->size;
        w->size = x->count;
        for (int32_t v = 0; v < w->count; v++)
            for (int32_t k = 0; k < w->size; k++)
                w->device[v * w->size + k] = x->device[k * x->size + v];
        return true;
    }
    if (x->count % 2 || x->size % 2)
        return false;
    for (int32_t v = 0; v < w->count; v++) { /* pair v / 2: the v-th strongest and weakest node */
        const int32_t strong = v / 2, weak = x->count - 1 - v / 2;

        for (int32_t i = 0; i < half; i++) {
            w->device[v * w->size + i] = x->device[strong * x->size + v % 2 * half + i];
            w->device[v * w->size + half + i] = x->device[weak * x->size + v % 2 * half + i];
        }
    }
    return true;
}

static tgs_status deal_nodes(tgs_i_workers *w, const int32_t *node, const char *policy, bool *suits)
{
    int32_t *room = tgs_mem_alloc(3 * (size_t)w->devices, sizeof *room);
    nodes n;

    *suits = room && list_nodes(&n, w->devices, node, room) && by_nodes(w, &n, policy);
    tgs_mem_free(room);
    return room ? TGS_OK : TGS_ENOMEM;
}

tgs_status tgs_i_workers_make(tgs_i_workers *w, const tgs_i_chain *x, const int32_t *node,
                              const char *policy, int32_t size, bool coupled, tgs_error *err)
{
    bool suits = true;
    tgs_status status;

    w->count = w->size = 0;
    if (!strcmp(policy, "best"))
        status = tgs_i_workers_deal(w, x, size, coupled);
    else
        status = deal_nodes(w, node, policy, &suits);
    if (!status && !suits)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "the nodes do not suit policy %s", policy);
    if (!status && w->size > x->n)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "a worker of %d devices has more than layers",
                        (int)w->size);
    if (!status && w->count)
        status = tgs_i_workers_cut(x, w);
    if (status)
        return tgs_fail(err, status, "out of memory");
    for (int32_t v = 0; v < w->count; v++)
        if (!(w->stage[v] < INFINITY))
            w->count = 0;
    if (!w->count)
        return tgs_fail(err, TGS_EINFEASIBLE, "policy %s: no worker can hold the model", policy);
    return TGS_OK;
}

/* each position as slow as its slowest device, and as the slowest link between two */
static void take_slowest(const tgs_i_chain *chain, const tgs_i_workers *w, double *time,
                         double *lat, double *inv, double *capacity)
{
    const int32_t k = w->size, n = chain->n;

    for (int32_t p = 0; p < k; p++) {
        capacity[p] = INFINITY;
        for (int32_t v = 0; v < w->count; v++) {
            const int32_t d = w->device[v * k + p];
            const double *own = chain->time + (int64_t)d * (n + 1);

            for (int32_t i = 0; i < n; i++)
                time[p * (n + 1) + i + 1] = fmax(time[p * (n + 1) + i + 1], own[i + 1] - own[i]);
            capacity[p] = fmin(capacity[p], chain->capacity ? chain->capacity[d] : INFINITY);
            for (int32_t q = 0; q < k && chain->lat; q++) {
                const int64_t at = (int64_t)d * chain->devices + w->device[v * k + q];

                lat[p * k + q] = fmax(lat[p * k + q], chain->lat[at]);
                inv[p * k + q] = fmax(inv[p * k + q], chain->inv[at]);
            }
        }
        for (int32_t i = 0; i < n; i++)
            time[p * (n + 1) + i + 1] += time[p * (n + 1) + i];
    }
}

/* workers are cut alike in what is lowered */
tgs_status tgs_i_workers_alike(const tgs_i_chain *chain, const tgs_i_workers *w, int32_t *cut,
                               double *longest)
{
    const size_t k = (size_t)w->size, cells = k * ((size_t)chain->n + 1);
    double *room = tgs_mem_alloc(cells + 2 * k * k + k, sizeof *room);
    int32_t *order = tgs_mem_alloc(k, sizeof *order);
    tgs_i_chain all = *chain;
    tgs_status status = room && order ? TGS_OK : TGS_ENOMEM;

    if (!status) {
        double *lat = room + cells, *inv = lat + k * k, *capacity = inv + k * k;

        take_slowest(chain, w, room, lat, inv, capacity);
        for (int32_t p = 0; p < w->size; p++)
            order[p] = p;
        all.devices = w->size;
        all.time = room;
        all.lat = chain->lat ? lat : NULL;
        all.inv = inv;
        all.capacity = chain->capacity ? capacity : NULL;
        status = tgs_i_chain_cut(&all, order, w->size, INFINITY, cut, longest);
    }
    tgs_mem_free(room);
    tgs_mem_free(order);
    return status;
}
