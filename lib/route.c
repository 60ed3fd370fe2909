/* route.c -- the way data takes from each memory to each other one, and what no way can beat.
 *
 * A message is relayed in full, hop after hop, so a route of links costs the sum of their latencies
 * plus the size times the sum of their inverse bandwidths.  The route of a pair is the cheapest at
 * one reference size, then the one with fewer hops.  For bounds the two sums are minimised apart:
 * together they are at most what any chain of copies costs, whatever the size.
 *
 * Dijkstra from every memory: O(M L log M) for M memories and L links; from a memory whose direct
 * links cannot be beaten by two hops, O(M). */
#include <string.h>
#include "platform.h"
#include "tgsched/heap.h"

#define REFERENCE 1048576.0          /* bytes */
#define ROUTE_MAX (64 * 1024 * 1024) /* links in all routes together */

typedef double cost_of(const tgs_link *l);

static double latency_of(const tgs_link *l)
{
    return l->latency;
}

static double inverse_of(const tgs_link *l)
{
    return 1 / l->bandwidth;
}

static double reference_of(const tgs_link *l)
{
    return l->latency + REFERENCE / l->bandwidth;
}

typedef struct search {
    const tgs_platform_view *v;
    int32_t *out_at, *out;        /* links by source memory */
    int32_t *direct;              /* [from * M + to] link, -1 none */
    double *cost;                 /* [links] of the metric in use */
    double *least_out, *least_in; /* [M] */
    double *dist;                 /* [M] from the source */
    int32_t *hops, *via;          /* [M] links on the way, and the last of them */
    bool *settled;
    tgs_heap heap;
} search;

static void search_free(search *s)
{
    tgs_mem_free(s->out_at);
    tgs_mem_free(s->out);
    tgs_mem_free(s->direct);
    tgs_mem_free(s->cost);
    tgs_mem_free(s->least_out);
    tgs_mem_free(s->least_in);
    tgs_mem_free(s->dist);
    tgs_mem_free(s->hops);
    tgs_mem_free(s->via);
    tgs_mem_free(s->settled);
    tgs_mem_free(s->heap.item);
}

static tgs_status search_new(search *s, const tgs_platform_view *v)
{
    const size_t m = (size_t)v->memories, n = (size_t)v->links;

    *s = (search){.v = v};
    s->out_at = tgs_mem_alloc(m + 1, sizeof *s->out_at);
    s->out = tgs_mem_alloc(n, sizeof *s->out);
    s->direct = tgs_mem_alloc(m * m, sizeof *s->direct);
    s->cost = tgs_mem_alloc(n, sizeof *s->cost);
    s->least_out = tgs_mem_alloc(m, sizeof *s->least_out);
    s->least_in = tgs_mem_alloc(m, sizeof *s->least_in);
    s->dist = tgs_mem_alloc(m, sizeof *s->dist);
    s->hops = tgs_mem_alloc(m, sizeof *s->hops);
    s->via = tgs_mem_alloc(m, sizeof *s->via);
    s->settled = tgs_mem_alloc(m, sizeof *s->settled);
    s->heap.item = tgs_mem_alloc(n + 1, sizeof *s->heap.item);
    if (!s->out_at || !s->out || !s->direct || !s->cost || !s->least_out || !s->least_in || !s->dist
        || !s->hops || !s->via || !s->settled || !s->heap.item)
        return TGS_ENOMEM;
    for (size_t i = 0; i < m * m; i++)
        s->direct[i] = -1;
    for (int32_t i = 0; i < v->links; i++) {
        s->out_at[v->link[i].from + 1]++;
        s->direct[(int64_t)v->link[i].from * v->memories + v->link[i].to] = i;
    }
    for (int32_t i = 0; i < v->memories; i++)
        s->out_at[i + 1] += s->out_at[i];
    memset(s->hops, 0, m * sizeof *s->hops); /* as fill positions */
    for (int32_t i = 0; i < v->links; i++)
        s->out[s->out_at[v->link[i].from] + s->hops[v->link[i].from]++] = i;
    return TGS_OK;
}

static void use_metric(search *s, cost_of *cost)
{
    const tgs_platform_view *v = s->v;

    for (int32_t i = 0; i < v->memories; i++)
        s->least_out[i] = s->least_in[i] = INFINITY;
    for (int32_t i = 0; i < v->links; i++) {
        const int32_t from = v->link[i].from, to = v->link[i].to;

        s->cost[i] = cost(&v->link[i]);
        s->least_out[from] = fmin(s->least_out[from], s->cost[i]);
        s->least_in[to] = fmin(s->least_in[to], s->cost[i]);
    }
}

/* true when every other memory is best reached over its direct link */
static bool direct_is_best(search *s, int32_t from)
{
    const int32_t m = s->v->memories;
    const int32_t *direct = s->direct + (int64_t)from * m;

    for (int32_t to = 0; to < m; to++) {
        s->via[to] = direct[to];
        if (to == from)
            s->dist[to] = 0;
        else if (direct[to] < 0 || !(s->cost[direct[to]] <= s->least_out[from] + s->least_in[to]))
            return false;
        else
            s->dist[to] = s->cost[direct[to]];
    }
    return true;
}

