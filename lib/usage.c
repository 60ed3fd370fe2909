/* usage.c -- how full the memories are over time, from when executions and transfers happen. */
#include <stdlib.h>
#include <string.h>
#include "flow.h"

typedef struct change {
    double time, bytes; /* bytes is negative when they are given back */
    int32_t memory;
} change;

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

/* the last version of each persistent datum stays: mark it; NULL when there is no such datum */
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
        if (staying && a->place >= 0 && staying[g->access[a->version].datum] == a->version)
            until[i] = finish > until[i] ? finish : until[i];
    }
}

static void note_departures(const tgs_i_flow *f, const tgs_i_times *t, double *until)
{
    for (int32_t h = 0; h < f->hops; h++)
        if (t->hop_end[h] > until[f->hop[h].source])
            until[f->hop[h].source] = t->hop_end[h];
}

static int by_time(const void *x, const void *y)
{
    const change *a = x, *b = y;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->memory != b->memory)
        return a->memory < b->memory ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

/* what stays at home all the time, then the changes of everything else; how many there are */
static int64_t list_changes(const tgs_i_flow *f, const double *from, const double *until, change *c)
{
    const tgs_graph_view *g = f->v->g;
    int64_t count = 0;

    for (int32_t m = 0; m < f->v->memories; m++)
        c[count++] = (change){0, 0, m};
    for (int32_t d = 0; d < g->data; d++)
        if (f->v->home[d] >= 0)
            c[f->v->home[d]].bytes += g->datum[d].bytes;
    for (int32_t i = 0; i < f->arrivals; i++) {
        const tgs_i_arrival *a = &f->arrival[i];
        const int32_t datum = tgs_i_flow_datum(f, a->version);
        const double bytes = g->datum[datum].bytes;

        if (f->v->home[datum] == a->memory || !(bytes > 0) || !(from[i] < until[i]))
            continue;
        c[count++] = (change){from[i], bytes, a->memory};
        c[count++] = (change){until[i], -bytes, a->memory};
    }
    return count;
}

/* sums per memory, changes of one memory at one time in one record; how many records there are */
static int64_t add_up(const change *c, int64_t changes, double *sum, tgs_used *out)
{
    int64_t count = 0;

    for (int64_t i = 0; i < changes;) {
        const int32_t m = c[i].memory;
        const double time = c[i].time, before = sum[m];

        for (; i < changes && c[i].time == time && c[i].memory == m; i++)
            sum[m] += c[i].bytes;
        if (sum[m] < 0)
            sum[m] = 0; /* rounding of sizes that are not whole */
        if (sum[m] != before || time == 0)
            out[count++] = (tgs_used){.memory = m, .time = time, .bytes = sum[m]};
    }
    return count;
}

tgs_status tgs_i_flow_usage(const tgs_i_flow *f, const tgs_i_times *t, tgs_used **out,
                            int64_t *count)
{
    const int64_t most = 2 * (int64_t)f->arrivals + f->v->memories;
    double *from = tgs_mem_alloc((size_t)f->arrivals, sizeof *from);
    double *until = tgs_mem_alloc((size_t)f->arrivals, sizeof *until);
    double *sum = tgs_mem_alloc((size_t)f->v->memories, sizeof *sum), finish = 0;
    change *c = tgs_mem_alloc((size_t)most, sizeof *c);
    int32_t *staying = NULL;
    int64_t changes;
    tgs_status status = from && until && sum && c ? find_staying(f, &staying) : TGS_ENOMEM;

    *out = NULL;
    *count = 0;
    if (status)
        goto done;
    for (int32_t p = 0; p < f->s->places; p++)
        finish = t->end[p] > finish ? t->end[p] : finish;
    note_stays(f, t, staying, finish, from, until);
    note_departures(f, t, until);
    changes = list_changes(f, from, until, c);
    qsort(c, (size_t)changes, sizeof *c, by_time);
    *out = tgs_mem_alloc((size_t)changes, sizeof **out);
    if (*out)
        *count = add_up(c, changes, sum, *out);
    else
        status = TGS_ENOMEM;
done:
    tgs_mem_free(staying);
    tgs_mem_free(c);
    tgs_mem_free(sum);
    tgs_mem_free(until);
    tgs_mem_free(from);
    return status;
}
