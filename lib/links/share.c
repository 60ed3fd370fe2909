/* share.c -- transfers share links and buses max-min fairly (progressive filling), after a latency
 * in which they take no bandwidth.  A fluid model as in network simulators.
 *
 * A transfer uses one link and perhaps its bus, so all transfers of a link have one rate.  Per link
 * `served` counts the bytes that each of them has received; a transfer ends when served has grown
 * by its size.  An event therefore costs O(log) of the transfers of one link plus the active links
 * of one bus, however many transfers there are. */
#include "core.h"

typedef struct stream {         /* the transfers of one link that are past their latency */
    flights flow;               /* by the value of served at which they end */
    double served, rate, since; /* bytes per transfer; bytes per second and transfer; as of when */
    double end;                 /* when the first one ends; INFINITY if there is none */
    int32_t coming;             /* transfers still in their latency */
    int32_t at;                 /* position in its bus's list */
    bool settled;               /* its rate is fixed, while a bus is being filled */
} stream;

typedef struct message {
    double bytes, began;
    int32_t link;
} message;

typedef struct share {
    const tgs_platform_view *p;
    flights waiting; /* by when their latency is over */
    message *message;
    int64_t room;
    stream *stream;        /* [links] */
    int32_t *first;        /* [2 * links] tree of winners: links by end; root at 1 */
    int32_t *bus_at, *bus; /* CSR by bus: its links, the active ones first */
    int32_t *active;       /* [buses] how many */
} share;

static void share_close(void *state)
{
    share *s = state;

    if (!s)
        return;
    for (int32_t l = 0; s->stream && l < s->p->links; l++)
        tgs_mem_free(s->stream[l].flow.heap.item);
    tgs_mem_free(s->waiting.heap.item);
    tgs_mem_free(s->message);
    tgs_mem_free(s->stream);
    tgs_mem_free(s->first);
    tgs_mem_free(s->bus_at);
    tgs_mem_free(s->bus);
    tgs_mem_free(s->active);
    tgs_mem_free(s);
}

static void list_buses(share *s)
{
    const tgs_platform_view *p = s->p;
    int32_t count = 0;

    for (int32_t b = 0; b < p->buses; b++) {
        s->bus_at[b] = count;
        for (int32_t l = 0; l < p->links; l++)
            if (p->link[l].bus == b) {
                s->stream[l].at = count;
                s->bus[count++] = l;
            }
    }
    s->bus_at[p->buses] = count;
}

static int32_t winner(const share *s, int32_t a, int32_t b)
{
    if (s->stream[a].end != s->stream[b].end)
        return s->stream[a].end < s->stream[b].end ? a : b;
    return a < b ? a : b;
}

