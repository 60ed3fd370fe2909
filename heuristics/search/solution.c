/* solution.c -- decoding an order, and changing it. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

static double largest(double a, double b)
{
    return a > b ? a : b;
}

/* ---- memory ------------------------------------------------------------------------------------
 */
tgs_status tgs_i_solution_open(tgs_i_solution *s, int32_t n, tgs_error *err)
{
    s->order = tgs_mem_alloc((size_t)n, sizeof *s->order);
    s->place = tgs_mem_alloc((size_t)n, sizeof *s->place);
    s->proc = tgs_mem_alloc((size_t)n, sizeof *s->proc);
    s->start = tgs_mem_alloc((size_t)n, sizeof *s->start);
    s->end = tgs_mem_alloc((size_t)n, sizeof *s->end);
    if (s->order && s->place && s->proc && s->start && s->end)
        return TGS_OK;
    return tgs_fail(err, TGS_ENOMEM, "out of memory for a schedule of %d tasks", n);
}

void tgs_i_solution_close(tgs_i_solution *s)
{
    tgs_mem_free(s->order);
    tgs_mem_free(s->place);
    tgs_mem_free(s->proc);
    tgs_mem_free(s->start);
    tgs_mem_free(s->end);
}

void tgs_i_solution_copy(tgs_i_solution *to, const tgs_i_solution *from, int32_t n, bool times)
{
    memcpy(to->order, from->order, (size_t)n * sizeof *to->order);
    memcpy(to->place, from->place, (size_t)n * sizeof *to->place);
    memcpy(to->proc, from->proc, (size_t)n * sizeof *to->proc);
    if (times) {
        memcpy(to->start, from->start, (size_t)n * sizeof *to->start);
        memcpy(to->end, from->end, (size_t)n * sizeof *to->end);
    }
    to->makespan = from->makespan;
    to->spread = from->spread;
}

static int by_time(const void *a, const void *b)
{
    const tgs_i_rank *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->positive != y->positive)
        return x->positive - y->positive;
    return (x->position > y->position) - (x->position < y->position);
}

static void find_arrivals(tgs_i_decoder *x)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;

    for (int32_t j = 0; j < v->n; j++) {
        const int32_t k = g->task[j].constraint;
        double *row = x->arrive + (int64_t)j * v->memories;

        for (int32_t a = 0; a < v->memories && k >= 0; a++)
            row[a] = g->constraint[k].release;
        for (int32_t i = g->access_at[j]; i < g->access_at[j + 1]; i++) {
            const int32_t d = (int32_t)g->access[i].datum, home = v->home[d];

            if (!(g->access[i].mode & TGS_R) || g->access[i].version >= 0 || home < 0)
                continue;
            for (int32_t a = 0; a < v->memories; a++)
                row[a] = largest(row[a], tgs_c(v, d, home, a));
        }
    }
}

static void find_leaders(tgs_i_decoder *x)
{
    const tgs_graph_view *g = x->v->g;
    int32_t count = 0;

    for (int32_t j = 0; j < x->v->n; j++) {
        const int32_t k = g->task[j].constraint;

        x->leader[j] = -1;
        if (k >= 0 && g->constraint[k].group >= 0)
            x->rank[count++] = (tgs_i_rank){g->constraint[k].group, 0, j};
    }
    qsort(x->rank, (size_t)count, sizeof *x->rank, by_time);
    for (int32_t i = 0; i < count; i++) {
        const bool first = !i || x->rank[i].start != x->rank[i - 1].start;

        x->leader[x->rank[i].position] =
            first ? x->rank[i].position : x->leader[x->rank[i - 1].position];
    }
}

tgs_status tgs_i_decoder_open(tgs_i_decoder *x, const tgs_view *v, tgs_error *err)
{
    const size_t n = (size_t)v->n, m = (size_t)v->m;

    *x = (tgs_i_decoder){.v = v};
    x->arrive = tgs_mem_alloc(n * (size_t)v->memories, sizeof *x->arrive);
    x->free = tgs_mem_alloc(m, sizeof *x->free);
    x->leader = tgs_mem_alloc(n, sizeof *x->leader);
    x->next = tgs_mem_alloc(m, sizeof *x->next);
    x->critical = tgs_mem_alloc(n, sizeof *x->critical);
    x->rank = tgs_mem_alloc(n, sizeof *x->rank);
    if (!x->arrive || !x->free || !x->leader || !x->next || !x->critical || !x->rank)
        return tgs_fail(err, TGS_ENOMEM, "out of memory to search schedules of %d tasks", v->n);
    find_arrivals(x);
    find_leaders(x);
    return TGS_OK;
}

void tgs_i_decoder_close(tgs_i_decoder *x)
{
    tgs_mem_free(x->arrive);
    tgs_mem_free(x->free);
    tgs_mem_free(x->leader);
    tgs_mem_free(x->next);
    tgs_mem_free(x->critical);
    tgs_mem_free(x->rank);
}

