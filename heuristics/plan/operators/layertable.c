/* layertable.c -- reads measured times of layers by implementation and batch, as HEP-BNN publishes
 * them, and refuses tables in which two networks are mixed up. */
#include <stdlib.h>
#include <string.h>
#include "../csv.h"
#include "layers.h"

enum { NETWORK, IMPLEMENTATION, BATCH, LAYER, HOST, KERNEL };
enum { MOST = 64, MOST_LAYERS = 100000 };

typedef struct reading {
    tgs_i_layer_table *x;
    tgs_i_csv *t;
    const char *network, *mixed;
    tgs_error *err;
} reading;

static bool is_mixed(const reading *r, int32_t row)
{
    return !strcmp(tgs_i_csv_text(r->t, row, IMPLEMENTATION), r->mixed);
}

static bool is_wanted(const reading *r, int32_t row)
{
    return !*r->network || !strcmp(tgs_i_csv_text(r->t, row, NETWORK), r->network);
}

/* rows of networks that nobody asked for do not count; without a name there may be one only */
static tgs_status find_network(reading *r)
{
    bool any = false;

    for (int32_t i = 1; i < r->t->rows && !*r->network; i++)
        if (strcmp(tgs_i_csv_text(r->t, i, NETWORK), tgs_i_csv_text(r->t, 0, NETWORK)))
            return tgs_i_csv_fail(
                r->t, i, r->err, "the table is of several networks (%.60s, %.60s): say which one",
                tgs_i_csv_text(r->t, 0, NETWORK), tgs_i_csv_text(r->t, i, NETWORK));
    for (int32_t i = 0; i < r->t->rows && !any; i++)
        any = is_wanted(r, i);
    return any ? TGS_OK
               : tgs_fail(r->err, TGS_ENOTFOUND, "%s: no rows of a network '%.100s'", r->t->path,
                          r->network);
}

static int32_t choice_of(const reading *r, int32_t row)
{
    const char *name = tgs_i_csv_text(r->t, row, IMPLEMENTATION);

    for (int32_t k = 0; k < r->x->choices; k++)
        if (!strcmp(r->x->name[k], name))
            return k;
    return -1;
}

static int32_t batch_of(const reading *r, int64_t batch)
{
    for (int32_t k = 0; k < r->x->batches; k++)
        if (r->x->batch[k] == batch)
            return k;
    return -1;
}

static int by_size(const void *pa, const void *pb)
{
    const int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

    return (a > b) - (a < b);
}

/* which implementations, batches and layers there are */
static tgs_status measure(reading *r)
{
    tgs_i_layer_table *x = r->x;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < r->t->rows && !status; i++) {
        int64_t batch, layer;

        if (!is_wanted(r, i))
            continue;
        status = tgs_i_csv_count(r->t, i, BATCH, INT32_MAX, &batch, r->err);
        if (!status)
            status = tgs_i_csv_count(r->t, i, LAYER, MOST_LAYERS, &layer, r->err);
        if (status)
            break;
        if ((x->choices == MOST && !is_mixed(r, i) && choice_of(r, i) < 0)
            || (x->batches == MOST && batch_of(r, batch) < 0))
            return tgs_i_csv_fail(r->t, i, r->err, "more than %d implementations or batches", MOST);
        if (!is_mixed(r, i) && choice_of(r, i) < 0)
            x->name[x->choices++] = tgs_i_csv_text(r->t, i, IMPLEMENTATION);
        if (batch_of(r, batch) < 0)
            x->batch[x->batches++] = batch;
        x->layers = layer >= x->layers ? (int32_t)layer + 1 : x->layers;
    }
    qsort(x->batch, (size_t)x->batches, sizeof *x->batch, by_size);
    return status;
}

