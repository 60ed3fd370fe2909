/* state.c -- what is where, and for how long. */
#include <string.h>
#include "core.h"

/* Sums of sizes that are not whole are rounded; the checker allows 1e-9 of a capacity. */
#define SLACK 1e-10

/* ---- opening -------------------------------------------------------------------------------- */
static tgs_status open_stairs(tgs_i_rooms *r)
{
    const tgs_view *v = r->v;

    for (int32_t a = 0; a < v->memories; a++)
        r->capacity[a] = 0;
    for (int32_t d = 0; d < v->g->data; d++)
        if (v->home[d] >= 0)
            r->capacity[v->home[d]] += v->g->datum[d].bytes;
    for (int32_t a = 0; a < v->memories; a++) {
        if (tgs_i_stairs_open(&r->stairs[a], r->capacity[a]))
            return TGS_ENOMEM;
        r->capacity[a] = v->p->memory[a].capacity * (1 + SLACK);
    }
    return TGS_OK;
}

static void list_processors(tgs_i_rooms *r)
{
    const tgs_platform_view *p = r->v->p;

    for (int32_t i = 0; i < r->v->m; i++)
        r->proc_at[p->proc[i].memory + 2]++;
    for (int32_t a = 0; a < r->v->memories; a++)
        r->proc_at[a + 2] += r->proc_at[a + 1];
    for (int32_t i = 0; i < r->v->m; i++)
        r->proc[r->proc_at[p->proc[i].memory + 1]++] = i;
}

/* the last version of what is persistent stays; topological order is that of the writers */
static void mark_last(tgs_i_rooms *r, int32_t *last)
{
    const tgs_graph_view *g = r->v->g;

    for (int32_t d = 0; d < g->data; d++)
        last[d] = -1;
    for (int32_t k = 0; k < g->tasks; k++)
        for (int32_t i = g->access_at[g->topo[k]]; i < g->access_at[g->topo[k] + 1]; i++)
            if (g->access[i].mode & TGS_W)
                last[g->access[i].datum] = i;
    for (int32_t d = 0; d < g->data; d++) {
        const int32_t x = g->datum[d].extra;

        if (last[d] >= 0 && x >= 0 && g->extra[x].persistent)
            r->version[last[d]].stays = true;
    }
}

static void open_versions(tgs_i_rooms *r)
{
    const tgs_graph_view *g = r->v->g;

    for (int32_t i = 0; i < g->accesses + g->data; i++)
        r->version[i] = (tgs_i_version){.anchor = -1, .held = -1};
    for (int32_t d = 0; d < g->data; d++)
        r->version[g->accesses + d].anchor = r->v->home[d];
    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++) {
            r->writer[i] = t;
            if (g->access[i].mode & TGS_R)
                r->version[tgs_i_rooms_read(r, i)].readers++;
        }
}

tgs_status tgs_i_rooms_open(tgs_i_rooms *r, const tgs_ctx *c, tgs_plan *plan, bool insert,
                            tgs_error *err)
{
    const tgs_view *v = c->v;
    const size_t M = (size_t)v->memories;
    const tgs_i_rule rule = {.key = TGS_I_EFT, .insert = insert};
    int32_t *last = tgs_mem_alloc((size_t)v->g->data, sizeof *last);
    tgs_status status;

    *r = (tgs_i_rooms){.v = v};
    r->stairs = tgs_mem_alloc(M, sizeof *r->stairs);
    r->capacity = tgs_mem_alloc(M, sizeof *r->capacity);
    r->proc_at = tgs_mem_alloc(M + 2, sizeof *r->proc_at);
    r->proc = tgs_mem_alloc((size_t)v->m, sizeof *r->proc);
    r->version = tgs_mem_alloc((size_t)v->g->accesses + (size_t)v->g->data, sizeof *r->version);
    r->writer = tgs_mem_alloc((size_t)v->g->accesses, sizeof *r->writer);
    if (!last || !r->stairs || !r->capacity || !r->proc_at || !r->proc || !r->version || !r->writer
        || open_stairs(r)) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the versions of %d data", v->g->data);
    } else {
        list_processors(r);
        open_versions(r);
        mark_last(r, last);
        status = tgs_i_list_open(&r->list, c, plan, &rule, err);
    }
    tgs_mem_free(last);
    if (status)
        tgs_i_rooms_close(r);
    return status;
}

