/* workersdeal.c -- devices dealt to equal virtual workers (policy best of workers.c): every deal of
 * few devices, two deals of each size of many. */
#include <string.h>
#include "../step.h"

enum { MOST_ORDERS = 5040, MOST_DEALS = 200000, DEALT = 16 };

typedef struct dealing {
    const tgs_i_chain *x;
    bool coupled;
    int32_t workers, size, types;
    int32_t type[DEALT], left[DEALT]; /* of each type: its first device, count */
    int32_t taken[DEALT][DEALT];      /* [worker][type] */
    struct known {                    /* longest stages of compositions that were seen */
        int32_t taken[DEALT];
        double stage;
    } * known;
    int64_t knowns, room, deals;
    double best;
    int32_t chosen[DEALT][DEALT];
    tgs_status status;
} dealing;

/* the best longest stage of a worker; INFINITY: it is not below what would make the deal better */
static double stage_of(dealing *d, const int32_t *taken)
{
    const double bound = d->coupled && d->best > 0 ? d->workers / d->best : INFINITY;
    int32_t order[DEALT], cut[DEALT + 1], k = 0;
    double stage = INFINITY;

    for (int64_t i = 0; i < d->knowns; i++)
        if (!memcmp(d->known[i].taken, taken, sizeof d->known[i].taken))
            return d->known[i].stage;
    for (int32_t t = 0; t < d->types; t++)
        for (int32_t i = 0; i < taken[t]; i++)
            order[k++] = d->type[t]; /* devices of a type are alike */
    d->status = tgs_i_chain_order(d->x, k, order, cut, MOST_ORDERS, bound, &stage);
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
        if (open == 0 && (v == 0 || memcmp(d->taken[v - 1], d->taken[v], sizeof *d->taken) >= 0)
            && stage_of(d, d->taken[v]) < INFINITY)
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
    bool used[DEALT] = {false};

    w->count = d->workers;
    w->size = d->size;
    for (int32_t v = 0; v < w->count; v++) {
        int32_t k = 0;

        for (int32_t t = 0; t < d->types; t++)
            for (int32_t i = 0, need = d->chosen[v][t]; i < d->x->devices && need; i++)
                if (!used[i] && d->x->type[i] == d->x->type[d->type[t]]) {
                    used[i] = true;
                    w->device[v * w->size + k++] = i;
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

/* devices are too many to try every deal: two for each size */
static tgs_status some_deals(const tgs_i_chain *x, int32_t asked, bool coupled, tgs_i_workers *w)
{
    tgs_i_workers trial;
    double best = 0;
    tgs_status status = tgs_i_workers_open(&trial, x->devices);

    for (int32_t size = 1; size <= x->devices && size <= x->n && !status; size++)
        for (int turns = 0; turns < 2 && !status; turns++) {
            double rate;

            if (x->devices % size || (asked && size != asked) || (turns && size == 1))
                continue;
            trial.size = size;
            trial.count = x->devices / size;
            for (int32_t v = 0; v < trial.count; v++)
                for (int32_t k = 0; k < size; k++)
                    trial.device[v * size + k] = turns ? k * trial.count + v : v * size + k;
            status = tgs_i_workers_cut(x, &trial);
            rate = status ? 0 : tgs_i_workers_rate(&trial, coupled);
            for (int32_t v = 0; v < trial.count; v++)
                if (!(trial.stage[v] < INFINITY))
                    rate = 0;
            if (rate > best) {
                best = rate;
                tgs_i_workers_assign(w, &trial);
            }
        }
    tgs_i_workers_close(&trial);
    return status;
}

tgs_status tgs_i_workers_deal(tgs_i_workers *w, const tgs_i_chain *x, int32_t size, bool coupled)
{
    return x->devices > DEALT ? some_deals(x, size, coupled, w) : every_deal(x, size, coupled, w);
}