/* a row that says again what another one said, with the layers of another network, is refused */
static tgs_status take_row(reading *r, int32_t row, double *mixed)
{
    tgs_i_layer_table *x = r->x;
    const int32_t k = choice_of(r, row);
    double host = 0, kernel = 0, *at;
    int64_t batch = 0, layer = 0;
    tgs_status status = tgs_i_csv_real(r->t, row, HOST, 0, &host, r->err);

    if (!status)
        status = tgs_i_csv_real(r->t, row, KERNEL, 0, &kernel, r->err);
    if (!status)
        status = tgs_i_csv_count(r->t, row, BATCH, INT32_MAX, &batch, r->err);
    if (!status)
        status = tgs_i_csv_count(r->t, row, LAYER, MOST_LAYERS, &layer, r->err);
    if (status)
        return status;
    at = k < 0 ? &mixed[batch_of(r, batch) * x->layers + layer]
               : &x->time[((int64_t)batch_of(r, batch) * x->layers + layer) * x->choices + k];
    if (!isnan(*at))
        return tgs_i_csv_fail(r->t, row, r->err, "batch %lld has layer %lld of '%.60s' twice",
                              (long long)batch, (long long)layer,
                              tgs_i_csv_text(r->t, row, IMPLEMENTATION));
    *at = host + kernel;
    return TGS_OK;
}

/* an implementation has all layers of a batch, or none: INFINITY */
static tgs_status complete(reading *r, int32_t batch, int32_t choice)
{
    tgs_i_layer_table *x = r->x;
    double *time = &x->time[(int64_t)batch * x->layers * x->choices + choice];
    int32_t there = 0;

    for (int32_t i = 0; i < x->layers; i++)
        there += !isnan(time[(int64_t)i * x->choices]);
    if (there && there < x->layers)
        return tgs_fail(r->err, TGS_EPARSE,
                        "%s: batch %lld of '%.60s' has %d layers, others have %d: two networks are "
                        "mixed up",
                        r->t->path, (long long)x->batch[batch], x->name[choice], there, x->layers);
    for (int32_t i = 0; i < x->layers && !there; i++)
        time[(int64_t)i * x->choices] = INFINITY;
    return TGS_OK;
}

static tgs_status take(reading *r)
{
    tgs_i_layer_table *x = r->x;
    const size_t cells = (size_t)x->batches * (size_t)x->layers;
    double *mixed = tgs_mem_alloc(cells, sizeof *mixed);
    tgs_status status = TGS_OK;

    x->time = tgs_mem_alloc(cells * (size_t)x->choices, sizeof *x->time);
    if (!mixed || !x->time)
        status = tgs_fail(r->err, TGS_ENOMEM, "%s: out of memory", r->t->path);
    for (size_t i = 0; i < cells * (size_t)x->choices && !status; i++)
        x->time[i] = NAN;
    for (size_t i = 0; i < cells && !status; i++)
        mixed[i] = NAN;
    for (int32_t i = 0; i < r->t->rows && !status; i++)
        if (is_wanted(r, i))
            status = take_row(r, i, mixed);
    for (int32_t b = 0; b < x->batches && !status; b++) {
        x->mixed[b] = 0;
        for (int32_t i = 0; i < x->layers; i++)
            x->mixed[b] += mixed[(int64_t)b * x->layers + i];
        for (int32_t k = 0; k < x->choices && !status; k++)
            status = complete(r, b, k);
    }
    tgs_mem_free(mixed);
    return status;
}

tgs_status tgs_i_layer_table_read(tgs_i_layer_table *x, tgs_source *s, const char *network,
                                  const char *host, const char *mixed, tgs_error *err)
{
    reading r = {.x = x, .network = network, .mixed = mixed, .err = err};
    tgs_status status;

    *x = (tgs_i_layer_table){.layers = 0};
    x->table = r.t = tgs_mem_alloc(1, sizeof *r.t);
    if (!r.t)
        return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path);
    status = tgs_i_csv_read(r.t, s, "network,implementation,batch,layer,host_s,kernel_s", err);
    if (!status)
        status = find_network(&r);
    if (!status)
        status = measure(&r);
    if (!status)
        status = take(&r);
    for (int32_t k = 0; k < x->choices; k++)
        x->side[k] = strcmp(x->name[k], host) != 0;
    if (status)
        tgs_i_layer_table_close(x);
    return status;
}

void tgs_i_layer_table_close(tgs_i_layer_table *x)
{
    if (x->table)
        tgs_i_csv_close(x->table);
    tgs_mem_free(x->table);
    tgs_mem_free(x->time);
    *x = (tgs_i_layer_table){.layers = 0};
}
