/* gate.c -- a simulated run keeps to the capacities that its plan keeps to, whatever its times.
 *
 * In the plan a copy occupies a memory from its arrival to the end of its last use.  An arrival
 * that is planned at s may happen when every copy there that is planned to be gone by s is gone.
 * Then the memory never holds more than in the plan: when the latest arrival (by plan) so far has
 * happened, at plan time s, all that is there arrives before s in the plan and goes after it.  It
 * never comes to a halt either: who waits is planned later than what it waits for.  A task of no
 * length at the very end of a copy may itself wait for an arrival at that time: then the arrival
 * waits for it only if what is to use the arrival stands behind that task in the order of (start,
 * end, topological position), which no dependency contradicts.  (What tasks of no length hand over
 * to each other at one time takes no room in the plan, but may here.)  O((arrivals + uses) log). */
#include <stdlib.h>
#include "gate.h"

typedef struct moment { /* of an arrival: it begins, or is gone */
    double time;
    int32_t memory, arrival;
    int32_t must; /* begins: the place in the order of what goes that must have been reached */
    int32_t rank; /* begins: of its first user; gone: of the last one of no length, -1 none */
} moment;
enum { NEVER = INT32_MAX };

struct tgs_i_gate {
    const tgs_i_flow *f;
    int32_t *uses;              /* [arrivals] that have not ended */
    int32_t *read_at, *read;    /* CSR by place: the arrivals it reads */
    bool *closed;               /* [arrivals] */
    moment *gone;               /* by memory, then time */
    int32_t *gone_at, *gone_to; /* [memories + 1], [memories]: so many of them are gone */
    moment *begin;              /* likewise */
    int32_t *begin_at, *begin_to;
    int32_t *opened, first, last; /* a queue */
};

static int by_time(const void *x, const void *y)
{
    const moment *a = x, *b = y;

    if (a->memory != b->memory)
        return a->memory < b->memory ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->arrival < b->arrival ? -1 : a->arrival > b->arrival;
}

static double slack(double time)
{
    return 1e-9 * fabs(time);
}

static bool counts(const tgs_i_flow *f, const tgs_i_arrival *a)
{
    const int32_t d = tgs_i_flow_datum(f, a->version);

    return f->v->p->memory[a->memory].capacity < INFINITY && f->v->home[d] != a->memory
           && f->v->g->datum[d].bytes > 0;
}

static bool makes_room_itself(const tgs_i_flow *f, const tgs_i_arrival *a)
{
    return a->hop < 0 && (a->place < 0 || f->v->g->access[a->version].mode == TGS_RW);
}

/* ---- setting up ----------------------------------------------------------------------------- */
static tgs_status index_uses(tgs_i_gate *g)
{
    const tgs_i_flow *f = g->f;
    int64_t reads = 0;

    g->uses = tgs_mem_alloc((size_t)f->arrivals, sizeof *g->uses);
    g->closed = tgs_mem_alloc((size_t)f->arrivals, sizeof *g->closed);
    g->opened = tgs_mem_alloc((size_t)f->arrivals, sizeof *g->opened);
    g->read_at = tgs_mem_alloc((size_t)f->s->places + 2, sizeof *g->read_at);
    if (!g->uses || !g->closed || !g->opened || !g->read_at)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < f->arrivals; i++) {
        const tgs_i_arrival *a = &f->arrival[i];

        g->uses[i] += a->readers + (a->hop >= 0 || a->place >= 0);
        reads += a->readers;
        for (int32_t r = 0; r < a->readers; r++)
            g->read_at[f->reader[a->reader + r] + 2]++;
    }
    for (int32_t h = 0; h < f->hops; h++)
        g->uses[f->hop[h].source]++;
    g->read = tgs_mem_alloc((size_t)reads, sizeof *g->read);
    if (!g->read)
        return TGS_ENOMEM;
    for (int32_t p = 0; p < f->s->places; p++)
        g->read_at[p + 2] += g->read_at[p + 1];
    for (int32_t i = 0; i < f->arrivals; i++)
        for (int32_t r = 0; r < f->arrival[i].readers; r++)
            g->read[g->read_at[f->reader[f->arrival[i].reader + r] + 1]++] = i;
    return TGS_OK;
}

