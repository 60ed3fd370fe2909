/* moves.c -- a task taken out of the schedule, and put back elsewhere.
 *
 * Where it may go.  Put behind a and before b of its new processor, task j closes a cycle when b
 * comes before a predecessor of j, or a after a successor.  With heads of the schedule as it was,
 * b before a predecessor u means end(b) <= head(u), and a after a successor s means head(a) >=
 * end(s); so between the last task that ends by the latest head of a predecessor (or is one) and
 * the first task that starts after the earliest end of a successor (or is one) j can always go.
 * With tasks that take no time the two may cross; then tgs_i_apply finds the cycle. */
#include <string.h>
#include "core.h"

#define ROUNDING 1e-12 /* sums of the same numbers in another order */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- taking out --------------------------------------------------------------------------------
 */
static void mark(tgs_i_chain *x, int32_t task, bool set)
{
    const tgs_graph_view *g = x->v->g;

    for (int32_t k = g->pred_at[task]; k < g->pred_at[task + 1]; k++)
        x->mark[g->pred[k]] = set ? 1 : 0;
    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++)
        x->mark[g->succ[k]] = set ? 2 : 0;
}

/* heads behind the task, without it */
static void rest_heads(tgs_i_chain *x, int32_t out)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    const tgs_i_solution *s = &x->now;
    double *head = x->rest_head;

    for (int32_t i = s->place[out] + 1; i < v->n; i++) {
        const int32_t j = s->order[i], a = v->p->proc[s->proc[j]].memory;
        const int32_t b = s->before[j] == out ? s->before[out] : s->before[j];
        double h = tgs_i_arrival(x->search, j, a);

        if (b >= 0)
            h = larger(h, head[b] + s->time[b]);
        for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
            const int32_t u = g->pred[k];

            if (u != out)
                h = larger(h, head[u] + s->time[u]
                                  + tgs_c(v, g->pred_datum[k], v->p->proc[s->proc[u]].memory, a));
        }
        head[j] = s->wait ? h + s->wait[j] : h;
    }
}

/* tails before the task, without it */
static void rest_tails(tgs_i_chain *x, int32_t out)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    const tgs_i_solution *s = &x->now;
    double *tail = x->rest_tail;

    for (int32_t i = s->place[out] - 1; i >= 0; i--) {
        const int32_t j = s->order[i], a = v->p->proc[s->proc[j]].memory;
        const int32_t b = s->after[j] == out ? s->after[out] : s->after[j];
        double q = b >= 0 ? tgs_i_rest(s, b, tail[b]) : 0;

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++) {
            const int32_t t = g->succ[k];

            if (t != out)
                q = larger(q, tgs_c(v, g->succ_datum[k], a, v->p->proc[s->proc[t]].memory)
                                  + tgs_i_rest(s, t, tail[t]));
        }
        tail[j] = q;
    }
}

void tgs_i_lift(tgs_i_chain *x, int32_t task)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    const tgs_i_solution *s = &x->now;

    tgs_i_tails(v, &x->now);
    if (x->lifted >= 0)
        mark(x, x->lifted, false);
    x->lifted = task;
    mark(x, task, true);
    memcpy(x->rest_head, s->head, (size_t)v->n * sizeof *s->head);
    memcpy(x->rest_tail, s->tail, (size_t)v->n * sizeof *s->tail);
    rest_heads(x, task);
    rest_tails(x, task);
    x->rest_makespan = 0;
    for (int32_t j = 0; j < v->n; j++)
        if (j != task)
            x->rest_makespan = larger(x->rest_makespan, x->rest_head[j] + s->time[j]);
    x->last_in = -INFINITY;
    x->first_out = INFINITY;
    for (int32_t k = g->pred_at[task]; k < g->pred_at[task + 1]; k++)
        x->last_in = larger(x->last_in, s->head[g->pred[k]]);
    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++) {
        const double end = s->head[g->succ[k]] + s->time[g->succ[k]];

        x->first_out = end < x->first_out ? end : x->first_out;
    }
    for (int32_t a = 0; a < v->memories; a++)
        x->in[a] = x->out[a] = NAN;
    tgs_i_count(x, 1, 0);
}

