/* arcs.c -- dependencies, told in any order and some of them twice, become lists by task in both
 * directions.  O(tasks + arcs) when the arcs to each task come in order of where they are from,
 * else these are sorted. */
#include <stdlib.h>
#include "builder.h"

typedef struct source { /* an arc, among those to one task */
    int32_t from, datum;
} source;

/* by from; with data first, and of these the last datum */
static int by_source(const void *a, const void *b)
{
    const source *x = a, *y = b;

    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->datum < y->datum) - (x->datum > y->datum);
}

/* most are few, or in order already */
static void sort_sources(source *x, int64_t count)
{
    int64_t sorted = 1;

    while (sorted < count && by_source(&x[sorted - 1], &x[sorted]) <= 0)
        sorted++;
    if (count - sorted > 16) {
        qsort(x, (size_t)count, sizeof *x, by_source);
        return;
    }
    for (int64_t i = sorted; i < count; i++) {
        const source one = x[i];
        int64_t j = i;

        for (; j > 0 && by_source(&x[j - 1], &one) > 0; j--)
            x[j] = x[j - 1];
        x[j] = one;
    }
}

/* what comes before each task: at [tasks + 2] zeros on entry, CSR offsets on return */
static void gather_sources(const tgs_i_arc *arc, int64_t arcs, int32_t tasks, int32_t *at,
                           source *to)
{
    for (int64_t i = 0; i < arcs; i++)
        at[arc[i].to + 2]++;
    for (int64_t t = 0; t < tasks; t++)
        at[t + 2] += at[t + 1];
    for (int64_t i = 0; i < arcs; i++)
        to[at[arc[i].to + 1]++] = (source){arc[i].from, arc[i].datum};
}

/* each list ascending, without repeats, and without order-only arcs beside one with data; returns
 * how many are left */
static int64_t unique_sources(int32_t tasks, int32_t *at, source *x)
{
    int32_t kept = 0, begin = 0;

    for (int32_t t = 0; t < tasks; t++) {
        const int32_t first = kept, end = at[t + 1];

        sort_sources(x + begin, end - begin);
        for (int32_t i = begin; i < end; i++)
            if (kept == first || x[i].from != x[kept - 1].from
                || (x[i].datum >= 0 && x[i].datum != x[kept - 1].datum))
                x[kept++] = x[i];
        at[t] = first;
        begin = end;
    }
    at[tasks] = kept;
    return kept;
}

/* both directions in CSR; each list is ascending */
static tgs_status write_arcs(tgs_graph_view *v, const source *x, int64_t arcs)
{
    const size_t n = (size_t)v->tasks, count = (size_t)arcs;
    int32_t *pred, *pred_datum, *succ, *succ_datum, *at;

    v->edges = (int32_t)arcs;
    v->succ_at = at = tgs_mem_alloc(n + 2, sizeof *at);
    v->pred = pred = tgs_mem_alloc(count, sizeof *pred);
    v->pred_datum = pred_datum = tgs_mem_alloc(count, sizeof *pred_datum);
    v->succ = succ = tgs_mem_alloc(count, sizeof *succ);
    v->succ_datum = succ_datum = tgs_mem_alloc(count, sizeof *succ_datum);
    if (!at || !pred || !pred_datum || !succ || !succ_datum)
        return TGS_ENOMEM;
    for (size_t i = 0; i < count; i++)
        at[x[i].from + 2]++;
    for (size_t t = 0; t < n; t++)
        at[t + 2] += at[t + 1];
    for (int32_t t = 0; t < v->tasks; t++)
        for (int32_t i = v->pred_at[t]; i < v->pred_at[t + 1]; i++) {
            const int32_t j = at[x[i].from + 1]++;

            pred[i] = x[i].from;
            pred_datum[i] = x[i].datum;
            succ[j] = t;
            succ_datum[j] = x[i].datum;
        }
    return TGS_OK;
}

tgs_status tgs_i_arcs_link(tgs_graph_view *v, tgs_i_arc *arc, int64_t arcs)
{
    source *x = tgs_mem_alloc((size_t)arcs, sizeof *x);
    int32_t *at = tgs_mem_alloc((size_t)v->tasks + 2, sizeof *at);
    tgs_status status = TGS_ENOMEM;

    v->pred_at = at;
    if (at && x)
        gather_sources(arc, arcs, v->tasks, at, x);
    tgs_mem_free(arc);
    if (at && x)
        status = write_arcs(v, x, unique_sources(v->tasks, at, x));
    tgs_mem_free(x);
    return status;
}
