/* flowmove.c -- flows of schedules that list their transfers: each move copies one version over one
 * link; what a reader needs must have come by a move when it is not made or at home there.  After
 * an eviction it must have come by another one: it is another arrival. */
#include "flowbuild.h"

static int32_t version_of(const tgs_graph_view *g, int32_t datum, int32_t version)
{
    return version < 0 ? g->accesses + datum : version;
}

static double slack(double time)
{
    return time < INFINITY ? 1e-9 * fabs(time) : 0;
}

/* [versions + 2] counted at +2, filled at +1: afterwards CSR */
static tgs_status index_drops(tgs_i_flow_build *b)
{
    const tgs_i_flow *f = b->f;
    const tgs_schedule_view *s = f->s;

    b->drop_at = tgs_mem_alloc((size_t)f->versions + 2, sizeof *b->drop_at);
    b->drop = tgs_mem_alloc((size_t)s->drops, sizeof *b->drop);
    if (!b->drop_at || !b->drop)
        return tgs_i_flow_no_memory(b);
    for (int32_t i = 0; i < s->drops; i++)
        b->drop_at[version_of(f->v->g, s->drop[i].datum, s->drop[i].version) + 2]++;
    for (int32_t i = 0; i < f->versions; i++)
        b->drop_at[i + 2] += b->drop_at[i + 1];
    for (int32_t i = 0; i < s->drops; i++)
        b->drop[b->drop_at[version_of(f->v->g, s->drop[i].datum, s->drop[i].version) + 1]++] = i;
    return TGS_OK;
}

tgs_status tgs_i_flow_moves(tgs_i_flow_build *b)
{
    tgs_i_flow *f = b->f;
    const tgs_schedule_view *s = f->s;

    if (!s->moves)
        return TGS_OK;
    f->hops = s->moves;
    f->hop = tgs_mem_alloc((size_t)s->moves, sizeof *f->hop);
    b->move_at = tgs_mem_alloc((size_t)f->versions + 2, sizeof *b->move_at);
    b->move = tgs_mem_alloc((size_t)s->moves, sizeof *b->move);
    if (!f->hop || !b->move_at || !b->move)
        return tgs_i_flow_no_memory(b);
    for (int32_t i = 0; i < s->moves; i++)
        b->move_at[version_of(f->v->g, s->move[i].datum, s->move[i].version) + 2]++;
    for (int32_t i = 0; i < f->versions; i++)
        b->move_at[i + 2] += b->move_at[i + 1];
    for (int32_t i = 0; i < s->moves; i++)
        b->move[b->move_at[version_of(f->v->g, s->move[i].datum, s->move[i].version) + 1]++] = i;
    return index_drops(b);
}

static int32_t direct_link(const tgs_view *v, const tgs_move *m)
{
    const tgs_platform_view *p = v->p;
    const double bytes = v->g->datum[m->datum].bytes;
    double best = INFINITY;
    int32_t link = -1;

    for (int32_t l = 0; l < p->links; l++)
        if (p->link[l].from == m->from && p->link[l].to == m->to) {
            const double c = p->link[l].latency + bytes / p->link[l].bandwidth;

            if (link < 0 || c < best) {
                best = c;
                link = l;
            }
        }
    return link;
}

static tgs_status bad_move(tgs_i_flow_build *b, int32_t version, int32_t move, const char *what)
{
    const tgs_move *m = &b->f->s->move[move];
    char room[TGS_NAME_ROOM];

    return tgs_fail(b->err, TGS_ECHECK, "move %d of datum '%s' from memory '%s' to '%s': %s",
                    (int)move, tgs_i_flow_label(b, version, room), b->f->v->p->memory[m->from].name,
                    b->f->v->p->memory[m->to].name, what);
}

/* ---- which copy is there when --------------------------------------------------------------- */
/* An arrival ends with the first order to drop it that has not ended another one. */
static void settle(tgs_i_flow_build *b, int32_t arrival, double there)
{
    const tgs_i_flow *f = b->f;
    tgs_i_arrival *a = &f->arrival[arrival];

    a->there = there;
    for (int32_t k = b->drop_at[a->version]; k < b->drop_at[a->version + 1]; k++) {
        const tgs_drop *d = &f->s->drop[b->drop[k]];
        bool taken = d->time < there - slack(there);

        if (d->memory >= 0 && d->memory != a->memory)
            continue;
        for (int32_t i = f->arrival_at[a->version]; i < arrival && !taken; i++)
            taken = f->arrival[i].memory == a->memory && f->arrival[i].gone == d->time;
        if (taken)
            continue;
        a->gone = d->time;
        return;
    }
}

/* the last arrival of a version in a memory that is there from start to end, or -1.  Where nothing
 * is ever dropped the first one stays, and whether it is there in time is for the checker. */
