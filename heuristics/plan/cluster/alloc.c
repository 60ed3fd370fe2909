/* alloc.c -- the file of alloc-matrix, and what a matrix is worth. */
#include <stdlib.h>
#include "alloc.h"

enum { DEVICE, MODEL, OPTION };
static const tgs_i_column device[] = {
    {"memory", TGS_I_REAL, false, 0, INFINITY, NAN, 0},
    {"fallback", TGS_I_WHOLE, false, 0, 1, 0, 0},
    {.key = NULL},
};
static const tgs_i_column model[] = {{.key = NULL}};
static const tgs_i_column option[] = {
    {"model", TGS_I_ROW, false, 0, 0, NAN, MODEL},
    {"memory", TGS_I_REAL, false, 0, 1e18, NAN, 0},
    {"batch", TGS_I_WHOLE, false, 1, 1e9, 1, 0},
    {"rates", TGS_I_REAL, true, 0, INFINITY, 0, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {{"device", 1, 1000, device},
                                     {"model", 1, 1000, model},
                                     {"option", 1, 100000, option},
                                     {.record = NULL}};

typedef struct sorting {
    int32_t model, index;
    double memory;
} sorting;

static int by_model(const void *a, const void *b)
{
    const sorting *x = a, *y = b;

    if (x->model != y->model)
        return x->model < y->model ? -1 : 1;
    if (x->memory != y->memory)
        return x->memory < y->memory ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static tgs_status read_rates(const tgs_i_alloc *x, double *rate, tgs_error *err)
{
    for (int32_t o = 0; o < x->options; o++) {
        const double *list;
        const int32_t n = tgs_i_list(x->file, OPTION, o, 3, &list);

        if (n && n != x->devices)
            return tgs_i_row_fail(x->file, OPTION, o, err, "%d rates for %d devices", n,
                                  x->devices);
        for (int32_t d = 0; d < x->devices; d++) {
            const double r = n ? list[d] : 1;

            rate[(int64_t)o * x->devices + d] = r < INFINITY ? r : 0;
        }
    }
    return TGS_OK;
}

static tgs_status sort_options(const tgs_i_alloc *x, int32_t *first, int32_t *sorted,
                               tgs_error *err)
{
    sorting *s = tgs_mem_alloc((size_t)x->options, sizeof *s);
    tgs_status status = TGS_OK;

    if (!s)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d options", x->options);
    for (int32_t o = 0; o < x->options; o++) {
        s[o] = (sorting){tgs_i_index(x->file, OPTION, o, 0), o, x->need[o]};
        first[s[o].model + 1]++;
    }
    for (int32_t m = 0; m < x->models && !status; m++) {
        if (first[m + 1] == 0)
            status = tgs_i_row_fail(x->file, MODEL, m, err, "the model has no option");
        first[m + 1] += first[m];
    }
    qsort(s, (size_t)x->options, sizeof *s, by_model);
    for (int32_t o = 0; o < x->options; o++)
        sorted[o] = s[o].index;
    tgs_mem_free(s);
    return status;
}

tgs_status tgs_i_alloc_open(tgs_i_alloc *x, const tgs_planner_ctx *c, tgs_error *err)
{
    double *memory, *need, *rate;
    int32_t *first, *sorted;
    bool *fallback;
    size_t d, m, o;
    tgs_status status;

    *x = (tgs_i_alloc){.slowdown = tgs_arg_real(c->args, "slowdown")};
    status = tgs_i_instance_read(&x->file, c->source, tables, err);
    if (status)
        return status;
    d = (size_t)(x->devices = tgs_i_rows(x->file, DEVICE));
    m = (size_t)(x->models = tgs_i_rows(x->file, MODEL));
    o = (size_t)(x->options = tgs_i_rows(x->file, OPTION));
    x->room = tgs_mem_alloc(d + o + o * d + (m + 1 + o) / 2 + 1 + d / 8 + 1, sizeof *x->room);
    if (!x->room) {
        tgs_i_alloc_close(x);
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d options", x->options);
    }
    x->memory = memory = x->room;
    x->need = need = memory + d;
    x->rate = rate = need + o;
    x->first = first = (int32_t *)(rate + o * d);
    x->sorted = sorted = first + m + 1;
    x->fallback = fallback = (bool *)(sorted + o);
    for (int32_t i = 0; i < x->devices; i++) {
        memory[i] = tgs_i_real(x->file, DEVICE, i, 0);
        fallback[i] = tgs_i_real(x->file, DEVICE, i, 1) > 0;
    }
    for (int32_t i = 0; i < x->options; i++)
        need[i] = tgs_i_real(x->file, OPTION, i, 1);
    status = read_rates(x, rate, err);
    if (!status)
        status = sort_options(x, first, sorted, err);
    if (status)
        tgs_i_alloc_close(x);
    return status;
}

void tgs_i_alloc_close(tgs_i_alloc *x)
{
    tgs_i_instance_free(x->file);
    tgs_mem_free(x->room);
}

double tgs_i_alloc_left(const tgs_i_alloc *x, const int32_t *entry, int32_t d)
{
    double left = x->memory[d];

    for (int32_t m = 0; m < x->models; m++)
        if (entry[d * x->models + m] >= 0)
            left -= x->need[entry[d * x->models + m]];
    return left;
}

bool tgs_i_alloc_placed(const tgs_i_alloc *x, const int32_t *entry, int32_t m)
{
    for (int32_t d = 0; d < x->devices; d++)
        if (entry[d * x->models + m] >= 0)
            return true;
    return false;
}

double tgs_i_alloc_least(const tgs_i_alloc *x, int32_t m, int32_t d)
{
    for (int32_t k = x->first[m]; k < x->first[m + 1]; k++) /* which are sorted by bytes */
        if (x->rate[(int64_t)x->sorted[k] * x->devices + d] > 0)
            return x->need[x->sorted[k]];
    return INFINITY;
}

tgs_i_served tgs_i_alloc_judge(const tgs_i_alloc *x, const int32_t *entry)
{
    tgs_i_served s = {.slowest = INFINITY};

    for (int32_t m = 0; m < x->models; m++) {
        double rate = 0;
        bool runs = false, proper = false;

        for (int32_t d = 0; d < x->devices; d++) {
            const int32_t o = entry[d * x->models + m];
            int32_t others = -1;

            if (o < 0)
                continue;
            for (int32_t k = 0; k < x->models; k++)
                others += entry[d * x->models + k] >= 0;
            rate += x->rate[(int64_t)o * x->devices + d] / (1 + x->slowdown * others);
            runs = true;
            proper |= !x->fallback[d];
        }
        s.missing += !runs;
        s.stranded += runs && !proper;
        s.slowest = rate < s.slowest ? rate : s.slowest;
        s.all += rate;
    }
    return s;
}

bool tgs_i_alloc_better(const tgs_i_served *a, const tgs_i_served *b)
{
    if (a->missing != b->missing)
        return a->missing < b->missing;
    if (a->stranded != b->stranded)
        return a->stranded < b->stranded;
    if (a->slowest != b->slowest)
        return a->slowest > b->slowest;
    return a->all > b->all;
}
