/* fit.c -- when and where there is room for a task. */
#include <stdlib.h>
#include "core.h"

/* ---- what a task changes -------------------------------------------------------------------- */
#define AT_END INFINITY /* of the task, whose length depends on the processor */

static tgs_status change(tgs_i_rooms *r, tgs_i_change change, int32_t memory, double own,
                         double offset, double bytes)
{
    if (bytes == 0)
        return TGS_OK;
    if (tgs_mem_grow(&r->load, &r->load_room, r->loads + 1, sizeof *r->load))
        return TGS_ENOMEM;
    r->load[r->loads++] = (tgs_i_load){change, memory, own, offset, bytes};
    return TGS_OK;
}

static tgs_status step(tgs_i_rooms *r, int32_t memory, double offset, double bytes)
{
    return change(r, TGS_I_STEP, memory, NAN, offset, bytes);
}

static tgs_status extend(tgs_i_rooms *r, int32_t version, int32_t held, double offset)
{
    const tgs_i_held *h = &r->held[held];

    return change(r, TGS_I_LONGER, h->memory, h->until, offset,
                  tgs_i_rooms_bytes(r, version, h->memory));
}

static tgs_status bring(tgs_i_rooms *r, int32_t version, int32_t memory, double *ready)
{
    const tgs_i_way w = tgs_i_rooms_way(r, version, memory);
    const int32_t d = tgs_i_rooms_datum(r, version);
    double t = -w.seconds;
    tgs_status status = TGS_OK;

    *ready = fmax(*ready, w.there + w.seconds);
    if (!(*ready < INFINITY))
        return TGS_OK;
    for (int32_t k = 0; k < w.hops && !status; k++) {
        double seconds, next = 0;
        const int32_t to = tgs_i_rooms_hop(r, &w, d, k, memory, &seconds);
        const double bytes = tgs_i_rooms_bytes(r, version, to);

        if (!k && w.held >= 0)
            status = extend(r, version, w.held, t + seconds);
        if (k + 1 < w.hops)
            tgs_i_rooms_hop(r, &w, d, k + 1, memory, &next);
        if (!status)
            status = step(r, to, t, bytes);
        t += seconds;
        if (!status)
            status = step(r, to, k + 1 == w.hops ? AT_END : t + next, -bytes);
    }
    return status;
}

static tgs_status need(tgs_i_rooms *r, int32_t version, int32_t memory, double *ready)
{
    const tgs_i_version *x = &r->version[version];
    const int32_t held = x->anchor == memory ? -1 : tgs_i_rooms_find(r, version, memory);

    if (x->anchor < 0) {
        *ready = INFINITY; /* read, never written, and at home nowhere */
        return TGS_OK;
    }
    if (held >= 0) {
        *ready = fmax(*ready, r->held[held].there);
        return extend(r, version, held, AT_END);
    }
    if (x->anchor != memory)
        return bring(r, version, memory, ready);
    *ready = fmax(*ready, x->there);
    /* the last reader gives it back, at the end of what needs it */
    if (x->readers == 1 && !x->stays && version < r->v->g->accesses)
        return change(r, TGS_I_BACK, memory, x->until, AT_END,
                      -tgs_i_rooms_bytes(r, version, memory));
    return TGS_OK;
}

static tgs_status make(tgs_i_rooms *r, int32_t access, int32_t memory)
{
    const tgs_i_version *x = &r->version[access];
    const double bytes = tgs_i_rooms_bytes(r, access, memory);
    const bool kept = x->readers || x->stays, update = r->v->g->access[access].mode == TGS_RW;
    tgs_status status = TGS_OK;

    if (!update)
        status = step(r, memory, 0, bytes);
    if (update == kept && !status) /* it comes only then, or goes already */
        status = step(r, memory, AT_END, kept ? bytes : -bytes);
    return status;
}

tgs_status tgs_i_rooms_ready(tgs_i_rooms *r, int32_t task, int32_t memory, double *ready)
{
    const tgs_graph_view *g = r->v->g;
    const int32_t c = g->task[task].constraint;
    tgs_status status = TGS_OK;

    r->loads = 0;
    *ready = c < 0 ? 0 : g->constraint[c].release;
    for (int32_t i = g->pred_at[task]; i < g->pred_at[task + 1]; i++)
        *ready = fmax(*ready, r->list.done[g->pred[i]].end);
    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1] && !status; i++) {
        if (g->access[i].mode & TGS_R)
            status = need(r, tgs_i_rooms_read(r, i), memory, ready);
        if (g->access[i].mode & TGS_W && !status)
            status = make(r, i, memory);
    }
    return status;
}

/* ---- whether it fits ------------------------------------------------------------------------ */
static int by_time(const void *x, const void *y)
{
    const tgs_i_moment *a = x, *b = y;

    if (a->memory != b->memory)
        return a->memory < b->memory ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes; /* what goes, goes first */
}

