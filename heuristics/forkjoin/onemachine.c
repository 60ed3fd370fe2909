/* onemachine.c -- 1|r_j,q_j|Lmax: Schrage's rule, its preemptive form, Carlier's branch and bound.
 *
 * J. Carlier, "The one-machine sequencing problem", EJOR 11 (1982) 42-47. */
#include <string.h>
#include "onemachine.h"
#include "tgsched/heap.h"

typedef struct room {  /* of one call; one allocation, since the jobs are often few */
    tgs_heap released; /* by -q */
    double *rest;      /* [n] preemptive: work left */
    int32_t *by_r;     /* [n] ascending, ties by index */
    int32_t *sequence; /* [n] jobs in the order in which they start */
} room;

enum { FEW = 32 }; /* jobs that are inserted rather than heaped */

static void sort_by_r(room *w, const tgs_i_fj_jobs *j)
{
    for (int32_t i = 0; i < j->n; i++) {
        int32_t at = i;

        if (j->n > FEW) {
            tgs_heap_push(&w->released, j->r[i], i);
            continue;
        }
        for (; at > 0 && j->r[w->by_r[at - 1]] > j->r[i]; at--)
            w->by_r[at] = w->by_r[at - 1];
        w->by_r[at] = i;
    }
    for (int32_t i = 0; w->released.size; i++)
        w->by_r[i] = tgs_heap_pop(&w->released).id;
}

static tgs_status room_new(room *w, const tgs_i_fj_jobs *j)
{
    const size_t n = (size_t)j->n;

    w->released.size = 0;
    w->released.item = tgs_mem_alloc(n, sizeof *w->released.item + sizeof *w->rest + sizeof *w->by_r
                                            + sizeof *w->sequence);
    if (!w->released.item)
        return TGS_ENOMEM;
    w->rest = (double *)(w->released.item + n);
    w->by_r = (int32_t *)(w->rest + n);
    w->sequence = w->by_r + n;
    sort_by_r(w, j);
    return TGS_OK;
}

static void room_free(room *w)
{
    tgs_mem_free(w->released.item);
}

static int32_t release(room *w, int32_t next, const tgs_i_fj_jobs *j, double now)
{
    for (; next < j->n && j->r[w->by_r[next]] <= now; next++)
        tgs_heap_push(&w->released, -j->q[w->by_r[next]], w->by_r[next]);
    return next;
}

static double schrage(room *w, const tgs_i_fj_jobs *j, double *start)
{
    double now = 0, length = 0;
    int32_t next = 0;

    for (int32_t i = 0; i < j->n; i++) {
        int32_t job;

        if (!w->released.size)
            now = fmax(now, j->r[w->by_r[next]]);
        next = release(w, next, j, now);
        job = tgs_heap_pop(&w->released).id;
        w->sequence[i] = job;
        start[job] = now;
        now += j->p[job];
        length = fmax(length, now + j->q[job]);
    }
    return length;
}

static double preemptive(room *w, const tgs_i_fj_jobs *j)
{
    double now = 0, length = 0;
    int32_t next = 0;

    memcpy(w->rest, j->p, (size_t)j->n * sizeof *w->rest);
    while (next < j->n || w->released.size) {
        int32_t job;
        double until;

        if (!w->released.size)
            now = fmax(now, j->r[w->by_r[next]]);
        next = release(w, next, j, now);
        job = w->released.item[0].id;
        until = now + w->rest[job];
        if (next < j->n && j->r[w->by_r[next]] < until) { /* a new job may take over */
            w->rest[job] -= j->r[w->by_r[next]] - now;
            now = j->r[w->by_r[next]];
            continue;
        }
        tgs_heap_pop(&w->released);
        now = until;
        length = fmax(length, now + j->q[job]);
    }
    return length;
}

tgs_status tgs_i_fj_schrage(const tgs_i_fj_jobs *j, double *start, double *length)
{
    room w;
    const tgs_status status = room_new(&w, j);

    if (!status)
        *length = schrage(&w, j, start);
    room_free(&w);
    return status;
}

tgs_status tgs_i_fj_preemptive(const tgs_i_fj_jobs *j, double *length)
{
    room w;
    const tgs_status status = room_new(&w, j);

    if (!status)
        *length = preemptive(&w, j);
    room_free(&w);
    return status;
}

