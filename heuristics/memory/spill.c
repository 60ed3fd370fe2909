/* spill.c -- versions move out of the way of a task that fits nowhere.
 *
 * A task fits somewhere in the end when what is there for ever leaves enough.  The memory that
 * lacks least is relieved of versions that the task does not read, the least urgent first (by the
 * highest level among the readers that are not placed), then the largest; each goes home, or where
 * most is free.  O(versions) to list them and O(k log k) to sort, besides the moves. */
#include <stdlib.h>
#include "core.h"

typedef struct candidate {
    double urgency, bytes;
    int32_t version;
} candidate;

static int by_urgency(const void *x, const void *y)
{
    const candidate *a = x, *b = y;

    if (a->urgency != b->urgency)
        return a->urgency < b->urgency ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->version < b->version ? -1 : a->version > b->version;
}

static bool touches(const tgs_i_rooms *r, int32_t task, int32_t version)
{
    const tgs_graph_view *g = r->v->g;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++)
        if (g->access[i].mode & TGS_R && tgs_i_rooms_read(r, i) == version)
            return true;
    return false;
}

/* the highest level of what waits for the version */
static double urgency(const tgs_i_rooms *r, int32_t version)
{
    const tgs_graph_view *g = r->v->g;
    const int32_t t = r->writer[version];
    double most = 0;

    for (int32_t k = g->succ_at[t]; k < g->succ_at[t + 1]; k++)
        if (r->list.plan->proc[g->succ[k]] < 0
            && g->succ_datum[k] == (int32_t)g->access[version].datum)
            most = fmax(most, r->level[g->succ[k]]);
    return most;
}

/* what a memory lacks in the end for a task; INFINITY when the task may not run there.  A negative
 * number: something is in the way only for a time. */
static tgs_status lacks(tgs_i_rooms *r, int32_t task, int32_t memory, double *bytes)
{
    double ready, added = 0, most = 0;
    bool may = false;
    tgs_status status;

    *bytes = INFINITY;
    for (int32_t i = r->proc_at[memory]; i < r->proc_at[memory + 1]; i++)
        may |= tgs_i_list_may(&r->list, task, r->proc[i]);
    if (!may)
        return TGS_OK;
    status = tgs_i_rooms_ready(r, task, memory, &ready);
    if (status || !(ready < INFINITY))
        return status;
    for (int64_t i = 0; i < r->loads; i++) { /* while it runs, and after */
        const tgs_i_load *l = &r->load[i];

        if (l->memory != memory)
            continue;
        added += l->bytes;
        most += l->change == TGS_I_BACK || l->offset == INFINITY ? 0 : l->bytes;
        most += l->change == TGS_I_LONGER && l->offset == INFINITY ? l->bytes : 0;
    }
    *bytes = fmax(most, added) + tgs_i_stairs_last(&r->stairs[memory]) - r->capacity[memory];
    return TGS_OK;
}

/* where a version can go: home, or the memory with most left; -1 nowhere */
static int32_t refuge(const tgs_i_rooms *r, int32_t version, int32_t memory)
{
    const tgs_view *v = r->v;
    const int32_t home = v->home[tgs_i_rooms_datum(r, version)];
    double most = 0;
    int32_t best = -1;

    for (int32_t a = 0; a < v->memories; a++) {
        const double left =
            r->capacity[a] - tgs_i_stairs_last(&r->stairs[a]) - tgs_i_rooms_bytes(r, version, a);

        if (a == memory || r->proc_at[a] == r->proc_at[a + 1]
            || tgs_i_rooms_find(r, version, a) >= 0
            || !(tgs_i_rooms_way(r, version, a).seconds < INFINITY))
            continue;
        if (a == home)
            return a;
        if (left >= 0 && (best < 0 || left > most)) {
            best = a;
            most = left;
        }
    }
    return best;
}

/* Moves a version to another memory, which becomes its anchor: as early as there is room for it on
 * the way and for ever in there. */
