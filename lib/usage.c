/* usage.c -- how full the memories are over time, from when executions and transfers happen. */
#include <string.h>
#include "flow.h"
#include "timesort.h"

typedef struct changes {  /* of the occupancy, in any order */
    double *time, *bytes; /* bytes is negative when they are given back */
    int32_t *memory;
    int32_t count;
} changes;

tgs_status tgs_i_times_new(tgs_i_times *t, const tgs_i_flow *f)
{
    t->start = tgs_mem_alloc((size_t)f->s->places, sizeof *t->start);
    t->end = tgs_mem_alloc((size_t)f->s->places, sizeof *t->end);
    t->hop_start = tgs_mem_alloc((size_t)f->hops, sizeof *t->hop_start);
    t->hop_end = tgs_mem_alloc((size_t)f->hops, sizeof *t->hop_end);
    if (t->start && t->end && t->hop_start && t->hop_end)
        return TGS_OK;
    tgs_i_times_free(t);
    return TGS_ENOMEM;
}

void tgs_i_times_free(tgs_i_times *t)
{
    tgs_mem_free(t->start);
    tgs_mem_free(t->end);
    tgs_mem_free(t->hop_start);
    tgs_mem_free(t->hop_end);
    memset(t, 0, sizeof *t);
}

void tgs_i_times_planned(const tgs_i_flow *f, tgs_i_times *t)
{
    const tgs_schedule_view *s = f->s;

    for (int32_t p = 0; p < s->places; p++) {
        t->start[p] = s->place[p].start;
        t->end[p] = s->place[p].end;
    }
    for (int32_t h = 0; h < f->hops; h++) {
        const tgs_i_hop *hop = &f->hop[h];
        const tgs_i_arrival *source = &f->arrival[hop->source];

        if (s->moves) {
            t->hop_start[h] = s->move[h].start;
            t->hop_end[h] = s->move[h].end;
            continue;
        }
        t->hop_start[h] = source->hop >= 0     ? t->hop_end[source->hop]
                          : source->place >= 0 ? t->end[source->place]
                                               : 0;
        t->hop_end[h] =
            t->hop_start[h] + tgs_c(f->v, tgs_i_flow_datum(f, hop->version), hop->from, hop->to);
    }
}

/* [data] the last version of each persistent datum, which stays; NULL when there is no such datum
 */
static tgs_status find_staying(const tgs_i_flow *f, int32_t **out)
{
    const tgs_graph_view *g = f->v->g;
    int32_t *last = NULL;

    *out = NULL;
    for (int32_t x = 0; x < g->extras; x++)
        if (g->extra[x].persistent && !last) {
            last = tgs_mem_alloc((size_t)g->data, sizeof *last);
            if (!last)
                return TGS_ENOMEM;
            memset(last, -1, (size_t)g->data * sizeof *last);
        }
    for (int32_t i = 0; last && i < g->accesses; i++) {
        const int32_t d = (int32_t)g->access[i].datum;

        if (!(g->access[i].mode & TGS_W) || g->datum[d].extra < 0
            || !g->extra[g->datum[d].extra].persistent)
            continue;
        if (last[d] < 0 || g->topo_pos[f->writer[last[d]]] < g->topo_pos[f->writer[i]])
            last[d] = i; /* the writers of a datum are ordered among themselves */
    }
    *out = last;
    return TGS_OK;
}

/* The last version of a persistent datum stays where it was made; when it has no home and leaves
 * that memory, its other copies stay instead. */
static bool stays(const tgs_i_flow *f, int32_t arrival, const int32_t *staying)
{
    const tgs_i_arrival *a = &f->arrival[arrival];
    const int32_t datum = tgs_i_flow_datum(f, a->version);

    if (a->version >= f->v->g->accesses || staying[datum] != a->version || a->gone < INFINITY)
        return false;
    for (int32_t i = f->arrival_at[a->version]; a->place < 0 && i < f->arrival_at[a->version + 1];
         i++)
        if (f->arrival[i].place >= 0 && f->arrival[i].gone < INFINITY)
            return f->v->home[datum] < 0;
    return a->place >= 0;
}

/* when an arrival begins and ends to occupy its memory; what leaves it is added by note_departures
 */
