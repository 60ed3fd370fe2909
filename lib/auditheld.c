/* auditheld.c -- what an execution of a run waited for last. */
#include "audit.h"

tgs_status tgs_i_runs_of(tgs_i_runs *x, const tgs_i_step_runs *s)
{
    const int32_t tasks = s->t->tasks;

    x->at = tgs_mem_alloc((size_t)tasks + 2, sizeof *x->at);
    x->run = tgs_mem_alloc((size_t)(s->ran_end - s->ran_at), sizeof *x->run);
    if (!x->at || !x->run)
        return TGS_ENOMEM;
    for (int32_t i = s->ran_at; i < s->ran_end; i++)
        x->at[s->t->ran[i].task + 2]++;
    for (int32_t t = 0; t < tasks; t++)
        x->at[t + 2] += x->at[t + 1];
    for (int32_t i = s->ran_at; i < s->ran_end; i++)
        x->run[x->at[s->t->ran[i].task + 1]++] = i;
    return TGS_OK;
}

void tgs_i_runs_free(tgs_i_runs *x)
{
    tgs_mem_free(x->at);
    tgs_mem_free(x->run);
}

void tgs_i_examiner_close(tgs_i_examiner *x)
{
    tgs_i_runs_free(&x->by_task);
    tgs_i_arrivals_free(&x->arrival);
    tgs_mem_free(x->before);
    tgs_mem_free(x->held);
}

tgs_status tgs_i_examiner_open(tgs_i_examiner *x, const tgs_view *v, const tgs_i_step_runs *s)
{
    const int32_t n = s->ran_end - s->ran_at;
    int32_t *last = tgs_mem_alloc((size_t)s->t->procs, sizeof *last);

    *x = (tgs_i_examiner){.v = v, .s = *s, .near = 1e-6 * (s->end - s->start)};
    x->before = tgs_mem_alloc((size_t)n, sizeof *x->before);
    x->held = tgs_mem_alloc((size_t)n, sizeof *x->held);
    if (!last || !x->before || !x->held || tgs_i_runs_of(&x->by_task, s)
        || tgs_i_arrivals_of(&x->arrival, s)) {
        tgs_mem_free(last);
        return TGS_ENOMEM;
    }
    for (int32_t p = 0; p < s->t->procs; p++)
        last[p] = -1;
    for (int32_t i = 0; i < n; i++) {
        const int32_t p = s->t->ran[s->ran_at + i].proc;

        x->before[i] = last[p];
        last[p] = s->ran_at + i;
    }
    tgs_mem_free(last);
    return TGS_OK;
}

/* ---- what held up an execution ---- */
/* of holders that were there at the same time the first offered stays */
static void offer(tgs_i_holder *h, tgs_held held, int32_t by, int32_t run, double ready)
{
    if (h->held == TGS_HELD_NOT || ready > h->ready)
        *h = (tgs_i_holder){held, by, run, ready};
}

/* the execution of task that ended first, in a memory or (-1) anywhere; -1 none */
static int32_t first_run(const tgs_i_examiner *x, int32_t task, int32_t memory)
{
    const tgs_trace_view *t = x->s.t;
    int32_t best = -1;

    for (int32_t k = x->by_task.at[task]; k < x->by_task.at[task + 1]; k++) {
        const int32_t i = x->by_task.run[k];

        if ((memory < 0 || t->proc_memory[t->ran[i].proc] == memory)
            && (best < 0 || t->ran[i].end < t->ran[best].end))
            best = i;
    }
    return best;
}

/* the last transfer of the datum to the memory that had ended by then; -1 none.  They are sorted.
 */
static int32_t last_arrival(const tgs_i_examiner *x, int32_t datum, int32_t memory, double by)
{
    const tgs_moved *moved = x->s.t->moved;
    int32_t low = x->arrival.at[datum], high = x->arrival.at[datum + 1];

    while (low < high) { /* the first that is past (memory, by) */
        const int32_t middle = low + (high - low) / 2;
        const tgs_moved *m = &moved[x->arrival.order[middle]];

        if (m->to < memory || (m->to == memory && m->end <= by))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == x->arrival.at[datum] || moved[x->arrival.order[low - 1]].to != memory)
        return -1;
    return x->arrival.order[low - 1];
}

static void offer_predecessors(const tgs_i_examiner *x, tgs_i_holder *h, const tgs_ran *r)
{
    const tgs_graph_view *g = x->v->g;
    const tgs_trace_view *t = x->s.t;
    const int32_t memory = t->proc_memory[r->proc];

    for (int32_t e = g->pred_at[r->task]; e < g->pred_at[r->task + 1]; e++) {
        const int32_t d = g->pred_datum[e], here = first_run(x, g->pred[e], memory);
        const int32_t u = here >= 0 ? here : first_run(x, g->pred[e], -1);
        const int32_t m = here >= 0 || d < 0 ? -1 : last_arrival(x, d, memory, r->start + x->near);

        if (m >= 0 && t->moved[m].end >= t->ran[u].end - x->near)
            offer(h, TGS_HELD_LINK, d, u, t->moved[m].end - x->s.start);
        else
            offer(h, TGS_HELD_TASK, g->pred[e], u, t->ran[u].end - x->s.start);
    }
}

/* data that nobody had written yet, fetched in this step */
static void offer_initial(const tgs_i_examiner *x, tgs_i_holder *h, const tgs_ran *r)
{
    const tgs_graph_view *g = x->v->g;
    const tgs_trace_view *t = x->s.t;

    for (int32_t a = g->access_at[r->task]; a < g->access_at[r->task + 1]; a++) {
        const int32_t d = (int32_t)g->access[a].datum;
        int32_t m;

        if (!(g->access[a].mode & TGS_R) || g->access[a].version >= 0)
            continue;
        m = last_arrival(x, d, t->proc_memory[r->proc], r->start + x->near);
        if (m >= 0)
            offer(h, TGS_HELD_LINK, d, -1, t->moved[m].end - x->s.start);
    }
}

tgs_i_holder tgs_i_examine(const tgs_i_examiner *x, int32_t i)
{
    const tgs_ran *r = &x->s.t->ran[i];
    const int32_t before = x->before[i - x->s.ran_at];
    tgs_i_holder h = {TGS_HELD_NOT, -1, -1, 0};

    if (before >= 0)
        offer(&h, TGS_HELD_PROCESSOR, x->s.t->ran[before].task, before,
              x->s.t->ran[before].end - x->s.start);
    offer_predecessors(x, &h, r);
    offer_initial(x, &h, r);
    h.ready = fmin(h.ready, r->start - x->s.start); /* clocks of two threads */
    return h;
}
