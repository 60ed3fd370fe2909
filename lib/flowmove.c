/* flowmove.c -- flows of schedules that list their transfers: each move copies one version over one
 * link; what a reader needs must have come by a move when it is not made or at home there. */
#include "flowbuild.h"

static int32_t version_moved(const tgs_graph_view *g, const tgs_move *m)
{
    return m->version < 0 ? g->accesses + m->datum : m->version;
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
        b->move_at[version_moved(f->v->g, &s->move[i]) + 2]++;
    for (int32_t i = 0; i < f->versions; i++)
        b->move_at[i + 2] += b->move_at[i + 1];
    for (int32_t i = 0; i < s->moves; i++)
        b->move[b->move_at[version_moved(f->v->g, &s->move[i]) + 1]++] = i;
    return TGS_OK;
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
    char room[24];

    return tgs_fail(b->err, TGS_ECHECK, "move %d of datum '%s' from memory '%s' to '%s': %s",
                    (int)move, tgs_i_flow_label(b, version, room), b->f->v->p->memory[m->from].name,
                    b->f->v->p->memory[m->to].name, what);
}

static tgs_status follow_move(tgs_i_flow_build *b, int32_t version, int32_t move)
{
    tgs_i_flow *f = b->f;
    const tgs_move *m = &f->s->move[move];
    tgs_i_hop *h = &f->hop[move];
    const int32_t link = b->pb->link->free ? -1 : direct_link(f->v, m);

    *h = (tgs_i_hop){version, m->from,       m->to, link, tgs_i_flow_at(b, version, m->from),
                     -1,      TGS_WHY_RELOAD};
    if (link < 0 && !b->pb->link->free)
        return bad_move(b, version, move, "no link joins them");
    if (h->source < 0)
        return bad_move(b, version, move, "the version is not there");
    if (tgs_i_flow_at(b, version, m->to) >= 0)
        return TGS_OK;
    h->arrival = tgs_i_flow_add(b, version, m->to, move, -1);
    if (h->arrival < 0)
        return TGS_ENOMEM;
    tgs_i_flow_put(b, version, m->to, h->arrival);
    h->why = m->to == f->v->home[m->datum] ? TGS_WHY_WRITEBACK : TGS_WHY_PREFETCH;
    if (f->arrival[h->source].hop >= 0 && f->hop[f->arrival[h->source].hop].why != TGS_WHY_DEMAND)
        f->hop[f->arrival[h->source].hop].why = TGS_WHY_RELAY;
    return TGS_OK;
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
        if (tgs_i_flow_at(b, version, f->arrival[i].memory) < 0)
            tgs_i_flow_put(b, version, f->arrival[i].memory, i);
    for (int32_t i = b->move_at[version]; i < b->move_at[version + 1] && !status; i++)
        status = follow_move(b, version, b->move[i]);
    for (int32_t k = 0; k < count && !status; k++) {
        const int32_t arrival = tgs_i_flow_at(b, version, b->delivery[k].memory);
        char room[24];

        if (arrival < 0)
            status = tgs_fail(b->err, TGS_ECHECK, "no move brings datum '%s' to memory '%s'",
                              tgs_i_flow_label(b, version, room),
                              f->v->p->memory[b->delivery[k].memory].name);
        else
            tgs_i_flow_attach(b, arrival, &b->delivery[k]);
    }
    return status;
}
