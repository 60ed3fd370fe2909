/* simgridroutes.c -- the links that lead from one host of a SimGrid platform to another.
 *
 * A zone knows how its members, which are hosts, routers and zones, reach each other: Full and None
 * by the routes that are declared, Floyd and Dijkstra by the way of fewest links over those, a
 * cluster through the links of both hosts and its backbone.  Hosts of unlike zones meet in the zone
 * that holds both: from the host to the gateway of its side, on to the gateway of the other, and to
 * the host there, each of these a way of its own.  A table of members by members for each zone;
 * O(links on the way) a way. */
#include <string.h>
#include "simgrid.h"
#include "tgsched/heap.h"

struct tgs_i_sg_ways {
    tgs_i_sg *x;
    int32_t *place;    /* [hosts, then zones] which member of its zone it is */
    int32_t *members;  /* [zones] */
    int64_t *table_at; /* [zones] where its part of edge begins */
    int32_t *edge;     /* [from * members + to] what leads on: 2 route, + 1 against it; -1 none */
};

/* what is routed: a host, or hosts + a zone */
static int32_t vertex(const tgs_i_sg *x, const tgs_i_sg_route *r, bool end)
{
    const int32_t zone = end ? r->to_zone : r->from_zone;

    return zone < 0 ? (end ? r->to : r->from) : (int32_t)x->host_count + zone;
}

static int32_t zone_of(const tgs_i_sg *x, int32_t v)
{
    return v < x->host_count ? x->host[v].zone : x->zone[v - x->host_count].parent;
}

static const char *name_of(const tgs_i_sg *x, int32_t v)
{
    return x->arena.text + (v < x->host_count ? x->host[v].name : x->zone[v - x->host_count].name);
}

static bool within(const tgs_i_sg *x, int32_t host, int32_t zone)
{
    int32_t z = x->host[host].zone;

    while (z >= 0 && z != zone)
        z = x->zone[z].parent;
    return z == zone;
}

/* the entry of the table for two members of a zone */
static int32_t *entry(const tgs_i_sg_ways *w, int32_t zone, int32_t from, int32_t to)
{
    return &w->edge[w->table_at[zone] + (int64_t)w->place[from] * w->members[zone] + w->place[to]];
}

/* ---- tables ------------------------------------------------------------------------------------
 */

static tgs_status number_members(tgs_i_sg_ways *w)
{
    const tgs_i_sg *x = w->x;
    const int64_t vertices = x->host_count + x->zone_count;
    int64_t size = 0;

    w->place = tgs_mem_alloc((size_t)vertices, sizeof *w->place);
    w->members = tgs_mem_alloc((size_t)x->zone_count, sizeof *w->members);
    w->table_at = tgs_mem_alloc((size_t)x->zone_count, sizeof *w->table_at);
    if (!w->place || !w->members || !w->table_at)
        return TGS_ENOMEM;
    for (int32_t v = 0; v < vertices; v++)
        w->place[v] = zone_of(x, v) < 0 ? 0 : w->members[zone_of(x, v)]++;
    for (int32_t z = 0; z < x->zone_count; z++) {
        w->table_at[z] = size;
        if (x->zone[z].routing != TGS_I_SG_CLUSTER)
            size += (int64_t)w->members[z] * w->members[z];
    }
    w->edge = tgs_mem_alloc((size_t)size, sizeof *w->edge);
    if (!w->edge)
        return TGS_ENOMEM;
    memset(w->edge, -1, (size_t)size * sizeof *w->edge);
    return TGS_OK;
}

static tgs_status check_route(const tgs_i_sg *x, const tgs_i_sg_route *r)
{
    x->s->line = r->line;
    for (int end = 0; end < 2; end++) {
        const int32_t v = vertex(x, r, end), gate = end ? r->to : r->from;

        if (zone_of(x, v) != r->zone)
            return tgs_source_fail(x->s, x->err, "'%.80s' is not of the zone of this route",
                                   name_of(x, v));
        if (v != gate && !within(x, gate, v - (int32_t)x->host_count))
            return tgs_source_fail(x->s, x->err, "the gateway '%.80s' is not in '%.80s'",
                                   name_of(x, gate), name_of(x, v));
    }
    if (x->zone[r->zone].routing == TGS_I_SG_CLUSTER || x->zone[r->zone].routing == TGS_I_SG_OTHER)
        return tgs_source_fail(x->s, x->err, "a route in a zone that computes its routes");
    return r->uses || r->from_zone >= 0 || r->from == r->to
               ? TGS_OK
               : tgs_source_fail(x->s, x->err, "a route without links");
}

