/* coarsen.c -- pairs of vertices that may become one without a cycle.
 *
 * A level is the longest path in edges that ends in a vertex.  Vertices of one level have no path
 * between them, and edges go to higher levels only, so any clusters within levels are fine.
 *
 * A pair along an edge (u, v) spans the levels l and l + 1, where l is even (or odd) for all pairs
 * of one round.  A cycle would then stay within two levels, and pass through pairs only, by edges
 * from the u of one to the v of the next.  A new pair is taken only if no edge to the other pairs
 * leaves its u, or none enters its v: as a source or sink among them it closes no cycle.  (Herrmann
 * et al. ask for neither.)  O(n + e). */
#include "dag.h"

typedef struct pairing {
    const tgs_i_dag *d;
    int32_t *level; /* [n] */
    int32_t *mate;  /* [n] -1: none */
    int32_t *crowd; /* [n] neighbours on the other level of the two that have a mate */
    double limit;
} pairing;

static void find_levels(const tgs_i_dag *d, int32_t *level)
{
    for (int32_t v = 0; v < d->n; v++)
        for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++)
            if (level[d->out[i].to] <= level[v])
                level[d->out[i].to] = level[v] + 1;
}

static bool fits(const pairing *p, int32_t u, int32_t v)
{
    return p->d->weight[u] + p->d->weight[v] <= p->limit;
}

static void join(pairing *p, int32_t u, int32_t v)
{
    p->mate[u] = v;
    p->mate[v] = u;
}

/* of the edges that leave u for the next level and may be contracted, the one that costs most */
static int32_t best_mate(const pairing *p, int32_t u)
{
    const tgs_i_dag *d = p->d;
    double most = -1;
    int32_t best = -1;

    for (int32_t i = d->out_at[u]; i < d->out_at[u + 1]; i++) {
        const int32_t v = d->out[i].to;

        if (p->level[v] == p->level[u] + 1 && p->mate[v] < 0 && (!p->crowd[u] || !p->crowd[v])
            && fits(p, u, v) && d->out[i].cost > most) {
            most = d->out[i].cost;
            best = v;
        }
    }
    return best;
}

static void pair_edges(pairing *p, int32_t parity)
{
    const tgs_i_dag *d = p->d;

    for (int32_t u = 0; u < d->n; u++) {
        const int32_t v = p->level[u] % 2 == parity && p->mate[u] < 0 ? best_mate(p, u) : -1;

        if (v < 0)
            continue;
        join(p, u, v);
        for (int32_t i = d->out_at[u]; i < d->out_at[u + 1]; i++)
            p->crowd[d->out[i].to] += p->level[d->out[i].to] == p->level[v];
        for (int32_t i = d->in_at[v]; i < d->in_at[v + 1]; i++)
            p->crowd[d->in[i].to] += p->level[d->in[i].to] == p->level[u];
    }
}

/* pairs in a list of neighbours, in its order */
static void pair_list(pairing *p, const tgs_i_arc *list, int32_t count)
{
    int32_t waiting = -1;

    for (int32_t i = 0; i < count; i++) {
        const int32_t v = list[i].to;

        if (p->mate[v] >= 0)
            continue;
        if (waiting >= 0 && p->level[v] == p->level[waiting] && fits(p, waiting, v)) {
            join(p, waiting, v);
            waiting = -1;
        } else {
            waiting = v;
        }
    }
}

/* also of vertices without any neighbour */
static void pair_siblings(pairing *p)
{
    const tgs_i_dag *d = p->d;
    int32_t alone = -1;

    for (int32_t u = 0; u < d->n; u++) {
        const int32_t outs = d->out_at[u + 1] - d->out_at[u], ins = d->in_at[u + 1] - d->in_at[u];

        pair_list(p, d->out + d->out_at[u], outs);
        pair_list(p, d->in + d->in_at[u], ins);
        if (outs || ins || p->mate[u] >= 0)
            continue;
        if (alone >= 0 && fits(p, alone, u)) {
            join(p, alone, u);
            alone = -1;
        } else {
            alone = u;
        }
    }
}

int32_t tgs_i_dag_pair(const tgs_i_dag *d, tgs_i_pairing how, double limit, int32_t *cluster)
{
    const size_t n = (size_t)d->n;
    pairing p = {.d = d, .limit = limit};
    int32_t clusters = -1;

    p.level = tgs_mem_alloc(n, sizeof *p.level);
    p.mate = tgs_mem_alloc(n, sizeof *p.mate);
    p.crowd = tgs_mem_alloc(n, sizeof *p.crowd);
    if (p.level && p.mate && p.crowd) {
        for (int32_t v = 0; v < d->n; v++)
            p.mate[v] = -1;
        find_levels(d, p.level);
        if (how == TGS_I_SIBLINGS)
            pair_siblings(&p);
        else
            pair_edges(&p, how == TGS_I_ODD);
        clusters = 0;
        for (int32_t v = 0; v < d->n; v++)
            cluster[v] = p.mate[v] >= 0 && p.mate[v] < v ? cluster[p.mate[v]] : clusters++;
    }
    tgs_mem_free(p.level);
    tgs_mem_free(p.mate);
    tgs_mem_free(p.crowd);
    return clusters;
}
