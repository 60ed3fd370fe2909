/* placecore.c -- what graphs of nodes and graphs of classes are made of: rows of pairs. */
#include <stdlib.h>
#include "place.h"

static int by_pair(const void *a, const void *b)
{
    const tgs_i_pair *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

int32_t tgs_i_pairs_unique(tgs_i_pair *pair, int32_t count)
{
    int32_t left = 0;

    if (count > 1)
        qsort(pair, (size_t)count, sizeof *pair, by_pair);
    for (int32_t i = 0; i < count; i++)
        if (!left || by_pair(&pair[left - 1], &pair[i]))
            pair[left++] = pair[i];
    return left;
}

tgs_status tgs_i_pairs_rows(const tgs_i_pair *pair, int32_t count, int32_t n, bool turned,
                            int32_t **at, int32_t **to)
{
    *at = tgs_mem_alloc((size_t)n + 1, sizeof **at);
    *to = tgs_mem_alloc((size_t)count, sizeof **to);
    if (!*at || !*to)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < count; i++)
        (*at)[(turned ? pair[i].to : pair[i].from) + 1]++;
    for (int32_t v = 0; v < n; v++)
        (*at)[v + 1] += (*at)[v];
    for (int32_t i = 0; i < count; i++) /* at[v] runs to the end of v's row, */
        (*to)[(*at)[turned ? pair[i].to : pair[i].from]++] = turned ? pair[i].from : pair[i].to;
    for (int32_t v = n; v > 0; v--) /* which is where the next one begins */
        (*at)[v] = (*at)[v - 1];
    (*at)[0] = 0;
    return TGS_OK;
}

tgs_status tgs_i_place_index(tgs_i_place_graph *g)
{
    const int32_t uses = g->item_at[g->items];
    tgs_i_pair *pair = tgs_mem_alloc((size_t)uses + (size_t)g->items, sizeof *pair);
    tgs_status status = pair ? TGS_OK : TGS_ENOMEM;

    for (int32_t i = 0, k = 0; i < g->items && !status; i++)
        for (; k < g->item_at[i + 1]; k++)
            pair[k] = (tgs_i_pair){i, g->item_to[k]};
    if (!status)
        status = tgs_i_pairs_rows(pair, uses, g->n, true, &g->use_at, &g->use);
    for (int32_t i = 0; i < g->items && !status; i++)
        pair[i] = (tgs_i_pair){i, g->item_from[i]};
    if (!status)
        status = tgs_i_pairs_rows(pair, g->items, g->n, true, &g->make_at, &g->make);
    tgs_mem_free(pair);
    return status;
}

tgs_status tgs_i_place_order(tgs_i_place_graph *g, const tgs_i_pair *pair, int32_t count)
{
    tgs_status status = tgs_i_pairs_rows(pair, count, g->n, false, &g->succ_at, &g->succ);

    return status ? status : tgs_i_pairs_rows(pair, count, g->n, true, &g->pred_at, &g->pred);
}

void tgs_i_place_graph_free(tgs_i_place_graph *g)
{
    tgs_mem_free(g->time);
    tgs_mem_free(g->size);
    tgs_mem_free(g->item_from);
    tgs_mem_free(g->item_at);
    tgs_mem_free(g->item_to);
    tgs_mem_free(g->item_cost);
    tgs_mem_free(g->use_at);
    tgs_mem_free(g->use);
    tgs_mem_free(g->make_at);
    tgs_mem_free(g->make);
    tgs_mem_free(g->pred_at);
    tgs_mem_free(g->pred);
    tgs_mem_free(g->succ_at);
    tgs_mem_free(g->succ);
    *g = (tgs_i_place_graph){0};
}