static tgs_status declare(const tgs_i_sg_ways *w, int32_t route)
{
    const tgs_i_sg *x = w->x;
    const tgs_i_sg_route *r = &x->route[route];
    const int32_t from = vertex(x, r, false), to = vertex(x, r, true);
    const tgs_status status = check_route(x, r);
    int32_t *forth, *back;

    if (status || from == to) /* within a host nothing travels */
        return status;
    forth = entry(w, r->zone, from, to);
    back = entry(w, r->zone, to, from);
    if (*forth >= 0 && !(*forth & 1))
        return tgs_source_fail(x->s, x->err, "a second route from '%.80s' to '%.80s'",
                               name_of(x, from), name_of(x, to));
    *forth = 2 * route;
    if (r->symmetrical && *back < 0)
        *back = 2 * route + 1;
    return TGS_OK;
}

typedef struct search {
    double *cost;   /* [members] links on the way */
    int32_t *first; /* [members] the edge that the way begins with */
    tgs_heap heap;
} search;

/* the ways of fewest links from one member, over the edges that are declared */
static void search_from(const tgs_i_sg_ways *w, const int32_t *declared, int32_t n, int32_t from,
                        search *s)
{
    for (int32_t v = 0; v < n; v++) {
        s->cost[v] = INFINITY;
        s->first[v] = -1;
    }
    s->cost[from] = 0;
    s->heap.size = 0;
    tgs_heap_push(&s->heap, 0, from);
    while (s->heap.size) {
        const tgs_heap_item at = tgs_heap_pop(&s->heap);

        for (int32_t v = 0; v < n && at.key <= s->cost[at.id]; v++) {
            const int32_t e = declared[(int64_t)at.id * n + v];
            const double cost =
                e < 0 ? INFINITY : at.key + fmax(1, (double)w->x->route[e / 2].uses);

            if (cost < s->cost[v]) {
                s->cost[v] = cost;
                s->first[v] = at.id == from ? e : s->first[at.id];
                tgs_heap_push(&s->heap, cost, v);
            }
        }
    }
}

/* the table of a zone of Floyd or Dijkstra, from that of its declared routes; O(members^3) at most
 */
static tgs_status find_shortest(const tgs_i_sg_ways *w, int32_t zone)
{
    const int32_t n = w->members[zone];
    int32_t *table = w->edge + w->table_at[zone], *declared;
    search s = {tgs_mem_alloc((size_t)n, sizeof *s.cost),
                tgs_mem_alloc((size_t)n, sizeof *s.first),
                {tgs_mem_alloc((size_t)n * (size_t)n + 1, sizeof(tgs_heap_item)), 0}};
    tgs_status status = TGS_ENOMEM;

    declared = tgs_mem_alloc((size_t)n * (size_t)n, sizeof *declared);
    if (s.cost && s.first && s.heap.item && declared) {
        memcpy(declared, table, (size_t)n * (size_t)n * sizeof *declared);
        for (int32_t from = 0; from < n; from++) {
            search_from(w, declared, n, from, &s);
            memcpy(table + (int64_t)from * n, s.first, (size_t)n * sizeof *table);
        }
        status = TGS_OK;
    }
    tgs_mem_free(s.cost);
    tgs_mem_free(s.first);
    tgs_mem_free(s.heap.item);
    tgs_mem_free(declared);
    return status;
}

tgs_status tgs_i_sg_ways_new(tgs_i_sg_ways **out, tgs_i_sg *x)
{
    tgs_i_sg_ways *w = tgs_mem_alloc(1, sizeof *w);
    tgs_status status = w ? TGS_OK : TGS_ENOMEM;

    *out = NULL;
    if (w) {
        w->x = x;
        status = number_members(w);
    }
    for (int32_t r = 0; r < x->route_count && !status; r++)
        status = declare(w, r);
    for (int32_t z = 0; z < x->zone_count && !status; z++)
        if (x->zone[z].routing == TGS_I_SG_SHORTEST && w->members[z])
            status = find_shortest(w, z);
    if (!status) {
        *out = w;
        return TGS_OK;
    }
    tgs_i_sg_ways_free(w);
    return status == TGS_ENOMEM ? tgs_fail(x->err, TGS_ENOMEM, "%s: out of memory", x->s->path)
                                : status;
}

