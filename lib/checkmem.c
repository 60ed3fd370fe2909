/* checkmem.c -- the oracle's memory rule: a version occupies a memory from the start of its
 * transfer or producer to the end of its last reader or transfer there; homes stay, RW is in place,
 * the last version of a persistent datum stays to the end, or until it is evicted; what is evicted
 * and brought again stays twice.
 *
 * Every access and transfer says for how long it needs a version where; what is said of one version
 * in one memory is joined, and the sum over time is compared with the capacity. */
#include <stdlib.h>
#include "check.h"

typedef struct stay {
    int32_t version, memory; /* initial versions as accesses + datum */
    int32_t part;            /* how often it has been dropped there before */
    double from, until;
} stay;

typedef struct stays {
    const tgs_i_check_call *c;
    stay *stay;
    int64_t count, room;
} stays;

static int32_t datum_of(const tgs_i_check_call *c, int32_t version)
{
    return version < c->v->g->accesses ? (int32_t)c->v->g->access[version].datum
                                       : version - c->v->g->accesses;
}

static tgs_status say(stays *s, int32_t version, int32_t memory, double from, double until)
{
    const int32_t datum = datum_of(s->c, version);
    const int32_t part = tgs_i_check_dropped(
        s->c, datum, version < s->c->v->g->accesses ? version : -1, memory, until);

    if (s->c->v->home[datum] == memory)
        return TGS_OK; /* counted as a home */
    if (tgs_mem_grow(&s->stay, &s->room, s->count + 1, sizeof *s->stay))
        return TGS_ENOMEM;
    s->stay[s->count++] = (stay){version, memory, part, from, until};
    return TGS_OK;
}

/* a read without explicit moves: in the source until the first hop is over, in each relay until the
 * next hop is, at the reader until it ends */
static tgs_status say_read(stays *s, int32_t place, int32_t datum, int32_t version)
{
    const tgs_i_check_call *c = s->c;
    const tgs_platform_view *p = c->v->p;
    const int32_t memory = p->proc[c->s->place[place].proc].memory;
    const int32_t number = version < 0 ? c->v->g->accesses + datum : version;
    double t = 0, until = c->s->place[place].end;
    int32_t from, here = c->v->home[datum];
    tgs_status status = TGS_OK;

    tgs_i_check_arrival(c, datum, version, memory, &from);
    if (from >= 0) {
        t = c->s->place[from].end;
        here = p->proc[c->s->place[from].proc].memory;
    }
    if (here == memory)
        return say(s, number, memory, t, until);
    if (c->zero)
        return say(s, number, memory, t, until);
    for (int32_t pair = here * p->memories + memory, i = p->route_at[pair];
         i < p->route_at[pair + 1] && !status; i++) {
        const tgs_link *l = &p->link[p->route[i]];
        const double end = t + tgs_c(c->v, datum, l->from, l->to);

        status = say(s, number, l->from, t, end);
        if (!status)
            status = say(s, number, l->to, t, l->to == memory ? until : end);
        t = end;
    }
    return status;
}

static tgs_status say_accesses(stays *s, const int32_t *last)
{
    const tgs_i_check_call *c = s->c;
    const tgs_graph_view *g = c->v->g;
    tgs_status status = TGS_OK;

    for (int32_t p = 0; p < c->s->places; p++) {
        const tgs_place *x = &c->s->place[p];
        const int32_t memory = c->v->p->proc[x->proc].memory;

        for (int32_t i = g->access_at[x->task]; i < g->access_at[x->task + 1] && !status; i++) {
            const int32_t d = (int32_t)g->access[i].datum, version = g->access[i].version;
            const bool kept = last[d] == i && !tgs_i_check_dropped(c, d, i, memory, INFINITY);

            if (g->access[i].mode & TGS_W)
                status = say(s, i, memory, g->access[i].mode == TGS_RW ? x->end : x->start,
                             kept ? c->s->makespan : x->end);
            if (status || !(g->access[i].mode & TGS_R))
                continue;
            status = c->s->moves
                         ? say(s, version < 0 ? g->accesses + d : version, memory, x->start, x->end)
                         : say_read(s, p, d, version);
        }
    }
    return status;
}

/* Where the last version of a persistent datum has no home and leaves the memory it was made in,
 * its other copies stay in its place. */
static bool stays_instead(const tgs_i_check_call *c, const int32_t *last, const tgs_move *m)
{
    const int32_t version = m->version;
    int32_t made;

    if (version < 0 || last[m->datum] != version || c->v->home[m->datum] >= 0)
        return false;
    made = c->v->p->proc[c->s->place[c->writer[version]].proc].memory;
    return tgs_i_check_dropped(c, m->datum, version, made, INFINITY)
           && tgs_i_check_dropped(c, m->datum, version, m->to, INFINITY)
                  == tgs_i_check_dropped(c, m->datum, version, m->to, m->end);
}