static void shortest(search *s, int32_t from)
{
    const tgs_platform_view *v = s->v;

    if (direct_is_best(s, from))
        return;
    for (int32_t i = 0; i < v->memories; i++) {
        s->dist[i] = INFINITY;
        s->via[i] = -1;
        s->hops[i] = 0;
        s->settled[i] = false;
    }
    s->dist[from] = 0;
    s->heap.size = 0;
    tgs_heap_push(&s->heap, 0, from);
    while (s->heap.size) {
        const int32_t u = tgs_heap_pop(&s->heap).id;

        if (s->settled[u])
            continue;
        s->settled[u] = true;
        for (int32_t i = s->out_at[u]; i < s->out_at[u + 1]; i++) {
            const int32_t link = s->out[i], to = v->link[link].to;
            const double d = s->dist[u] + s->cost[link];
            const bool nearer = d < s->dist[to];

            if (s->settled[to] || !(nearer || (d == s->dist[to] && s->hops[u] + 1 < s->hops[to])))
                continue;
            s->dist[to] = d;
            s->hops[to] = s->hops[u] + 1;
            s->via[to] = link;
            if (nearer) /* at most one push per link */
                tgs_heap_push(&s->heap, d, to);
        }
    }
}

/* the smallest sums of one metric, for bounds */
static void relay(search *s, cost_of *cost, double unreached, double *out)
{
    const int32_t m = s->v->memories;

    use_metric(s, cost);
    for (int32_t from = 0; from < m; from++) {
        shortest(s, from);
        for (int32_t to = 0; to < m; to++)
            out[(int64_t)from * m + to] = isinf(s->dist[to]) ? unreached : s->dist[to];
    }
}

/* the last link of the route of every pair into via, their number of links into at[1...] */
static int64_t choose(search *s, int32_t *via, int32_t *at)
{
    const int32_t m = s->v->memories;
    int64_t total = 0;

    use_metric(s, reference_of);
    for (int32_t from = 0; from < m; from++) {
        int32_t *to_via = via + (int64_t)from * m;

        shortest(s, from);
        memcpy(to_via, s->via, (size_t)m * sizeof *via);
        for (int32_t to = 0; to < m; to++) {
            for (int32_t i = to; to_via[i] >= 0; i = s->v->link[to_via[i]].from)
                total++;
            if (total > ROUTE_MAX)
                return total;
            at[(int64_t)from * m + to + 1] = (int32_t)total;
        }
    }
    return total;
}

/* the links of every route in order, and their sums */
static void write_routes(const tgs_platform_view *v, const int32_t *via, const int32_t *at,
                         int32_t *route, double *lat, double *inv)
{
    const int32_t m = v->memories;

    for (int64_t pair = 0; pair < (int64_t)m * m; pair++) {
        const int32_t *to_via = via + pair / m * m, from = (int32_t)(pair / m);
        int32_t end = at[pair + 1], to = (int32_t)(pair % m);

        for (int32_t i = to; to_via[i] >= 0; i = v->link[to_via[i]].from)
            route[--end] = to_via[i];
        if (at[pair] == at[pair + 1] && from != to)
            lat[pair] = INFINITY;
        for (int32_t i = at[pair]; i < at[pair + 1]; i++) {
            lat[pair] += v->link[route[i]].latency;
            inv[pair] += 1 / v->link[route[i]].bandwidth;
        }
    }
}

tgs_status tgs_i_route(tgs_platform_view *v, tgs_error *err)
{
    const size_t pairs = (size_t)v->memories * (size_t)v->memories;
    double *lat, *inv, *relay_lat, *relay_inv;
    int32_t *at, *route, *via = tgs_mem_alloc(pairs, sizeof *via);
    int64_t total;
    search s;
    tgs_status status = TGS_OK;

    v->lat = lat = tgs_mem_alloc(pairs, sizeof *lat);
    v->inv = inv = tgs_mem_alloc(pairs, sizeof *inv);
    v->relay_lat = relay_lat = tgs_mem_alloc(pairs, sizeof *relay_lat);
    v->relay_inv = relay_inv = tgs_mem_alloc(pairs, sizeof *relay_inv);
    v->route_at = at = tgs_mem_alloc(pairs + 1, sizeof *at);
    if (search_new(&s, v) || !via || !lat || !inv || !relay_lat || !relay_inv || !at) {
        status = tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
        goto done;
    }
    total = choose(&s, via, at);
    if (total > ROUTE_MAX) {
        status = tgs_fail(err, TGS_EINVAL, "the platform's routes have more than %d hops in all",
                          ROUTE_MAX);
        goto done;
    }
    v->route = route = tgs_mem_alloc((size_t)total, sizeof *route);
    if (!route) {
        status = tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
        goto done;
    }
    write_routes(v, via, at, route, lat, inv);
    relay(&s, latency_of, INFINITY, relay_lat);
    relay(&s, inverse_of, 0, relay_inv);
done:
    search_free(&s);
    tgs_mem_free(via);
    return status;
}