void tgs_i_sg_ways_free(tgs_i_sg_ways *w)
{
    if (!w)
        return;
    tgs_mem_free(w->place);
    tgs_mem_free(w->members);
    tgs_mem_free(w->table_at);
    tgs_mem_free(w->edge);
    tgs_mem_free(w);
}

/* ---- ways --------------------------------------------------------------------------------------
 */

static tgs_status add(const tgs_i_sg_ways *w, tgs_i_sg_hops *h, int32_t link, bool back, bool own)
{
    if (tgs_mem_grow(&h->hop, &h->room, h->count + 1, sizeof *h->hop))
        return tgs_fail(w->x->err, TGS_ENOMEM, "%s: out of memory", w->x->s->path);
    h->hop[h->count++] = (tgs_i_sg_hop){link, back, own};
    return TGS_OK;
}

static tgs_status cross_cluster(const tgs_i_sg_ways *w, const tgs_i_sg_zone *z, int32_t from,
                                int32_t to, tgs_i_sg_hops *h)
{
    const tgs_i_sg_host *host = w->x->host;
    tgs_status status = TGS_OK;

    if (host[from].cores) /* each host has a link of its own; the router has none */
        status = add(w, h, z->link, false, true);
    if (!status && z->backbone >= 0)
        status = add(w, h, z->backbone, !host[from].cores, false);
    if (!status && host[to].cores)
        status = add(w, h, z->link, true, true);
    return status;
}

static tgs_status cross_route(const tgs_i_sg_ways *w, int32_t edge, tgs_i_sg_hops *h)
{
    const tgs_i_sg_route *r = &w->x->route[edge / 2];
    const bool back = edge & 1;
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < r->uses && !status; i++) {
        const tgs_i_sg_use *u = &w->x->use[r->use_at + (back ? r->uses - 1 - i : i)];

        status = add(w, h, u->link, u->back != back, false);
    }
    return status;
}

static int32_t depth_of(const tgs_i_sg *x, int32_t zone)
{
    int32_t depth = 0;

    for (; zone >= 0; zone = x->zone[zone].parent)
        depth++;
    return depth;
}

/* the zone that holds both, and the members of it that they are or are in */
static int32_t meet(const tgs_i_sg *x, int32_t *from, int32_t *to)
{
    while (zone_of(x, *from) != zone_of(x, *to)) {
        int32_t *deeper =
            depth_of(x, zone_of(x, *from)) >= depth_of(x, zone_of(x, *to)) ? from : to;

        *deeper = (int32_t)x->host_count + zone_of(x, *deeper);
    }
    return zone_of(x, *from);
}

/* Recursion goes into zones that are deeper each time: gateways are within their zones. */
tgs_status tgs_i_sg_way(const tgs_i_sg_ways *w, int32_t from, int32_t to, tgs_i_sg_hops *h)
{
    const tgs_i_sg *x = w->x;
    int32_t at = from, member = from, last = to;
    const int32_t zone = meet(x, &member, &last);
    tgs_status status = TGS_OK;

    if (from == to)
        return TGS_OK;
    if (zone < 0 || x->zone[zone].routing == TGS_I_SG_OTHER)
        return tgs_fail(x->err, TGS_EPARSE,
                        "%s: the way from '%.80s' to '%.80s' is computed by a zone whose routing "
                        "is not Full, None, Floyd or Dijkstra",
                        x->s->path, name_of(x, from), name_of(x, to));
    if (x->zone[zone].routing == TGS_I_SG_CLUSTER)
        return cross_cluster(w, &x->zone[zone], from, to, h);
    while (member != last && !status && !h->none) {
        const int32_t edge = *entry(w, zone, member, last);
        const tgs_i_sg_route *r = &x->route[edge / 2];
        const bool back = edge & 1;

        h->none = edge < 0;
        if (h->none)
            break;
        status = tgs_i_sg_way(w, at, back ? r->to : r->from, h);
        if (!status)
            status = cross_route(w, edge, h);
        at = back ? r->from : r->to;
        member = vertex(x, r, !back);
    }
    return status || h->none ? status : tgs_i_sg_way(w, at, to, h);
}