static tgs_status move_anchor(tgs_i_rooms *r, int32_t version, int32_t to, bool *moved)
{
    tgs_i_version *x = &r->version[version];
    const tgs_i_way w = tgs_i_rooms_way(r, version, to);
    const int32_t from = x->anchor, d = tgs_i_rooms_datum(r, version);
    double there = w.there + w.seconds, t = -w.seconds;
    const double bytes = tgs_i_rooms_bytes(r, version, from);
    tgs_status status = TGS_OK;

    *moved = false;
    if (w.held >= 0) /* a copy on the way would have to stay longer: rare, and not worth it */
        return TGS_OK;
    r->loads = 0;
    for (int32_t k = 0; k < w.hops; k++) {
        double seconds, next = 0;
        const int32_t here = tgs_i_rooms_hop(r, &w, d, k, to, &seconds);

        if (tgs_mem_grow(&r->load, &r->load_room, r->loads + 2, sizeof *r->load))
            return TGS_ENOMEM;
        if (k + 1 < w.hops)
            tgs_i_rooms_hop(r, &w, d, k + 1, to, &next);
        r->load[r->loads++] =
            (tgs_i_load){TGS_I_STEP, here, NAN, t, tgs_i_rooms_bytes(r, version, here)};
        t += seconds;
        if (k + 1 < w.hops)
            r->load[r->loads++] =
                (tgs_i_load){TGS_I_STEP, here, NAN, t + next, -tgs_i_rooms_bytes(r, version, here)};
    }
    status = tgs_i_rooms_fit(r, 0, &there);
    if (status || !(there < INFINITY))
        return status;
    status = tgs_i_rooms_move(r, version, to, there, INFINITY);
    if (status)
        return status;
    x->held = r->held[x->held].next; /* the copy there is the anchor now */
    if (tgs_mem_grow(&r->held, &r->held_room, r->helds + 1, sizeof *r->held))
        return TGS_ENOMEM;
    r->held[r->helds] = (tgs_i_held){from, x->held, x->there, x->until};
    x->held = (int32_t)r->helds++;
    status = tgs_i_stairs_add(&r->stairs[from], x->until, INFINITY, -bytes);
    x->anchor = to;
    x->there = x->until = there;
    r->given++;
    *moved = true;
    return status;
}

static tgs_status list(const tgs_i_rooms *r, int32_t task, int32_t memory, candidate **out,
                       int32_t *count)
{
    int64_t room = 0;

    *count = 0;
    for (int32_t i = 0; i < r->v->g->accesses; i++) {
        const tgs_i_version *x = &r->version[i];

        if (x->anchor != memory || !x->readers || x->stays || touches(r, task, i)
            || !(tgs_i_rooms_bytes(r, i, memory) > 0))
            continue;
        if (tgs_mem_grow(out, &room, *count + 1, sizeof **out))
            return TGS_ENOMEM;
        (*out)[(*count)++] = (candidate){urgency(r, i), tgs_i_rooms_bytes(r, i, memory), i};
    }
    if (*count)
        qsort(*out, (size_t)*count, sizeof **out, by_urgency);
    return TGS_OK;
}

/* moves away what a memory lacks; *moved: something was */
static tgs_status relieve(tgs_i_rooms *r, int32_t task, int32_t memory, double bytes, bool *moved)
{
    candidate *c = NULL;
    int32_t count;
    double sum = 0;
    tgs_status status = list(r, task, memory, &c, &count);

    for (int32_t i = 0; i < count && !status; i++)
        sum += c[i].bytes;
    if (sum < bytes)
        count = 0;
    for (int32_t i = 0; i < count && bytes > 0 && !status; i++) {
        const int32_t to = refuge(r, c[i].version, memory);
        bool gone = false;

        if (to >= 0)
            status = move_anchor(r, c[i].version, to, &gone);
        bytes -= gone ? c[i].bytes : 0;
        *moved |= gone;
    }
    tgs_mem_free(c);
    return status;
}

tgs_status tgs_i_rooms_spill(tgs_i_rooms *r, int32_t task, bool *moved, tgs_error *err)
{
    double *lack = tgs_mem_alloc((size_t)r->v->memories, sizeof *lack);
    tgs_status status = lack ? TGS_OK : TGS_ENOMEM;

    *moved = false;
    for (int32_t a = 0; a < r->v->memories && !status; a++)
        status = lacks(r, task, a, &lack[a]);
    for (int32_t k = 0; k < r->v->memories && !status && !*moved; k++) {
        int32_t best = 0;

        for (int32_t a = 1; a < r->v->memories; a++)
            best = lack[a] < lack[best] ? a : best;
        if (!(lack[best] < INFINITY))
            break;
        status = relieve(r, task, best, lack[best], moved);
        lack[best] = INFINITY;
    }
    tgs_mem_free(lack);
    return status ? tgs_fail(err, status, "out of memory to move data away") : TGS_OK;
}
