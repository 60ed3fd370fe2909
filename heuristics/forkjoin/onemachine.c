/* onemachine.c -- 1|r_j,q_j|Lmax: Schrage's rule, its preemptive form, Carlier's branch and bound.
 *
 * J. Carlier, "The one-machine sequencing problem", EJOR 11 (1982) 42-47. */
#include <string.h>
#include "onemachine.h"
#include "tgsched/heap.h"

typedef struct room {         /* of one call */
    tgs_heap released, later; /* by -q; by r */
    double *rest;             /* preemptive: work left */
} room;

static tgs_status room_new(room *w, int32_t n)
{
    w->released.item = tgs_mem_alloc((size_t)n, sizeof(tgs_heap_item));
    w->later.item = tgs_mem_alloc((size_t)n, sizeof(tgs_heap_item));
    w->rest = tgs_mem_alloc((size_t)n, sizeof(double));
    w->released.size = w->later.size = 0;
    return w->released.item && w->later.item && w->rest ? TGS_OK : TGS_ENOMEM;
}

static void room_free(room *w)
{
    tgs_mem_free(w->released.item);
    tgs_mem_free(w->later.item);
    tgs_mem_free(w->rest);
}

static void release(room *w, const double *q, double now)
{
    while (w->later.size && w->later.item[0].key <= now) {
        const int32_t j = tgs_heap_pop(&w->later).id;

        tgs_heap_push(&w->released, -q[j], j);
    }
}

static double schrage(room *w, int32_t n, const double *p, const double *r, const double *q,
                      double *start)
{
    double now = 0, length = 0;

    for (int32_t j = 0; j < n; j++)
        tgs_heap_push(&w->later, r[j], j);
    while (w->later.size || w->released.size) {
        int32_t j;

        if (!w->released.size && w->later.item[0].key > now)
            now = w->later.item[0].key;
        release(w, q, now);
        j = tgs_heap_pop(&w->released).id;
        start[j] = now;
        now += p[j];
        if (now + q[j] > length)
            length = now + q[j];
    }
    return length;
}

static double preemptive(room *w, int32_t n, const double *p, const double *r, const double *q)
{
    double now = 0, length = 0;

    for (int32_t j = 0; j < n; j++) {
        tgs_heap_push(&w->later, r[j], j);
        w->rest[j] = p[j];
    }
    while (w->later.size || w->released.size) {
        int32_t j;
        double until;

        if (!w->released.size && w->later.item[0].key > now)
            now = w->later.item[0].key;
        release(w, q, now);
        j = w->released.item[0].id;
        until = now + w->rest[j];
        if (w->later.size && w->later.item[0].key < until) { /* a new job may take over */
            w->rest[j] -= w->later.item[0].key - now;
            now = w->later.item[0].key;
            continue;
        }
        tgs_heap_pop(&w->released);
        now = until;
        if (now + q[j] > length)
            length = now + q[j];
    }
    return length;
}

tgs_status tgs_i_fj_schrage(const tgs_i_fj_jobs *j, double *start, double *length)
{
    room w;
    tgs_status status = room_new(&w, j->n);

    if (!status)
        *length = schrage(&w, j->n, j->p, j->r, j->q, start);
    room_free(&w);
    return status;
}

tgs_status tgs_i_fj_preemptive(const tgs_i_fj_jobs *j, double *length)
{
    room w;
    tgs_status status = room_new(&w, j->n);

    if (!status)
        *length = preemptive(&w, j->n, j->p, j->r, j->q);
    room_free(&w);
    return status;
}

/* Carlier: the critical path of a Schrage schedule ends in job b; c is its last job with a smaller
 * tail than b; J the jobs after c up to b.  Then c comes before all of J or after all of J. */
typedef struct search {
    room w;
    int32_t n;
    const double *p;
    double *r, *q;           /* changed on the way down, restored on the way up */
    double *start;           /* of the node */
    int32_t *order, *sorted; /* jobs by start */
    double *best_start, best;
    int64_t nodes;
    bool cut; /* the cap was hit somewhere */
} search;