/* when the data of the lifted task are in a memory, and what follows its end from there */
static void ask_memory(tgs_i_chain *x, int32_t a)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    const tgs_i_solution *s = &x->now;
    const int32_t task = x->lifted;
    double in = tgs_i_arrival(x->search, task, a), out = 0;

    if (!isnan(x->in[a]))
        return;
    for (int32_t k = g->pred_at[task]; k < g->pred_at[task + 1]; k++) {
        const int32_t u = g->pred[k], from = v->p->proc[s->proc[u]].memory;

        in = larger(in, x->rest_head[u] + s->time[u] + tgs_c(v, g->pred_datum[k], from, a));
    }
    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++) {
        const int32_t t = g->succ[k], to = v->p->proc[s->proc[t]].memory;

        out = larger(out, tgs_c(v, g->succ_datum[k], a, to) + tgs_i_rest(s, t, x->rest_tail[t]));
    }
    x->in[a] = in;
    x->out[a] = out;
}

/* ---- positions ---------------------------------------------------------------------------------
 */
bool tgs_i_may(const tgs_i_chain *x, int32_t proc)
{
    const tgs_proc *p = x->v->p->proc;

    return tgs_allowed(x->v, x->lifted, proc)
           && (x->search->leader[x->lifted] < 0
               || p[proc].memory == p[x->now.proc[x->lifted]].memory);
}

/* the lists of processors without the lifted task */
static int32_t next_of(const tgs_i_chain *x, int32_t proc, int32_t behind)
{
    const int32_t j = behind < 0 ? x->now.first[proc] : x->now.after[behind];

    return j == x->lifted ? x->now.after[j] : j;
}

static bool must_precede(const tgs_i_chain *x, int32_t j)
{
    return x->mark[j] == 1 || x->now.head[j] + x->now.time[j] <= x->last_in;
}

static bool must_follow(const tgs_i_chain *x, int32_t j)
{
    return x->mark[j] == 2 || x->now.head[j] >= x->first_out;
}

static tgs_i_move estimate(tgs_i_chain *x, int32_t proc, int32_t behind)
{
    const tgs_i_solution *s = &x->now;
    const int32_t a = x->v->p->proc[proc].memory, next = next_of(x, proc, behind);
    tgs_i_move move = {.task = x->lifted, .proc = proc, .behind = behind};
    double in = x->in[a], out = x->out[a];

    if (behind >= 0)
        in = larger(in, x->rest_head[behind] + s->time[behind]);
    if (next >= 0)
        out = larger(out, tgs_i_rest(s, next, x->rest_tail[next]));
    move.through = in + tgs_w(x->v, x->lifted, proc) + out;
    move.makespan = larger(move.through, x->rest_makespan);
    tgs_i_count(x, 0, 1);
    return move;
}

static bool is_here(const tgs_i_chain *x, int32_t proc, int32_t behind)
{
    return x->now.proc[x->lifted] == proc && x->now.before[x->lifted] == behind;
}

bool tgs_i_better(const tgs_i_move *a, const tgs_i_move *b)
{
    return a->makespan < b->makespan || (a->makespan == b->makespan && a->through < b->through);
}

/* A position is dominated by the next one when the task between them ends before the data arrive,
 * and by the one before it when what follows that task is no longer than what follows the data. */
