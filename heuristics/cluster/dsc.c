/* dsc.c -- DSC, dominant sequence clustering.
 *
 * T. Yang, A. Gerasoulis, "DSC: scheduling parallel tasks on an unbounded number of processors",
 * IEEE TPDS 5(9), 1994.
 *
 * The dominant sequence is the longest path of the graph scheduled so far; a task has the priority
 * tlevel + blevel.  Each step takes x, the free task of the highest priority.  It goes behind the
 * cluster from which its last datum comes if it starts earlier so, together with predecessors that
 * have no other successor and are alone in their clusters: of these, in the order in which their
 * data arrive, as many as lower tlevel(x).  Otherwise it begins a cluster.
 *
 * y is the task of the highest priority of those that have some but not all predecessors scheduled.
 * When it is the more urgent, x must not take from it what it could gain (the dominant sequence
 * reduction warranty).  How early y could start behind the cluster that its last datum comes from
 * follows from the two latest arrivals from different clusters, so these are kept.
 *
 * O((n + e) log n): a priority only grows as predecessors are scheduled, so the heap of the partly
 * free tasks holds old entries, which are dropped when they come up. */
#include <stdlib.h>
#include "core.h"
#include "tgsched/heap.h"

typedef struct input { /* a predecessor of the task being looked at */
    double arrival;    /* its end + c, over several data the largest */
    int32_t task, position;
    bool moves; /* may be taken into another cluster */
} input;

typedef struct mover { /* an input that moves, by start */
    double start;
    int32_t position, input;
} mover;

typedef struct arrivals { /* at a task, from its scheduled predecessors; -INFINITY none */
    double first, second; /* second: the latest from any cluster but that of first */
    int32_t cluster;      /* of first */
} arrivals;

typedef struct dsc {
    const tgs_i_clustering *k;
    const tgs_graph_view *g;
    double *level;  /* [n] blevel */
    double *start;  /* [n] tlevel of what is scheduled */
    double *free;   /* [cluster] when its last task ends */
    int32_t *size;  /* [cluster] */
    int32_t *waits; /* [n] edges from predecessors not scheduled */
    arrivals *late; /* [n] */
    input *in;      /* of x */
    mover *mover;
    int32_t ins, movers;
    tgs_heap full, partly; /* free and partly free tasks, by priority descending */
} dsc;

typedef struct choice { /* x behind a cluster, with the movers among the first take inputs */
    double start;
    int32_t cluster, take;
} choice;

static double tlevel(const dsc *d, int32_t task)
{
    const double release = nearbyint(tgs_i_cluster_release(d->k->v, task) / d->k->unit);

    return d->late[task].first > release ? d->late[task].first : release;
}

