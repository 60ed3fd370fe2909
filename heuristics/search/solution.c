/* solution.c -- one schedule: decoding an order, its critical tasks, changes of the order. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

#define ROUNDING 1e-9 /* between played and added times */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- memory ------------------------------------------------------------------------------------
 */
tgs_status tgs_i_solution_open(tgs_i_solution *s, const tgs_i_search *x, tgs_error *err)
{
    const tgs_view *v = x->v;
    const size_t n = (size_t)v->n;
    int32_t **whole[] = {&s->proc, &s->before, &s->after, &s->order, &s->place};
    double **real[] = {&s->time, &s->head, &s->tail, &s->wait, &s->plan};
    const size_t reals = x->contends ? 5 : 3;
    bool full = true;

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        full &= (*whole[i] = tgs_mem_alloc(n, sizeof(int32_t))) != NULL;
    for (size_t i = 0; i < reals; i++)
        full &= (*real[i] = tgs_mem_alloc(n, sizeof(double))) != NULL;
    s->first = tgs_mem_alloc((size_t)v->m, sizeof *s->first);
    if (full && s->first)
        return TGS_OK;
    return tgs_fail(err, TGS_ENOMEM, "out of memory for a schedule of %d tasks", v->n);
}

void tgs_i_solution_close(tgs_i_solution *s)
{
    tgs_mem_free(s->proc);
    tgs_mem_free(s->before);
    tgs_mem_free(s->after);
    tgs_mem_free(s->first);
    tgs_mem_free(s->order);
    tgs_mem_free(s->place);
    tgs_mem_free(s->time);
    tgs_mem_free(s->head);
    tgs_mem_free(s->tail);
    tgs_mem_free(s->wait);
    tgs_mem_free(s->plan);
}

void tgs_i_solution_copy(tgs_i_solution *to, const tgs_i_solution *from, const tgs_view *v)
{
    const size_t n = (size_t)v->n;

    memcpy(to->proc, from->proc, n * sizeof *to->proc);
    memcpy(to->before, from->before, n * sizeof *to->before);
    memcpy(to->after, from->after, n * sizeof *to->after);
    memcpy(to->first, from->first, (size_t)v->m * sizeof *to->first);
    memcpy(to->order, from->order, n * sizeof *to->order);
    memcpy(to->place, from->place, n * sizeof *to->place);
    memcpy(to->time, from->time, n * sizeof *to->time);
    memcpy(to->head, from->head, n * sizeof *to->head);
    memcpy(to->tail, from->tail, n * sizeof *to->tail);
    if (from->wait) {
        memcpy(to->wait, from->wait, n * sizeof *to->wait);
        memcpy(to->plan, from->plan, n * sizeof *to->plan);
    }
    to->makespan = from->makespan;
    to->tails = from->tails;
}

/* ---- times -------------------------------------------------------------------------------------
 */
void tgs_i_times(tgs_i_chain *x, tgs_i_solution *s)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;

    s->makespan = 0;
    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = s->order[i], a = v->p->proc[s->proc[j]].memory, b = s->before[j];
        double head = tgs_i_arrival(x->search, j, a);

        if (b >= 0)
            head = larger(head, s->head[b] + s->time[b]);
        for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
            const int32_t u = g->pred[k], from = v->p->proc[s->proc[u]].memory;

            head = larger(head, s->head[u] + s->time[u] + tgs_c(v, g->pred_datum[k], from, a));
        }
        s->head[j] = head;
        s->makespan = larger(s->makespan, head + s->time[j]);
    }
    s->tails = false;
    if (s->wait && s->makespan < INFINITY)
        tgs_i_play_solution(x, s);
    tgs_i_count(x, 1, 0);
}

void tgs_i_tails(const tgs_view *v, tgs_i_solution *s)
{
    const tgs_graph_view *g = v->g;

    if (s->tails)
        return;
    s->tails = true;
    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = s->order[i], a = v->p->proc[s->proc[j]].memory, b = s->after[j];
        double tail = b >= 0 ? tgs_i_rest(s, b, s->tail[b]) : 0;

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++) {
            const int32_t t = g->succ[k], to = v->p->proc[s->proc[t]].memory;

            tail = larger(tail, tgs_c(v, g->succ_datum[k], a, to) + tgs_i_rest(s, t, s->tail[t]));
        }
        s->tail[j] = tail;
    }
}