/* the changes when the task starts at s; room for two each is there */
static void find_moments(tgs_i_rooms *r, double s, double w)
{
    r->moments = 0;
    for (int64_t i = 0; i < r->loads; i++) {
        const tgs_i_load *l = &r->load[i];
        const double offset = l->offset == AT_END ? w : l->offset;
        tgs_i_moment m = {l->memory, s + offset, offset, l->bytes};

        if (l->change == TGS_I_BACK)
            m.time = fmax(m.time, l->own);
        if (l->change == TGS_I_LONGER) {
            if (l->own >= m.time)
                continue;
            r->moment[r->moments++] = (tgs_i_moment){l->memory, l->own, NAN, l->bytes};
            m.bytes = -l->bytes;
        }
        r->moment[r->moments++] = m;
    }
    if (r->moments)
        qsort(r->moment, (size_t)r->moments, sizeof *r->moment, by_time);
}

/* The next start that may fit, s itself when that does.  Between two changes the task adds what it
 * adds; where that is too much, from x to y, it still is for every start before the one that has
 * the first of the two at y: the later change does not come earlier.  What begins at a time of its
 * own is too much for every start. */
static double next_start(tgs_i_rooms *r, double s)
{
    double added = 0, offset = NAN;

    for (int64_t i = 0; i < r->moments; i++) {
        const tgs_i_moment *m = &r->moment[i];
        const bool first = !i || m[-1].memory != m->memory;
        const bool last = i + 1 == r->moments || m[1].memory != m->memory;
        const double level = r->capacity[m->memory];
        double x, y;

        added = first ? m->bytes : added + m->bytes;
        offset = !isnan(m->offset) ? m->offset : first ? NAN : offset;
        if (!(added > 0) || level == INFINITY)
            continue;
        x = tgs_i_stairs_above(&r->stairs[m->memory], m->time, last ? INFINITY : m[1].time,
                               level - added);
        if (x == INFINITY)
            continue;
        if (isnan(offset))
            return INFINITY;
        y = tgs_i_stairs_below(&r->stairs[m->memory], x, level - added);
        return fmax(y - offset, nextafter(s, INFINITY));
    }
    return s;
}

tgs_status tgs_i_rooms_fit(tgs_i_rooms *r, double w, double *start)
{
    double s = *start, next = s;

    if (tgs_mem_grow(&r->moment, &r->moment_room, 2 * r->loads, sizeof *r->moment))
        return TGS_ENOMEM;
    do {
        s = next;
        find_moments(r, s, w);
        next = s < INFINITY ? next_start(r, s) : s;
    } while (next > s);
    *start = next;
    return TGS_OK;
}

/* ---- where it fits -------------------------------------------------------------------------- */
/* In idle time of the processor and of the memory: one is asked, then the other, until both agree.
 */
static tgs_status try_processor(tgs_i_rooms *r, int32_t proc, double ready, double w, double *start)
{
    const tgs_i_timeline *line = &r->list.line[proc];
    double s = ready, t;
    tgs_status status = TGS_OK;

    do {
        t = r->list.rule.insert ? tgs_i_timeline_find(line, s, w) : fmax(s, line->free);
        s = t;
        status = tgs_i_rooms_fit(r, w, &s);
    } while (!status && s > t && s < INFINITY);
    *start = s;
    return status;
}

static tgs_status pick_in(tgs_i_rooms *r, const tgs_i_room_rule *rule, int32_t task, int32_t memory,
                          tgs_i_room_pick *out)
{
    double ready;
    tgs_status status;

    if (r->proc_at[memory] == r->proc_at[memory + 1])
        return TGS_OK;
    status = tgs_i_rooms_ready(r, task, memory, &ready);
    for (int32_t i = r->proc_at[memory]; i < r->proc_at[memory + 1] && !status; i++) {
        const int32_t p = r->proc[i];
        const double w = tgs_w(r->v, task, p);
        double start, key;

        if (!(ready + (rule->finish ? w : 0) < out->key) || !tgs_i_list_may(&r->list, task, p))
            continue;
        status = try_processor(r, p, ready, w, &start);
        if (status || !(start < INFINITY))
            continue;
        key = start + (rule->finish ? w : 0);
        if (rule->wait)
            key += rule->wait(rule, r, task, p, start);
        if (key < out->key || (key == out->key && p < out->proc))
            *out = (tgs_i_room_pick){start, key, p};
    }
    return status;
}

tgs_status tgs_i_rooms_pick(tgs_i_rooms *r, const tgs_i_room_rule *rule, int32_t task,
                            tgs_i_room_pick *out, tgs_error *err)
{
    const int32_t own = rule->memory ? rule->memory[task] : -1;
    tgs_status status = TGS_OK;

    *out = (tgs_i_room_pick){INFINITY, INFINITY, -1};
    if (own >= 0)
        status = pick_in(r, rule, task, own, out);
    for (int32_t liked = rule->like ? 1 : 0; liked >= 0 && out->proc < 0 && !status; liked--)
        for (int32_t a = 0; a < r->v->memories && !status; a++)
            if (a != own && (!rule->like || rule->like(rule, r, task, a) == liked))
                status = pick_in(r, rule, task, a, out);
    return status ? tgs_fail(err, status, "out of memory to find room for a task") : TGS_OK;
}
