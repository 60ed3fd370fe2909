/* checkmove.c -- the oracle's rules for explicit transfers: a move copies a version that is there,
 * over a link, in no less time than the link needs, before the version is overwritten. */
#include <stdlib.h>
#include "check.h"

static int compare(int32_t a, int32_t b)
{
    return a < b ? -1 : a > b;
}

/* moves of one version into one memory stand together, in the order of the schedule */
typedef struct keyed {
    int32_t datum, version, to, index;
} keyed;

static int by_key(const void *x, const void *y)
{
    const keyed *a = x, *b = y;
    int order = compare(a->datum, b->datum);

    if (!order)
        order = compare(a->version, b->version);
    if (!order)
        order = compare(a->to, b->to);
    return order ? order : compare(a->index, b->index);
}

static tgs_status sort_moves(tgs_i_check_call *c)
{
    const int32_t moves = c->s->moves;
    keyed *k = tgs_mem_alloc((size_t)moves, sizeof *k);

    c->move = tgs_mem_alloc((size_t)moves, sizeof *c->move);
    if (!k || !c->move) {
        tgs_mem_free(k);
        return tgs_fail(c->err, TGS_ENOMEM, "out of memory");
    }
    for (int32_t i = 0; i < moves; i++)
        k[i] = (keyed){c->s->move[i].datum, c->s->move[i].version, c->s->move[i].to, i};
    qsort(k, (size_t)moves, sizeof *k, by_key);
    for (int32_t i = 0; i < moves; i++)
        c->move[i] = k[i].index;
    tgs_mem_free(k);
    return TGS_OK;
}

