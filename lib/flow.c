/* flow.c -- which version is read in which memory, and the transfers that bring it there.
 *
 * Without explicit moves each version is sent once to each memory that reads it, along the
 * platform's route, from the execution (or home) from which it arrives first by the plan.  A hop of
 * a route whose end has the version already is left out; as routes from one memory form a tree and
 * deliveries are made in the order of their planned arrival, that never delays anything.
 * O(accesses + hops log hops). */
#include <stdlib.h>
#include "flowbuild.h"

tgs_status tgs_i_flow_no_memory(tgs_i_flow_build *b)
{
    return tgs_fail(b->err, TGS_ENOMEM, "out of memory");
}

const char *tgs_i_flow_label(const tgs_i_flow_build *b, int32_t version, char room[TGS_NAME_ROOM])
{
    const tgs_graph_view *g = b->f->v->g;
    const int32_t d = tgs_i_flow_datum(b->f, version);

    if (g->datum[d].name)
        return tgs_datum_name(g, d, room);
    snprintf(room, TGS_NAME_ROOM, "@%d", (int)d);
    return room;
}

/* ---- who reads what ------------------------------------------------------------------------- */
static tgs_status index_places(tgs_i_flow_build *b)
{
    tgs_i_flow *f = b->f;
    const tgs_graph_view *g = f->v->g;
    const tgs_schedule_view *s = f->s;

    f->writer = tgs_mem_alloc((size_t)g->accesses, sizeof *f->writer);
    if (!f->writer)
        return tgs_i_flow_no_memory(b);
    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++)
            f->writer[i] = t;
    if (s->places == s->tasks)
        return TGS_OK;
    f->copy_at = tgs_mem_alloc((size_t)g->tasks + 1, sizeof *f->copy_at);
    if (!f->copy_at)
        return tgs_i_flow_no_memory(b);
    for (int32_t t = 0, i = s->tasks; t <= g->tasks; t++) { /* copies stand by task */
        while (i < s->places && s->place[i].task < t)
            i++;
        f->copy_at[t] = i;
    }
    return TGS_OK;
}

static int32_t version_read(const tgs_graph_view *g, int32_t access)
{
    const tgs_access *a = &g->access[access];

    return a->version < 0 ? g->accesses + (int32_t)a->datum : a->version;
}

static tgs_status count_reads(tgs_i_flow_build *b, int64_t *reads)
{
    const tgs_graph_view *g = b->f->v->g;
    const tgs_schedule_view *s = b->f->s;

    for (int32_t p = 0; p < s->places; p++)
        for (int32_t i = g->access_at[s->place[p].task]; i < g->access_at[s->place[p].task + 1];
             i++)
            if (g->access[i].mode & TGS_R) {
                b->read_at[version_read(g, i) + 2]++;
                ++*reads;
            }
    return *reads < INT32_MAX ? TGS_OK : tgs_fail(b->err, TGS_EINVAL, "too many reads");
}

/* CSR of the reading places by version, ascending place */
static tgs_status index_reads(tgs_i_flow_build *b)
{
    tgs_i_flow *f = b->f;
    const tgs_graph_view *g = f->v->g;
    const tgs_schedule_view *s = f->s;
    int64_t reads = 0;

    b->read_at = tgs_mem_alloc((size_t)f->versions + 2, sizeof *b->read_at);
    if (!b->read_at)
        return tgs_i_flow_no_memory(b);
    if (count_reads(b, &reads))
        return TGS_EINVAL;
    b->read = tgs_mem_alloc((size_t)reads, sizeof *b->read);
    f->reader = tgs_mem_alloc((size_t)reads, sizeof *f->reader);
    if (!b->read || !f->reader)
        return tgs_i_flow_no_memory(b);
    for (int32_t i = 0; i < f->versions; i++)
        b->read_at[i + 2] += b->read_at[i + 1];
    for (int32_t p = 0; p < s->places; p++)
        for (int32_t i = g->access_at[s->place[p].task]; i < g->access_at[s->place[p].task + 1];
             i++)
            if (g->access[i].mode & TGS_R)
                b->read[b->read_at[version_read(g, i) + 1]++] = p;
    return TGS_OK;
}