static void note_stays(const tgs_i_flow *f, const tgs_i_times *t, const int32_t *staying,
                       double finish, double *from, double *until)
{
    const tgs_graph_view *g = f->v->g;

    for (int32_t i = 0; i < f->arrivals; i++) {
        const tgs_i_arrival *a = &f->arrival[i];

        if (a->hop >= 0) {
            from[i] = t->hop_start[a->hop];
            until[i] = t->hop_end[a->hop];
        } else if (a->place >= 0) {
            until[i] = t->end[a->place];
            from[i] = g->access[a->version].mode == TGS_RW ? until[i] : t->start[a->place];
        } else
            from[i] = until[i] = 0; /* at home: counted there */
        for (int32_t r = 0; r < a->readers; r++) {
            const double end = t->end[f->reader[a->reader + r]];

            until[i] = end > until[i] ? end : until[i];
        }
        if (staying && stays(f, i, staying))
            until[i] = finish > until[i] ? finish : until[i];
    }
}

static void note_departures(const tgs_i_flow *f, const tgs_i_times *t, double *until)
{
    for (int32_t h = 0; h < f->hops; h++)
        if (t->hop_end[h] > until[f->hop[h].source])
            until[f->hop[h].source] = t->hop_end[h];
}

/* with copies a version may be made where it also arrives: it occupies that memory once */
static void join_stays(const tgs_i_flow *f, double *from, double *until)
{
    for (int32_t v = 0; f->copy_at && v < f->versions; v++)
        for (int32_t i = f->arrival_at[v] + 1; i < f->arrival_at[v + 1]; i++)
            for (int32_t k = f->arrival_at[v]; k < i; k++)
                if (f->arrival[k].memory == f->arrival[i].memory) {
                    from[k] = fmin(from[k], from[i]);
                    until[k] = fmax(until[k], until[i]);
                    from[i] = until[i] = 0;
                    break;
                }
}

static double later(double time)
{
    return time + 1e-9 * fabs(time);
}

static void add_change(changes *c, double time, double bytes, int32_t memory)
{
    c->time[c->count] = time;
    c->bytes[c->count] = bytes;
    c->memory[c->count++] = memory;
}

/* what stays at home all the time, then the changes of everything else */
static void list_changes(const tgs_i_flow *f, const double *from, const double *until, changes *c)
{
    const tgs_graph_view *g = f->v->g;

    for (int32_t m = 0; m < f->v->memories; m++)
        add_change(c, 0, 0, m);
    for (int32_t d = 0; d < g->data; d++)
        if (f->v->home[d] >= 0)
            c->bytes[f->v->home[d]] += g->datum[d].bytes;
    for (int32_t i = 0; i < f->arrivals; i++) {
        const tgs_i_arrival *a = &f->arrival[i];
        const int32_t datum = tgs_i_flow_datum(f, a->version);
        const double bytes = g->datum[datum].bytes;

        if (f->v->home[datum] == a->memory || !(bytes > 0) || !(later(from[i]) < until[i]))
            continue;
        add_change(c, from[i], bytes, a->memory);
        add_change(c, until[i], -bytes, a->memory);
    }
}

typedef struct totals { /* per memory, while changes are added up in order of time */
    double *sum, *told; /* bytes now, and in the last record */
    int32_t *changed;   /* memories that changed since, ascending */
    int32_t count;
} totals;

static void note_changed(totals *t, int32_t memory)
{
    int32_t i = t->count;

    while (i > 0 && t->changed[i - 1] > memory)
        i--;
    if (i > 0 && t->changed[i - 1] == memory)
        return;
    memmove(t->changed + i + 1, t->changed + i, (size_t)(t->count++ - i) * sizeof *t->changed);
    t->changed[i] = memory;
}

/* records of the memories whose sum has changed up to now */
static int64_t tell(totals *t, double now, tgs_used *out)
{
    int64_t count = 0;

    for (int32_t k = 0; k < t->count; k++) {
        const int32_t m = t->changed[k];

        if (t->sum[m] < 0)
            t->sum[m] = 0; /* rounding of sizes that are not whole */
        if (t->sum[m] != t->told[m])
            out[count++] = (tgs_used){.memory = m, .time = now, .bytes = t->sum[m]};
        t->told[m] = t->sum[m];
    }
    t->count = 0;
    return count;
}