void tgs_i_rooms_close(tgs_i_rooms *r)
{
    if (r->list.v)
        tgs_i_list_close(&r->list);
    for (int32_t a = 0; r->stairs && a < r->v->memories; a++)
        tgs_i_stairs_close(&r->stairs[a]);
    tgs_mem_free(r->stairs);
    tgs_mem_free(r->capacity);
    tgs_mem_free(r->proc_at);
    tgs_mem_free(r->proc);
    tgs_mem_free(r->version);
    tgs_mem_free(r->writer);
    tgs_mem_free(r->held);
    tgs_mem_free(r->load);
    tgs_mem_free(r->moment);
    *r = (tgs_i_rooms){.v = NULL};
}

/* ---- asking --------------------------------------------------------------------------------- */
int32_t tgs_i_rooms_datum(const tgs_i_rooms *r, int32_t version)
{
    const tgs_graph_view *g = r->v->g;

    return version < g->accesses ? (int32_t)g->access[version].datum : version - g->accesses;
}

int32_t tgs_i_rooms_read(const tgs_i_rooms *r, int32_t access)
{
    const tgs_access *a = &r->v->g->access[access];

    return a->version < 0 ? r->v->g->accesses + (int32_t)a->datum : a->version;
}

double tgs_i_rooms_bytes(const tgs_i_rooms *r, int32_t version, int32_t memory)
{
    const int32_t d = tgs_i_rooms_datum(r, version);

    return r->v->home[d] == memory ? 0 : r->v->g->datum[d].bytes;
}

int32_t tgs_i_rooms_find(const tgs_i_rooms *r, int32_t version, int32_t memory)
{
    int32_t h = r->version[version].held;

    while (h >= 0 && r->held[h].memory != memory)
        h = r->held[h].next;
    return h;
}

/* ---- ways ----------------------------------------------------------------------------------- */
tgs_i_way tgs_i_rooms_way(const tgs_i_rooms *r, int32_t version, int32_t memory)
{
    const tgs_platform_view *p = r->v->p;
    const tgs_i_version *x = &r->version[version];
    const int32_t d = tgs_i_rooms_datum(r, version), pair = x->anchor * p->memories + memory;
    tgs_i_way w = {.held = -1, .from = x->anchor, .hops = 1, .there = x->there};
    const int32_t first = p->route_at[pair], last = p->route_at[pair + 1];

    if (first == last) { /* no route: INFINITY, unless communication is free */
        w.seconds = tgs_c(r->v, d, x->anchor, memory);
        return w;
    }
    w.link = p->route + first;
    w.hops = last - first;
    for (int32_t i = first; i + 1 < last && x->held >= 0; i++) {
        const int32_t h = tgs_i_rooms_find(r, version, p->link[p->route[i]].to);

        if (h < 0)
            continue;
        w = (tgs_i_way){.held = h,
                        .from = r->held[h].memory,
                        .link = p->route + i + 1,
                        .hops = last - i - 1,
                        .there = r->held[h].there};
    }
    for (int32_t k = 0; k < w.hops; k++) {
        double seconds;

        tgs_i_rooms_hop(r, &w, d, k, memory, &seconds);
        w.seconds += seconds;
    }
    return w;
}

int32_t tgs_i_rooms_hop(const tgs_i_rooms *r, const tgs_i_way *w, int32_t datum, int32_t k,
                        int32_t memory, double *seconds)
{
    const tgs_link *l = w->link ? &r->v->p->link[w->link[k]] : NULL;

    *seconds = l ? tgs_c(r->v, datum, l->from, l->to) : tgs_c(r->v, datum, w->from, memory);
    return l ? l->to : memory;
}

/* ---- changing ------------------------------------------------------------------------------- */
static tgs_status occupy(tgs_i_rooms *r, int32_t version, int32_t memory, double from, double until)
{
    return tgs_i_stairs_add(&r->stairs[memory], from, until, tgs_i_rooms_bytes(r, version, memory));
}

static tgs_status stay_longer(tgs_i_rooms *r, int32_t version, int32_t held, double until)
{
    tgs_i_held *h = &r->held[held];
    const tgs_status status =
        until > h->until ? occupy(r, version, h->memory, h->until, until) : TGS_OK;

    h->until = fmax(h->until, until);
    return status;
}

