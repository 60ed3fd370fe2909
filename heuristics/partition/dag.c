/* dag.c -- graphs of tasks or clusters of tasks, numbered topologically.  All O(n + e). */
#include <assert.h>
#include <string.h>
#include "dag.h"

bool tgs_i_dag_open(tgs_i_dag *d, int32_t n, int64_t arcs)
{
    *d = (tgs_i_dag){.n = n};
    d->out_at = tgs_mem_alloc((size_t)n + 1, sizeof *d->out_at);
    d->in_at = tgs_mem_alloc((size_t)n + 2, sizeof *d->in_at);
    d->out = tgs_mem_alloc((size_t)arcs, sizeof *d->out);
    d->in = tgs_mem_alloc((size_t)arcs, sizeof *d->in);
    d->weight = tgs_mem_alloc((size_t)n, sizeof *d->weight);
    if (d->out_at && d->in_at && d->out && d->in && d->weight)
        return true;
    tgs_i_dag_close(d);
    return false;
}

void tgs_i_dag_close(tgs_i_dag *d)
{
    tgs_mem_free(d->out_at);
    tgs_mem_free(d->in_at);
    tgs_mem_free(d->out);
    tgs_mem_free(d->in);
    tgs_mem_free(d->weight);
    *d = (tgs_i_dag){.n = 0};
}

void tgs_i_dag_turn(tgs_i_dag *d)
{
    for (int32_t i = 0; i < d->out_at[d->n]; i++)
        d->in_at[d->out[i].to + 2]++;
    for (int32_t v = 0; v < d->n; v++)
        d->in_at[v + 2] += d->in_at[v + 1];
    for (int32_t v = 0; v < d->n; v++)
        for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++)
            d->in[d->in_at[d->out[i].to + 1]++] = (tgs_i_arc){v, d->out[i].cost};
}

double tgs_i_dag_weight(const tgs_i_dag *d)
{
    double sum = 0;

    for (int32_t v = 0; v < d->n; v++)
        sum += d->weight[v];
    return sum;
}

/* ---- contracting ---------------------------------------------------------------------------- */
typedef struct groups { /* the members of clusters, and an order of these */
    int32_t clusters;
    int32_t *at, *member; /* CSR */
    int32_t *waits;       /* [clusters] edges that enter from clusters without a number */
    int32_t *order;       /* [clusters] */
    int32_t *number;      /* [clusters] */
} groups;

static void close_groups(groups *g)
{
    tgs_mem_free(g->at);
    tgs_mem_free(g->member);
    tgs_mem_free(g->waits);
    tgs_mem_free(g->order);
    tgs_mem_free(g->number);
}

static bool open_groups(groups *g, const tgs_i_dag *d, int32_t clusters, const int32_t *cluster)
{
    const size_t n = (size_t)clusters;

    *g = (groups){.clusters = clusters};
    g->at = tgs_mem_alloc(n + 2, sizeof *g->at);
    g->member = tgs_mem_alloc((size_t)d->n, sizeof *g->member);
    g->waits = tgs_mem_alloc(n, sizeof *g->waits);
    g->order = tgs_mem_alloc(n, sizeof *g->order);
    g->number = tgs_mem_alloc(n, sizeof *g->number);
    if (!g->at || !g->member || !g->waits || !g->order || !g->number)
        return false;
    for (int32_t v = 0; v < d->n; v++)
        g->at[cluster[v] + 2]++;
    for (int32_t c = 0; c < clusters; c++)
        g->at[c + 2] += g->at[c + 1];
    for (int32_t v = 0; v < d->n; v++)
        g->member[g->at[cluster[v] + 1]++] = v;
    return true;
}

/* Kahn, first come first served */
static void number_clusters(groups *g, const tgs_i_dag *d, const int32_t *cluster)
{
    int32_t end = 0;

    for (int32_t v = 0; v < d->n; v++)
        for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++)
            g->waits[cluster[d->out[i].to]] += cluster[d->out[i].to] != cluster[v];
    for (int32_t c = 0; c < g->clusters; c++)
        if (!g->waits[c])
            g->order[end++] = c;
    for (int32_t k = 0; k < end; k++) {
        const int32_t c = g->order[k];

        g->number[c] = k;
        for (int32_t m = g->at[c]; m < g->at[c + 1]; m++)
            for (int32_t i = d->out_at[g->member[m]]; i < d->out_at[g->member[m] + 1]; i++) {
                const int32_t to = cluster[d->out[i].to];

                if (to != c && !--g->waits[to])
                    g->order[end++] = to;
            }
    }
    assert(end == g->clusters); /* no cycle */
}

bool tgs_i_dag_contract(const tgs_i_dag *d, int32_t clusters, int32_t *cluster, tgs_i_dag *out)
{
    int32_t *last = tgs_mem_alloc((size_t)clusters, sizeof *last);
    int32_t arcs = 0;
    groups g;
    bool good = open_groups(&g, d, clusters, cluster) && last;

    good = good && tgs_i_dag_open(out, clusters, d->out_at[d->n]);
    if (!good)
        goto done;
    number_clusters(&g, d, cluster);
    for (int32_t v = 0; v < d->n; v++)
        cluster[v] = g.number[cluster[v]];
    for (int32_t c = 0; c < clusters; c++)
        last[c] = -1;
    for (int32_t c = 0; c < clusters; c++) {
        const int32_t old = g.order[c];

        out->out_at[c] = arcs;
        for (int32_t m = g.at[old]; m < g.at[old + 1]; m++) {
            const int32_t v = g.member[m];

            out->weight[c] += d->weight[v];
            for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++) {
                const int32_t to = cluster[d->out[i].to];

                if (to == c)
                    continue;
                if (last[to] < out->out_at[c]) {
                    last[to] = arcs;
                    out->out[arcs++] = (tgs_i_arc){to, 0};
                }
                out->out[last[to]].cost += d->out[i].cost;
            }
        }
        out->out_at[c + 1] = arcs;
    }
    tgs_i_dag_turn(out);
done:
    close_groups(&g);
    tgs_mem_free(last);
    return good;
}

bool tgs_i_dag_side(const tgs_i_dag *d, const uint8_t *side, uint8_t which, int32_t *number,
                    tgs_i_dag *out)
{
    int32_t n = 0, arcs = 0;

    for (int32_t v = 0; v < d->n; v++)
        number[v] = side[v] == which ? n++ : -1;
    for (int32_t v = 0; v < d->n; v++)
        for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++)
            arcs += number[v] >= 0 && number[d->out[i].to] >= 0;
    if (!tgs_i_dag_open(out, n, arcs))
        return false;
    arcs = 0;
    for (int32_t v = 0; v < d->n; v++) {
        if (number[v] < 0)
            continue;
        out->weight[number[v]] = d->weight[v];
        for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++)
            if (number[d->out[i].to] >= 0)
                out->out[arcs++] = (tgs_i_arc){number[d->out[i].to], d->out[i].cost};
        out->out_at[number[v] + 1] = arcs;
    }
    tgs_i_dag_turn(out);
    return true;
}
