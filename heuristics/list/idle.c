/* idle.c -- which processor is idle first, for algorithms that look at a few processors only.
 *
 * A tournament whose leaves are the processors by type, memory and index, so that those of a type,
 * and of a type in a memory, lie side by side. */
#include <string.h>
#include "core.h"

static bool same_type(const tgs_proc *a, const tgs_proc *b)
{
    return a->kind == b->kind && a->speed == b->speed;
}

int32_t tgs_i_types(const tgs_view *v, int32_t *type, int32_t *first)
{
    int32_t types = 0;

    for (int32_t p = 0; p < v->m; p++) {
        int32_t t = 0;

        while (t < types && !same_type(&v->p->proc[first[t]], &v->p->proc[p]))
            t++;
        if (t == types)
            first[types++] = p;
        type[p] = t;
    }
    return types;
}

static bool idle_before(const tgs_i_list *s, int32_t p, int32_t q)
{
    const double a = s->line[p].free, b = s->line[q].free;

    return a < b || (a == b && p < q);
}

static int32_t better(const tgs_i_list *s, int32_t p, int32_t q)
{
    if (p < 0 || q < 0)
        return p < 0 ? q : p;
    return idle_before(s, p, q) ? p : q;
}

/* a counting sort of the processors by type and memory */
static void fill_leaves(tgs_i_idle *x, const int32_t *type)
{
    const tgs_view *v = x->s->v;
    const int64_t groups = (int64_t)x->types * v->memories;
    int32_t *at = x->at;

    for (int32_t p = 0; p < v->m; p++)
        at[(int64_t)type[p] * v->memories + v->p->proc[p].memory + 1]++;
    for (int64_t i = 0; i < groups; i++)
        at[i + 1] += at[i];
    for (int32_t p = 0; p < v->m; p++) {
        const int32_t i = at[(int64_t)type[p] * v->memories + v->p->proc[p].memory]++;

        x->leaf[p] = i;
        x->best[x->size + i] = p;
    }
    memmove(at + 1, at, (size_t)groups * sizeof *at);
    at[0] = 0;
}

tgs_status tgs_i_idle_open(tgs_i_idle *x, const tgs_i_list *s, tgs_error *err)
{
    const tgs_view *v = s->v;
    int32_t *type = tgs_mem_alloc((size_t)v->m, sizeof *type);
    int32_t *first = tgs_mem_alloc((size_t)v->m, sizeof *first);

    *x = (tgs_i_idle){.s = s, .size = 1};
    while (x->size < v->m)
        x->size *= 2;
    if (type && first) {
        x->types = tgs_i_types(v, type, first);
        x->leaf = tgs_mem_alloc((size_t)v->m, sizeof *x->leaf);
        x->at = tgs_mem_alloc((size_t)x->types * (size_t)v->memories + 1, sizeof *x->at);
        x->best = tgs_mem_alloc(2 * (size_t)x->size, sizeof *x->best);
    }
    if (x->leaf && x->at && x->best) {
        memset(x->best, -1, 2 * (size_t)x->size * sizeof *x->best);
        fill_leaves(x, type);
        for (int32_t i = x->size - 1; i > 0; i--)
            x->best[i] = better(s, x->best[2 * i], x->best[2 * i + 1]);
    }
    tgs_mem_free(type);
    tgs_mem_free(first);
    if (x->leaf && x->at && x->best)
        return TGS_OK;
    tgs_i_idle_close(x);
    return tgs_fail(err, TGS_ENOMEM, "out of memory for %d processors", v->m);
}

void tgs_i_idle_close(tgs_i_idle *x)
{
    tgs_mem_free(x->leaf);
    tgs_mem_free(x->at);
    tgs_mem_free(x->best);
    *x = (tgs_i_idle){.s = NULL};
}

void tgs_i_idle_renew(tgs_i_idle *x, int32_t proc)
{
    for (int32_t i = (x->size + x->leaf[proc]) / 2; i > 0; i /= 2)
        x->best[i] = better(x->s, x->best[2 * i], x->best[2 * i + 1]);
}

int32_t tgs_i_idle_any(const tgs_i_idle *x)
{
    return x->best[1];
}

int32_t tgs_i_idle_first(const tgs_i_idle *x, int32_t type, int32_t memory)
{
    const int64_t M = x->s->v->memories, group = type * M + (memory < 0 ? 0 : memory);
    int32_t from = x->size + x->at[group];
    int32_t to = x->size + x->at[memory < 0 ? group + M : group + 1], best = -1;

    for (; from < to; from /= 2, to /= 2) {
        if (from % 2)
            best = better(x->s, best, x->best[from++]);
        if (to % 2)
            best = better(x->s, best, x->best[--to]);
    }
    return best;
}

double tgs_i_idle_message(const tgs_i_list *s, int32_t task, int32_t *memory)
{
    const tgs_view *v = s->v;
    const tgs_graph_view *g = v->g;
    const int32_t i = g->task[task].constraint;
    double last = i < 0 ? 0 : g->constraint[i].release;

    *memory = -1;
    for (int32_t k = g->pred_at[task]; k < g->pred_at[task + 1]; k++) {
        const tgs_i_done *u = &s->done[g->pred[k]];
        const double x = u->end + tgs_cbar(v, g->pred_datum[k]);

        if (x > last) {
            last = x;
            *memory = g->pred_datum[k] < 0 ? -1 : u->memory;
        }
    }
    for (int32_t k = g->access_at[task]; s->initial && k < g->access_at[task + 1]; k++) {
        const tgs_access *a = &g->access[k];

        if ((a->mode & TGS_R) && a->version < 0 && v->home[a->datum] >= 0
            && tgs_cbar(v, (int32_t)a->datum) > last) {
            last = tgs_cbar(v, (int32_t)a->datum);
            *memory = v->home[a->datum];
        }
    }
    return last;
}

void tgs_i_idle_pick(const tgs_i_idle *x, int32_t task, int32_t memory, tgs_i_pick *out)
{
    const tgs_i_list *s = x->s;
    double ready = 0;
    int32_t arrived = -1; /* the memory that ready is for */

    *out = (tgs_i_pick){INFINITY, INFINITY, INFINITY, -1, -1};
    for (int32_t i = 0; i < 2 * x->types; i++) {
        const int32_t p =
            i % 2 && memory < 0 ? -1 : tgs_i_idle_first(x, i / 2, i % 2 ? memory : -1);
        double start, end;

        if (p < 0 || !tgs_i_list_may(s, task, p))
            continue;
        if (arrived != s->v->p->proc[p].memory) {
            arrived = s->v->p->proc[p].memory;
            ready = tgs_i_list_arrival(s, task, arrived);
        }
        start = ready > s->line[p].free ? ready : s->line[p].free;
        end = start + tgs_w(s->v, task, p);
        if (end < out->key || (end == out->key && p < out->proc && end < INFINITY))
            *out = (tgs_i_pick){start, end, INFINITY, p, -1};
    }
    if (out->proc >= 0)
        return;
    tgs_i_list_ready(s, task, s->ready);
    tgs_i_list_pick(s, task, s->ready, false, out);
}