tgs_i_move tgs_i_best_move(tgs_i_chain *x, int32_t proc)
{
    const tgs_i_solution *s = &x->now;
    const int32_t a = x->v->p->proc[proc].memory;
    tgs_i_move best = {.task = -1, .through = INFINITY, .makespan = INFINITY};
    int32_t behind = -1, next = next_of(x, proc, -1);

    ask_memory(x, a);
    while (next >= 0 && !must_follow(x, next)
           && (must_precede(x, next) || x->rest_head[next] + s->time[next] <= x->in[a])) {
        behind = next;
        next = next_of(x, proc, behind);
    }
    while (!x->spent) {
        if (!is_here(x, proc, behind)) {
            const tgs_i_move move = estimate(x, proc, behind);

            if (tgs_i_better(&move, &best))
                best = move;
        }
        if (next < 0 || must_follow(x, next)
            || tgs_i_rest(s, next, x->rest_tail[next]) <= x->out[a])
            break;
        behind = next;
        next = next_of(x, proc, behind);
    }
    return best;
}

tgs_i_move tgs_i_any_move(tgs_i_chain *x, int32_t proc)
{
    int32_t behind = -1, next = next_of(x, proc, -1), chosen = -1;
    int64_t seen = 0;

    ask_memory(x, x->v->p->proc[proc].memory);
    while (next >= 0 && !must_follow(x, next) && must_precede(x, next)) {
        behind = next;
        next = next_of(x, proc, behind);
    }
    for (;;) {
        if (!is_here(x, proc, behind) && !tgs_rng_int(&x->rng, 0, seen++))
            chosen = behind;
        if (next < 0 || must_follow(x, next))
            break;
        behind = next;
        next = next_of(x, proc, behind);
    }
    if (!seen)
        return (tgs_i_move){.task = -1, .through = INFINITY, .makespan = INFINITY};
    return estimate(x, proc, chosen);
}

bool tgs_i_improves(const tgs_i_chain *x, const tgs_i_move *move)
{
    return move->through < x->now.makespan * (1 - ROUNDING);
}

/* ---- putting back ------------------------------------------------------------------------------
 */
static void take_out(tgs_i_solution *s, int32_t task)
{
    const int32_t b = s->before[task], a = s->after[task];

    if (b >= 0)
        s->after[b] = a;
    else
        s->first[s->proc[task]] = a;
    if (a >= 0)
        s->before[a] = b;
}

static void put_in(const tgs_view *v, tgs_i_solution *s, int32_t task, int32_t proc, int32_t behind)
{
    const int32_t a = behind < 0 ? s->first[proc] : s->after[behind];

    s->proc[task] = proc;
    s->time[task] = tgs_w(v, task, proc);
    s->before[task] = behind;
    s->after[task] = a;
    if (behind >= 0)
        s->after[behind] = task;
    else
        s->first[proc] = task;
    if (a >= 0)
        s->before[a] = task;
}

/* an order that keeps all arcs, first in first out; false: there is none */
static bool sort(tgs_i_chain *x, tgs_i_solution *s)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    int32_t last = 0, next = 0;

    for (int32_t j = 0; j < v->n; j++) {
        x->waits[j] = x->search->links[j] + (s->before[j] >= 0);
        if (!x->waits[j])
            x->queue[last++] = j;
    }
    while (next < last) {
        const int32_t j = x->queue[next++], a = s->after[j];

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++)
            if (!--x->waits[g->succ[k]])
                x->queue[last++] = g->succ[k];
        if (a >= 0 && !--x->waits[a])
            x->queue[last++] = a;
    }
    if (last < v->n)
        return false;
    for (int32_t i = 0; i < v->n; i++) {
        s->order[i] = x->queue[i];
        s->place[x->queue[i]] = i;
    }
    return true;
}

bool tgs_i_apply(tgs_i_chain *x, const tgs_i_move *move)
{
    tgs_i_solution *s = &x->now;
    const int32_t j = move->task, proc = s->proc[j], behind = s->before[j];

    if (s->wait)
        tgs_i_solution_copy(&x->spare, s, x->v);
    take_out(s, j);
    put_in(x->v, s, j, move->proc, move->behind);
    if (sort(x, s)) {
        tgs_i_times(x, s);
        return true;
    }
    take_out(s, j);
    put_in(x->v, s, j, proc, behind);
    return false;
}
