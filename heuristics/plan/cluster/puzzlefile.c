/* puzzlefile.c -- the file of puzzle, and the times of all runs of layers. */
#include "puzzle.h"

enum { PROCESSOR, NETWORK, LAYER, UNIT };
static const tgs_i_column processor[] = {{.key = NULL}};
static const tgs_i_column network[] = {
    {"period", TGS_I_REAL, false, 1e-12, 1e12, 0, 0},
    {.key = NULL},
};
static const tgs_i_column layer[] = {
    {"network", TGS_I_ROW, false, 0, 0, NAN, NETWORK},
    {"times", TGS_I_REAL, true, 0, INFINITY, NAN, 0},
    {"handover", TGS_I_REAL, false, 0, 1e12, 0, 0},
    {.key = NULL},
};
static const tgs_i_column unit[] = {
    {"first", TGS_I_ROW, false, 0, 0, NAN, LAYER},
    {"last", TGS_I_ROW, false, 0, 0, NAN, LAYER},
    {"times", TGS_I_REAL, true, 0, INFINITY, NAN, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {{"processor", 1, 64, processor},
                                     {"network", 1, 1000, network},
                                     {"layer", 1, 20000, layer},
                                     {"unit", 0, 1000000, unit},
                                     {.record = NULL}};
#define MOST_LAYERS 1000 /* of a network: its table is quadratic */

static tgs_status times_of(const tgs_i_puzzle *x, int32_t table, int32_t row, int32_t column,
                           const double **times, tgs_error *err)
{
    const int32_t n = tgs_i_list(x->file, table, row, column, times);

    if (n != x->processors)
        return tgs_i_row_fail(x->file, table, row, err, "%d times for %d processors", n,
                              x->processors);
    return TGS_OK;
}

/* genes by network, then in the order of the file; index[row] is that of a layer's row */
static tgs_status number_layers(tgs_i_puzzle *x, int32_t *gene, tgs_error *err)
{
    int32_t first = 0;

    for (int32_t l = 0; l < x->layers; l++) {
        tgs_i_net *net = &x->net[tgs_i_index(x->file, LAYER, l, 0)];

        if (++net->layers > MOST_LAYERS)
            return tgs_i_row_fail(x->file, LAYER, l, err, "more than %d layers in a network",
                                  MOST_LAYERS);
    }
    for (int32_t i = 0; i < x->nets; i++) {
        tgs_i_net *net = &x->net[i];
        const size_t n = (size_t)net->layers;

        if (!n)
            return tgs_i_row_fail(x->file, NETWORK, i, err, "the network has no layer");
        net->period = tgs_i_real(x->file, NETWORK, i, 0);
        net->gene = first;
        first += net->layers;
        net->layers = 0;
        net->handover = tgs_mem_alloc(n, sizeof *net->handover);
        net->time = tgs_mem_alloc(n * n, (size_t)x->processors * sizeof *net->time);
        if (!net->handover || !net->time)
            return tgs_fail(err, TGS_ENOMEM, "out of memory for %zu layers", n);
    }
    for (int32_t l = 0; l < x->layers; l++) {
        tgs_i_net *net = &x->net[tgs_i_index(x->file, LAYER, l, 0)];

        net->handover[net->layers] = tgs_i_real(x->file, LAYER, l, 2);
        gene[l] = net->gene + net->layers++;
        x->layer_row[gene[l]] = l;
    }
    return TGS_OK;
}

static tgs_status add_up(tgs_i_puzzle *x, double fusion, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->nets; i++) {
        const tgs_i_net *net = &x->net[i];
        const int32_t n = net->layers;

        for (int32_t a = n - 1; a >= 0 && !status; a--) {
            const double *times;

            status = times_of(x, LAYER, x->layer_row[net->gene + a], 1, &times, err);
            for (int32_t p = 0; p < x->processors && !status; p++) {
                double sum = 0;

                for (int32_t b = a; b < n; b++) {
                    const double *one = net->time + ((int64_t)b * n + b) * x->processors + p;

                    sum += b == a ? times[p] : *one;
                    net->time[((int64_t)a * n + b) * x->processors + p] =
                        b == a ? sum : sum * fusion;
                }
            }
        }
    }
    return status;
}

static tgs_status read_units(tgs_i_puzzle *x, const int32_t *gene, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t u = 0; u < tgs_i_rows(x->file, UNIT) && !status; u++) {
        const int32_t first = tgs_i_index(x->file, UNIT, u, 0),
                      last = tgs_i_index(x->file, UNIT, u, 1);
        const tgs_i_net *net = &x->net[tgs_i_index(x->file, LAYER, first, 0)];
        const int64_t a = gene[first] - net->gene, b = gene[last] - net->gene;
        const double *times;

        if (tgs_i_index(x->file, LAYER, first, 0) != tgs_i_index(x->file, LAYER, last, 0) || a > b)
            return tgs_i_row_fail(x->file, UNIT, u, err,
                                  "the last layer does not follow the first");
        status = times_of(x, UNIT, u, 2, &times, err);
        for (int32_t p = 0; p < x->processors && !status; p++)
            net->time[(a * net->layers + b) * x->processors + p] = times[p];
    }
    return status;
}

tgs_status tgs_i_puzzle_open(tgs_i_puzzle *x, const tgs_planner_ctx *c, tgs_error *err)
{
    int32_t *gene = NULL;
    tgs_status status;

    *x = (tgs_i_puzzle){.requests = (int32_t)tgs_arg_int(c->args, "requests")};
    status = tgs_i_instance_read(&x->file, c->source, tables, err);
    if (status)
        return status;
    x->processors = tgs_i_rows(x->file, PROCESSOR);
    x->nets = tgs_i_rows(x->file, NETWORK);
    x->layers = tgs_i_rows(x->file, LAYER);
    x->net = tgs_mem_alloc((size_t)x->nets, sizeof *x->net);
    x->layer_row = tgs_mem_alloc((size_t)x->layers, sizeof *x->layer_row);
    x->piece = tgs_mem_alloc((size_t)x->layers, sizeof *x->piece);
    x->piece_at = tgs_mem_alloc((size_t)x->nets + 1, sizeof *x->piece_at);
    x->free = tgs_mem_alloc((size_t)x->processors, sizeof *x->free);
    x->request = tgs_mem_alloc((size_t)x->nets * (size_t)x->requests, sizeof *x->request);
    x->rank = tgs_mem_alloc((size_t)x->layers, sizeof *x->rank);
    gene = tgs_mem_alloc((size_t)x->layers, sizeof *gene);
    if (!x->net || !x->layer_row || !x->piece || !x->piece_at || !x->free || !x->request || !x->rank
        || !gene)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d layers", x->layers);
    if (!status)
        status = number_layers(x, gene, err);
    if (!status)
        status = add_up(x, tgs_arg_real(c->args, "fusion"), err);
    if (!status)
        status = read_units(x, gene, err);
    tgs_mem_free(gene);
    if (status)
        tgs_i_puzzle_close(x);
    return status;
}

void tgs_i_puzzle_close(tgs_i_puzzle *x)
{
    for (int32_t i = 0; x->net && i < x->nets; i++) {
        tgs_mem_free(x->net[i].time);
        tgs_mem_free(x->net[i].handover);
    }
    tgs_i_instance_free(x->file);
    tgs_mem_free(x->net);
    tgs_mem_free(x->layer_row);
    tgs_mem_free(x->piece);
    tgs_mem_free(x->piece_at);
    tgs_mem_free(x->free);
    tgs_mem_free(x->request);
    tgs_mem_free(x->rank);
}