/* one record per memory and time at which its sum changes; how many there are */
static int64_t add_up(const changes *c, const int32_t *order, totals *t, tgs_used *out)
{
    int64_t count = 0;
    double now = 0;

    for (int32_t i = 0; i < c->count; i++) {
        const int32_t m = c->memory[order[i]];

        if (c->time[order[i]] > now) {
            count += tell(t, now, out + count);
            now = c->time[order[i]];
        }
        t->sum[m] += c->bytes[order[i]];
        note_changed(t, m);
    }
    return count + tell(t, now, out + count);
}

static void free_all(changes *c, totals *t)
{
    tgs_mem_free(c->time);
    tgs_mem_free(c->bytes);
    tgs_mem_free(c->memory);
    tgs_mem_free(t->sum);
    tgs_mem_free(t->told);
    tgs_mem_free(t->changed);
}

static tgs_status alloc_all(changes *c, totals *t, size_t most, size_t memories)
{
    c->time = tgs_mem_alloc(most, sizeof *c->time);
    c->bytes = tgs_mem_alloc(most, sizeof *c->bytes);
    c->memory = tgs_mem_alloc(most, sizeof *c->memory);
    t->sum = tgs_mem_alloc(memories, sizeof *t->sum);
    t->told = tgs_mem_alloc(memories, sizeof *t->told);
    t->changed = tgs_mem_alloc(memories, sizeof *t->changed);
    for (size_t m = 0; t->told && m < memories; m++)
        t->told[m] = -1; /* every memory has a first record */
    return c->time && c->bytes && c->memory && t->sum && t->told && t->changed ? TGS_OK
                                                                               : TGS_ENOMEM;
}

/* What begins when something else ends takes its place, though rounding may have it begin a little
 * earlier: beginnings are ordered as if they were later by the slack. */
static tgs_status order_changes(const changes *c, int32_t *order)
{
    double *key = tgs_mem_alloc((size_t)c->count, sizeof *key);
    tgs_status status = TGS_ENOMEM;

    for (int32_t i = 0; key && i < c->count; i++)
        key[i] = c->bytes[i] > 0 ? later(c->time[i]) : c->time[i];
    if (key)
        status = tgs_i_time_order(key, c->count, order);
    tgs_mem_free(key);
    return status;
}

/* in order of time, added up */
static tgs_status tell_changes(const changes *c, totals *t, tgs_used **out, int64_t *count)
{
    int32_t *order = tgs_mem_alloc((size_t)c->count, sizeof *order);
    tgs_status status = order ? order_changes(c, order) : TGS_ENOMEM;

    if (!status) {
        *out = tgs_mem_alloc((size_t)c->count, sizeof **out);
        if (*out)
            *count = add_up(c, order, t, *out);
        else
            status = TGS_ENOMEM;
    }
    tgs_mem_free(order);
    return status;
}

tgs_status tgs_i_flow_stays(const tgs_i_flow *f, const tgs_i_times *t, double *from, double *until)
{
    int32_t *staying;
    double finish = 0;
    const tgs_status status = find_staying(f, &staying);

    if (status)
        return status;
    for (int32_t p = 0; p < f->s->places; p++)
        finish = t->end[p] > finish ? t->end[p] : finish;
    note_stays(f, t, staying, finish, from, until);
    note_departures(f, t, until);
    join_stays(f, from, until);
    tgs_mem_free(staying);
    return TGS_OK;
}

tgs_status tgs_i_flow_usage(const tgs_i_flow *f, const tgs_i_times *t, tgs_used **out,
                            int64_t *count)
{
    const int64_t most = 2 * (int64_t)f->arrivals + f->v->memories;
    double *from = tgs_mem_alloc((size_t)f->arrivals, sizeof *from);
    double *until = tgs_mem_alloc((size_t)f->arrivals, sizeof *until);
    changes c = {0};
    totals sums = {0};
    tgs_status status =
        from && until && most <= INT32_MAX ? tgs_i_flow_stays(f, t, from, until) : TGS_ENOMEM;

    *out = NULL;
    *count = 0;
    if (!status)
        status = alloc_all(&c, &sums, (size_t)most, (size_t)f->v->memories);
    if (!status)
        list_changes(f, from, until, &c);
    tgs_mem_free(until);
    tgs_mem_free(from);
    if (!status)
        status = tell_changes(&c, &sums, out, count);
    free_all(&c, &sums);
    return status;
}
