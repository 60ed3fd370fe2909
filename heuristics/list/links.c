/* links.c -- messages booked on the links they use, for link models with contention.
 *
 * For each memory in which a task may run, the messages that bring its data there are booked, the
 * task's data ready time is read, and the bookings are undone; those to the chosen memory are kept.
 * Under fifo a link, and the bus it is on, carries one message at a time; under share messages of
 * one link are taken one after the other as well, since together they take as long, and a bus is
 * taken for as long as it would need alone.  Messages go hop by hop, each in full before the next,
 * into the earliest gap; a memory that has a version passes it on.
 *
 * O(memories * messages * log messages) for each task, memories those in which it may run, and
 * messages those of its data. */
#include <string.h>
#include "core.h"

typedef struct copy { /* a version in a memory */
    int32_t memory, next;
    double there;
} copy;

typedef struct booking { /* not yet in the timeline */
    int32_t lane;
    double from, until;
} booking;

struct tgs_i_links {
    const tgs_i_list *s;
    bool share;
    tgs_i_timeline *lane; /* [links + buses] */
    bool *runs;           /* [memories] has it a processor? */
    int32_t *writer;      /* [accesses] */
    int32_t *first;       /* [accesses + data] copies brought to other memories, a list */
    copy *copy;
    booking *book;
    int64_t copy_room, book_room;
    int32_t copies, books;
    int32_t *undo; /* versions whose list begins with a tentative copy, in order */
    int64_t undo_room;
    int32_t undos;
};

bool tgs_i_links_contend(const tgs_view *v)
{
    return strcmp(v->link_model, "zero") != 0 && strcmp(v->link_model, "latbw") != 0;
}

tgs_status tgs_i_links_open(struct tgs_i_links **out, const tgs_i_list *s, tgs_error *err)
{
    const tgs_graph_view *g = s->v->g;
    const int32_t lanes = s->v->p->links + s->v->p->buses;
    struct tgs_i_links *l = *out = tgs_mem_alloc(1, sizeof *l);

    if (l) {
        l->s = s;
        l->share = !strcmp(s->v->link_model, "share");
        l->lane = tgs_mem_alloc((size_t)lanes, sizeof *l->lane);
        l->runs = tgs_mem_alloc((size_t)s->v->memories, sizeof *l->runs);
        l->writer = tgs_mem_alloc((size_t)g->accesses, sizeof *l->writer);
        l->first = tgs_mem_alloc((size_t)g->accesses + (size_t)g->data, sizeof *l->first);
    }
    if (!l || !l->lane || !l->runs || !l->writer || !l->first) {
        tgs_i_links_close(l);
        *out = NULL;
        return tgs_fail(err, TGS_ENOMEM, "out of memory for the messages of %d edges", g->edges);
    }
    for (int32_t i = 0; i < lanes; i++)
        tgs_i_timeline_open(&l->lane[i], 0);
    for (int32_t i = 0; i < s->v->p->procs; i++)
        l->runs[s->v->p->proc[i].memory] = true;
    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++)
            l->writer[i] = t;
    for (int32_t i = 0; i < g->accesses + g->data; i++)
        l->first[i] = -1;
    return TGS_OK;
}

void tgs_i_links_close(struct tgs_i_links *l)
{
    if (!l)
        return;
    for (int32_t i = 0; l->lane && i < l->s->v->p->links + l->s->v->p->buses; i++)
        tgs_i_timeline_close(&l->lane[i]);
    tgs_mem_free(l->lane);
    tgs_mem_free(l->runs);
    tgs_mem_free(l->writer);
    tgs_mem_free(l->first);
    tgs_mem_free(l->copy);
    tgs_mem_free(l->book);
    tgs_mem_free(l->undo);
    tgs_mem_free(l);
}

/* ---- one hop -------------------------------------------------------------------------------- */
typedef struct use { /* of the lanes by a message; the second may be none */
    int32_t lane[2];
    double seconds[2];
} use;

static use use_of(const struct tgs_i_links *l, int32_t link, double bytes)
{
    const tgs_platform_view *p = l->s->v->p;
    const tgs_link *k = &p->link[link];
    const double bus = k->bus < 0 ? INFINITY : p->bus[k->bus].bandwidth;
    const double seconds = k->latency + bytes / fmin(k->bandwidth, bus);

    if (k->bus < 0)
        return (use){{link, -1}, {seconds, 0}};
    if (!l->share)
        return (use){{p->links + k->bus, -1}, {seconds, 0}};
    return (use){{link, p->links + k->bus}, {seconds, bytes / bus}};
}

/* the earliest start in a lane, past what is booked for good and what is not */
static double gap(const struct tgs_i_links *l, int32_t lane, double ready, double seconds)
{
    double s = ready, before;

    do {
        before = s;
        s = tgs_i_timeline_find(&l->lane[lane], s, seconds);
        for (int32_t i = 0; i < l->books; i++) {
            const booking *b = &l->book[i];

            if (b->lane == lane && b->from < s + seconds && s < b->until)
                s = b->until;
        }
    } while (s > before);
    return s;
}

