/* metis.c -- tasks where a k-way partition of the graph puts them.
 *
 * G. Karypis, V. Kumar, "Multilevel algorithms for multi-constraint graph partitioning",
 * Supercomputing 1998; M. Tanaka, O. Tatebe, "Workflow scheduling to minimize data movement using
 * multi-constraint graph partitioning", CCGrid 2012.
 *
 * The graph is taken as undirected: an edge costs what its datum costs on the way, cbar. A graph
 * cut into slabs of equal work runs one slab after the other; so the tasks are put into bands by
 * how far they are on their longest path, and each band's work is a weight of its own (Tanaka,
 * Tatebe: of each level).  Further weights are the time of the tasks that may run on one kind only,
 * and what a task writes, where memories are limited.   A part gets work by the speed of its
 * processors, and bytes up to its capacity.  The parts are placed and ordered by core.c.
 *
 * The partitioner does not know when moving data costs more than working side by side gains: all
 * parts are tried, then the fastest half, quarter, ... of them, and the best schedule is taken.
 * O(n + e) beside METIS and placing, for each number of parts. */
#include "core.h"
#include "tgsched/part.h"
#include "../list/core.h"

typedef struct weights {         /* those of the partitioner, and which they are */
    int32_t count, bands, bytes; /* the bands come first; bytes: index of that weight, -1 none */
    int32_t *only;               /* [kinds] index of the weight of a kind, -1 none */
    int32_t *band;               /* [n] */
    double *weight, *share, *slack;
} weights;

typedef struct metis {
    const tgs_ctx *c;
    const tgs_view *v;
    tgs_i_split s;
    weights x;
    double imbalance;
    int32_t *fastest; /* [parts] the parts, those of the fastest processors first */
    tgs_part_edge *edge;
    int64_t edges;
    int32_t *part; /* [n] */
} metis;

/* ---- weights of a task ---------------------------------------------------------------------- */
/* the only kind that may run a task; -1 when there are several */
static int32_t only_kind(const tgs_view *v, int32_t task)
{
    int32_t only = -1;

    for (int32_t k = 0; k < v->kinds; k++)
        if (v->time[(int64_t)task * v->kinds + k] < INFINITY) {
            if (only >= 0)
                return -1;
            only = k;
        }
    return v->kinds > 1 ? only : -1;
}

static double written(const tgs_view *v, int32_t task)
{
    const tgs_graph_view *g = v->g;
    double bytes = 0;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++)
        bytes += g->access[i].mode == TGS_W ? g->datum[g->access[i].datum].bytes : 0;
    return bytes;
}

/* Bands of equal work, tasks by the longest path of mean times that ends before them. */
static tgs_status find_bands(metis *m, tgs_error *err)
{
    const tgs_graph_view *g = m->v->g;
    const int32_t n = m->v->n;
    double *top = tgs_mem_alloc((size_t)n, sizeof *top), work = 0, sum = 0;
    int32_t *order = tgs_mem_alloc((size_t)n, sizeof *order);
    tgs_status status = TGS_OK;

    if (!top || !order)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the bands of %d tasks", n);
    for (int32_t i = 0; i < n && !status; i++) {
        const int32_t j = g->topo[i];

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++)
            top[g->succ[k]] = fmax(top[g->succ[k]], top[j] + m->s.wbar[j]);
        work += m->s.wbar[j];
    }
    if (!status)
        status = tgs_i_sort(m->v, top, NULL, order, err);
    for (int32_t i = 0; i < n && !status; i++) {
        const int32_t j = order[i], at = work > 0 ? (int32_t)(sum / work * m->x.bands) : 0;

        m->x.band[j] = at < m->x.bands ? at : m->x.bands - 1;
        sum += m->s.wbar[j];
    }
    tgs_mem_free(top);
    tgs_mem_free(order);
    return status;
}

static void number_weights(metis *m)
{
    const tgs_view *v = m->v;
    weights *x = &m->x;

    x->count = x->bands;
    x->bytes = -1;
    for (int32_t k = 0; k < v->kinds; k++)
        x->only[k] = -1;
    for (int32_t j = 0; j < v->n; j++) {
        const int32_t k = only_kind(v, j);

        if (k >= 0 && x->only[k] < 0)
            x->only[k] = x->count++;
    }
    for (int32_t a = 0; a < m->s.parts && x->bytes < 0; a++)
        if (v->p->memory[m->s.memory[a]].capacity < INFINITY)
            x->bytes = x->count++;
}