static void sort_by_start(search *s)
{
    /* one machine without overlap: a heap sort by start, then index */
    tgs_heap h = {s->w.later.item, 0};

    for (int32_t j = 0; j < s->n; j++)
        tgs_heap_push(&h, s->start[j], j);
    for (int32_t i = 0; i < s->n; i++)
        s->order[i] = tgs_heap_pop(&h).id;
}

/* the critical path in s->order: [first, last], and c in it (-1: the schedule is optimal) */
static int32_t critical(search *s, double length, int32_t *last)
{
    int32_t first, c = -1, b = -1;

    sort_by_start(s);
    for (int32_t i = 0; i < s->n; i++) /* the last job that attains the length */
        if (s->start[s->order[i]] + s->p[s->order[i]] + s->q[s->order[i]] >= length)
            b = i;
    first = b;
    while (first > 0
           && s->start[s->order[first - 1]] + s->p[s->order[first - 1]]
                  >= s->start[s->order[first]])
        first--;
    for (int32_t i = first; i < b; i++)
        if (s->q[s->order[i]] < s->q[s->order[b]])
            c = i;
    *last = b;
    return c;
}

static void descend(search *s);

static void branch(search *s, double *slot, double value)
{
    const double old = *slot;

    if (value > old)
        *slot = value;
    descend(s);
    *slot = old;
}

static void descend(search *s)
{
    double length, lower, min_r = INFINITY, min_q = INFINITY, sum = 0;
    int32_t c, last, job;

    if (s->nodes-- <= 0) {
        s->cut = true;
        return;
    }
    length = schrage(&s->w, s->n, s->p, s->r, s->q, s->start);
    if (length < s->best) {
        s->best = length;
        memcpy(s->best_start, s->start, (size_t)s->n * sizeof *s->start);
    }
    lower = preemptive(&s->w, s->n, s->p, s->r, s->q);
    if (lower >= s->best)
        return;
    c = critical(s, length, &last);
    if (c < 0)
        return;
    job = s->order[c];
    for (int32_t i = c + 1; i <= last; i++) {
        const int32_t j = s->order[i];

        min_r = fmin(min_r, s->r[j]);
        min_q = fmin(min_q, s->q[j]);
        sum += s->p[j];
    }
    /* c before J: it must be delivered before J's work and tail; c after J: released after J */
    branch(s, &s->q[job], sum + min_q);
    if (min_r + sum > s->r[job])
        branch(s, &s->r[job], min_r + sum);
}

tgs_status tgs_i_fj_carlier(const tgs_i_fj_jobs *j, int64_t nodes, double *start, double *length,
                            double *lower)
{
    const size_t n = (size_t)j->n;
    search s = {.n = j->n, .p = j->p, .best = INFINITY, .nodes = nodes, .best_start = start};
    tgs_status status = room_new(&s.w, j->n);

    s.r = tgs_mem_alloc(n, sizeof *s.r);
    s.q = tgs_mem_alloc(n, sizeof *s.q);
    s.start = tgs_mem_alloc(n, sizeof *s.start);
    s.order = tgs_mem_alloc(n, sizeof *s.order);
    if (!status && s.r && s.q && s.start && s.order) {
        memcpy(s.r, j->r, n * sizeof *s.r);
        memcpy(s.q, j->q, n * sizeof *s.q);
        *lower = preemptive(&s.w, j->n, j->p, j->r, j->q);
        descend(&s);
        *length = s.best;
        if (!s.cut)
            *lower = s.best;
    } else
        status = TGS_ENOMEM;
    room_free(&s.w);
    tgs_mem_free(s.order);
    tgs_mem_free(s.start);
    tgs_mem_free(s.q);
    tgs_mem_free(s.r);
    return status;
}
