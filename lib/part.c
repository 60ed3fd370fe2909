/* part.c -- what is asked of METIS, in its terms: adjacency lists and whole weights of 32 bits. The
 * module tgsched-part (partmetis.c) has METIS, so that only who partitions loads it.
 *
 * O((vertices + edges) log parts) beside METIS. */
#include <string.h>
#include "metiscall.h"

/* METIS adds weights up in 32 bits */
#define MOST 1073741823.0 /* 2^30 - 1 */

static tgs_status find_module(tgs_i_metis **call, tgs_error *err)
{
    union { /* a symbol is a function here */
        void *symbol;
        tgs_i_metis *call;
    } module;
    tgs_error why = {TGS_OK, ""};
    const tgs_status status = tgs_module_symbol("part", "tgs_i_metis_kway", &module.symbol, &why);

    *call = status ? NULL : module.call;
    if (status == TGS_EBACKEND) /* as in a build without METIS */
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "no partitioner: %s", why.text);
    return status ? tgs_fail(err, status, "%s", why.text) : TGS_OK;
}

bool tgs_part_available(void)
{
    tgs_i_metis *call;

    return !find_module(&call, NULL);
}

/* ---- checking ------------------------------------------------------------------------------- */
static bool sizes_are_good(const tgs_part_graph *g)
{
    return g->vertices >= 0 && g->weights >= 1 && g->parts >= 1 && g->edges >= 0
           && g->edges <= INT32_MAX / 4 && (int64_t)g->vertices * g->weights <= INT32_MAX
           && (int64_t)g->parts * g->weights <= INT32_MAX;
}

static bool all_good(const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!(x[i] >= 0 && x[i] < INFINITY))
            return false;
    return true;
}

static tgs_status check(const tgs_part_graph *g, tgs_error *err)
{
    if (!sizes_are_good(g))
        return tgs_fail(err, TGS_EINVAL, "partition: %d vertices, %lld edges, %d parts, %d weights",
                        (int)g->vertices, (long long)g->edges, (int)g->parts, (int)g->weights);
    if (!all_good(g->weight, (int64_t)g->vertices * g->weights)
        || (g->share && !all_good(g->share, (int64_t)g->parts * g->weights))
        || !all_good(g->slack, g->weights))
        return tgs_fail(err, TGS_EINVAL, "partition: a weight is negative or not finite");
    for (int64_t i = 0; i < g->edges; i++) {
        const tgs_part_edge *e = &g->edge[i];

        if (e->a < 0 || e->a >= g->vertices || e->b < 0 || e->b >= g->vertices
            || !(e->cost >= 0 && e->cost < INFINITY))
            return tgs_fail(err, TGS_EINVAL, "partition: edge %lld from %d to %d costs %g",
                            (long long)i, (int)e->a, (int)e->b, e->cost);
    }
    return TGS_OK;
}

/* ---- whole weights -------------------------------------------------------------------------- */
/* Of the weights that are not zero everywhere: METIS divides by their sums.  Scaled down, so
 * rounded to whole numbers from below they stay under the limit. */
static void weigh_vertices(const tgs_part_graph *g, tgs_i_metis_call *m)
{
    m->weights = 0;
    for (int32_t i = 0; i < g->weights; i++) {
        double sum = 0, scale;

        for (int32_t v = 0; v < g->vertices; v++)
            sum += g->weight[(int64_t)v * g->weights + i];
        if (!(sum > 0))
            continue;
        scale = MOST / sum;
        m->used[m->weights] = i;
        m->imbalance[m->weights] = (float)(1 + g->slack[i]);
        for (int32_t v = 0; v < g->vertices; v++)
            m->vertex_weight[(int64_t)v * g->weights + m->weights] =
                (int32_t)(g->weight[(int64_t)v * g->weights + i] * scale);
        m->weights++;
    }
    for (int32_t v = 0; v < g->vertices && m->weights < g->weights; v++) /* close the ranks */
        memmove(m->vertex_weight + (int64_t)v * m->weights,
                m->vertex_weight + (int64_t)v * g->weights,
                (size_t)m->weights * sizeof *m->vertex_weight);
}