static tgs_status share_open(void **state, const tgs_platform_view *p, tgs_error *err)
{
    const size_t links = (size_t)p->links;
    share *s = *state = tgs_mem_alloc(1, sizeof *s);

    if (s) {
        s->p = p;
        s->stream = tgs_mem_alloc(links, sizeof *s->stream);
        s->first = tgs_mem_alloc(2 * links + 2, sizeof *s->first);
        s->bus_at = tgs_mem_alloc((size_t)p->buses + 1, sizeof *s->bus_at);
        s->bus = tgs_mem_alloc(links, sizeof *s->bus);
        s->active = tgs_mem_alloc((size_t)p->buses, sizeof *s->active);
    }
    if (!s || !s->stream || !s->first || !s->bus_at || !s->bus || !s->active) {
        share_close(s);
        *state = NULL;
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    for (int32_t l = 0; l < p->links; l++) {
        s->stream[l].end = INFINITY;
        s->first[p->links + l] = l;
    }
    for (int32_t i = p->links - 1; i >= 1; i--)
        s->first[i] = winner(s, s->first[2 * i], s->first[2 * i + 1]);
    list_buses(s);
    return TGS_OK;
}

static tgs_status share_start(void *state, int32_t transfer, int32_t link, double bytes, double now)
{
    share *s = state;
    stream *t = &s->stream[link];

    if (tgs_mem_grow(&s->message, &s->room, (int64_t)transfer + 1, sizeof *s->message))
        return TGS_ENOMEM;
    /* room for the time when its latency is over: share_finish cannot fail */
    if (tgs_mem_grow(&t->flow.heap.item, &t->flow.room, (int64_t)t->flow.heap.size + t->coming + 1,
                     sizeof *t->flow.heap.item))
        return TGS_ENOMEM;
    t->coming++;
    s->message[transfer] = (message){bytes, now, link};
    return flights_push(&s->waiting, now + s->p->link[link].latency, transfer);
}

static double share_next(void *state)
{
    const share *s = state;
    const double latency = flights_next(&s->waiting);
    const double end = s->p->links ? s->stream[s->first[1]].end : INFINITY;

    return latency <= end ? latency : end;
}

/* bring served up to now */
static void advance(stream *t, double now)
{
    if (now > t->since && t->flow.heap.size)
        t->served += t->rate * (now - t->since);
    t->since = now;
}

static void set_rate(share *s, int32_t link, double rate)
{
    stream *t = &s->stream[link];
    int32_t i = s->p->links + link;

    t->rate = rate;
    t->end = INFINITY;
    if (t->flow.heap.size) {
        const double left = t->flow.heap.item[0].key - t->served;

        t->end = t->since + (left > 0 ? left / rate : 0);
    }
    for (i /= 2; i >= 1; i /= 2)
        s->first[i] = winner(s, s->first[2 * i], s->first[2 * i + 1]);
}

/* put a link among the active ones of its bus, or take it out */
static void set_active(share *s, int32_t link, bool active)
{
    const int32_t bus = s->p->link[link].bus;
    int32_t other, to;

    if (bus < 0)
        return;
    to = s->bus_at[bus] + (active ? s->active[bus]++ : --s->active[bus]);
    other = s->bus[to];
    s->bus[s->stream[link].at] = other;
    s->stream[other].at = s->stream[link].at;
    s->bus[to] = link;
    s->stream[link].at = to;
}

/* Progressive filling of a bus: a link that cannot use its share of what is left of the bus is the
 * bottleneck of its own transfers; the others then share the rest. */
static void fill_bus(share *s, int32_t bus, double now)
{
    const int32_t *link = s->bus + s->bus_at[bus];
    double left = s->p->bus[bus].bandwidth;
    int64_t flows = 0;
    bool changed = true;

    for (int32_t i = 0; i < s->active[bus]; i++) {
        stream *t = &s->stream[link[i]];

        advance(t, now);
        t->settled = false;
        flows += t->flow.heap.size;
    }
    while (changed) {
        changed = false;
        for (int32_t i = 0; i < s->active[bus]; i++) {
            stream *t = &s->stream[link[i]];
            const double own = s->p->link[link[i]].bandwidth / t->flow.heap.size;

            if (t->settled || own >= left / (double)flows)
                continue;
            set_rate(s, link[i], own);
            t->settled = changed = true;
            left -= s->p->link[link[i]].bandwidth;
            flows -= t->flow.heap.size;
        }
    }
    for (int32_t i = 0; i < s->active[bus]; i++)
        if (!s->stream[link[i]].settled)
            set_rate(s, link[i], left / (double)flows);
}

/* the transfers of a link have become more or fewer */
static void reshare(share *s, int32_t link, double now)
{
    const int32_t bus = s->p->link[link].bus;
    stream *t = &s->stream[link];

    if (!t->flow.heap.size) {
        t->served = 0;
        set_rate(s, link, 0);
    } else if (bus < 0)
        set_rate(s, link, s->p->link[link].bandwidth / t->flow.heap.size);
    if (bus >= 0)
        fill_bus(s, bus, now);
}

static int32_t share_finish(void *state, double now, double *began)
{
    share *s = state;
    int32_t transfer, link;
    stream *t;

    *began = now;
    if (flights_next(&s->waiting) <= (s->p->links ? s->stream[s->first[1]].end : INFINITY)) {
        transfer = tgs_heap_pop(&s->waiting.heap).id;
        link = s->message[transfer].link;
        t = &s->stream[link];
        advance(t, now);
        t->coming--;
        if (!t->flow.heap.size)
            set_active(s, link, true);
        tgs_heap_push(&t->flow.heap, t->served + s->message[transfer].bytes, transfer);
        reshare(s, link, now);
        return -1;
    }
    link = s->first[1];
    t = &s->stream[link];
    advance(t, now);
    t->served = t->flow.heap.item[0].key; /* what it is but for rounding */
    transfer = tgs_heap_pop(&t->flow.heap).id;
    if (!t->flow.heap.size)
        set_active(s, link, false);
    reshare(s, link, now);
    *began = s->message[transfer].began;
    return transfer;
}

const tgs_link_model tgs_link_model_share = {
    .base = {TGS_PLUGIN_ABI, "share", "max-min fair bandwidth over links and buses", NULL, NULL},
    .open = share_open,
    .start = share_start,
    .next = share_next,
    .finish = share_finish,
    .close = share_close,
};
