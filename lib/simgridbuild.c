/* simgridbuild.c -- a SimGrid platform becomes one of ours.
 *
 * A host is a memory with its cores, of kind cpu; speed 1 is 1e9 flop/s.  A route between two hosts
 * is a link: the sum of the latencies, and the least bandwidth on the way.  Of the links of a route
 * that other pairs use, too, the narrowest is a bus they share (a duplex link one for each
 * direction).  In a cluster a route leads through both hosts' links and the backbone; between zones
 * through the declared route of their gateways, which in a cluster every host reaches, and else
 * only the gateway itself.  O(hosts^2 + uses). */
#include <string.h>
#include "simgrid.h"

typedef struct path { /* a way between hosts: where it stands now */
    double latency, bandwidth;
    tgs_i_sg_link *shared; /* the narrowest that others use; NULL none */
    bool back;             /* its direction */
} path;

typedef struct building {
    tgs_i_sg *x;
    tgs_i_assembly *a;
    bool counting; /* first the users of links are counted, then links are made */
} building;

static void pass(const building *b, path *way, tgs_i_sg_link *l, bool back)
{
    way->latency += l->latency;
    way->bandwidth = fmin(way->bandwidth, l->bandwidth);
    if (b->counting)
        l->users++;
    else if (l->policy != TGS_I_SG_FAT && l->users > (l->policy == TGS_I_SG_DUPLEX ? 2 : 1)
             && (!way->shared || l->bandwidth < way->shared->bandwidth)) {
        way->shared = l;
        way->back = back && l->policy == TGS_I_SG_DUPLEX;
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

static tgs_status join(const building *b, int32_t from, int32_t to, path *way)
{
    tgs_link link = {.from = b->x->host[from].memory,
                     .to = b->x->host[to].memory,
                     .bus = -1,
                     .latency = way->latency,
                     .bandwidth = way->bandwidth,
                     .energy = NAN};
    tgs_status status;

    if (b->counting)
        return TGS_OK;
    status = bus_of(b, way, &link.bus);
    return status ? status : tgs_i_assembly_link(b->a, &link, b->x->err);
}

static void pass_uses(const building *b, const tgs_i_sg_route *r, path *way, bool back)
{
    for (int64_t i = 0; i < r->uses; i++) {
        const tgs_i_sg_use *u = &b->x->use[r->use_at + (back ? r->uses - 1 - i : i)];

        pass(b, way, &b->x->link[u->link], u->back != back);
    }
}

/* ---- the three sorts of routes -----------------------------------------------------------------
 */

static path start(void)
{
    return (path){.bandwidth = INFINITY};
}

static tgs_status connect_hosts(const building *b, const tgs_i_sg_route *r)
{
    const tgs_i_sg_host *host = b->x->host;
    path way = start();
    tgs_status status;

    if (!host[r->from].cores || !host[r->to].cores || r->from == r->to)
        return TGS_OK; /* to a router; within a host nothing travels */
    b->x->s->line = r->line;
    if (!r->uses)
        return tgs_source_fail(b->x->s, b->x->err, "a route without links");
    if (!b->x->zone[host[r->from].zone].full)
        return tgs_source_fail(b->x->s, b->x->err,
                               "a route between hosts of a zone whose routing computes routes");
    pass_uses(b, r, &way, false);
    status = join(b, r->from, r->to, &way);
    if (status || !r->symmetrical)
        return status;
    way = start();
    pass_uses(b, r, &way, true);
    return join(b, r->to, r->from, &way);
}

/* from a host of a cluster to its router, or back */
static void pass_cluster(const building *b, const tgs_i_sg_zone *z, path *way, bool back)
{
    tgs_i_sg_link *l = &b->x->link[z->link];

    way->latency += l->latency; /* each host has a link of its own */
    way->bandwidth = fmin(way->bandwidth, l->bandwidth);
    if (z->backbone >= 0)
        pass(b, way, &b->x->link[z->backbone], back);
}

static tgs_status connect_cluster(const building *b, int32_t zone)
{
    const tgs_i_sg *x = b->x;
    const tgs_i_sg_link *l = x->zone[zone].link < 0 ? NULL : &x->link[x->zone[zone].link];
    tgs_status status = TGS_OK;

    for (int32_t i = 0; l && i < x->host_count; i++)
        for (int32_t j = 0; j < x->host_count && !status; j++) {
            path way = start();

            if (i == j || x->host[i].zone != zone || x->host[j].zone != zone || !x->host[i].cores
                || !x->host[j].cores)
                continue;
            pass_cluster(b, &x->zone[zone], &way, false);
            way.latency += l->latency;
            status = join(b, i, j, &way);
        }
    return status;
}

/* whether host i, of zone, is or reaches the gateway */
static bool leaves(const building *b, int32_t i, int32_t zone, int32_t gateway)
{
    const tgs_i_sg *x = b->x;

    return x->host[i].cores && x->host[i].zone == zone && (x->zone[zone].link >= 0 || i == gateway);
}

static tgs_status connect_zones(const building *b, const tgs_i_sg_route *r, bool back)
{
    const tgs_i_sg *x = b->x;
    const int32_t from = back ? r->to_zone : r->from_zone, to = back ? r->from_zone : r->to_zone;
    const int32_t gate = back ? r->to : r->from, other = back ? r->from : r->to;
    tgs_status status = TGS_OK;

    x->s->line = r->line;
    for (int32_t i = 0; i < x->host_count; i++)
        for (int32_t j = 0; j < x->host_count && leaves(b, i, from, gate) && !status; j++) {
            path way = start();

            if (i == j || !leaves(b, j, to, other))
                continue;
            if (x->zone[from].link >= 0)
                pass_cluster(b, &x->zone[from], &way, false);
            pass_uses(b, r, &way, back);
            if (x->zone[to].link >= 0)
                pass_cluster(b, &x->zone[to], &way, true);
            status = join(b, i, j, &way);
        }
    return status;
}

static tgs_status connect(const building *b)
{
    tgs_status status = TGS_OK;

    for (int32_t z = 0; z < b->x->zone_count && !status; z++)
        status = connect_cluster(b, z);
    for (int64_t i = 0; i < b->x->route_count && !status; i++) {
        const tgs_i_sg_route *r = &b->x->route[i];

        if (r->from_zone < 0) {
            status = connect_hosts(b, r);
            continue;
        }
        status = connect_zones(b, r, false);
        if (!status && r->symmetrical)
            status = connect_zones(b, r, true);
    }
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
        if (h->zone < 0 || !x->zone[h->zone].full)
            return tgs_source_fail(
                x->s, x->err, "host '%.80s' is in a zone whose routing is neither Full nor None",
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
        status = connect(&b);
    b.counting = false;
    if (!status)
        status = connect(&b);
    if (!status)
        return tgs_i_assembly_finish(out, b.a, x->err);
    tgs_i_assembly_free(b.a);
    return status;
}
