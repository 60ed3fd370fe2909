/* lc.c -- LC, linear clustering.
 *
 * S. J. Kim, J. C. Browne, "A general approach to mapping of parallel computation upon
 * multiprocessor architectures", ICPP 1988.
 *
 * The longest path, communication included, becomes a cluster and is taken out of the graph; then
 * the longest of what is left, until nothing is.  O(n (n + e)) at worst: after a path has gone only
 * the levels of those above it are computed again, and only as far as they change. */
#include "core.h"
#include "tgsched/heap.h"

typedef struct paths {
    const tgs_i_clustering *k;
    const tgs_view *v;
    double *level;    /* [n] length of the longest path from a task through what is left */
    int32_t *next;    /* [n] its second task, -1 none */
    bool *gone;       /* [n] */
    bool *waits;      /* [n] is in change */
    tgs_heap longest; /* by level descending, which may have fallen since */
    tgs_heap change;  /* levels to compute again, by canonical position descending */
} paths;

static void find_level(paths *x, int32_t task)
{
    const tgs_graph_view *g = x->v->g;
    double most = 0;

    x->next[task] = -1;
    for (int32_t e = g->succ_at[task]; e < g->succ_at[task + 1]; e++) {
        const int32_t s = g->succ[e];
        const double c = tgs_i_cluster_c(x->k, g->succ_datum[e]), length = c + x->level[s];
        const int32_t before = x->next[task];

        if (x->gone[s] || length < most)
            continue;
        if (length > most || before < 0 || g->topo_pos[s] < g->topo_pos[before])
            x->next[task] = s;
        most = length;
    }
    x->level[task] = x->k->w[task] + most;
}

/* the levels that went along next to a task have to be found again */
static void touch_above(paths *x, int32_t task)
{
    const tgs_graph_view *g = x->v->g;

    for (int32_t e = g->pred_at[task]; e < g->pred_at[task + 1]; e++) {
        const int32_t u = g->pred[e];

        if (x->gone[u] || x->next[u] != task || x->waits[u])
            continue;
        x->waits[u] = true;
        tgs_heap_push(&x->change, -(double)g->topo_pos[u], u);
    }
}

static void take_out(paths *x, int32_t first, int32_t *of)
{
    for (int32_t j = first; j >= 0; j = x->next[j]) {
        of[j] = first;
        x->gone[j] = true;
    }
    for (int32_t j = first; j >= 0; j = x->next[j])
        touch_above(x, j);
    while (x->change.size) {
        const int32_t u = tgs_heap_pop(&x->change).id;
        double before;

        before = x->level[u];
        x->waits[u] = false;
        find_level(x, u);
        if (x->level[u] < before)
            touch_above(x, u);
    }
}

static void cluster(paths *x, int32_t *of)
{
    const tgs_graph_view *g = x->v->g;

    for (int32_t i = x->v->n - 1; i >= 0; i--)
        find_level(x, g->topo[i]);
    for (int32_t i = 0; i < x->v->n; i++)
        tgs_heap_push(&x->longest, -x->level[g->topo[i]], i);
    while (x->longest.size) {
        const tgs_heap_item top = tgs_heap_pop(&x->longest);
        const int32_t j = g->topo[top.id];

        if (x->gone[j])
            continue;
        if (x->level[j] == -top.key)
            take_out(x, j, of);
        else
            tgs_heap_push(&x->longest, -x->level[j], top.id);
    }
}

static tgs_status linear(tgs_i_clustering *k, tgs_error *err)
{
    const size_t n = (size_t)k->v->n;
    paths x = {.k = k, .v = k->v};
    tgs_status status = TGS_OK;

    x.level = tgs_mem_alloc(n, sizeof *x.level);
    x.next = tgs_mem_alloc(n, sizeof *x.next);
    x.gone = tgs_mem_alloc(n, sizeof *x.gone);
    x.waits = tgs_mem_alloc(n, sizeof *x.waits);
    x.longest.item = tgs_mem_alloc(n, sizeof *x.longest.item);
    x.change.item = tgs_mem_alloc(n, sizeof *x.change.item);
    if (x.level && x.next && x.gone && x.waits && x.longest.item && x.change.item)
        cluster(&x, k->of);
    else
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the paths of %d tasks", k->v->n);
    tgs_mem_free(x.level);
    tgs_mem_free(x.next);
    tgs_mem_free(x.gone);
    tgs_mem_free(x.waits);
    tgs_mem_free(x.longest.item);
    tgs_mem_free(x.change.item);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_cluster_run(c, plan, linear, err);
}

static const tgs_param params[] = {
    TGS_I_CLUSTER_PARAMS,
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_lc = {
    .base = {TGS_PLUGIN_ABI, "lc", "linear clustering: the longest path, then of what is left",
             "Kim, Browne, ICPP 1988", params},
    .run = run,
};