/* ---- arrivals ------------------------------------------------------------------------------- */
/* the new arrival's index, or a status */
int32_t tgs_i_flow_add(tgs_i_flow_build *b, int32_t version, int32_t memory, int32_t hop,
                       int32_t place)
{
    tgs_i_flow *f = b->f;

    if (f->arrivals == INT32_MAX
        || tgs_mem_grow(&f->arrival, &f->arrival_room, (int64_t)f->arrivals + 1,
                        sizeof *f->arrival))
        return tgs_i_flow_no_memory(b);
    f->arrival[f->arrivals] = (tgs_i_arrival){version, memory, hop, place, 0, 0, 0, INFINITY};
    return f->arrivals++;
}

/* the arrival "made here by place" (-1: at home here) of a version, or a status */
int32_t tgs_i_flow_made(tgs_i_flow_build *b, int32_t version, int32_t place)
{
    const tgs_i_flow *f = b->f;
    const int32_t first = f->arrival_at[version];
    const int32_t memory =
        place < 0 ? f->v->home[version - f->v->g->accesses] : tgs_i_flow_memory(f, place);

    if (b->last_made >= first && f->arrival[b->last_made].place == place)
        return b->last_made;
    for (int32_t i = first; i < f->arrivals; i++)
        if (f->arrival[i].hop < 0 && f->arrival[i].place == place)
            return b->last_made = i;
    return b->last_made = tgs_i_flow_add(b, version, memory, -1, place);
}

tgs_status tgs_i_flow_no_home(tgs_i_flow_build *b, int32_t version)
{
    char room[TGS_NAME_ROOM];

    return tgs_fail(b->err, TGS_EINVAL, "datum '%s' is read before it is written and has no home",
                    tgs_i_flow_label(b, version, room));
}

/* one more hop from arrival `source`; the arrival it brings about, or a status */
static int32_t add_hop(tgs_i_flow_build *b, int32_t source, int32_t to, int32_t link)
{
    tgs_i_flow *f = b->f;
    const int32_t version = f->arrival[source].version, from = f->arrival[source].memory;
    const int32_t arrival = tgs_i_flow_add(b, version, to, f->hops, -1);

    if (arrival < 0)
        return arrival;
    if (tgs_mem_grow(&f->hop, &f->hop_room, (int64_t)f->hops + 1, sizeof *f->hop))
        return tgs_i_flow_no_memory(b);
    f->hop[f->hops++] = (tgs_i_hop){version, from, to, link, source, arrival, TGS_WHY_RELAY};
    tgs_i_flow_put(b, version, to, arrival);
    return arrival;
}

/* bring a version to a memory, from d->source, hop by hop; the arrival there, or a status */
static int32_t send(tgs_i_flow_build *b, int32_t version, const tgs_i_delivery *d)
{
    const tgs_platform_view *p = b->f->v->p;
    int32_t here = tgs_i_flow_made(b, version, d->source), from, pair;

    if (here < 0)
        return here;
    from = b->f->arrival[here].memory;
    if (from == d->memory) {
        tgs_i_flow_put(b, version, from, here);
        return here;
    }
    if (b->pb->link->free)
        return add_hop(b, here, d->memory, -1);
    pair = from * p->memories + d->memory;
    if (p->route_at[pair] == p->route_at[pair + 1]) {
        char room[TGS_NAME_ROOM];

        return tgs_fail(
            b->err, TGS_ECHECK, "datum '%s' cannot get from memory '%s' to '%s': no route",
            tgs_i_flow_label(b, version, room), p->memory[from].name, p->memory[d->memory].name);
    }
    for (int32_t i = p->route_at[pair]; i < p->route_at[pair + 1] && here >= 0; i++) {
        const int32_t to = p->link[p->route[i]].to, there = tgs_i_flow_at(b, version, to);

        here = there >= 0 ? there : add_hop(b, here, to, p->route[i]);
    }
    return here;
}

