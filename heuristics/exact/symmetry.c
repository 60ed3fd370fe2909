/* symmetry.c -- processors and memories that may be exchanged.
 *
 * Two processors of one memory, of the same kind and speed, are the same from now on when both are
 * free at the start of the last task (nothing starts earlier any more), or at the same time.  Two
 * memories are the same while both are empty, when their processors are equal one by one and an
 * exchange changes no link, home, or limit of a task.  Of what is the same the first one is
 * tried. */
#include "core.h"

static bool same_processor(const tgs_view *v, int32_t p, int32_t q)
{
    return v->p->proc[p].kind == v->p->proc[q].kind && v->p->proc[p].speed == v->p->proc[q].speed;
}

/* equal processors in the order of their numbers, none of which a task is pinned to */
static bool same_processors(const tgs_view *v, const bool *pinned, int32_t a, int32_t b)
{
    int32_t q = -1;

    for (int32_t p = 0; p < v->m; p++) {
        if (v->p->proc[p].memory != a)
            continue;
        for (q++; q < v->m && v->p->proc[q].memory != b; q++)
            ;
        if (q >= v->m || pinned[p] || pinned[q] || !same_processor(v, p, q))
            return false;
    }
    for (q++; q < v->m; q++)
        if (v->p->proc[q].memory == b)
            return false;
    return true;
}

/* of a table [memories * memories] */
static bool same_links(const double *table, int32_t memories, int32_t a, int32_t b)
{
    const int32_t M = memories;

    for (int32_t x = 0; x < M; x++)
        if (x != a && x != b
            && (table[a * M + x] != table[b * M + x] || table[x * M + a] != table[x * M + b]))
            return false;
    return table[a * M + b] == table[b * M + a];
}

static bool same_limits(const tgs_view *v, int32_t a, int32_t b)
{
    for (int32_t j = 0; v->mem_mask && j < v->n; j++)
        if (tgs_memory_allowed(v, j, a) != tgs_memory_allowed(v, j, b))
            return false;
    for (int32_t d = 0; d < v->g->data; d++)
        if (v->home[d] == a || v->home[d] == b)
            return false;
    return true;
}

tgs_status tgs_i_partial_symmetry(tgs_i_partial *x, tgs_error *err)
{
    const tgs_view *v = x->v;
    bool *pinned = tgs_mem_alloc((size_t)v->m, sizeof *pinned);

    if (!pinned)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d processors", v->m);
    for (int32_t j = 0; v->pin_proc && j < v->n; j++)
        if (v->pin_proc[j] >= 0)
            pinned[v->pin_proc[j]] = true;
    for (int32_t p = 0; p < v->m; p++) {
        x->twin[p] = p;
        for (int32_t q = 0; q < p && x->twin[p] == p; q++)
            if (v->p->proc[q].memory == v->p->proc[p].memory && same_processor(v, p, q)
                && !pinned[p] && !pinned[q])
                x->twin[p] = q;
    }
    for (int32_t a = 0; a < v->memories; a++) {
        x->likeness[a] = a;
        for (int32_t b = 0; b < a && x->likeness[a] == a; b++)
            if (same_links(v->lat, v->memories, a, b) && same_links(v->inv, v->memories, a, b)
                && same_limits(v, a, b) && same_processors(v, pinned, a, b))
                x->likeness[a] = b;
    }
    tgs_mem_free(pinned);
    return TGS_OK;
}

static double idle_from(const tgs_i_partial *x, int32_t proc)
{
    return x->free[proc] > x->last.start ? x->free[proc] : x->last.start;
}

bool tgs_i_partial_redundant(const tgs_i_partial *x, int32_t proc)
{
    const int32_t a = x->v->p->proc[proc].memory;

    for (int32_t q = 0; q < proc; q++)
        if (x->twin[q] == x->twin[proc] && idle_from(x, q) == idle_from(x, proc))
            return true;
    for (int32_t b = 0; b < a && !x->in_memory[a]; b++)
        if (x->likeness[b] == x->likeness[a] && !x->in_memory[b])
            return true;
    return false;
}
