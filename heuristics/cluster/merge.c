/* merge.c -- clusters onto processors that differ.  Each cluster in turn goes where load + its time
 * there is least:
 *
 *   glb   in the order in which clusters start (guided load balancing: A. Radulescu, A. J. C. van
 *         Gemund, H.-X. Lin, "LLB: a fast and effective scheduling algorithm for distributed-memory
 *         systems", IPPS 1999)
 *   lpt   the most work first
 *   comm  in the order of glb, counting also what the cluster exchanges with other memories
 *
 * A cluster with a pinned task goes to its processor, one with tasks of given memories to those.
 * O(n kinds + e + clusters (processors + log clusters)). */
#include <stdlib.h>
#include <string.h>
#include "core.h"

typedef struct item { /* a cluster */
    double key;       /* ascending */
    int32_t first;    /* position of its first task that takes time */
    int32_t number;
} item;

typedef struct merger {
    const tgs_i_clustering *k;
    item *item;
    int32_t items;
    int32_t *at, *task; /* CSR: the tasks of each cluster, in canonical order */
    double *work;       /* [kinds] of the cluster being looked at */
    double *load;       /* [m] */
    double *here;       /* [memories] what it exchanges with each memory */
    uint64_t *memories; /* [mem_words] where that cluster may be */
    double *tlevel;     /* [n] */
    int32_t *proc;      /* [n] the result; -1 not yet */
} merger;

static int by_key(const void *a, const void *b)
{
    const item *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static void list_members(merger *m)
{
    const tgs_view *v = m->k->v;

    for (int32_t j = 0; j < v->n; j++)
        m->at[m->k->of[j] + 2]++;
    for (int32_t i = 0; i < v->n; i++)
        m->at[i + 2] += m->at[i + 1];
    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = v->g->topo[i];

        m->task[m->at[m->k->of[j] + 1]++] = j;
    }
}

/* when each task could start, were it not for the others of its cluster */
static void find_tlevels(merger *m)
{
    const tgs_view *v = m->k->v;
    const tgs_graph_view *g = v->g;

    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = g->topo[i];
        double most = tgs_i_cluster_release(v, j);

        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++) {
            const int32_t u = g->pred[e];
            const double c = m->k->of[u] == m->k->of[j] ? 0 : tgs_cbar(v, g->pred_datum[e]);
            const double x = m->tlevel[u] + m->k->wbar[u] + c;

            most = x > most ? x : most;
        }
        m->tlevel[j] = most;
    }
}

static void order_clusters(merger *m, tgs_i_merge merge)
{
    const tgs_view *v = m->k->v;

    for (int32_t a = 0; a < v->n; a++) {
        item x = {INFINITY, 0, a};
        double work = 0;

        if (m->at[a] == m->at[a + 1])
            continue;
        x.first = v->n;
        for (int32_t i = m->at[a]; i < m->at[a + 1]; i++) {
            const int32_t j = m->task[i];

            if (x.first == v->n && (m->k->w[j] > 0 || i + 1 == m->at[a + 1]))
                x.first = v->g->topo_pos[j];
            work += m->k->wbar[j];
            x.key = m->tlevel[j] < x.key ? m->tlevel[j] : x.key;
        }
        if (merge == TGS_I_MERGE_LPT)
            x.key = -work;
        m->item[m->items++] = x;
    }
    qsort(m->item, (size_t)m->items, sizeof *m->item, by_key);
}

/* work[kind]: seconds at speed 1; where a task cannot run it counts with its mean */
static void find_work(const merger *m, int32_t cluster)
{
    const tgs_view *v = m->k->v;

    for (int32_t q = 0; q < v->kinds; q++)
        m->work[q] = 0;
    for (int32_t i = m->at[cluster]; i < m->at[cluster + 1]; i++)
        for (int32_t j = m->task[i], q = 0; q < v->kinds; q++) {
            const double w = v->time[(int64_t)j * v->kinds + q];

            m->work[q] += w < INFINITY ? w : m->k->wbar[j];
        }
}