static int32_t there(const tgs_i_flow_build *b, int32_t version, int32_t memory, double start,
                     double end)
{
    const tgs_i_flow *f = b->f;
    const bool drops = b->drop_at[version] < b->drop_at[version + 1];

    for (int32_t i = f->arrivals - 1; i >= f->arrival_at[version] && drops; i--)
        if (f->arrival[i].memory == memory && f->arrival[i].there <= start + slack(start)
            && f->arrival[i].gone >= end - slack(end))
            return i;
    for (int32_t i = f->arrival_at[version]; i < f->arrivals && !drops; i++)
        if (f->arrival[i].memory == memory)
            return i;
    return -1;
}

/* it is in the memory already, or on its way, and stays beyond this moment */
static bool coming(const tgs_i_flow_build *b, int32_t version, int32_t memory, double start)
{
    for (int32_t i = b->f->arrival_at[version]; i < b->f->arrivals; i++)
        if (b->f->arrival[i].memory == memory && b->f->arrival[i].gone > start + slack(start))
            return true;
    return false;
}

static tgs_status follow_move(tgs_i_flow_build *b, int32_t version, int32_t move)
{
    tgs_i_flow *f = b->f;
    const tgs_move *m = &f->s->move[move];
    tgs_i_hop *h = &f->hop[move];
    const int32_t link = b->pb->link->free ? -1 : direct_link(f->v, m);
    bool again = false;

    *h = (tgs_i_hop){
        version, m->from,       m->to, link, there(b, version, m->from, m->start, m->end),
        -1,      TGS_WHY_RELOAD};
    if (link < 0 && !b->pb->link->free)
        return bad_move(b, version, move, "no link joins them");
    if (h->source < 0)
        return bad_move(b, version, move, "the version is not there");
    if (coming(b, version, m->to, m->start))
        return TGS_OK;
    for (int32_t i = f->arrival_at[version]; i < f->arrivals; i++)
        again |= f->arrival[i].memory == m->to;
    h->arrival = tgs_i_flow_add(b, version, m->to, move, -1);
    if (h->arrival < 0)
        return TGS_ENOMEM;
    settle(b, h->arrival, m->end);
    if (!again)
        h->why = m->to == f->v->home[m->datum] ? TGS_WHY_WRITEBACK : TGS_WHY_PREFETCH;
    if (f->arrival[h->source].hop >= 0 && f->hop[f->arrival[h->source].hop].why == TGS_WHY_PREFETCH)
        f->hop[f->arrival[h->source].hop].why = TGS_WHY_RELAY;
    return TGS_OK;
}

/* ---- readers -------------------------------------------------------------------------------- */
static tgs_status unread(tgs_i_flow_build *b, int32_t version, int32_t memory)
{
    char room[TGS_NAME_ROOM];

    return tgs_fail(b->err, TGS_ECHECK, "no move brings datum '%s' to memory '%s'",
                    tgs_i_flow_label(b, version, room), b->f->v->p->memory[memory].name);
}

/* each of the readers in one memory to the arrival that is there for it */
static tgs_status serve(tgs_i_flow_build *b, int32_t version, const tgs_i_delivery *d)
{
    tgs_i_flow *f = b->f;
    int32_t *reader = f->reader + d->reader, done = 0;

    for (int32_t a = f->arrival_at[version]; a < f->arrivals && done < d->readers; a++) {
        tgs_i_delivery mine = {.memory = d->memory, .reader = d->reader + done};

        if (f->arrival[a].memory != d->memory)
            continue;
        for (int32_t i = done; i < d->readers; i++) {
            const tgs_place *p = &f->s->place[reader[i]];

            if (there(b, version, d->memory, p->start, p->end) == a) {
                const int32_t first = reader[done];

                reader[done++] = reader[i];
                reader[i] = first;
                mine.readers++;
            }
        }
        if (mine.readers)
            tgs_i_flow_attach(b, a, &mine);
    }
    return done < d->readers ? unread(b, version, d->memory) : TGS_OK;
}

tgs_status tgs_i_flow_follow(tgs_i_flow_build *b, int32_t version)
{
    const tgs_i_flow *f = b->f;
    const int32_t count = tgs_i_flow_group(b, version);
    tgs_status status = tgs_i_flow_makers(b, version);

    if (!status && version >= f->v->g->accesses
        && (count || b->move_at[version + 1] > b->move_at[version])) {
        if (f->v->home[version - f->v->g->accesses] < 0)
            status = tgs_i_flow_no_home(b, version);
        else if (tgs_i_flow_made(b, version, -1) < 0)
            status = TGS_ENOMEM;
    }
    for (int32_t i = f->arrival_at[version]; i < f->arrivals && !status; i++)
        settle(b, i, f->arrival[i].place < 0 ? 0 : f->s->place[f->arrival[i].place].end);
    for (int32_t i = b->move_at[version]; i < b->move_at[version + 1] && !status; i++)
        status = follow_move(b, version, b->move[i]);
    for (int32_t k = 0; k < count && !status; k++)
        status = serve(b, version, &b->delivery[k]);
    return status;
}
