/* workers.c -- virtual workers of HetPipe (Park et al., USENIX ATC 2020): groups of devices that
 * each run the model as a pipeline.
 *
 *   np    node partition: a worker is a node
 *   ed    equal distribution: a worker takes one device of every node
 *   hd    hybrid: strong and weak nodes in pairs, and half of both for each of two workers
 *   best  every way to deal devices of like types to equal workers, for up to 16 devices
 *
 * A worker is as fast as the longest stage of its best order and cuts.  When workers wait for each
 * other (any finite distance D), each goes at the pace of the slowest. */
#include <string.h>
#include "step.h"

enum { MOST_ORDERS = 5040, MOST_DEALS = 200000 };

typedef struct dealing {
    const tgs_i_chain *x;
    bool coupled;
    int32_t workers, size, types;
    int32_t type[TGS_I_WORKERS], left[TGS_I_WORKERS]; /* of each type: its first device, count */
    int32_t taken[TGS_I_WORKERS][TGS_I_WORKERS];      /* [worker][type] */
    struct known { /* longest stages of compositions that were seen */
        int32_t taken[TGS_I_WORKERS];
        double stage;
    } * known;
    int64_t knowns, room, deals;
    double best;
    int32_t chosen[TGS_I_WORKERS][TGS_I_WORKERS];
    tgs_status status;
} dealing;

double tgs_i_workers_rate(const tgs_i_workers *w, bool coupled)
{
    double sum = 0, longest = 0;

    for (int32_t v = 0; v < w->count; v++) {
        sum += 1 / w->stage[v];
        longest = fmax(longest, w->stage[v]);
    }
    return coupled ? w->count / longest : sum;
}

static tgs_status cut_workers(const tgs_i_chain *x, tgs_i_workers *w)
{
    tgs_status status = TGS_OK;

    for (int32_t v = 0; v < w->count && !status; v++)
        status = tgs_i_chain_order(x, w->size, w->device[v], w->cut[v], MOST_ORDERS, &w->stage[v]);
    return status;
}

/* ---- by nodes ---- */
typedef struct nodes {
    int32_t count, size[TGS_I_WORKERS], device[TGS_I_WORKERS][TGS_I_WORKERS];
} nodes;

/* in the order of their first devices: the fast ones first */
static void list_nodes(nodes *x, int32_t devices, const int32_t *node)
{
    memset(x, 0, sizeof *x);
    for (int32_t d = 0; d < devices; d++) {
        int32_t k = 0;

        while (k < x->count && node[x->device[k][0]] != node[d])
            k++;
        x->count += k == x->count;
        x->device[k][x->size[k]++] = d;
    }
}

static bool equal_sizes(const nodes *x)
{
    for (int32_t k = 1; k < x->count; k++)
        if (x->size[k] != x->size[0])
            return false;
    return true;
}

static bool by_nodes(tgs_i_workers *w, const nodes *x, const char *policy)
{
    if (!equal_sizes(x))
        return false;
    if (!strcmp(policy, "np")) {
        w->count = x->count;
        w->size = x->size[0];
        for (int32_t v = 0; v < w->count; v++)
            memcpy(w->device[v], x->device[v], (size_t)w->size * sizeof **w->device);
        return true;
    }
    if (!strcmp(policy, "ed")) {
        w->count = x->size[0];
        w->size = x->count;
        for (int32_t v = 0; v < w->count; v++)
            for (int32_t k = 0; k < w->size; k++)
                w->device[v][k] = x->device[k][v];
        return true;
    }
    if (x->count % 2 || x->size[0] % 2)
        return false;
    w->count = x->count;
    w->size = x->size[0];
    for (int32_t v = 0; v < w->count; v++) { /* pair v / 2: the v-th strongest and weakest node */
        const int32_t half = w->size / 2, strong = v / 2, weak = x->count - 1 - v / 2;

        for (int32_t i = 0; i < half; i++) {
            w->device[v][i] = x->device[strong][v % 2 * half + i];
            w->device[v][half + i] = x->device[weak][v % 2 * half + i];
        }
    }
    return true;
}

/* ---- every deal ---- */
static double stage_of(dealing *d, const int32_t *taken)
{
    int32_t order[TGS_I_WORKERS], cut[TGS_I_WORKERS + 1], k = 0;
    double stage = INFINITY;

    for (int64_t i = 0; i < d->knowns; i++)
        if (!memcmp(d->known[i].taken, taken, sizeof d->known[i].taken))
            return d->known[i].stage;
    for (int32_t t = 0; t < d->types; t++)
        for (int32_t i = 0; i < taken[t]; i++)
            order[k++] = d->type[t]; /* devices of a type are alike */
    d->status = tgs_i_chain_order(d->x, k, order, cut, MOST_ORDERS, &stage);
    if (!d->status && tgs_mem_grow(&d->known, &d->room, d->knowns + 1, sizeof *d->known))
        d->status = TGS_ENOMEM;
    if (!d->status) {
        memcpy(d->known[d->knowns].taken, taken, sizeof d->known->taken);
        d->known[d->knowns++].stage = stage;
    }
    return stage;
}

static void judge(dealing *d)
{
    double sum = 0, longest = 0;

    d->deals++;
    for (int32_t v = 0; v < d->workers && !d->status; v++) {
        const double stage = stage_of(d, d->taken[v]);

        sum += 1 / stage;
        longest = fmax(longest, stage);
    }
    if (d->coupled)
        sum = d->workers / longest;
    if (d->status || !(longest < INFINITY) || sum <= d->best)
        return;
    d->best = sum;
    memcpy(d->chosen, d->taken, sizeof d->chosen);
}