typedef struct ranked {
    double start, end;
    int32_t topo, place;
} ranked;

static int by_rank(const void *x, const void *y)
{
    const ranked *a = x, *b = y;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->topo < b->topo ? -1 : a->topo > b->topo;
}

static tgs_status rank_places(const tgs_i_flow *f, int32_t *rank)
{
    const int32_t n = f->s->places;
    ranked *r = tgs_mem_alloc((size_t)n, sizeof *r);

    if (!r)
        return TGS_ENOMEM;
    for (int32_t p = 0; p < n; p++)
        r[p] = (ranked){f->s->place[p].start, f->s->place[p].end,
                        f->v->g->topo_pos[f->s->place[p].task], p};
    if (n)
        qsort(r, (size_t)n, sizeof *r, by_rank);
    for (int32_t k = 0; k < n; k++)
        rank[r[k].place] = k;
    tgs_mem_free(r);
    return TGS_OK;
}

/* [arrivals] the rank of the first user: a reader, or one of what is copied from it; a source is
 * listed before what is copied from it */
static void first_users(const tgs_i_flow *f, const int32_t *rank, int32_t *first)
{
    for (int32_t i = 0; i < f->arrivals; i++) {
        const tgs_i_arrival *a = &f->arrival[i];

        first[i] = a->hop < 0 && a->place >= 0 ? rank[a->place] : NEVER;
        for (int32_t r = 0; r < a->readers; r++)
            if (rank[f->reader[a->reader + r]] < first[i])
                first[i] = rank[f->reader[a->reader + r]];
    }
    for (int32_t i = f->arrivals - 1; i >= 0; i--) {
        const int32_t h = f->arrival[i].hop;

        if (h >= 0 && first[i] < first[f->hop[h].source])
            first[f->hop[h].source] = first[i];
    }
}

/* [arrivals] the rank of the last use of no length at the end of each, -1 none; NEVER: a hop */
static void last_moments(const tgs_i_flow *f, const tgs_i_times *t, const double *until,
                         const int32_t *rank, int32_t *last)
{
    for (int32_t i = 0; i < f->arrivals; i++) {
        const tgs_i_arrival *a = &f->arrival[i];
        const double late = until[i] - 2 * slack(until[i]);

        last[i] = a->hop < 0 && a->place >= 0 && t->start[a->place] >= late ? rank[a->place] : -1;
        for (int32_t r = 0; r < a->readers; r++) {
            const int32_t p = f->reader[a->reader + r];

            if (t->start[p] >= late && rank[p] > last[i])
                last[i] = rank[p];
        }
        if (a->hop >= 0 && t->hop_start[a->hop] >= late)
            last[i] = NEVER;
    }
    for (int32_t h = 0; h < f->hops; h++) {
        const int32_t a = f->hop[h].source;

        if (t->hop_start[h] >= until[a] - 2 * slack(until[a]))
            last[a] = NEVER;
    }
}

/* CSR offsets of sorted moments by memory */
static void offsets(const moment *m, int32_t count, int32_t memories, int32_t *at)
{
    int32_t k = 0;

    for (int32_t i = 0; i <= memories; i++) {
        while (k < count && m[k].memory < i)
            k++;
        at[i] = k;
    }
}

static bool before(const moment *gone, const moment *begin)
{
    const double s = begin->time;

    if (gone->rank < 0)
        return gone->time <= s + slack(s);
    return gone->time < s - 2 * slack(s)
           || (gone->time <= s + slack(s) && gone->rank < begin->rank && gone->rank != NEVER);
}

