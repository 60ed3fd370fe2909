/* checkdrop.c -- the oracle's rules for evictions and invalidations: a version that is dropped was
 * there, nobody is using it, homes stay, an eviction leaves another copy, and the last version of a
 * persistent datum goes home before it goes.  That nobody uses it afterwards is found where uses
 * are checked. */
#include <stdlib.h>
#include "check.h"

static int32_t compare(const tgs_i_check_call *c, int32_t drop, int32_t datum, int32_t version)
{
    const tgs_drop *d = &c->s->drop[drop];

    if (d->datum != datum)
        return d->datum < datum ? -1 : 1;
    return d->version < version ? -1 : d->version > version;
}

typedef struct keyed {
    int32_t datum, version, index;
} keyed;

static int by_key(const void *x, const void *y)
{
    const keyed *a = x, *b = y;

    if (a->datum != b->datum)
        return a->datum < b->datum ? -1 : 1;
    if (a->version != b->version)
        return a->version < b->version ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static tgs_status bad_drop(const tgs_i_check_call *c, int32_t drop, const char *what)
{
    const tgs_drop *d = &c->s->drop[drop];
    char room[TGS_NAME_ROOM];

    if (d->memory < 0)
        return tgs_fail(c->err, TGS_ECHECK, "the invalidation of '%s' at %.17g %s",
                        tgs_i_check_datum(c, d->datum, room), d->time, what);
    return tgs_fail(c->err, TGS_ECHECK, "the eviction of '%s' from '%s' at %.17g %s",
                    tgs_i_check_datum(c, d->datum, room), c->v->p->memory[d->memory].name, d->time,
                    what);
}

/* indices are in range, and the version is one of the datum */
static tgs_status check_names(const tgs_i_check_call *c, int32_t drop)
{
    const tgs_graph_view *g = c->v->g;
    const tgs_drop *d = &c->s->drop[drop];

    if (d->datum < 0 || d->datum >= g->data || d->memory < -1 || d->memory >= c->v->memories)
        return tgs_fail(c->err, TGS_ECHECK, "order %d to drop data names what does not exist",
                        (int)drop);
    if (d->version < -1 || d->version >= g->accesses
        || (d->version >= 0
            && ((int32_t)g->access[d->version].datum != d->datum
                || !(g->access[d->version].mode & TGS_W))))
        return bad_drop(c, drop, "is of a version that does not exist");
    if (!isfinite(d->time) || d->time < 0)
        return bad_drop(c, drop, "has no time");
    if (drop && d->time < c->s->drop[drop - 1].time)
        return bad_drop(c, drop, "stands behind a later one");
    return TGS_OK;
}

tgs_status tgs_i_check_sort_drops(tgs_i_check_call *c)
{
    const int32_t drops = c->s->drops;
    keyed *k = tgs_mem_alloc((size_t)drops, sizeof *k);
    tgs_status status = TGS_OK;

    c->drop = tgs_mem_alloc((size_t)drops, sizeof *c->drop);
    if (!k || !c->drop)
        status = tgs_fail(c->err, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < drops && !status; i++) {
        status = check_names(c, i);
        k[i] = (keyed){c->s->drop[i].datum, c->s->drop[i].version, i};
    }
    if (!status)
        qsort(k, (size_t)drops, sizeof *k, by_key);
    for (int32_t i = 0; i < drops && !status; i++)
        c->drop[i] = k[i].index;
    tgs_mem_free(k);
    return status;
}

/* the first order of a version in c->drop, or where it would stand */
static int32_t first_drop(const tgs_i_check_call *c, int32_t datum, int32_t version)
{
    int32_t low = 0, high = c->s->drops;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;

        if (compare(c, c->drop[middle], datum, version) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool tgs_i_check_left(const tgs_i_check_call *c, int32_t datum, int32_t version, int32_t memory,
                      double from, double until, double *when)
{
    double since;

    if (!c->s->drops)
        return false;
    since = tgs_i_check_latest(c, datum, version, memory, from);
    for (int32_t i = first_drop(c, datum, version);
         i < c->s->drops && !compare(c, c->drop[i], datum, version); i++) {
        const tgs_drop *d = &c->s->drop[c->drop[i]];

        if ((d->memory >= 0 && d->memory != memory) || d->time < since - tgs_i_check_slack(since)
            || d->time >= until - tgs_i_check_slack(until))
            continue;
        *when = d->time;
        return true;
    }
    return false;
}

int32_t tgs_i_check_dropped(const tgs_i_check_call *c, int32_t datum, int32_t version,
                            int32_t memory, double before)
{
    int32_t count = 0;

    if (!c->s->drops)
        return 0;
    for (int32_t i = first_drop(c, datum, version);
         i < c->s->drops && !compare(c, c->drop[i], datum, version); i++) {
        const tgs_drop *d = &c->s->drop[c->drop[i]];

        count +=
            (d->memory < 0 || d->memory == memory) && d->time < before - tgs_i_check_slack(before);
    }
    return count;
}

/* is the version in the memory when this order comes, after the orders before it? */
static bool there(const tgs_i_check_call *c, int32_t drop, int32_t memory)
{
    const tgs_drop *d = &c->s->drop[drop];
    const double since = tgs_i_check_latest(c, d->datum, d->version, memory, d->time);

    if (!(since >= 0))
        return false;
    for (int32_t i = first_drop(c, d->datum, d->version);
         i < c->s->drops && !compare(c, c->drop[i], d->datum, d->version); i++) {
        const tgs_drop *e = &c->s->drop[c->drop[i]];

        if ((e->memory < 0 || e->memory == memory) && c->drop[i] < drop
            && e->time >= since - tgs_i_check_slack(since))
            return false;
    }
    return true;
}

static tgs_status check_eviction(const tgs_i_check_call *c, const int32_t *last, int32_t drop)
{
    const tgs_drop *d = &c->s->drop[drop];
    const int32_t home = c->v->home[d->datum];
    bool another = false;

    if (!c->s->moves)
        return bad_drop(c, drop, "needs a schedule that lists its moves");
    if (home == d->memory)
        return bad_drop(c, drop, "is from its home, where it stays");
    if (!there(c, drop, d->memory))
        return bad_drop(c, drop, "comes when it is not there");
    if (d->version >= 0 && last[d->datum] == d->version && home >= 0 && !there(c, drop, home))
        return bad_drop(c, drop, "loses what the next step begins with: it has not been home");
    for (int32_t m = 0; m < c->v->memories && !another; m++)
        another = m != d->memory && there(c, drop, m);
    return another ? TGS_OK : bad_drop(c, drop, "leaves no copy of it");
}

static tgs_status check_invalidation(const tgs_i_check_call *c, const int32_t *last, int32_t drop)
{
    const tgs_drop *d = &c->s->drop[drop];
    bool any = false;

    if (d->version >= 0 && last[d->datum] == d->version)
        return bad_drop(c, drop, "loses what the next step begins with");
    for (int32_t m = 0; m < c->v->memories && !any; m++)
        any = there(c, drop, m);
    return any ? TGS_OK : bad_drop(c, drop, "comes when it is nowhere");
}

tgs_status tgs_i_check_drops(const tgs_i_check_call *c)
{
    int32_t *last = tgs_i_check_last(c);
    tgs_status status = last ? TGS_OK : tgs_fail(c->err, TGS_ENOMEM, "out of memory");

    for (int32_t i = 0; i < c->s->drops && !status; i++)
        status =
            c->s->drop[i].memory < 0 ? check_invalidation(c, last, i) : check_eviction(c, last, i);
    tgs_mem_free(last);
    return status;
}
