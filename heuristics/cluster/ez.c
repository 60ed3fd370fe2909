/* ez.c -- EZ, edge zeroing.
 *
 * V. Sarkar, "Partitioning and scheduling parallel programs for multiprocessors", MIT Press, 1989.
 *
 * The edges by communication, largest first: the clusters of its ends become one if the schedule of
 * the clustered graph, tasks in the order of their levels, does not become longer by it.
 *
 * O(e (n + e)).  Of each schedule only the part from where the two clusters begin to be in each
 * other's way is made again, and only until it is known to be too long. */
#include <stdlib.h>
#include <string.h>
#include "core.h"
#include "../list/core.h"

typedef struct edge {
    double c;
    int32_t from, to; /* places in the order */
} edge;

typedef struct zeroing { /* tasks are known by their place in the order */
    const tgs_i_clustering *k;
    int32_t *order, *place;  /* inverse of each other */
    double *tail;            /* longest path behind a task, with its time, communication free */
    double *end, *tried;     /* of the schedule so far, and of the one tried, from its beginning */
    int32_t *before, *after; /* in the cluster, -1 none */
    int32_t *head;           /* [n] of each cluster: its first task */
    int32_t *of;
    double length;
} zeroing;

/* ends of [first, n) with the clusters a and b as one; INFINITY once it must be over length */
static double try(zeroing *z, int32_t a, int32_t b, int32_t first)
{
    const tgs_i_clustering *k = z->k;
    const tgs_graph_view *g = k->v->g;
    double joint = 0, length = 0;

    for (int32_t i = z->head[a] < first ? z->head[a] : z->head[b]; i >= 0 && i < first;
         i = z->after[i])
        joint = z->end[i];
    for (int32_t i = 0; i < first; i++)
        length = z->end[i] > length ? z->end[i] : length;
    for (int32_t i = first; i < k->v->n; i++) {
        const int32_t j = z->order[i], before = z->before[i];
        const bool in = z->of[i] == a || z->of[i] == b;
        double t = nearbyint(tgs_i_cluster_release(k->v, j) / k->unit);

        if (in)
            t = joint > t ? joint : t;
        else if (before >= 0)
            t = fmax(t, before < first ? z->end[before] : z->tried[before]);
        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++) {
            const int32_t u = z->place[g->pred[e]];
            const bool same = z->of[u] == z->of[i] || (in && (z->of[u] == a || z->of[u] == b));
            const double x = (u < first ? z->end[u] : z->tried[u])
                             + (same ? 0 : tgs_i_cluster_c(k, g->pred_datum[e]));

            t = x > t ? x : t;
        }
        if (t + z->tail[i] > z->length)
            return INFINITY;
        z->tried[i] = t + k->w[j];
        joint = in ? z->tried[i] : joint;
        length = z->tried[i] > length ? z->tried[i] : length;
    }
    return length;
}

/* two lists in the order become one, under the number of the first */
static void merge(zeroing *z, int32_t a, int32_t b)
{
    int32_t x = z->head[a], y = z->head[b], last = -1;

    z->head[a] = x < y ? x : y;
    while (x >= 0 || y >= 0) {
        const bool left = y < 0 || (x >= 0 && x < y);
        const int32_t i = left ? x : y;

        if (left)
            x = z->after[x];
        else
            y = z->after[y];
        z->of[i] = a;
        z->before[i] = last;
        if (last >= 0)
            z->after[last] = i;
        last = i;
    }
    z->after[last] = -1;
}