static int by_must(const void *x, const void *y)
{
    const moment *a = x, *b = y;

    return a->must != b->must ? (a->must < b->must ? -1 : 1) : by_time(x, y);
}

/* what must be gone when an arrival begins: the prefix of g->gone, as an index */
static void aim(tgs_i_gate *g, int32_t memory)
{
    int32_t k = g->gone_at[memory];

    for (int32_t i = g->begin_at[memory]; i < g->begin_at[memory + 1]; i++) {
        while (k > g->gone_at[memory] && !before(&g->gone[k - 1], &g->begin[i]))
            k--; /* within the slack of times the order is not one of times alone */
        while (k < g->gone_at[memory + 1] && before(&g->gone[k], &g->begin[i]))
            k++;
        g->begin[i].must = k;
        g->closed[g->begin[i].arrival] = k > g->gone_at[memory];
    }
    if (g->begin_at[memory] < g->begin_at[memory + 1])
        qsort(g->begin + g->begin_at[memory],
              (size_t)(g->begin_at[memory + 1] - g->begin_at[memory]), sizeof *g->begin, by_must);
}

typedef struct marks { /* [arrivals], but rank: [places] */
    double *from, *until;
    int32_t *first, *last, *rank;
} marks;

static tgs_status mark(const tgs_i_flow *f, const tgs_i_times *t, marks *x)
{
    const size_t n = (size_t)f->arrivals;
    tgs_status status = TGS_ENOMEM;

    x->from = tgs_mem_alloc(n, sizeof *x->from);
    x->until = tgs_mem_alloc(n, sizeof *x->until);
    x->first = tgs_mem_alloc(n, sizeof *x->first);
    x->last = tgs_mem_alloc(n, sizeof *x->last);
    x->rank = tgs_mem_alloc((size_t)f->s->places, sizeof *x->rank);
    if (x->from && x->until && x->first && x->last && x->rank)
        status = rank_places(f, x->rank);
    if (!status)
        status = tgs_i_flow_stays(f, t, x->from, x->until);
    if (status)
        return status;
    first_users(f, x->rank, x->first);
    last_moments(f, t, x->until, x->rank, x->last);
    return TGS_OK;
}

static void unmark(marks *x)
{
    tgs_mem_free(x->from);
    tgs_mem_free(x->until);
    tgs_mem_free(x->first);
    tgs_mem_free(x->last);
    tgs_mem_free(x->rank);
}

static tgs_status list_moments(tgs_i_gate *g, const tgs_i_times *t)
{
    const tgs_i_flow *f = g->f;
    const size_t n = (size_t)f->arrivals, memories = (size_t)f->v->memories;
    marks x = {0};
    int32_t gone = 0, begin = 0;
    tgs_status status = TGS_ENOMEM;

    g->gone = tgs_mem_alloc(n, sizeof *g->gone), g->begin = tgs_mem_alloc(n, sizeof *g->begin);
    g->gone_at = tgs_mem_alloc(memories + 1, sizeof *g->gone_at);
    g->begin_at = tgs_mem_alloc(memories + 1, sizeof *g->begin_at);
    g->gone_to = tgs_mem_alloc(memories, sizeof *g->gone_to);
    g->begin_to = tgs_mem_alloc(memories, sizeof *g->begin_to);
    if (g->gone && g->begin && g->gone_at && g->begin_at && g->gone_to && g->begin_to)
        status = mark(f, t, &x);
    for (int32_t i = 0; i < f->arrivals && !status; i++) {
        const tgs_i_arrival *a = &f->arrival[i];

        if (!counts(f, a))
            continue;
        g->gone[gone++] = (moment){x.until[i], a->memory, i, 0, x.last[i]};
        if (!makes_room_itself(f, a))
            g->begin[begin++] = (moment){x.from[i], a->memory, i, 0, x.first[i]};
    }
    unmark(&x);
    if (status)
        return status;
    if (gone)
        qsort(g->gone, (size_t)gone, sizeof *g->gone, by_time);
    if (begin)
        qsort(g->begin, (size_t)begin, sizeof *g->begin, by_time);
    offsets(g->gone, gone, f->v->memories, g->gone_at);
    offsets(g->begin, begin, f->v->memories, g->begin_at);
    for (int32_t m = 0; m < f->v->memories; m++) {
        g->gone_to[m] = g->gone_at[m];
        g->begin_to[m] = g->begin_at[m];
        aim(g, m);
    }
    return TGS_OK;
}