void tgs_i_decode(tgs_i_chain *x, tgs_i_solution *s)
{
    const tgs_view *v = x->v;

    memset(s->first, -1, (size_t)v->m * sizeof *s->first);
    memset(x->last, -1, (size_t)v->m * sizeof *x->last);
    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = s->order[i], p = s->proc[j], b = x->last[p];

        s->place[j] = i;
        s->time[j] = tgs_w(v, j, p);
        s->before[j] = b;
        s->after[j] = -1;
        if (b >= 0)
            s->after[b] = j;
        else
            s->first[p] = j;
        x->last[p] = j;
    }
    tgs_i_times(x, s);
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

void tgs_i_arrange(tgs_i_chain *x, tgs_i_solution *s)
{
    const tgs_view *v = x->v;

    for (int32_t j = 0; j < v->n; j++)
        x->rank[j] = (tgs_i_rank){s->head[j], tgs_w(v, j, s->proc[j]) > 0, v->g->topo_pos[j]};
    qsort(x->rank, (size_t)v->n, sizeof *x->rank, by_time);
    for (int32_t i = 0; i < v->n; i++) {
        s->order[i] = v->g->topo[x->rank[i].position];
        s->place[s->order[i]] = i;
    }
}

/* Where links contend: the tasks on the longest paths, and those that send what a task on one waits
 * for. */
static int32_t critical_played(tgs_i_chain *x, tgs_i_solution *s)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    const double longest = s->makespan * (1 - ROUNDING);
    int32_t count = 0;

    tgs_i_tails(v, s);
    for (int32_t j = 0; j < v->n; j++)
        x->critical[j] = s->head[j] + s->time[j] + s->tail[j] >= longest;
    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = s->order[i], a = v->p->proc[s->proc[j]].memory;

        if (!x->critical[j])
            continue;
        x->list[count++] = j;
        for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1] && s->wait[j] > 0; k++)
            if (g->pred_datum[k] >= 0 && v->p->proc[s->proc[g->pred[k]]].memory != a)
                x->critical[g->pred[k]] = true;
    }
    return count;
}

int32_t tgs_i_critical(tgs_i_chain *x, tgs_i_solution *s)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    int32_t count = 0;

    if (s->wait)
        return critical_played(x, s);
    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = s->order[i], a = v->p->proc[s->proc[j]].memory, b = s->after[j];
        const double end = s->head[j] + s->time[j];
        bool critical = end == s->makespan || (b >= 0 && x->critical[b] && s->head[b] == end);

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1] && !critical; k++) {
            const int32_t t = g->succ[k], to = v->p->proc[s->proc[t]].memory;

            critical = x->critical[t] && s->head[t] == end + tgs_c(v, g->succ_datum[k], a, to);
        }
        x->critical[j] = critical;
        if (critical)
            x->list[count++] = j;
    }
    return count;
}

/* ---- changes of the order ----------------------------------------------------------------------
 */
void tgs_i_range(const tgs_view *v, const tgs_i_solution *s, int32_t task, int32_t *first,
                 int32_t *last)
{
    const tgs_graph_view *g = v->g;

    *first = 0;
    *last = v->n - 1;
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

bool tgs_i_assign(const tgs_i_chain *x, tgs_i_solution *s, int32_t task, int32_t proc)
{
    const tgs_view *v = x->v;
    const int32_t *leader = x->search->leader;
    const int32_t a = v->p->proc[proc].memory, l = leader[task];
    const bool follow = l >= 0 && v->p->proc[s->proc[task]].memory != a;

    if (!tgs_allowed(v, task, proc))
        return false;
    for (int32_t j = l; follow && j < v->n; j++)
        if (leader[j] == l && fastest(v, j, a) < 0)
            return false;
    for (int32_t j = l; follow && j < v->n; j++)
        if (leader[j] == l)
            s->proc[j] = fastest(v, j, a);
    s->proc[task] = proc;
    return true;
}
