/* simgridbuild.c -- a SimGrid platform becomes one of ours.
 *
 * A host is a memory with its cores, of kind cpu; speed 1 is 1e9 flop/s.  The way between two hosts
 * is a link: the sum of the latencies, and the least bandwidth.  Of the links on it that other
 * pairs use, too, the narrowest is a bus they share (a duplex link one for each direction).
 * O(hosts^2 ways). */
#include <string.h>
#include "simgrid.h"

typedef struct path { /* a way between hosts */
    double latency, bandwidth;
    tgs_i_sg_link *shared; /* the narrowest that others use; NULL none */
    bool back;             /* its direction */
} path;

typedef struct building {
    tgs_i_sg *x;
    tgs_i_assembly *a;
    tgs_i_sg_ways *ways;
    tgs_i_sg_hops hops;
    bool counting; /* first the users of links are counted, then links are made */
} building;

static void pass(const building *b, path *way, const tgs_i_sg_hop *hop)
{
    tgs_i_sg_link *l = &b->x->link[hop->link];

    way->latency += l->latency;
    way->bandwidth = fmin(way->bandwidth, l->bandwidth);
    if (hop->own)
        return;
    if (b->counting)
        l->users++;
    else if (l->policy != TGS_I_SG_FAT && l->users > (l->policy == TGS_I_SG_DUPLEX ? 2 : 1)
             && (!way->shared || l->bandwidth < way->shared->bandwidth)) {
        way->shared = l;
        way->back = hop->back && l->policy == TGS_I_SG_DUPLEX;
    }
}

static tgs_status bus_of(const building *b, path *way, int32_t *bus)
{
    tgs_i_sg_link *l = way->shared;
    char name[300];
    const tgs_bus made = {.name = name, .bandwidth = l ? l->bandwidth : 0};

    *bus = l ? l->bus[way->back] : -1;
    if (!l || *bus >= 0)
        return TGS_OK;
    snprintf(name, sizeof name, "%.250s%s", b->x->arena.text + l->name, way->back ? ".back" : "");
    for (int32_t i = 2; tgs_i_assembly_find(b->a, TGS_I_BUS, name) >= 0; i++)
        snprintf(name, sizeof name, "%.250s%s-%d", b->x->arena.text + l->name,
                 way->back ? ".back" : "", (int)i);
    *bus = (int32_t)-1;
    {
        const tgs_status status = tgs_i_assembly_bus(b->a, &made, bus, b->x->err);

        l->bus[way->back] = *bus;
        return status;
    }
}

static tgs_status join(building *b, int32_t from, int32_t to)
{
    path way = {.bandwidth = INFINITY};
    tgs_link link = {
        .from = b->x->host[from].memory, .to = b->x->host[to].memory, .bus = -1, .energy = NAN};
    tgs_status status;

    b->hops.count = 0;
    b->hops.none = false;
    status = tgs_i_sg_way(b->ways, from, to, &b->hops);
    if (status || b->hops.none)
        return status;
    for (int64_t i = 0; i < b->hops.count; i++)
        pass(b, &way, &b->hops.hop[i]);
    if (b->counting)
        return TGS_OK;
    link.latency = way.latency;
    link.bandwidth = way.bandwidth;
    status = bus_of(b, &way, &link.bus);
    return status ? status : tgs_i_assembly_link(b->a, &link, b->x->err);
}

static tgs_status connect(building *b)
{
    const tgs_i_sg_host *host = b->x->host;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < b->x->host_count && !status; i++)
        for (int32_t j = 0; j < b->x->host_count && host[i].cores && !status; j++)
            if (i != j && host[j].cores)
                status = join(b, i, j);
    return status;
}

/* ---- all of it ---------------------------------------------------------------------------------
 */

static tgs_status add_hosts(const building *b)
{
    tgs_i_sg *x = b->x;
    tgs_status status = tgs_i_foreign_kind(b->a, x->err);

    for (int32_t i = 0, memories = 0; i < x->host_count && !status; i++) {
        tgs_i_sg_host *h = &x->host[i];

        if (!h->cores)
            continue;
        if (h->zone < 0)
            return tgs_source_fail(x->s, x->err, "host '%.80s' is in no zone",
                                   x->arena.text + h->name);
        status = tgs_i_foreign_host(b->a, x->arena.text + h->name, h->flops, h->cores, INFINITY,
                                    memories, x->err);
        h->memory = memories++;
    }
    return status;
}

tgs_status tgs_i_sg_build(tgs_platform **out, tgs_i_sg *x)
{
    building b = {.x = x, .counting = true};
    tgs_status status = tgs_i_assembly_new(&b.a, x->s, x->err);

    *out = NULL;
    if (!status)
        status = add_hosts(&b);
    if (!status)
        status = tgs_i_sg_ways_new(&b.ways, x);
    if (!status)
        status = connect(&b);
    b.counting = false;
    if (!status)
        status = connect(&b);
    tgs_i_sg_ways_free(b.ways);
    tgs_mem_free(b.hops.hop);
    if (!status)
        return tgs_i_assembly_finish(out, b.a, x->err);
    tgs_i_assembly_free(b.a);
    return status;
}