tgs_status tgs_i_gate_new(tgs_i_gate **out, const tgs_i_flow *f)
{
    tgs_i_times t = {0};
    bool limited = false;
    tgs_i_gate *g;
    tgs_status status;

    *out = NULL;
    for (int32_t m = 0; m < f->v->memories; m++)
        limited |= f->v->p->memory[m].capacity < INFINITY;
    if (!limited || !f->s->moves || f->copy_at)
        return TGS_OK;
    g = tgs_mem_alloc(1, sizeof *g);
    if (!g)
        return TGS_ENOMEM;
    g->f = f;
    status = tgs_i_times_new(&t, f);
    if (!status) {
        tgs_i_times_planned(f, &t);
        status = index_uses(g);
    }
    if (!status)
        status = list_moments(g, &t);
    tgs_i_times_free(&t);
    if (status)
        tgs_i_gate_free(g);
    else
        *out = g;
    return status;
}

void tgs_i_gate_free(tgs_i_gate *g)
{
    if (!g)
        return;
    tgs_mem_free(g->uses);
    tgs_mem_free(g->read_at);
    tgs_mem_free(g->read);
    tgs_mem_free(g->closed);
    tgs_mem_free(g->gone);
    tgs_mem_free(g->gone_at);
    tgs_mem_free(g->gone_to);
    tgs_mem_free(g->begin);
    tgs_mem_free(g->begin_at);
    tgs_mem_free(g->begin_to);
    tgs_mem_free(g->opened);
    tgs_mem_free(g);
}

bool tgs_i_gate_closed(const tgs_i_gate *g, int32_t arrival)
{
    return g && arrival >= 0 && g->closed[arrival];
}

static void ended_use(tgs_i_gate *g, int32_t arrival)
{
    const int32_t m = g->f->arrival[arrival].memory;

    if (--g->uses[arrival])
        return;
    while (g->gone_to[m] < g->gone_at[m + 1] && !g->uses[g->gone[g->gone_to[m]].arrival])
        g->gone_to[m]++;
    while (g->begin_to[m] < g->begin_at[m + 1] && g->begin[g->begin_to[m]].must <= g->gone_to[m]) {
        const int32_t a = g->begin[g->begin_to[m]++].arrival;

        if (!g->closed[a])
            continue;
        g->closed[a] = false;
        g->opened[g->last++] = a;
    }
}

void tgs_i_gate_ended_place(tgs_i_gate *g, int32_t place)
{
    const tgs_graph_view *v = g->f->v->g;
    const int32_t t = g->f->s->place[place].task;

    for (int32_t i = g->read_at[place]; i < g->read_at[place + 1]; i++)
        ended_use(g, g->read[i]);
    for (int32_t i = v->access_at[t]; i < v->access_at[t + 1]; i++)
        if (v->access[i].mode & TGS_W)
            for (int32_t a = g->f->arrival_at[i]; a < g->f->arrival_at[i + 1]; a++)
                if (g->f->arrival[a].place == place)
                    ended_use(g, a);
}

void tgs_i_gate_ended_hop(tgs_i_gate *g, int32_t hop)
{
    const tgs_i_hop *h = &g->f->hop[hop];

    ended_use(g, h->source);
    if (h->arrival >= 0)
        ended_use(g, h->arrival);
}

int32_t tgs_i_gate_opened(tgs_i_gate *g)
{
    return g && g->first < g->last ? g->opened[g->first++] : -1;
}