/* METIS takes no share of nothing: the least it is given is a thousandth of an even one */
static void weigh_parts(const tgs_part_graph *g, tgs_i_metis_call *m)
{
    const float least = 1e-3F / (float)g->parts;

    for (int32_t k = 0; k < m->weights; k++) {
        double sum = 0, given = 0;

        for (int32_t p = 0; p < g->parts; p++)
            sum += g->share ? g->share[(int64_t)p * g->weights + m->used[k]] : 1;
        for (int32_t p = 0; p < g->parts; p++) {
            float *to = &m->share[(int64_t)p * m->weights + k];
            const double x = g->share ? g->share[(int64_t)p * g->weights + m->used[k]] : 1;

            *to = sum > 0 ? (float)(x / sum) : 1 / (float)g->parts;
            *to = *to > least ? *to : least;
            given += (double)*to;
        }
        for (int32_t p = 0; p < g->parts; p++)
            m->share[(int64_t)p * m->weights + k] /= (float)given;
    }
}

static double edge_scale(const tgs_part_graph *g)
{
    double sum = 0;

    for (int64_t i = 0; i < g->edges; i++)
        sum += g->edge[i].a == g->edge[i].b ? 0 : g->edge[i].cost;
    /* each edge is there from both ends, and weighs at least 1 */
    return sum > 0 ? (MOST / 2 - (double)g->edges) / sum : 0;
}

static void link_vertices(const tgs_part_graph *g, tgs_i_metis_call *m)
{
    const double scale = edge_scale(g);

    for (int64_t i = 0; i < g->edges; i++)
        if (g->edge[i].a != g->edge[i].b) {
            m->at[g->edge[i].a + 2]++;
            m->at[g->edge[i].b + 2]++;
        }
    for (int32_t v = 0; v < g->vertices; v++)
        m->at[v + 2] += m->at[v + 1];
    for (int64_t i = 0; i < g->edges; i++) {
        const tgs_part_edge *e = &g->edge[i];
        const int32_t weight = 1 + (int32_t)(e->cost * scale);

        if (e->a == e->b)
            continue;
        m->edge_weight[m->at[e->a + 1]] = m->edge_weight[m->at[e->b + 1]] = weight;
        m->to[m->at[e->a + 1]++] = e->b;
        m->to[m->at[e->b + 1]++] = e->a;
    }
}

/* Edges between the same two vertices become one.  last[vertices]: where the last edge to a vertex
 * went; it is an edge of v if that is behind v's first. */
static void merge_edges(tgs_i_metis_call *m, int32_t *last)
{
    int32_t kept = 0;

    for (int32_t v = 0; v < m->vertices; v++)
        last[v] = -1;
    for (int32_t v = 0; v < m->vertices; v++) {
        const int32_t from = m->at[v], until = m->at[v + 1], first = kept;

        m->at[v] = kept;
        for (int32_t i = from; i < until; i++) {
            const int32_t w = m->to[i];

            if (last[w] >= first) {
                m->edge_weight[last[w]] += m->edge_weight[i];
                continue;
            }
            last[w] = kept;
            m->to[kept] = w;
            m->edge_weight[kept++] = m->edge_weight[i];
        }
    }
    m->at[m->vertices] = kept;
}

/* ---- bisecting ------------------------------------------------------------------------------ */
/* METIS prints when a part of a part gets no vertex.  It is asked for all parts at once only where
 * none can: many vertices for each part, all light in every weight. */
static bool is_easy(const tgs_i_metis_call *m)
{
    if (m->vertices / 100 < m->parts)
        return false;
    for (int32_t k = 0; k < m->weights; k++) {
        double sum = 0, least = 1;
        int32_t most = 0;

        for (int32_t v = 0; v < m->vertices; v++) {
            const int32_t w = m->vertex_weight[(int64_t)v * m->weights + k];

            sum += w;
            most = w > most ? w : most;
        }
        for (int32_t p = 0; p < m->parts; p++)
            least = fmin(least, (double)m->share[(int64_t)p * m->weights + k]);
        if (most > sum * least / 8)
            return false;
    }
    return true;
}

typedef struct halving { /* of some vertices of the whole graph, for the parts [first, last) */
    const tgs_i_metis_call *whole;
    tgs_i_metis *call;
    int32_t *number; /* [vertices of the whole] in the half being cut out */
    int32_t depth;   /* how often parts are halved */
    tgs_error *err;
} halving;