static double start_of(const struct tgs_i_links *l, const use *u, double ready)
{
    double s = ready, before;

    do {
        before = s;
        for (int32_t k = 0; k < 2 && u->lane[k] >= 0; k++)
            s = gap(l, u->lane[k], s, u->seconds[k]);
    } while (s > before);
    return s;
}

/* ---- tentatively ---------------------------------------------------------------------------- */
static tgs_status arrive(struct tgs_i_links *l, int32_t version, int32_t memory, double there)
{
    if (tgs_mem_grow(&l->copy, &l->copy_room, (int64_t)l->copies + 1, sizeof *l->copy)
        || tgs_mem_grow(&l->undo, &l->undo_room, (int64_t)l->undos + 1, sizeof *l->undo))
        return TGS_ENOMEM;
    l->copy[l->copies] = (copy){memory, l->first[version], there};
    l->first[version] = l->copies++;
    l->undo[l->undos++] = version;
    return TGS_OK;
}

static void undo(struct tgs_i_links *l)
{
    l->books = 0;
    while (l->undos) {
        const int32_t version = l->undo[--l->undos];

        l->first[version] = l->copy[--l->copies].next;
    }
}

static double find(const struct tgs_i_links *l, int32_t version, int32_t memory)
{
    int32_t i = l->first[version];

    while (i >= 0 && l->copy[i].memory != memory)
        i = l->copy[i].next;
    return i >= 0 ? l->copy[i].there : INFINITY;
}

/* a version that is in memory `from` since t: when it is in memory `to` */
static tgs_status send(struct tgs_i_links *l, int32_t version, int32_t datum, int32_t from,
                       int32_t to, double *t)
{
    const tgs_platform_view *p = l->s->v->p;
    const int32_t pair = from * p->memories + to;
    tgs_status status = TGS_OK;

    if (from == to)
        return TGS_OK;
    if (p->route_at[pair] == p->route_at[pair + 1])
        *t = INFINITY;
    for (int32_t i = p->route_at[pair]; i < p->route_at[pair + 1] && !status; i++) {
        const int32_t link = p->route[i];
        const double known = find(l, version, p->link[link].to);
        const use u = use_of(l, link, l->s->v->g->datum[datum].bytes);
        double start;

        if (known < INFINITY) {
            *t = known;
            continue;
        }
        start = start_of(l, &u, *t);
        for (int32_t k = 0; k < 2 && u.lane[k] >= 0; k++) {
            if (tgs_mem_grow(&l->book, &l->book_room, (int64_t)l->books + 1, sizeof *l->book))
                return TGS_ENOMEM;
            l->book[l->books++] = (booking){u.lane[k], start, start + u.seconds[k]};
        }
        *t = start + u.seconds[0];
        status = arrive(l, version, p->link[link].to, *t);
    }
    return status;
}

/* books what a task needs in a memory; when all of it is there, and may start by other rules */
static tgs_status gather(struct tgs_i_links *l, int32_t task, int32_t memory, double *ready)
{
    const tgs_view *v = l->s->v;
    const tgs_graph_view *g = v->g;
    const int32_t c = g->task[task].constraint;
    tgs_status status = TGS_OK;

    *ready = c < 0 ? 0 : g->constraint[c].release;
    for (int32_t i = g->pred_at[task]; i < g->pred_at[task + 1]; i++)
        *ready = fmax(*ready, l->s->done[g->pred[i]].end);
    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1] && !status; i++) {
        const int32_t d = (int32_t)g->access[i].datum, version = g->access[i].version;
        const tgs_i_done *from = version < 0 ? NULL : &l->s->done[l->writer[version]];
        double t = from ? from->end : 0;

        if (!(g->access[i].mode & TGS_R) || (!from && v->home[d] < 0))
            continue;
        status = send(l, from ? version : g->accesses + d, d, from ? from->memory : v->home[d],
                      memory, &t);
        *ready = fmax(*ready, t);
    }
    return status;
}

static tgs_status no_memory(tgs_error *err)
{
    return tgs_fail(err, TGS_ENOMEM, "out of memory for messages");
}

/* may a processor of the memory run it? */
static bool may_run(const struct tgs_i_links *l, int32_t task, int32_t memory)
{
    const tgs_view *v = l->s->v;
    const int32_t pin = v->pin_proc ? v->pin_proc[task] : -1;

    return l->runs[memory] && tgs_memory_allowed(v, task, memory)
           && (pin < 0 || v->p->proc[pin].memory == memory);
}

tgs_status tgs_i_links_ready(struct tgs_i_links *l, int32_t task, double *ready, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t a = 0; a < l->s->v->memories && !status; a++) {
        ready[a] = INFINITY;
        if (!may_run(l, task, a))
            continue;
        status = gather(l, task, a, &ready[a]);
        undo(l);
    }
    return status ? no_memory(err) : TGS_OK;
}

tgs_status tgs_i_links_book(struct tgs_i_links *l, int32_t task, int32_t memory, tgs_error *err)
{
    double ready;
    tgs_status status = gather(l, task, memory, &ready);

    for (int32_t i = 0; i < l->books && !status; i++)
        status = tgs_i_timeline_book(&l->lane[l->book[i].lane], l->book[i].from, l->book[i].until);
    l->books = l->undos = 0; /* for good */
    return status ? no_memory(err) : TGS_OK;
}
