/* played.c -- schedules where messages wait for each other on links: what they take when they are
 * played, how long each task waits, and starts to plan that give just that.
 *
 * The simulator keeps the order on each processor, and sends what is ready at one time in the order
 * in which it is needed by the plan.  So the times that a schedule gets depend on those planned,
 * and only where playing them again changes nothing are both the same. */
#include <string.h>
#include "core.h"

#define ROUNDING 1e-9 /* between played and added times */
#define ROUNDS   8    /* of playing again */

/* heads and makespan of s when starts are planned; false: it has failed */
static bool play(tgs_i_chain *x, const tgs_i_solution *s, const double *start, double *head,
                 double *makespan)
{
    const size_t n = (size_t)x->v->n;

    *makespan = INFINITY;
    if (x->status)
        return false;
    memcpy(x->plan->proc, s->proc, n * sizeof *x->plan->proc);
    memcpy(x->plan->start, start, n * sizeof *x->plan->start);
    x->status = tgs_plan_play(x->search->c, x->plan, head, makespan, &x->err);
    x->spent |= x->status != TGS_OK;
    return !x->status;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* wait(j) = head(j) - what head(j) would be by the heads of those before it, without waiting */
static void find_waits(const tgs_i_chain *x, tgs_i_solution *s)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;

    for (int32_t j = 0; j < v->n; j++) {
        const int32_t a = v->p->proc[s->proc[j]].memory, b = s->before[j];
        double free = tgs_i_arrival(x->search, j, a);

        if (b >= 0)
            free = larger(free, s->head[b] + s->time[b]);
        for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
            const int32_t u = g->pred[k], from = v->p->proc[s->proc[u]].memory;

            free = larger(free, s->head[u] + s->time[u] + tgs_c(v, g->pred_datum[k], from, a));
        }
        s->wait[j] = s->head[j] - free > ROUNDING * s->makespan ? s->head[j] - free : 0;
    }
    s->tails = false;
}

void tgs_i_play_solution(tgs_i_chain *x, tgs_i_solution *s)
{
    memcpy(s->plan, s->head, (size_t)x->v->n * sizeof *s->plan);
    if (play(x, s, s->plan, s->head, &s->makespan))
        find_waits(x, s);
}

/* s as starts give it, which are no longer its heads; wait is scratch */
static bool play_again(tgs_i_chain *x, tgs_i_solution *s, const double *start)
{
    const size_t n = (size_t)x->v->n;
    double makespan;

    tgs_i_count(x, 1, 0);
    if (!play(x, s, start, s->wait, &makespan) || makespan > s->makespan) {
        find_waits(x, s);
        return false;
    }
    memcpy(s->plan, start, n * sizeof *s->plan);
    memcpy(s->head, s->wait, n * sizeof *s->head);
    s->makespan = makespan;
    find_waits(x, s);
    return true;
}

void tgs_i_play_plan(tgs_i_chain *x, tgs_i_solution *s, const double *start)
{
    play_again(x, s, start);
}

void tgs_i_settle(tgs_i_chain *x, tgs_i_solution *s)
{
    const size_t n = (size_t)x->v->n;

    for (int32_t i = 0; i < ROUNDS && memcmp(s->plan, s->head, n * sizeof *s->plan) != 0; i++) {
        memcpy(s->tail, s->head, n * sizeof *s->tail);
        if (!play_again(x, s, s->tail))
            return;
    }
}