/* where a tgs_i_delivery comes from: the execution from which it arrives first, ties by index */
static tgs_status choose_source(tgs_i_flow_build *b, int32_t version, tgs_i_delivery *d)
{
    const tgs_i_flow *f = b->f;
    const tgs_view *v = f->v;
    const int32_t datum = tgs_i_flow_datum(f, version);

    d->source = -1;
    d->arrival = INFINITY;
    if (version >= v->g->accesses) {
        if (v->home[datum] < 0)
            return tgs_i_flow_no_home(b, version);
        d->arrival = tgs_c(v, datum, v->home[datum], d->memory);
        return TGS_OK;
    }
    for (int32_t k = 0, p; (p = tgs_i_flow_place(f, f->writer[version], k)) >= 0; k++) {
        const double arrival =
            f->s->place[p].end + tgs_c(v, datum, tgs_i_flow_memory(f, p), d->memory);

        if (d->source < 0 || arrival < d->arrival) {
            d->source = p;
            d->arrival = arrival;
        }
    }
    return TGS_OK;
}

/* group the readers of a version by memory into f->reader and b->delivery; how many memories */
int32_t tgs_i_flow_group(tgs_i_flow_build *b, int32_t version)
{
    const int32_t first = b->read_at[version], end = b->read_at[version + 1];
    int32_t count = 0, sum = first;

    for (int32_t i = first; i < end; i++) {
        const int32_t m = tgs_i_flow_memory(b->f, b->read[i]);
        int32_t k = b->delivery_of[m];

        if (k >= count || b->delivery[k].memory != m) {
            k = b->delivery_of[m] = count++;
            b->delivery[k] = (tgs_i_delivery){.memory = m};
        }
        b->delivery[k].readers++;
    }
    for (int32_t k = 0; k < count; k++) {
        b->delivery[k].reader = sum;
        sum += b->delivery[k].readers;
        b->delivery[k].readers = 0;
    }
    for (int32_t i = first; i < end; i++) {
        tgs_i_delivery *d = &b->delivery[b->delivery_of[tgs_i_flow_memory(b->f, b->read[i])]];

        b->f->reader[d->reader + d->readers++] = b->read[i];
    }
    return count;
}

static int by_arrival(const void *x, const void *y)
{
    const tgs_i_delivery *a = x, *b = y;

    if (a->arrival != b->arrival)
        return a->arrival < b->arrival ? -1 : 1;
    return a->memory < b->memory ? -1 : a->memory > b->memory;
}

void tgs_i_flow_attach(tgs_i_flow_build *b, int32_t arrival, const tgs_i_delivery *d)
{
    tgs_i_arrival *a = &b->f->arrival[arrival];

    a->reader = d->reader;
    a->readers = d->readers;
    if (a->hop >= 0 && b->f->hop[a->hop].why != TGS_WHY_RELOAD)
        b->f->hop[a->hop].why = TGS_WHY_DEMAND;
}

/* every execution that makes a version has an arrival, read or not: it occupies memory */
tgs_status tgs_i_flow_makers(tgs_i_flow_build *b, int32_t version)
{
    const tgs_i_flow *f = b->f;

    if (version >= f->v->g->accesses || !(f->v->g->access[version].mode & TGS_W))
        return TGS_OK;
    for (int32_t k = 0, p; (p = tgs_i_flow_place(f, f->writer[version], k)) >= 0; k++)
        if (tgs_i_flow_made(b, version, p) < 0)
            return TGS_ENOMEM;
    return TGS_OK;
}

static tgs_status route_version(tgs_i_flow_build *b, int32_t version)
{
    const int32_t count = tgs_i_flow_group(b, version);
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < count && !status; k++)
        status = choose_source(b, version, &b->delivery[k]);
    if (count > 1 && !status)
        qsort(b->delivery, (size_t)count, sizeof *b->delivery, by_arrival);
    for (int32_t k = 0; k < count && !status; k++) {
        int32_t arrival = tgs_i_flow_at(b, version, b->delivery[k].memory);

        if (arrival < 0)
            arrival = send(b, version, &b->delivery[k]);
        if (arrival < 0)
            status = (tgs_status)arrival;
        else
            tgs_i_flow_attach(b, arrival, &b->delivery[k]);
    }
    return status ? status : tgs_i_flow_makers(b, version);
}

