/* placecut.c -- a lower bound on the largest load of any placement, from cuts: some device holds
 * class c, and the least that a device with c in its set can have to do is a minimum cut.
 *
 * A set S costs its times, an item that it makes and does not read all of (out), and an item that
 * it reads and does not make (in).  With S the side of the source: v -> sink costs the time of v;
 * maker -> a costs the transfer and a -> readers is infinite, for out; readers -> b is infinite and
 * b -> maker costs the transfer, for in. */
#include <stdlib.h>
#include "../../forkjoin/maxflow.h"
#include "place.h"

typedef struct start { /* a class, by what a device costs that holds it alone: no cut is more */
    double alone;
    int32_t class_;
} start;

static int by_cost(const void *pa, const void *pb)
{
    const start *a = pa, *b = pb;

    if (a->alone != b->alone)
        return a->alone > b->alone ? -1 : 1;
    return (a->class_ > b->class_) - (a->class_ < b->class_);
}

static double alone(const tgs_i_place_graph *g, const tgs_i_place_devices *d, int32_t c, int32_t q)
{
    double sum = g->time[(int64_t)c * g->groups + q];

    for (int32_t k = g->use_at[c]; k < g->use_at[c + 1] && !d->host[q]; k++)
        sum += g->item_cost[(int64_t)g->use[k] * g->groups + q];
    for (int32_t k = g->make_at[c]; k < g->make_at[c + 1] && !d->host[q]; k++)
        sum += g->item_cost[(int64_t)g->make[k] * g->groups + q];
    return sum;
}

static double alone_best(const tgs_i_place_graph *g, const tgs_i_place_devices *d, int32_t c)
{
    double least = INFINITY;

    for (int32_t q = 0; q < g->groups; q++)
        least = fmin(least, alone(g, d, c, q));
    return least;
}

static tgs_status add_item(tgs_i_maxflow *x, const tgs_i_place_graph *g, int32_t i, double cost)
{
    const int32_t maker = g->item_from[i], out = g->n + 1 + 2 * i, in = out + 1;
    tgs_status status = tgs_i_maxflow_add(x, maker, out, cost);

    if (!status)
        status = tgs_i_maxflow_add(x, in, maker, cost);
    for (int32_t k = g->item_at[i]; k < g->item_at[i + 1] && !status; k++) {
        status = tgs_i_maxflow_add(x, out, g->item_to[k], INFINITY);
        if (!status)
            status = tgs_i_maxflow_add(x, g->item_to[k], in, INFINITY);
    }
    return status;
}

/* the least load of a device of the group that holds the class */
static tgs_status cut(tgs_i_maxflow *x, const tgs_i_place_graph *g, int32_t c, int32_t group,
                      double *load)
{
    const int32_t sink = g->n;
    tgs_status status = tgs_i_maxflow_reset(x, g->n + 1 + 2 * g->items);

    for (int32_t v = 0; v < g->n && !status; v++)
        status = tgs_i_maxflow_add(x, v, sink, g->time[(int64_t)v * g->groups + group]);
    for (int32_t i = 0; i < g->items && !status; i++)
        status = add_item(x, g, i, g->item_cost[(int64_t)i * g->groups + group]);
    if (!status)
        *load = tgs_i_maxflow_run(x, c, sink, 0) * (1 - 1e-12);
    return status;
}

tgs_status tgs_i_place_cut_bound(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                                 int32_t most, double *bound)
{
    start *order = tgs_mem_alloc((size_t)g->n, sizeof *order);
    tgs_i_maxflow x = {.nodes = 0};
    tgs_status status = order ? TGS_OK : TGS_ENOMEM;

    for (int32_t c = 0; c < g->n && !status; c++)
        order[c] = (start){alone_best(g, d, c), c};
    if (!status)
        qsort(order, (size_t)g->n, sizeof *order, by_cost);
    for (int32_t k = 0; k < g->n && k < most && !status && order[k].alone > *bound; k++) {
        const int32_t c = order[k].class_;
        double least = INFINITY;

        for (int32_t q = 0; q < g->groups && !status; q++) {
            double load = g->time[(int64_t)c * g->groups + q];

            if (!d->host[q] && load < INFINITY)
                status = cut(&x, g, c, q, &load);
            least = fmin(least, load);
        }
        if (!status && least < INFINITY)
            *bound = fmax(*bound, least);
    }
    tgs_i_maxflow_free(&x);
    tgs_mem_free(order);
    return status;
}