static void free_half(tgs_i_metis_call *m)
{
    tgs_mem_free(m->at);
    tgs_mem_free(m->to);
    tgs_mem_free(m->edge_weight);
    tgs_mem_free(m->vertex_weight);
    tgs_mem_free(m->share);
    tgs_mem_free(m->imbalance);
    tgs_mem_free(m->part);
}

/* the graph of count vertices, and what its halves shall have */
static tgs_status cut_out(const halving *h, const int32_t *vertex, int32_t count, int32_t first,
                          int32_t last, tgs_i_metis_call *m)
{
    const tgs_i_metis_call *w = h->whole;
    const size_t k = (size_t)w->weights;
    const int32_t middle = first + (last - first) / 2;
    int32_t arcs = 0;

    *m = (tgs_i_metis_call){.vertices = count, .weights = w->weights, .parts = 2, .seed = w->seed};
    for (int32_t i = 0; i < count; i++)
        arcs += w->at[vertex[i] + 1] - w->at[vertex[i]];
    m->at = tgs_mem_alloc((size_t)count + 1, sizeof *m->at);
    m->to = tgs_mem_alloc((size_t)arcs, sizeof *m->to);
    m->edge_weight = tgs_mem_alloc((size_t)arcs, sizeof *m->edge_weight);
    m->vertex_weight = tgs_mem_alloc((size_t)count * k, sizeof *m->vertex_weight);
    m->share = tgs_mem_alloc(2 * k, sizeof *m->share);
    m->imbalance = tgs_mem_alloc(k, sizeof *m->imbalance);
    m->part = tgs_mem_alloc((size_t)count, sizeof *m->part);
    if (!m->at || !m->to || !m->edge_weight || !m->vertex_weight || !m->share || !m->imbalance
        || !m->part)
        return TGS_ENOMEM;
    for (size_t i = 0; i < k; i++) {
        m->imbalance[i] = 1 + (w->imbalance[i] - 1) / (float)h->depth;
        for (int32_t p = first; p < last; p++)
            m->share[(size_t)(p >= middle) * k + i] += w->share[(size_t)p * k + i];
        m->share[i] /= m->share[i] + m->share[k + i];
        m->share[k + i] = 1 - m->share[i];
    }
    for (int32_t i = 0; i < count; i++)
        h->number[vertex[i]] = i;
    arcs = 0;
    for (int32_t i = 0; i < count; i++) {
        memcpy(m->vertex_weight + (size_t)i * k, w->vertex_weight + (size_t)vertex[i] * k,
               k * sizeof *m->vertex_weight);
        for (int32_t e = w->at[vertex[i]]; e < w->at[vertex[i] + 1]; e++)
            if (h->number[w->to[e]] >= 0) {
                m->to[arcs] = h->number[w->to[e]];
                m->edge_weight[arcs++] = w->edge_weight[e];
            }
        m->at[i + 1] = arcs;
    }
    for (int32_t i = 0; i < count; i++)
        h->number[vertex[i]] = -1;
    return TGS_OK;
}

/* vertex[count] are put in order of their halves */
static tgs_status halve(const halving *h, int32_t *vertex, int32_t count, int32_t first,
                        int32_t last)
{
    const int32_t middle = first + (last - first) / 2;
    tgs_i_metis_call m = {.vertices = 0};
    int32_t *sorted = NULL, left = 0, right = 0;
    tgs_status status;

    if (last - first == 1 || count < 2) {
        for (int32_t i = 0; i < count; i++)
            h->whole->part[vertex[i]] = first;
        return TGS_OK;
    }
    sorted = tgs_mem_alloc((size_t)count, sizeof *sorted);
    status = sorted ? cut_out(h, vertex, count, first, last, &m) : TGS_ENOMEM;
    if (status)
        tgs_fail(h->err, status, "out of memory to partition %d vertices", (int)count);
    else
        status = h->call(&m, h->err);
    for (int32_t i = 0; i < count && !status; i++)
        if (!m.part[i])
            vertex[left++] = vertex[i]; /* not past where it is read */
        else
            sorted[right++] = vertex[i];
    if (!status)
        memcpy(vertex + left, sorted, (size_t)right * sizeof *vertex);
    free_half(&m);
    tgs_mem_free(sorted);
    if (!status)
        status = halve(h, vertex, left, first, middle);
    return status ? status : halve(h, vertex + left, right, middle, last);
}

