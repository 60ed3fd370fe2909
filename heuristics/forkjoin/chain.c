/* chain.c -- cut tasks and blocks.
 *
 * In canonical order a task at position i precedes all later tasks when each of them has a
 * predecessor at i or later (then, by induction, one that follows the task), and follows all
 * earlier ones when each of them has a successor at i or earlier.  O(n + e). */
#include <string.h>
#include "chain.h"

enum { LOOKS = 6 }; /* with more, positions are not told apart */

double tgs_i_chain_alone(const tgs_view *v, int32_t task, int32_t memory)
{
    const int32_t k = v->g->task[task].constraint;
    const double release = k < 0 ? 0 : v->g->constraint[k].release;

    return fmax(release, tgs_i_fj_initial_ready(v, task, memory));
}

/* the latest position of a predecessor, -1: none; the earliest of a successor, n: none */
static int32_t last_before(const tgs_graph_view *g, int32_t task)
{
    int32_t last = -1;

    for (int32_t k = g->pred_at[task]; k < g->pred_at[task + 1]; k++)
        if (g->topo_pos[g->pred[k]] > last)
            last = g->topo_pos[g->pred[k]];
    return last;
}

static int32_t first_after(const tgs_graph_view *g, int32_t task)
{
    int32_t first = g->tasks;

    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++)
        if (g->topo_pos[g->succ[k]] < first)
            first = g->topo_pos[g->succ[k]];
    return first;
}

static void find_cuts(tgs_i_chain *c)
{
    const tgs_graph_view *g = c->v->g;
    const int32_t n = c->v->n;
    int32_t *later = c->block; /* the least, over positions behind i, of the last predecessor */
    int32_t least = n, most = -1;

    for (int32_t i = n - 1; i >= 0; i--) {
        const int32_t x = last_before(g, g->topo[i]);

        later[i] = least;
        least = x < least ? x : least;
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t x = first_after(g, g->topo[i]);

        if (later[i] >= i && most <= i)
            c->cut[c->cuts++] = i;
        c->block[i] = c->cuts - (c->cuts && c->cut[c->cuts - 1] == i);
        most = x > most ? x : most;
    }
}

static void find_looks(tgs_i_chain *c, bool *alone, int32_t *like)
{
    const tgs_view *v = c->v;

    for (int32_t a = 0; a < v->memories; a++)
        alone[a] = v->pin_proc || v->mem_mask;
    for (int32_t d = 0; d < v->g->data; d++)
        if (v->home[d] >= 0)
            alone[v->home[d]] = true;
    tgs_i_fj_looks(v, alone, like);
    for (int32_t a = 0; a < v->memories; a++) {
        c->look[a] = like[a] < 0 ? -1 : like[a] == a ? c->looks : c->look[like[a]];
        if (like[a] < 0)
            continue;
        if (like[a] == a) {
            c->first[c->looks] = a;
            c->second[c->looks++] = -1;
        } else if (c->second[c->look[a]] < 0) {
            c->second[c->look[a]] = a;
        }
        c->members[c->look[a]]++;
    }
    c->coarse = c->looks > LOOKS;
    if (!c->coarse)
        return;
    for (int32_t a = 0; a < v->memories; a++)
        c->look[a] = c->look[a] < 0 ? -1 : 0;
    c->looks = 1;
    c->second[0] = -1;
}

static void find_times(tgs_i_chain *c)
{
    const tgs_view *v = c->v;

    for (int64_t i = 0; i < (int64_t)v->n * c->looks; i++)
        c->w[i] = INFINITY;
    for (int32_t p = 0; p < v->m; p++) {
        const int32_t look = c->look[v->p->proc[p].memory];

        if (!c->coarse && c->first[look] != v->p->proc[p].memory)
            continue;
        for (int32_t j = 0; j < v->n; j++) {
            double *w = &c->w[(int64_t)j * c->looks + look];

            *w = fmin(*w, tgs_w(v, j, p));
        }
    }
}

tgs_status tgs_i_chain_open(tgs_i_chain *c, const tgs_view *v, tgs_error *err)
{
    const size_t n = (size_t)v->n, M = (size_t)v->memories;
    bool *alone = tgs_mem_alloc(M, sizeof *alone);
    int32_t *like = tgs_mem_alloc(M, sizeof *like);
    tgs_status status = TGS_OK;

    *c = (tgs_i_chain){.v = v};
    c->cut = tgs_mem_alloc(n, sizeof *c->cut);
    c->block = tgs_mem_alloc(n, sizeof *c->block);
    c->look = tgs_mem_alloc(M, sizeof *c->look);
    c->first = tgs_mem_alloc(M, sizeof *c->first);
    c->second = tgs_mem_alloc(M, sizeof *c->second);
    c->members = tgs_mem_alloc(M, sizeof *c->members);
    if (alone && like && c->cut && c->block && c->look && c->first && c->second && c->members) {
        find_cuts(c);
        find_looks(c, alone, like);
        c->w = tgs_mem_alloc(n * (size_t)c->looks, sizeof *c->w);
    }
    if (c->w)
        find_times(c);
    else
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the cuts of %d tasks", v->n);
    tgs_mem_free(alone);
    tgs_mem_free(like);
    if (status)
        tgs_i_chain_close(c);
    return status;
}

void tgs_i_chain_close(tgs_i_chain *c)
{
    tgs_mem_free(c->cut);
    tgs_mem_free(c->block);
    tgs_mem_free(c->look);
    tgs_mem_free(c->first);
    tgs_mem_free(c->second);
    tgs_mem_free(c->members);
    tgs_mem_free(c->w);
    *c = (tgs_i_chain){.v = NULL};
}

void tgs_i_chain_range(const tgs_i_chain *c, int32_t b, int32_t *first, int32_t *last)
{
    *first = b ? c->cut[b - 1] + 1 : 0;
    *last = b < c->cuts ? c->cut[b] : c->v->n;
}

bool tgs_i_chain_atomic(const tgs_i_chain *c, int32_t b)
{
    const tgs_graph_view *g = c->v->g;
    int32_t first, last;

    tgs_i_chain_range(c, b, &first, &last);
    for (int32_t i = first; i < last; i++) {
        const int32_t x = last_before(g, g->topo[i]);

        if (x >= first)
            return false;
    }
    return true;
}