static int32_t first_move(const tgs_i_check_call *c, const keyed *want)
{
    int32_t low = 0, high = c->s->moves;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const tgs_move *m = &c->s->move[c->move[middle]];

        if (by_key(&(keyed){m->datum, m->version, m->to, c->move[middle]}, want) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double tgs_i_check_moved(const tgs_i_check_call *c, int32_t datum, int32_t version, int32_t memory,
                         int32_t moves)
{
    int32_t low = first_move(c, &(keyed){datum, version, memory, -1});
    double best = INFINITY;

    if (version < 0 && c->v->home[datum] == memory)
        best = 0;
    for (int32_t k = 0, u; version >= 0 && (u = tgs_i_check_place(c, c->writer[version], k)) >= 0;
         k++)
        if (c->v->p->proc[c->s->place[u].proc].memory == memory && c->s->place[u].end < best)
            best = c->s->place[u].end;
    for (; low < c->s->moves && c->move[low] < moves; low++) {
        const tgs_move *m = &c->s->move[c->move[low]];

        if (m->datum != datum || m->version != version || m->to != memory)
            break;
        if (m->end < best)
            best = m->end;
    }
    return best;
}

double tgs_i_check_latest(const tgs_i_check_call *c, int32_t datum, int32_t version, int32_t memory,
                          double before)
{
    const double limit = before + tgs_i_check_slack(before);
    double latest = version < 0 && c->v->home[datum] == memory && limit >= 0 ? 0 : -INFINITY;

    for (int32_t k = 0, u; version >= 0 && (u = tgs_i_check_place(c, c->writer[version], k)) >= 0;
         k++)
        if (c->v->p->proc[c->s->place[u].proc].memory == memory && c->s->place[u].end <= limit)
            latest = fmax(latest, c->s->place[u].end);
    for (int32_t i = first_move(c, &(keyed){datum, version, memory, -1}); i < c->s->moves; i++) {
        const tgs_move *m = &c->s->move[c->move[i]];

        if (m->datum != datum || m->version != version || m->to != memory)
            break;
        if (m->end <= limit)
            latest = fmax(latest, m->end);
    }
    return latest;
}

static tgs_status bad_move(const tgs_i_check_call *c, int32_t move, const char *what)
{
    const tgs_move *m = &c->s->move[move];
    char room[TGS_NAME_ROOM];

    return tgs_fail(c->err, TGS_ECHECK, "move %d of '%s' from '%s' to '%s' (%.17g to %.17g) %s",
                    (int)move, tgs_i_check_datum(c, m->datum, room), c->v->p->memory[m->from].name,
                    c->v->p->memory[m->to].name, m->start, m->end, what);
}

/* indices are in range, and the version is one of the datum */
static tgs_status check_names(const tgs_i_check_call *c, int32_t move)
{
    const tgs_graph_view *g = c->v->g;
    const tgs_move *m = &c->s->move[move];
    const int32_t memories = c->v->memories;

    if (m->datum < 0 || m->datum >= g->data || m->from < 0 || m->from >= memories || m->to < 0
        || m->to >= memories)
        return tgs_fail(c->err, TGS_ECHECK, "move %d names what does not exist", (int)move);
    if (m->version < -1 || m->version >= g->accesses
        || (m->version >= 0
            && ((int32_t)g->access[m->version].datum != m->datum
                || !(g->access[m->version].mode & TGS_W))))
        return bad_move(c, move, "is of a version that does not exist");
    if (!isfinite(m->start) || !isfinite(m->end) || m->start < 0 || m->end < m->start)
        return bad_move(c, move, "has no duration");
    return TGS_OK;
}

static double fastest(const tgs_i_check_call *c, const tgs_move *m)
{
    const tgs_platform_view *p = c->v->p;
    double best = INFINITY;

    for (int32_t l = 0; l < p->links; l++) {
        const tgs_link *k = &p->link[l];
        double bandwidth = k->bandwidth, seconds;

        if (k->from != m->from || k->to != m->to)
            continue;
        if (k->bus >= 0 && p->bus[k->bus].bandwidth < bandwidth)
            bandwidth = p->bus[k->bus].bandwidth;
        seconds = k->latency + c->v->g->datum[m->datum].bytes / bandwidth;
        best = seconds < best ? seconds : best;
    }
    return best;
}

/* when the datum is overwritten after this version: the earliest start of a later writer */
static double overwritten(const tgs_i_check_call *c, const int32_t *write_at, const int32_t *write,
                          const tgs_move *m)
{
    const tgs_graph_view *g = c->v->g;
    const int32_t after = m->version < 0 ? -1 : g->topo_pos[c->writer[m->version]];
    double first = INFINITY;

    for (int32_t i = write_at[m->datum]; i < write_at[m->datum + 1]; i++)
        for (int32_t k = 0, u; g->topo_pos[c->writer[write[i]]] > after
                               && (u = tgs_i_check_place(c, c->writer[write[i]], k)) >= 0;
             k++)
            if (c->s->place[u].start < first)
                first = c->s->place[u].start;
    return first;
}

static tgs_status check_move(const tgs_i_check_call *c, const int32_t *write_at,
                             const int32_t *write, int32_t move)
{
    const tgs_move *m = &c->s->move[move];
    const double there = tgs_i_check_moved(c, m->datum, m->version, m->from, move);
    const double least = c->zero ? 0 : fastest(c, m);
    const double until = overwritten(c, write_at, write, m);
    double gone;

    if (m->start < there - tgs_i_check_slack(there))
        return bad_move(c, move, "starts before the version is there");
    if (tgs_i_check_left(c, m->datum, m->version, m->from, m->start, m->end, &gone))
        return bad_move(c, move, "copies what has been dropped there");
    if (least == INFINITY)
        return bad_move(c, move, "goes where no link joins them");
    if (m->end - m->start < least - tgs_i_check_slack(m->end))
        return bad_move(c, move, "takes less time than its link");
    if (m->end > until + tgs_i_check_slack(until))
        return bad_move(c, move, "ends after the version is overwritten");
    return TGS_OK;
}

/* CSR by datum of the accesses that write it */
static tgs_status list_writes(const tgs_i_check_call *c, int32_t **write_at, int32_t **write)
{
    const tgs_graph_view *g = c->v->g;
    int32_t *at = *write_at = tgs_mem_alloc((size_t)g->data + 2, sizeof *at);

    *write = tgs_mem_alloc((size_t)g->accesses, sizeof **write);
    if (!at || !*write)
        return tgs_fail(c->err, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < g->accesses; i++)
        at[g->access[i].datum + 2] += (g->access[i].mode & TGS_W) != 0;
    for (int32_t d = 0; d < g->data; d++)
        at[d + 2] += at[d + 1];
    for (int32_t i = 0; i < g->accesses; i++)
        if (g->access[i].mode & TGS_W)
            (*write)[at[g->access[i].datum + 1]++] = i;
    return TGS_OK;
}

tgs_status tgs_i_check_moves(tgs_i_check_call *c)
{
    int32_t *write_at = NULL, *write = NULL;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < c->s->moves && !status; i++)
        status = check_names(c, i);
    if (!status)
        status = sort_moves(c);
    if (!status)
        status = list_writes(c, &write_at, &write);
    for (int32_t i = 0; i < c->s->moves && !status; i++)
        status = check_move(c, write_at, write, i);
    tgs_mem_free(write);
    tgs_mem_free(write_at);
    return status;
}