static void weigh_tasks(metis *m)
{
    for (int32_t j = 0; j < m->v->n; j++) {
        double *row = m->x.weight + (int64_t)j * m->x.count;
        const int32_t k = only_kind(m->v, j);

        row[m->x.band[j]] = m->s.wbar[j];
        if (k >= 0)
            row[m->x.only[k]] = m->s.wbar[j];
        if (m->x.bytes >= 0)
            row[m->x.bytes] = written(m->v, j);
    }
}

/* ---- shares of a part ----------------------------------------------------------------------- */
/* A part may hold up to its capacity: shares are of the capacity there is, and the slack is how
 * much more there is of it than of bytes.  False: they do not fit. */
static bool share_bytes(metis *m, int32_t parts)
{
    const weights *x = &m->x;
    double bytes = 0, room = 0;

    for (int32_t j = 0; j < m->v->n; j++)
        bytes += x->weight[(int64_t)j * x->count + x->bytes];
    for (int32_t i = 0; i < parts; i++) {
        const int32_t memory = m->s.memory[m->fastest[i]];
        const double capacity = fmin(m->v->p->memory[memory].capacity, bytes);

        x->share[i * x->count + x->bytes] = capacity;
        room += capacity;
    }
    x->slack[x->bytes] = bytes > 0 ? fmax(room / bytes - 1, m->imbalance) : m->imbalance;
    return room >= bytes;
}

/* The task times of a kind that only it may run are spread by the speed of its processors. */
static bool share_all(metis *m, int32_t parts)
{
    const weights *x = &m->x;

    for (int32_t i = 0; i < x->count; i++)
        x->slack[i] = m->imbalance;
    for (int32_t i = 0; i < parts; i++) {
        const int32_t a = m->fastest[i];
        double *row = x->share + i * x->count;

        for (int32_t k = 0; k < x->count; k++)
            row[k] = k < x->bands ? m->s.speed[a] : 0;
        for (int32_t k = m->s.at[a]; k < m->s.at[a + 1]; k++) {
            const tgs_proc *p = &m->v->p->proc[m->s.proc[k]];

            if (x->only[p->kind] >= 0)
                row[x->only[p->kind]] += p->speed;
        }
    }
    return x->bytes < 0 || share_bytes(m, parts);
}

/* ---- trying --------------------------------------------------------------------------------- */
/* what moves; order alone does not bind tasks together */
static void list_edges(metis *m)
{
    const tgs_graph_view *g = m->v->g;

    for (int32_t j = 0; j < m->v->n; j++)
        for (int32_t i = g->succ_at[j]; i < g->succ_at[j + 1]; i++)
            if (g->succ_datum[i] >= 0)
                m->edge[m->edges++] =
                    (tgs_part_edge){j, g->succ[i], tgs_cbar(m->v, g->succ_datum[i])};
}

/* a stable selection: parts are few */
static void sort_parts(metis *m)
{
    for (int32_t a = 0; a < m->s.parts; a++) {
        int32_t i = a;

        for (; i > 0 && m->s.speed[m->fastest[i - 1]] < m->s.speed[a]; i--)
            m->fastest[i] = m->fastest[i - 1];
        m->fastest[i] = a;
    }
}