/* ---- times -------------------------------------------------------------------------------------
 */
void tgs_i_decode(tgs_i_decoder *x, tgs_i_solution *s)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;

    memset(x->free, 0, (size_t)v->m * sizeof *x->free);
    s->makespan = s->spread = 0;
    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = s->order[i], p = s->proc[j], a = v->p->proc[p].memory;
        double start = largest(x->free[p], x->arrive[(int64_t)j * v->memories + a]);

        for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
            const int32_t u = g->pred[k], from = v->p->proc[s->proc[u]].memory;

            start = largest(start, s->end[u] + tgs_c(v, g->pred_datum[k], from, a));
        }
        s->start[j] = start;
        s->end[j] = x->free[p] = start + tgs_w(v, j, p);
        s->makespan = largest(s->makespan, s->end[j]);
    }
    for (int32_t p = 0; p < v->m; p++)
        s->spread += x->free[p] * x->free[p];
}

bool tgs_i_better(const tgs_i_solution *a, const tgs_i_solution *b)
{
    return a->makespan < b->makespan || (a->makespan == b->makespan && a->spread < b->spread);
}

void tgs_i_arrange(tgs_i_decoder *x, tgs_i_solution *s)
{
    const tgs_view *v = x->v;

    for (int32_t j = 0; j < v->n; j++)
        x->rank[j] = (tgs_i_rank){s->start[j], tgs_w(v, j, s->proc[j]) > 0, v->g->topo_pos[j]};
    qsort(x->rank, (size_t)v->n, sizeof *x->rank, by_time);
    for (int32_t i = 0; i < v->n; i++) {
        s->order[i] = v->g->topo[x->rank[i].position];
        s->place[s->order[i]] = i;
    }
}

/* ---- moves -------------------------------------------------------------------------------------
 */
void tgs_i_range(const tgs_i_decoder *x, const tgs_i_solution *s, int32_t task, int32_t *first,
                 int32_t *last)
{
    const tgs_graph_view *g = x->v->g;

    *first = 0;
    *last = x->v->n - 1;
    for (int32_t k = g->pred_at[task]; k < g->pred_at[task + 1]; k++)
        if (s->place[g->pred[k]] >= *first)
            *first = s->place[g->pred[k]] + 1;
    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++)
        if (s->place[g->succ[k]] - 1 < *last)
            *last = s->place[g->succ[k]] - 1;
}

void tgs_i_put(tgs_i_solution *s, int32_t task, int32_t place)
{
    const int32_t step = place > s->place[task] ? 1 : -1;

    for (int32_t i = s->place[task]; i != place; i += step) {
        s->order[i] = s->order[i + step];
        s->place[s->order[i]] = i;
    }
    s->order[place] = task;
    s->place[task] = place;
}

/* the processor of a memory on which task takes least time, or -1 */
static int32_t fastest(const tgs_view *v, int32_t task, int32_t memory)
{
    double least = INFINITY;
    int32_t best = -1;

    for (int32_t p = 0; p < v->m; p++)
        if (v->p->proc[p].memory == memory && tgs_w(v, task, p) < least) {
            least = tgs_w(v, task, p);
            best = p;
        }
    return best;
}

bool tgs_i_assign(const tgs_i_decoder *x, tgs_i_solution *s, int32_t task, int32_t proc)
{
    const tgs_view *v = x->v;
    const int32_t a = v->p->proc[proc].memory, l = x->leader[task];
    const bool follow = l >= 0 && v->p->proc[s->proc[task]].memory != a;

    if (!tgs_allowed(v, task, proc))
        return false;
    for (int32_t j = l; follow && j < v->n; j++)
        if (x->leader[j] == l && fastest(v, j, a) < 0)
            return false;
    for (int32_t j = l; follow && j < v->n; j++)
        if (x->leader[j] == l)
            s->proc[j] = fastest(v, j, a);
    s->proc[task] = proc;
    return true;
}

int32_t tgs_i_critical(tgs_i_decoder *x, const tgs_i_solution *s, int32_t *list)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    int32_t count = 0;

    memset(x->next, -1, (size_t)v->m * sizeof *x->next);
    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = s->order[i], p = s->proc[j], after = x->next[p];
        bool critical = s->end[j] == s->makespan
                        || (after >= 0 && x->critical[after] && s->start[after] == s->end[j]);

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1] && !critical; k++) {
            const int32_t t = g->succ[k];
            const double c =
                tgs_c(v, g->succ_datum[k], v->p->proc[p].memory, v->p->proc[s->proc[t]].memory);

            critical = x->critical[t] && s->start[t] == s->end[j] + c;
        }
        x->critical[j] = critical;
        x->next[p] = j;
        if (critical)
            list[count++] = j;
    }
    return count;
}