static tgs_status halve_all(const tgs_i_metis_call *m, tgs_i_metis *call, tgs_error *err)
{
    int32_t *vertex = tgs_mem_alloc((size_t)m->vertices, sizeof *vertex);
    halving h = {.whole = m, .call = call, .depth = 1, .err = err};
    tgs_status status = TGS_OK;

    h.number = tgs_mem_alloc((size_t)m->vertices, sizeof *h.number);
    if (!vertex || !h.number)
        status =
            tgs_fail(err, TGS_ENOMEM, "out of memory to partition %d vertices", (int)m->vertices);
    for (int32_t v = 0; v < m->vertices && !status; v++) {
        vertex[v] = v;
        h.number[v] = -1;
    }
    while ((int64_t)1 << h.depth < m->parts)
        h.depth++;
    if (!status)
        status = halve(&h, vertex, m->vertices, 0, m->parts);
    tgs_mem_free(vertex);
    tgs_mem_free(h.number);
    return status;
}

/* ---- the call ------------------------------------------------------------------------------- */
static tgs_status open_call(tgs_i_metis_call *m, const tgs_part_graph *g, tgs_error *err)
{
    const size_t n = (size_t)g->vertices, k = (size_t)g->weights;
    int32_t *last = tgs_mem_alloc(n, sizeof *last);
    tgs_status status = TGS_OK;

    m->vertices = g->vertices;
    m->parts = g->parts;
    m->seed = (int32_t)(g->seed % INT32_MAX);
    m->used = tgs_mem_alloc(k, sizeof *m->used);
    m->imbalance = tgs_mem_alloc(k, sizeof *m->imbalance);
    m->at = tgs_mem_alloc(n + 2, sizeof *m->at);
    m->to = tgs_mem_alloc(2 * (size_t)g->edges, sizeof *m->to);
    m->edge_weight = tgs_mem_alloc(2 * (size_t)g->edges, sizeof *m->edge_weight);
    m->vertex_weight = tgs_mem_alloc(n * k, sizeof *m->vertex_weight);
    m->share = tgs_mem_alloc((size_t)g->parts * k, sizeof *m->share);
    if (last && m->used && m->imbalance && m->at && m->to && m->edge_weight && m->vertex_weight
        && m->share) {
        weigh_vertices(g, m);
        weigh_parts(g, m);
        link_vertices(g, m);
        merge_edges(m, last);
    } else {
        status =
            tgs_fail(err, TGS_ENOMEM, "out of memory to partition %d vertices", (int)g->vertices);
    }
    tgs_mem_free(last);
    return status;
}

static void close_call(tgs_i_metis_call *m)
{
    tgs_mem_free(m->used);
    tgs_mem_free(m->imbalance);
    tgs_mem_free(m->at);
    tgs_mem_free(m->to);
    tgs_mem_free(m->edge_weight);
    tgs_mem_free(m->vertex_weight);
    tgs_mem_free(m->share);
}

static double cost_of(const tgs_part_graph *g, const int32_t *part)
{
    double cut = 0;

    for (int64_t i = 0; i < g->edges; i++)
        cut += part[g->edge[i].a] == part[g->edge[i].b] ? 0 : g->edge[i].cost;
    return cut;
}

tgs_status tgs_part_kway(const tgs_part_graph *g, int32_t *part, double *cut, tgs_error *err)
{
    tgs_i_metis_call m = {.part = part};
    tgs_i_metis *call = NULL;
    tgs_status status = check(g, err);

    if (!status)
        status = find_module(&call, err);
    if (!status) {
        memset(part, 0, (size_t)g->vertices * sizeof *part);
        status = open_call(&m, g, err);
    }
    /* nothing to choose, which METIS does not always take well */
    if (!status && g->parts > 1 && g->vertices > 1 && m.weights)
        status = is_easy(&m) ? call(&m, err) : halve_all(&m, call, err);
    if (!status && cut)
        *cut = cost_of(g, part);
    close_call(&m);
    return status;
}