/* Carlier: the critical path of a Schrage schedule ends in job b; c is its last job with a smaller
 * tail than b; J the jobs after c up to b.  Then c comes before all of J or after all of J. */
typedef struct search {
    room w;
    tgs_i_fj_jobs jobs;
    double *r, *q; /* of jobs: changed on the way down, restored on the way up */
    double *start; /* of the node */
    double *best_start, best, limit;
    int64_t nodes;
    bool cut; /* the cap was hit somewhere */
} search;

/* the critical path in the sequence: up to *last, and c in it (-1: the schedule is optimal) */
static int32_t critical(const search *s, double length, int32_t *last)
{
    const int32_t *order = s->w.sequence;
    const double *p = s->jobs.p, *q = s->q, *start = s->start;
    int32_t first, c = -1, b = -1;

    for (int32_t i = 0; i < s->jobs.n; i++) /* the last job that attains the length */
        if (start[order[i]] + p[order[i]] + q[order[i]] >= length)
            b = i;
    first = b;
    while (first > 0 && start[order[first - 1]] + p[order[first - 1]] >= start[order[first]])
        first--;
    for (int32_t i = first; i < b; i++)
        if (q[order[i]] < q[order[b]])
            c = i;
    *last = b;
    return c;
}

static void descend(search *s);

/* c before J: it must be delivered before the rest of J */
static void raise_q(search *s, int32_t job, double value)
{
    const double old = s->q[job];

    s->q[job] = fmax(old, value);
    descend(s);
    s->q[job] = old;
}

/* c after J: it is released after J; by_r stays sorted */
static void raise_r(search *s, int32_t job, double value)
{
    const double old = s->r[job];
    int32_t *by_r = s->w.by_r, at = 0, from;

    while (by_r[at] != job)
        at++;
    s->r[job] = value;
    for (from = at; at + 1 < s->jobs.n; at++) {
        const int32_t after = by_r[at + 1];

        if (s->r[after] > value || (s->r[after] == value && after > job))
            break;
        by_r[at] = after;
    }
    by_r[at] = job;
    descend(s);
    for (; at > from; at--)
        by_r[at] = by_r[at - 1];
    by_r[from] = job;
    s->r[job] = old;
}

static void descend(search *s)
{
    double length, min_r = INFINITY, min_q = INFINITY, sum = 0;
    int32_t c, last, job;

    if (s->nodes-- <= 0) {
        s->cut = true;
        return;
    }
    if (preemptive(&s->w, &s->jobs) >= fmin(s->best, s->limit))
        return;
    length = schrage(&s->w, &s->jobs, s->start);
    if (length < fmin(s->best, s->limit)) {
        s->best = length;
        memcpy(s->best_start, s->start, (size_t)s->jobs.n * sizeof *s->start);
    }
    c = critical(s, length, &last);
    if (c < 0)
        return;
    job = s->w.sequence[c];
    for (int32_t i = c + 1; i <= last; i++) {
        const int32_t j = s->w.sequence[i];

        min_r = fmin(min_r, s->r[j]);
        min_q = fmin(min_q, s->q[j]);
        sum += s->jobs.p[j];
    }
    raise_q(s, job, sum + min_q);
    if (min_r + sum > s->r[job])
        raise_r(s, job, min_r + sum);
}

tgs_status tgs_i_fj_carlier(const tgs_i_fj_jobs *j, int64_t *nodes, double limit, double *start,
                            double *length, double *lower)
{
    const size_t n = (size_t)j->n;
    search s = {.best = INFINITY, .limit = limit, .nodes = *nodes, .best_start = start};
    tgs_status status = room_new(&s.w, j);

    s.r = tgs_mem_alloc(n, 3 * sizeof *s.r);
    if (!status && s.r) {
        s.q = s.r + n;
        s.start = s.q + n;
        memcpy(s.r, j->r, n * sizeof *s.r);
        memcpy(s.q, j->q, n * sizeof *s.q);
        s.jobs = (tgs_i_fj_jobs){j->n, j->p, s.r, s.q};
        descend(&s);
        *length = s.best;
        *lower = s.cut ? preemptive(&s.w, j) : fmin(s.best, limit);
        *nodes = s.nodes > 0 ? s.nodes : 0;
    } else
        status = TGS_ENOMEM;
    room_free(&s.w);
    tgs_mem_free(s.r);
    return status;
}