static int by_arrival(const void *p, const void *q)
{
    const input *a = p, *b = q;

    if (a->arrival != b->arrival)
        return a->arrival > b->arrival ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static int by_start(const void *p, const void *q)
{
    const mover *a = p, *b = q;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

/* a predecessor whose cluster is its own and whose only successor is x delays nobody but x */
static bool moves(const dsc *d, int32_t u, int32_t x)
{
    if (d->size[d->k->of[u]] > 1)
        return false;
    for (int32_t e = d->g->succ_at[u]; e < d->g->succ_at[u + 1]; e++)
        if (d->g->succ[e] != x)
            return false;
    return true;
}

static void find_inputs(dsc *d, int32_t x)
{
    const tgs_graph_view *g = d->g;

    d->ins = d->movers = 0;
    for (int32_t e = g->pred_at[x]; e < g->pred_at[x + 1]; e++) {
        const int32_t u = g->pred[e];
        const double t = d->start[u] + d->k->w[u] + tgs_i_cluster_c(d->k, g->pred_datum[e]);
        input *last = d->ins ? &d->in[d->ins - 1] : NULL;

        if (last && last->task == u)
            last->arrival = t > last->arrival ? t : last->arrival;
        else
            d->in[d->ins++] = (input){t, u, g->topo_pos[u], moves(d, u, x)};
    }
    qsort(d->in, (size_t)d->ins, sizeof *d->in, by_arrival);
    for (int32_t i = 0; i < d->ins; i++)
        if (d->in[i].moves)
            d->mover[d->movers++] = (mover){d->start[d->in[i].task], d->in[i].position, i};
    qsort(d->mover, (size_t)d->movers, sizeof *d->mover, by_start);
}

/* when the cluster is free for x behind it and the movers among the first take inputs */
static double chain(const dsc *d, int32_t cluster, int32_t take)
{
    double t = d->in[0].moves ? 0 : d->free[cluster];

    for (int32_t i = 0; i < d->movers; i++) {
        const mover *s = &d->mover[i];

        if (s->input < take)
            t = (s->start > t ? s->start : t) + d->k->w[d->in[s->input].task];
    }
    return t;
}

/* the last of the other inputs to arrive from elsewhere */
static double rest(const dsc *d, int32_t cluster, int32_t take)
{
    for (int32_t i = take; i < d->ins; i++)
        if (d->k->of[d->in[i].task] != cluster)
            return d->in[i].arrival;
    return 0;
}

/* The chain only grows with take, what arrives from elsewhere only falls: x starts first where they
 * meet. */
static choice minimise(const dsc *d, int32_t x)
{
    const int32_t cluster = d->k->of[d->in[0].task];
    const double release = nearbyint(tgs_i_cluster_release(d->k->v, x) / d->k->unit);
    choice best = {INFINITY, cluster, 1};
    int32_t low = 1, high = 1;

    while (high < d->ins && (d->in[high].moves || d->k->of[d->in[high].task] == cluster))
        high++;
    while (low < high) { /* the least take whose chain is the later one */
        const int32_t middle = low + (high - low) / 2;

        if (chain(d, cluster, middle) >= rest(d, cluster, middle))
            high = middle;
        else
            low = middle + 1;
    }
    for (int32_t take = low > 1 ? low - 1 : low; take <= low; take++) {
        const double t = fmax(release, fmax(chain(d, cluster, take), rest(d, cluster, take)));

        if (t < best.start)
            best = (choice){t, cluster, take};
    }
    return best;
}

/* would y lose what it can gain behind the cluster? */
static bool takes_from(const dsc *d, const choice *c, int32_t x, int32_t y)
{
    const arrivals *a = &d->late[y];
    double gain;

    if (a->cluster != c->cluster)
        return false;
    gain = fmax(d->free[c->cluster], a->second);
    return gain < tlevel(d, y) && c->start + d->k->w[x] > gain;
}

static void join(dsc *d, const choice *c)
{
    double t = d->in[0].moves ? 0 : d->free[c->cluster];

    for (int32_t i = 0; i < d->movers; i++) {
        const int32_t u = d->in[d->mover[i].input].task;

        if (d->mover[i].input >= c->take)
            continue;
        d->size[d->k->of[u]]--;
        d->k->of[u] = c->cluster;
        d->size[c->cluster]++;
        d->start[u] = d->start[u] > t ? d->start[u] : t;
        t = d->start[u] + d->k->w[u];
    }
}

static void tell(dsc *d, int32_t x)
{
    const tgs_graph_view *g = d->g;
    const int32_t cluster = d->k->of[x];

    for (int32_t e = g->succ_at[x]; e < g->succ_at[x + 1]; e++) {
        const int32_t s = g->succ[e];
        const double t = d->start[x] + d->k->w[x] + tgs_i_cluster_c(d->k, g->succ_datum[e]);
        arrivals *a = &d->late[s];
        double priority;

        if (a->cluster == cluster) {
            a->first = t > a->first ? t : a->first;
        } else if (t > a->first) {
            *a = (arrivals){t, a->first, cluster};
        } else if (t > a->second) {
            a->second = t;
        }
        priority = tlevel(d, s) + d->level[s];
        tgs_heap_push(--d->waits[s] ? &d->partly : &d->full, -priority, g->topo_pos[s]);
    }
}

/* the most urgent partly free task, -1 none */
static int32_t find_partly(dsc *d)
{
    while (d->partly.size) {
        const tgs_heap_item *top = &d->partly.item[0];
        const int32_t y = d->g->topo[top->id];

        if (d->waits[y] && -top->key == tlevel(d, y) + d->level[y])
            return y;
        tgs_heap_pop(&d->partly);
    }
    return -1;
}

static void step(dsc *d)
{
    const tgs_heap_item top = tgs_heap_pop(&d->full);
    const int32_t x = d->g->topo[top.id], y = find_partly(d);
    choice c = {tlevel(d, x), x, 0};

    find_inputs(d, x);
    if (d->ins) {
        const choice behind = minimise(d, x);
        const bool urgent = y >= 0 && tlevel(d, y) + d->level[y] > -top.key;

        if (behind.start < c.start && !(urgent && takes_from(d, &behind, x, y))) {
            c = behind;
            join(d, &c);
        }
    }
    d->k->of[x] = c.cluster;
    d->size[c.cluster]++;
    d->start[x] = c.start;
    d->free[c.cluster] = c.start + d->k->w[x];
    tell(d, x);
}

static void cluster(dsc *d)
{
    const tgs_graph_view *g = d->g;

    tgs_i_cluster_levels(d->k, d->level);
    for (int32_t j = 0; j < g->tasks; j++) {
        d->late[j] = (arrivals){-INFINITY, -INFINITY, -1};
        d->waits[j] = g->pred_at[j + 1] - g->pred_at[j];
        if (!d->waits[j])
            tgs_heap_push(&d->full, -(tlevel(d, j) + d->level[j]), g->topo_pos[j]);
    }
    while (d->full.size)
        step(d);
}

static tgs_status dominant(tgs_i_clustering *k, tgs_error *err)
{
    const size_t n = (size_t)k->v->n;
    dsc d = {.k = k, .g = k->v->g};
    tgs_status status = TGS_OK;

    d.level = tgs_mem_alloc(n, sizeof *d.level);
    d.start = tgs_mem_alloc(n, sizeof *d.start);
    d.free = tgs_mem_alloc(n, sizeof *d.free);
    d.size = tgs_mem_alloc(n, sizeof *d.size);
    d.waits = tgs_mem_alloc(n, sizeof *d.waits);
    d.late = tgs_mem_alloc(n, sizeof *d.late);
    d.in = tgs_mem_alloc(n, sizeof *d.in);
    d.mover = tgs_mem_alloc(n, sizeof *d.mover);
    d.full.item = tgs_mem_alloc(n, sizeof *d.full.item);
    d.partly.item = tgs_mem_alloc((size_t)d.g->edges, sizeof *d.partly.item);
    if (d.level && d.start && d.free && d.size && d.waits && d.late && d.in && d.mover
        && d.full.item && d.partly.item)
        cluster(&d);
    else
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the clusters of %d tasks", k->v->n);
    tgs_mem_free(d.level);
    tgs_mem_free(d.start);
    tgs_mem_free(d.free);
    tgs_mem_free(d.size);
    tgs_mem_free(d.waits);
    tgs_mem_free(d.late);
    tgs_mem_free(d.in);
    tgs_mem_free(d.mover);
    tgs_mem_free(d.full.item);
    tgs_mem_free(d.partly.item);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_cluster_run(c, plan, dominant, err);
}

static const tgs_param params[] = {
    TGS_I_CLUSTER_PARAMS,
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_dsc = {
    .base = {TGS_PLUGIN_ABI, "dsc",
             "dominant sequence clustering: the longest path so far is shortened, O((n + e) log n)",
             "Yang, Gerasoulis, IEEE TPDS 5(9), 1994", params},
    .run = run,
};