/* here[memory], and the sum: what the cluster exchanges with clusters that have their place */
static double find_exchange(const merger *m, int32_t cluster)
{
    const tgs_view *v = m->k->v;
    const tgs_graph_view *g = v->g;
    double sum = 0;

    for (int32_t a = 0; a < v->memories; a++)
        m->here[a] = 0;
    for (int32_t i = m->at[cluster]; i < m->at[cluster + 1]; i++) {
        const int32_t j = m->task[i];
        const int32_t preds = g->pred_at[j + 1] - g->pred_at[j];
        const int32_t both = preds + g->succ_at[j + 1] - g->succ_at[j];

        for (int32_t e = 0; e < both; e++) {
            const bool in = e < preds;
            const int32_t at = in ? g->pred_at[j] + e : g->succ_at[j] + e - preds;
            const int32_t other = m->proc[in ? g->pred[at] : g->succ[at]];
            const double c = tgs_cbar(v, in ? g->pred_datum[at] : g->succ_datum[at]);

            if (other < 0)
                continue;
            m->here[v->p->proc[other].memory] += c;
            sum += c;
        }
    }
    return sum;
}

/* what pins ask of a cluster, of the first tasks that ask: a processor, or -1, and in m->memories
 * those that are left of the memories */
static int32_t find_limits(const merger *m, int32_t cluster)
{
    const tgs_view *v = m->k->v;
    int32_t proc = -1;

    memset(m->memories, 0xff, (size_t)v->mem_words * sizeof *m->memories);
    for (int32_t i = m->at[cluster]; i < m->at[cluster + 1]; i++) {
        const int64_t j = m->task[i];
        const uint64_t *mask = v->mem_mask ? v->mem_mask + j * v->mem_words : NULL;
        uint64_t some = 0;

        if (v->pin_proc && proc < 0)
            proc = v->pin_proc[j];
        for (int32_t w = 0; mask && w < v->mem_words; w++)
            some |= m->memories[w] & mask[w];
        for (int32_t w = 0; some && w < v->mem_words; w++)
            m->memories[w] &= mask[w];
    }
    return proc;
}

static void place(merger *m, int32_t cluster, tgs_i_merge merge)
{
    const tgs_view *v = m->k->v;
    const int32_t pin = find_limits(m, cluster);
    const double exchange = merge == TGS_I_MERGE_COMM ? find_exchange(m, cluster) : 0;
    double best = INFINITY;
    int32_t proc = pin;

    find_work(m, cluster);
    for (int32_t p = 0; p < v->m && pin < 0; p++) {
        const tgs_proc *x = &v->p->proc[p];
        double key = m->load[p] + m->work[x->kind] / x->speed;

        if (v->mem_mask && !(m->memories[x->memory / 64] >> x->memory % 64 & 1))
            continue;
        if (merge == TGS_I_MERGE_COMM)
            key += exchange - m->here[x->memory];
        if (key < best) {
            best = key;
            proc = p;
        }
    }
    if (proc < 0)
        proc = 0; /* no time is finite: the list finds out */
    m->load[proc] += m->work[v->p->proc[proc].kind] / v->p->proc[proc].speed;
    for (int32_t i = m->at[cluster]; i < m->at[cluster + 1]; i++)
        m->proc[m->task[i]] = proc;
}

tgs_status tgs_i_cluster_merge(const tgs_i_clustering *k, tgs_i_merge merge, int32_t *proc,
                               tgs_error *err)
{
    const tgs_view *v = k->v;
    const size_t n = (size_t)v->n;
    merger m = {.k = k, .proc = proc};
    tgs_status status = TGS_OK;

    m.item = tgs_mem_alloc(n, sizeof *m.item);
    m.at = tgs_mem_alloc(n + 2, sizeof *m.at);
    m.task = tgs_mem_alloc(n, sizeof *m.task);
    m.work = tgs_mem_alloc((size_t)v->kinds, sizeof *m.work);
    m.load = tgs_mem_alloc((size_t)v->m, sizeof *m.load);
    m.here = tgs_mem_alloc((size_t)v->memories, sizeof *m.here);
    m.memories = tgs_mem_alloc((size_t)v->mem_words, sizeof *m.memories);
    m.tlevel = tgs_mem_alloc(n, sizeof *m.tlevel);
    if (!m.item || !m.at || !m.task || !m.work || !m.load || !m.here || !m.memories || !m.tlevel) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory to merge the clusters of %d tasks", v->n);
        goto done;
    }
    for (int32_t j = 0; j < v->n; j++)
        proc[j] = -1;
    list_members(&m);
    find_tlevels(&m);
    order_clusters(&m, merge);
    for (int32_t i = 0; i < m.items; i++)
        place(&m, m.item[i].number, merge);
done:
    tgs_mem_free(m.item);
    tgs_mem_free(m.at);
    tgs_mem_free(m.task);
    tgs_mem_free(m.work);
    tgs_mem_free(m.load);
    tgs_mem_free(m.here);
    tgs_mem_free(m.memories);
    tgs_mem_free(m.tlevel);
    return status;
}