static tgs_status hold(tgs_i_rooms *r, int32_t version, int32_t memory, double from, double there,
                       double until)
{
    tgs_i_version *x = &r->version[version];

    if (tgs_mem_grow(&r->held, &r->held_room, r->helds + 1, sizeof *r->held))
        return TGS_ENOMEM;
    r->held[r->helds] = (tgs_i_held){memory, x->held, there, until};
    x->held = (int32_t)r->helds++;
    return occupy(r, version, memory, from, until);
}

tgs_status tgs_i_rooms_move(tgs_i_rooms *r, int32_t version, int32_t memory, double there,
                            double until)
{
    const tgs_i_way w = tgs_i_rooms_way(r, version, memory);
    const int32_t d = tgs_i_rooms_datum(r, version);
    tgs_i_version *x = &r->version[version];
    int32_t here = w.from;
    double t = there - w.seconds;
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < w.hops && !status; k++) {
        double seconds, end, next = 0;
        const int32_t to = tgs_i_rooms_hop(r, &w, d, k, memory, &seconds);

        end = k + 1 < w.hops ? t + seconds : there;
        status = tgs_plan_move(r->list.plan,
                               &(tgs_move){.datum = d,
                                           .version = version < r->v->g->accesses ? version : -1,
                                           .from = here,
                                           .to = to,
                                           .start = t,
                                           .end = end});
        if (!k && w.held >= 0 && !status)
            status = stay_longer(r, version, w.held, end);
        else if (!k)
            x->until = fmax(x->until, end);
        if (k + 1 < w.hops)
            tgs_i_rooms_hop(r, &w, d, k + 1, memory, &next);
        if (!status) /* in a relay until the next hop is over */
            status = hold(r, version, to, t, end,
                          k + 1 == w.hops   ? until
                          : k + 2 == w.hops ? there
                                            : end + next);
        here = to;
        t = end;
    }
    return status;
}

tgs_status tgs_i_rooms_release(tgs_i_rooms *r, int32_t version)
{
    const tgs_i_version *x = &r->version[version];
    const double bytes = tgs_i_rooms_bytes(r, version, x->anchor);

    if (x->stays || version >= r->v->g->accesses || bytes == 0)
        return TGS_OK;
    r->given++;
    return tgs_i_stairs_add(&r->stairs[x->anchor], x->until, INFINITY, -bytes);
}

static tgs_status read_version(tgs_i_rooms *r, int32_t version, int32_t memory, double start,
                               double end)
{
    tgs_i_version *x = &r->version[version];
    const int32_t held = x->anchor == memory ? -1 : tgs_i_rooms_find(r, version, memory);
    tgs_status status = TGS_OK;

    if (x->anchor == memory)
        x->until = fmax(x->until, end);
    else if (held >= 0)
        status = stay_longer(r, version, held, end);
    else
        status = tgs_i_rooms_move(r, version, memory, start, end);
    if (!--r->version[version].readers && !status)
        status = tgs_i_rooms_release(r, version);
    return status;
}

/* in place, a new version begins where the old one ends */
static tgs_status write_version(tgs_i_rooms *r, int32_t version, int32_t memory, double start,
                                double end)
{
    tgs_i_version *x = &r->version[version];
    const double from = r->v->g->access[version].mode == TGS_RW ? end : start;

    x->anchor = memory;
    x->there = x->until = end;
    return occupy(r, version, memory, from, x->readers || x->stays ? INFINITY : end);
}

tgs_status tgs_i_rooms_place(tgs_i_rooms *r, int32_t task, int32_t proc, double start,
                             tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    const int32_t memory = r->v->p->proc[proc].memory;
    const double end = start + tgs_w(r->v, task, proc);
    tgs_status status = TGS_OK;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1] && !status; i++) {
        if (g->access[i].mode & TGS_R)
            status = read_version(r, tgs_i_rooms_read(r, i), memory, start, end);
        if (g->access[i].mode & TGS_W && !status)
            status = write_version(r, i, memory, start, end);
    }
    if (status)
        return tgs_fail(err, status, "out of memory for what is where");
    return tgs_i_list_place(&r->list, task, proc, start, err);
}