/* worker v gets the types from t on; workers are in falling order, so that none is tried twice */
static void deal(dealing *d, int32_t v, int32_t t, int32_t open)
{
    if (d->status || d->deals >= MOST_DEALS)
        return;
    if (v == d->workers) {
        judge(d);
        return;
    }
    if (t == d->types) {
        if (open == 0 && (v == 0 || memcmp(d->taken[v - 1], d->taken[v], sizeof *d->taken) >= 0))
            deal(d, v + 1, 0, d->size);
        return;
    }
    for (int32_t k = d->left[t] < open ? d->left[t] : open; k >= 0; k--) {
        d->taken[v][t] = k;
        d->left[t] -= k;
        deal(d, v, t + 1, open - k);
        d->left[t] += k;
        d->taken[v][t] = 0;
    }
}

static void give_devices(const dealing *d, tgs_i_workers *w)
{
    bool used[TGS_I_WORKERS] = {false};

    w->count = d->workers;
    w->size = d->size;
    for (int32_t v = 0; v < w->count; v++) {
        int32_t k = 0;

        for (int32_t t = 0; t < d->types; t++)
            for (int32_t i = 0, need = d->chosen[v][t]; i < d->x->devices && need; i++)
                if (!used[i] && d->x->type[i] == d->x->type[d->type[t]]) {
                    used[i] = true;
                    w->device[v][k++] = i;
                    need--;
                }
    }
}

static tgs_status every_deal(const tgs_i_chain *x, int32_t asked, bool coupled, tgs_i_workers *w)
{
    dealing d = {.x = x, .coupled = coupled};

    for (int32_t i = 0; i < x->devices; i++) {
        int32_t t = 0;

        while (t < d.types && x->type[d.type[t]] != x->type[i])
            t++;
        if (t == d.types)
            d.type[d.types++] = i;
        d.left[t]++;
    }
    for (int32_t size = 1; size <= x->devices && !d.status; size++) {
        const double before = d.best;

        if (x->devices % size || size > x->n || (asked && size != asked))
            continue;
        d.size = size;
        d.workers = x->devices / size;
        d.knowns = 0;
        memset(d.taken, 0, sizeof d.taken);
        deal(&d, 0, 0, size);
        if (d.best > before && !d.status)
            give_devices(&d, w);
    }
    tgs_mem_free(d.known);
    return d.status;
}

tgs_status tgs_i_workers_make(tgs_i_workers *w, const tgs_i_chain *x, const int32_t *node,
                              const char *policy, int32_t size, bool coupled, tgs_error *err)
{
    nodes n;
    tgs_status status = TGS_OK;

    memset(w, 0, sizeof *w);
    if (x->devices > TGS_I_WORKERS)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "%d devices are more than the %d that are grouped",
                        (int)x->devices, TGS_I_WORKERS);
    if (!strcmp(policy, "best"))
        status = every_deal(x, size, coupled, w);
    else {
        list_nodes(&n, x->devices, node);
        if (!by_nodes(w, &n, policy))
            return tgs_fail(err, TGS_ENOTAPPLICABLE, "the nodes do not suit policy %s", policy);
        if (w->size > x->n)
            return tgs_fail(err, TGS_ENOTAPPLICABLE, "a worker of %d devices has more than layers",
                            (int)w->size);
    }
    if (!status && w->count)
        status = cut_workers(x, w);
    if (status)
        return tgs_fail(err, status, "out of memory");
    for (int32_t v = 0; v < w->count; v++)
        if (!(w->stage[v] < INFINITY))
            w->count = 0;
    if (!w->count)
        return tgs_fail(err, TGS_EINFEASIBLE, "policy %s: no worker can hold the model", policy);
    return TGS_OK;
}

/* workers are cut alike in what is lowered: each position as slow as its slowest device */
tgs_status tgs_i_workers_alike(const tgs_i_chain *chain, const tgs_i_workers *w, int32_t *cut,
                               double *longest)
{
    const int32_t k = w->size, n = chain->n;
    double *time = tgs_mem_alloc((size_t)k * (size_t)(n + 1), sizeof *time);
    double lat[TGS_I_WORKERS * TGS_I_WORKERS] = {0}, inv[TGS_I_WORKERS * TGS_I_WORKERS] = {0};
    double capacity[TGS_I_WORKERS];
    int32_t order[TGS_I_WORKERS];
    tgs_i_chain all = *chain;
    tgs_status status;

    if (!time)
        return TGS_ENOMEM;
    for (int32_t p = 0; p < k; p++) {
        order[p] = p;
        capacity[p] = INFINITY;
        for (int32_t v = 0; v < w->count; v++) {
            const int32_t d = w->device[v][p];

            for (int32_t i = 0; i < n; i++)
                time[p * (n + 1) + i + 1] =
                    fmax(time[p * (n + 1) + i + 1], chain->time[(int64_t)d * (n + 1) + i + 1]
                                                        - chain->time[(int64_t)d * (n + 1) + i]);
            capacity[p] = fmin(capacity[p], chain->capacity ? chain->capacity[d] : INFINITY);
            for (int32_t q = 0; q < k && chain->lat; q++) {
                const int64_t at = (int64_t)d * chain->devices + w->device[v][q];

                lat[p * k + q] = fmax(lat[p * k + q], chain->lat[at]);
                inv[p * k + q] = fmax(inv[p * k + q], chain->inv[at]);
            }
        }
        for (int32_t i = 0; i < n; i++)
            time[p * (n + 1) + i + 1] += time[p * (n + 1) + i];
    }
    all.devices = k;
    all.time = time;
    all.lat = chain->lat ? lat : NULL;
    all.inv = inv;
    all.capacity = chain->capacity ? capacity : NULL;
    status = tgs_i_chain_cut(&all, order, k, INFINITY, cut, longest);
    tgs_mem_free(time);
    return status;
}