static int by_cost(const void *p, const void *q)
{
    const edge *a = p, *b = q;

    if (a->c != b->c)
        return a->c > b->c ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void zero_edge(zeroing *z, const edge *x)
{
    const int32_t n = z->k->v->n, a = z->of[x->from], b = z->of[x->to];
    int32_t first;
    double length;

    if (a == b)
        return;
    first = z->head[a] > z->head[b] ? z->head[a] : z->head[b];
    length = try(z, a, b, first);
    if (length > z->length)
        return;
    z->length = length;
    memcpy(z->end + first, z->tried + first, (size_t)(n - first) * sizeof *z->end);
    merge(z, a, b);
}

/* every task alone: the schedule is the longest path */
static void begin(zeroing *z)
{
    const tgs_i_clustering *k = z->k;
    const int32_t n = k->v->n;

    for (int32_t i = 0; i < n; i++) {
        z->place[z->order[i]] = i;
        z->of[i] = z->head[i] = i;
        z->before[i] = z->after[i] = -1;
    }
    z->length = INFINITY;
    if (n) {
        z->length = try(z, 0, 0, 0);
        memcpy(z->end, z->tried, (size_t)n * sizeof *z->end);
    }
}

static tgs_status zero_edges(zeroing *z, tgs_error *err)
{
    const tgs_ctx *c = z->k->c;
    const tgs_graph_view *g = z->k->v->g;
    edge *list = tgs_mem_alloc((size_t)g->edges, sizeof *list);
    int32_t edges = 0;

    if (!list)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d edges", g->edges);
    for (int32_t j = 0; j < g->tasks; j++)
        for (int32_t e = g->succ_at[j]; e < g->succ_at[j + 1]; e++)
            list[edges++] =
                (edge){tgs_i_cluster_c(z->k, g->succ_datum[e]), z->place[j], z->place[g->succ[e]]};
    qsort(list, (size_t)edges, sizeof *list, by_cost);
    for (int32_t i = 0; i < edges; i++) {
        if (i % 256 == 0 && c->stop && c->stop(c->user))
            break; /* clusters so far are clusters */
        if (i % 256 == 0 && c->progress)
            c->progress(c->user, (double)i / edges);
        zero_edge(z, &list[i]);
    }
    tgs_mem_free(list);
    return TGS_OK;
}

/* by level; the tails without communication, by place */
static tgs_status find_order(zeroing *z, tgs_error *err)
{
    const tgs_view *v = z->k->v;
    double *level = tgs_mem_alloc((size_t)v->n, sizeof *level);
    tgs_status status = TGS_OK;

    if (!level)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for the levels of %d tasks", v->n);
    tgs_i_cluster_levels(z->k, level);
    status = tgs_i_sort(v, level, NULL, z->order, err);
    tgs_i_rank_up(v, z->k->w, false, level);
    for (int32_t i = 0; i < v->n && !status; i++)
        z->tail[i] = level[z->order[i]];
    tgs_mem_free(level);
    return status;
}

static tgs_status zero(tgs_i_clustering *k, tgs_error *err)
{
    const size_t n = (size_t)k->v->n;
    zeroing z = {.k = k};
    tgs_status status;

    k->levels =
        true; /* in another order the schedule could be longer than the one that was tried */
    z.order = tgs_mem_alloc(n, sizeof *z.order);
    z.place = tgs_mem_alloc(n, sizeof *z.place);
    z.tail = tgs_mem_alloc(n, sizeof *z.tail);
    z.end = tgs_mem_alloc(n, sizeof *z.end);
    z.tried = tgs_mem_alloc(n, sizeof *z.tried);
    z.before = tgs_mem_alloc(n, sizeof *z.before);
    z.after = tgs_mem_alloc(n, sizeof *z.after);
    z.head = tgs_mem_alloc(n, sizeof *z.head);
    z.of = tgs_mem_alloc(n, sizeof *z.of);
    if (z.order && z.place && z.tail && z.end && z.tried && z.before && z.after && z.head && z.of)
        status = find_order(&z, err);
    else
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the clusters of %d tasks", k->v->n);
    if (!status) {
        begin(&z);
        status = zero_edges(&z, err);
    }
    for (int32_t i = 0; i < k->v->n && !status; i++)
        k->of[z.order[i]] = z.of[i];
    tgs_mem_free(z.order);
    tgs_mem_free(z.place);
    tgs_mem_free(z.tail);
    tgs_mem_free(z.end);
    tgs_mem_free(z.tried);
    tgs_mem_free(z.before);
    tgs_mem_free(z.after);
    tgs_mem_free(z.head);
    tgs_mem_free(z.of);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_cluster_run(c, plan, zero, err);
}

static const tgs_param params[] = {
    TGS_I_CLUSTER_PARAMS,
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_ez = {
    .base = {TGS_PLUGIN_ABI, "ez",
             "edge zeroing: clusters joined, largest data first, while the schedule does not grow",
             "Sarkar, MIT Press, 1989", params},
    .run = run,
};