static tgs_status prepare(metis *m, tgs_error *err)
{
    const size_t n = (size_t)m->v->n;
    tgs_status status = tgs_i_split_open(&m->s, m->c, err);

    if (status)
        return status;
    m->imbalance = tgs_arg_real(m->c->args, "imbalance");
    m->x.bands = (int32_t)tgs_arg_int(m->c->args, "bands");
    while (m->x.bands > 1 && m->v->n / m->x.bands < 4 * m->s.parts) /* too few to share out */
        m->x.bands--;
    m->x.only = tgs_mem_alloc((size_t)m->v->kinds, sizeof *m->x.only);
    m->x.band = tgs_mem_alloc(n, sizeof *m->x.band);
    m->part = tgs_mem_alloc(n, sizeof *m->part);
    m->edge = tgs_mem_alloc((size_t)m->v->g->edges, sizeof *m->edge);
    m->fastest = tgs_mem_alloc((size_t)m->s.parts, sizeof *m->fastest);
    if (!m->x.only || !m->x.band || !m->part || !m->edge || !m->fastest)
        return tgs_fail(err, TGS_ENOMEM, "out of memory to partition %d tasks", m->v->n);
    status = find_bands(m, err);
    if (status)
        return status;
    number_weights(m);
    sort_parts(m);
    list_edges(m);
    m->x.weight = tgs_mem_alloc(n * (size_t)m->x.count, sizeof *m->x.weight);
    m->x.share = tgs_mem_alloc((size_t)m->s.parts * (size_t)m->x.count, sizeof *m->x.share);
    m->x.slack = tgs_mem_alloc((size_t)m->x.count, sizeof *m->x.slack);
    if (!m->x.weight || !m->x.share || !m->x.slack)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for the weights of %d tasks", m->v->n);
    weigh_tasks(m);
    return TGS_OK;
}

static void clean(metis *m)
{
    tgs_i_split_close(&m->s);
    tgs_mem_free(m->x.only);
    tgs_mem_free(m->x.band);
    tgs_mem_free(m->x.weight);
    tgs_mem_free(m->x.share);
    tgs_mem_free(m->x.slack);
    tgs_mem_free(m->part);
    tgs_mem_free(m->edge);
    tgs_mem_free(m->fastest);
}

static tgs_status try_parts(metis *m, int32_t parts, uint64_t seed, tgs_plan *plan, tgs_error *err)
{
    const tgs_part_graph g = {.vertices = m->v->n,
                              .weights = m->x.count,
                              .parts = parts,
                              .edges = m->edges,
                              .weight = m->x.weight,
                              .edge = m->edge,
                              .share = m->x.share,
                              .slack = m->x.slack,
                              .seed = seed};
    const tgs_status status = tgs_part_kway(&g, m->part, NULL, err);

    if (status)
        return status;
    for (int32_t j = 0; j < m->v->n; j++)
        m->part[j] = m->fastest[m->part[j]];
    return tgs_i_split_place(&m->s, m->c, plan, m->part, err);
}

/* the best schedule of fewer and fewer parts, as long as what is written fits */
static tgs_status try_fewer(metis *m, int32_t parts, uint64_t seed, tgs_plan *plan, tgs_error *err)
{
    const bool fits = share_all(m, parts);
    tgs_plan *other = NULL;
    tgs_status status = try_parts(m, parts, seed, plan, err);

    if (!status && parts > 1)
        status = tgs_plan_open(&other, m->v, err);
    while (!status && parts > 1) {
        parts /= 2;
        if (!share_all(m, parts) && fits)
            break;
        status = try_parts(m, parts, seed, other, err);
        if (!status && tgs_plan_makespan(m->v, other) < tgs_plan_makespan(m->v, plan))
            status = tgs_plan_assign(m->v, plan, other);
    }
    tgs_plan_free(other);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const uint64_t seed = tgs_rng_next(c->rng);
    metis m = {.c = c, .v = c->v};
    tgs_status status = prepare(&m, err);

    if (!status && tgs_arg_int(c->args, "count")) {
        const int64_t count = tgs_arg_int(c->args, "count");
        const int32_t parts = count < m.s.parts ? (int32_t)count : m.s.parts;

        share_all(&m, parts);
        status = try_parts(&m, parts, seed, plan, err);
    } else if (!status) {
        status = try_fewer(&m, m.s.parts, seed, plan, err);
    }
    clean(&m);
    return status;
}

static const tgs_param params[] = {
    {"parts", "memories", TGS_PARAM_TEXT, 0, 0, "what a part is: " TGS_I_SPLIT_PARTS},
    {"count", "0", TGS_PARAM_INT, 0, 1e6,
     "how many parts, the fastest; 0: the best of all, half, ..."},
    {"bands", "16", TGS_PARAM_INT, 1, 64, "bands of tasks along the paths, each spread evenly"},
    {"imbalance", "0.05", TGS_PARAM_REAL, 0, 100, "how much a part may exceed its share"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_metis = {
    .base = {TGS_PLUGIN_ABI, "metis", "k-way partition by work and memory, then upward rank",
             "Karypis, Kumar, Supercomputing 1998", params},
    .run = run,
};