/* ---- the whole ------------------------------------------------------------------------------ */
static tgs_status prepare(tgs_i_flow_build *b)
{
    tgs_i_flow *f = b->f;
    const tgs_graph_view *g = f->v->g;
    const size_t memories = (size_t)f->v->memories;
    tgs_status status;

    if ((int64_t)g->accesses + g->data >= INT32_MAX - 1)
        return tgs_fail(b->err, TGS_EINVAL, "too many accesses and data");
    f->versions = g->accesses + g->data;
    f->arrival_at = tgs_mem_alloc((size_t)f->versions + 1, sizeof *f->arrival_at);
    b->slot = tgs_mem_alloc(memories, sizeof *b->slot);
    b->stamp = tgs_mem_alloc(memories, sizeof *b->stamp);
    b->delivery = tgs_mem_alloc(memories, sizeof *b->delivery);
    b->delivery_of = tgs_mem_alloc(memories, sizeof *b->delivery_of);
    if (!f->arrival_at || !b->slot || !b->stamp || !b->delivery || !b->delivery_of)
        return tgs_i_flow_no_memory(b);
    for (size_t m = 0; m < memories; m++)
        b->stamp[m] = -1;
    b->last_made = -1;
    status = index_places(b);
    if (!status)
        status = index_reads(b);
    if (!status)
        status = tgs_i_flow_moves(b);
    return status;
}

tgs_status tgs_i_flow_new(tgs_i_flow **out, const tgs_problem *pb, const tgs_schedule_view *s,
                          tgs_error *err)
{
    tgs_i_flow *f = *out = tgs_mem_alloc(1, sizeof *f);
    tgs_i_flow_build b = {.f = f, .pb = pb, .err = err};
    tgs_status status;

    if (!f)
        return tgs_i_flow_no_memory(&b);
    f->v = &pb->v;
    f->s = s;
    status = prepare(&b);
    for (int32_t i = 0; i < f->versions && !status; i++) {
        f->arrival_at[i] = f->arrivals;
        status = s->moves ? tgs_i_flow_follow(&b, i) : route_version(&b, i);
        f->arrival_at[i + 1] = f->arrivals;
    }
    if (!status)
        status = tgs_i_flow_order(&b);
    tgs_mem_free(b.read_at);
    tgs_mem_free(b.read);
    tgs_mem_free(b.move_at);
    tgs_mem_free(b.move);
    tgs_mem_free(b.drop_at);
    tgs_mem_free(b.drop);
    tgs_mem_free(b.slot);
    tgs_mem_free(b.stamp);
    tgs_mem_free(b.delivery);
    tgs_mem_free(b.delivery_of);
    if (status) {
        tgs_i_flow_free(f);
        *out = NULL;
    }
    return status;
}

bool tgs_i_flow_follows(const tgs_i_flow *f, int32_t u, int32_t v, int32_t datum)
{
    const tgs_graph_view *g = f->v->g;

    if (datum < 0)
        return true;
    if (!f->copy_at || f->copy_at[u] == f->copy_at[u + 1])
        return false;
    for (int32_t i = g->access_at[v]; i < g->access_at[v + 1]; i++)
        for (int32_t k = g->access_at[u]; k < g->access_at[u + 1]; k++)
            if (g->access[i].mode & TGS_W && g->access[k].datum == g->access[i].datum)
                return true;
    return false;
}

void tgs_i_flow_free(tgs_i_flow *f)
{
    if (!f)
        return;
    tgs_mem_free(f->copy_at);
    tgs_mem_free(f->writer);
    tgs_mem_free(f->arrival_at);
    tgs_mem_free(f->arrival);
    tgs_mem_free(f->reader);
    tgs_mem_free(f->hop);
    tgs_mem_free(f->queue_at);
    tgs_mem_free(f->queue);
    tgs_mem_free(f);
}