static tgs_status say_moves(stays *s, const int32_t *last)
{
    const tgs_i_check_call *c = s->c;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < c->s->moves && !status; i++) {
        const tgs_move *m = &c->s->move[i];
        const int32_t version = m->version < 0 ? c->v->g->accesses + m->datum : m->version;

        status = say(s, version, m->from, m->start, m->end);
        if (!status)
            status = say(s, version, m->to, m->start,
                         stays_instead(c, last, m) ? fmax(c->s->makespan, m->end) : m->end);
    }
    return status;
}

int32_t *tgs_i_check_last(const tgs_i_check_call *c)
{
    const tgs_graph_view *g = c->v->g;
    int32_t *last = tgs_mem_alloc((size_t)g->data, sizeof *last);

    for (int32_t d = 0; last && d < g->data; d++)
        last[d] = -1;
    for (int32_t k = 0; last && k < g->tasks; k++) {
        const int32_t t = g->topo[k];

        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++) {
            const int32_t extra = g->datum[g->access[i].datum].extra;

            if (g->access[i].mode & TGS_W && extra >= 0 && g->extra[extra].persistent)
                last[g->access[i].datum] = i;
        }
    }
    return last;
}

static int by_version(const void *x, const void *y)
{
    const stay *a = x, *b = y;

    if (a->version != b->version)
        return a->version < b->version ? -1 : 1;
    if (a->memory != b->memory)
        return a->memory < b->memory ? -1 : 1;
    return a->part < b->part ? -1 : a->part > b->part;
}

/* what is said of one version in one memory, between two orders to drop it, becomes one stay */
static void join(stays *s)
{
    int64_t kept = 0;

    if (s->count) /* there is no array otherwise */
        qsort(s->stay, (size_t)s->count, sizeof *s->stay, by_version);
    for (int64_t i = 0; i < s->count; i++) {
        stay *last = kept ? &s->stay[kept - 1] : NULL;

        if (!last || by_version(last, &s->stay[i]) != 0)
            s->stay[kept++] = s->stay[i];
        else {
            if (s->stay[i].from < last->from)
                last->from = s->stay[i].from;
            if (s->stay[i].until > last->until)
                last->until = s->stay[i].until;
        }
    }
    s->count = kept;
}

typedef struct event {
    double time, bytes;
    int32_t memory;
} event;

static int by_time(const void *x, const void *y)
{
    const event *a = x, *b = y;

    if (a->memory != b->memory)
        return a->memory < b->memory ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes; /* what goes, goes first */
}

static tgs_status too_full(const tgs_i_check_call *c, const event *e, double bytes)
{
    return tgs_fail(
        c->err, TGS_ECHECK, "memory '%s' holds %.17g bytes at %.17g, more than its %.17g",
        c->v->p->memory[e->memory].name, bytes, e->time, c->v->p->memory[e->memory].capacity);
}

static tgs_status add_up(const tgs_i_check_call *c, const event *e, int64_t events)
{
    double sum = 0;

    for (int64_t i = 0; i < events; i++) {
        const double capacity = c->v->p->memory[e[i].memory].capacity;

        sum = i && e[i].memory == e[i - 1].memory ? sum + e[i].bytes : e[i].bytes;
        if (sum > capacity + tgs_i_check_slack(capacity))
            return too_full(c, &e[i], sum);
    }
    return TGS_OK;
}

/* one event per home, two per stay; a stay begins late by the slack of its time */
static tgs_status compare_capacity(const stays *s)
{
    const tgs_i_check_call *c = s->c;
    event *e = tgs_mem_alloc((size_t)(2 * s->count + c->v->g->data), sizeof *e);
    int64_t events = 0;
    tgs_status status;

    if (!e)
        return TGS_ENOMEM;
    for (int32_t d = 0; d < c->v->g->data; d++)
        if (c->v->home[d] >= 0)
            e[events++] = (event){0, c->v->g->datum[d].bytes, c->v->home[d]};
    for (int64_t i = 0; i < s->count; i++) {
        const stay *x = &s->stay[i];
        const double from = x->from + tgs_i_check_slack(x->from);
        const double bytes = c->v->g->datum[datum_of(c, x->version)].bytes;

        if (from < x->until) {
            e[events++] = (event){from, bytes, x->memory};
            e[events++] = (event){x->until, -bytes, x->memory};
        }
    }
    qsort(e, (size_t)events, sizeof *e, by_time);
    status = add_up(c, e, events);
    tgs_mem_free(e);
    return status;
}

tgs_status tgs_i_check_capacity(const tgs_i_check_call *c)
{
    stays s = {.c = c};
    int32_t *last = NULL;
    bool limited = false;
    tgs_status status;

    for (int32_t m = 0; m < c->v->memories; m++)
        limited |= c->v->p->memory[m].capacity < INFINITY;
    if (!limited)
        return TGS_OK;
    last = tgs_i_check_last(c);
    status = last ? say_accesses(&s, last) : TGS_ENOMEM;
    if (!status)
        status = say_moves(&s, last);
    if (!status) {
        join(&s);
        status = compare_capacity(&s);
    }
    tgs_mem_free(last);
    tgs_mem_free(s.stay);
    return status == TGS_ENOMEM ? tgs_fail(c->err, status, "out of memory") : status;
}
