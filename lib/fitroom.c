/* fitroom.c -- the memories of a schedule that is made to fit: what is free from when, and who
 * leaves when it is too little.
 *
 * Free bytes are kept with the time from which they are free; who takes them begins no earlier.  So
 * at no time more is taken than there is, in whatever order times come.  Who leaves is the copy
 * that is read again last (Belady, A study of replacement algorithms for a virtual-storage
 * computer, IBM Systems Journal 5(2), 1966), by the order of the tasks; of several never read there
 * again one that is elsewhere, too, then the largest, then the oldest.  What is nowhere else is
 * sent home first, or to the nearest memory that has room for it. */
#include "fit.h"

double tgs_i_fit_bytes(const tgs_i_fitting *f, int32_t version, int32_t memory)
{
    const int32_t d = tgs_i_fit_datum(f, version);

    return f->v->home[d] == memory ? 0 : f->v->g->datum[d].bytes;
}

static tgs_status no_memory(tgs_i_fitting *f)
{
    return tgs_fail(f->err, TGS_ENOMEM, "out of memory");
}

/* ---- free bytes ----------------------------------------------------------------------------- */
tgs_status tgs_i_fit_give(tgs_i_fitting *f, int32_t memory, double time, double bytes)
{
    tgs_i_room *r = &f->room[memory];
    int64_t i = r->frees;

    if (!r->limited || !(bytes > 0))
        return TGS_OK;
    if (tgs_mem_grow(&r->heap, &r->free_room, r->frees + 1, sizeof *r->heap))
        return no_memory(f);
    for (r->frees++; i && r->heap[(i - 1) / 2].time > time; i = (i - 1) / 2)
        r->heap[i] = r->heap[(i - 1) / 2];
    r->heap[i] = (tgs_i_free){time, bytes};
    r->total += bytes;
    return TGS_OK;
}

static void pop(tgs_i_room *r)
{
    const tgs_i_free last = r->heap[--r->frees];
    int64_t i = 0, child;

    while ((child = 2 * i + 1) < r->frees) {
        if (child + 1 < r->frees && r->heap[child + 1].time < r->heap[child].time)
            child++;
        if (last.time <= r->heap[child].time)
            break;
        r->heap[i] = r->heap[child];
        i = child;
    }
    r->heap[i] = last;
}

static double withdraw(tgs_i_room *r, double bytes)
{
    double time = 0;

    while (bytes > 0 && r->frees) {
        tgs_i_free *first = &r->heap[0];

        time = fmax(time, first->time);
        if (first->bytes > bytes) {
            first->bytes -= bytes;
            r->total -= bytes;
            return time;
        }
        bytes -= first->bytes;
        r->total -= first->bytes;
        pop(r);
    }
    return time;
}

/* ---- copies --------------------------------------------------------------------------------- */
int32_t tgs_i_fit_find(const tgs_i_fitting *f, int32_t version, int32_t memory)
{
    int32_t i = f->head[version];

    while (i >= 0 && (f->spot[i].left || f->spot[i].memory != memory))
        i = f->spot[i].next;
    return i;
}

void tgs_i_fit_look(tgs_i_fitting *f, int32_t spot)
{
    tgs_i_spot *x = &f->spot[spot];
    int32_t k = f->read_at[x->version] + f->done[x->version];

    x->use = INT32_MAX;
    for (; k < f->read_at[x->version + 1]; k++) {
        const int32_t t = f->sequence[f->read[k]];

        if (f->v->p->proc[f->s->place[t].proc].memory == x->memory) {
            x->use = f->read[k];
            return;
        }
    }
}

int32_t tgs_i_fit_add(tgs_i_fitting *f, int32_t version, int32_t memory, double there)
{
    tgs_i_room *r = &f->room[memory];
    const int32_t i = (int32_t)f->spots;

    if (f->spots >= INT32_MAX - 1
        || tgs_mem_grow(&f->spot, &f->spot_room, f->spots + 1, sizeof *f->spot))
        return no_memory(f);
    f->spot[i] = (tgs_i_spot){version, memory, f->head[version], 0, -1, 0, there, there, false};
    if (r->limited && tgs_i_fit_bytes(f, version, memory) > 0) {
        if (tgs_mem_grow(&r->spot, &r->spot_room, r->spots + 1, sizeof *r->spot))
            return no_memory(f);
        f->spot[i].slot = (int32_t)r->spots;
        r->spot[r->spots++] = i;
    }
    f->head[version] = i;
    f->spots++;
    tgs_i_fit_look(f, i);
    return i;
}

void tgs_i_fit_forget(tgs_i_fitting *f, int32_t spot)
{
    tgs_i_spot *x = &f->spot[spot];
    tgs_i_room *r = &f->room[x->memory];

    x->left = true;
    if (x->slot < 0)
        return;
    r->spot[x->slot] = r->spot[--r->spots];
    f->spot[r->spot[x->slot]].slot = x->slot;
    x->slot = -1;
}

tgs_status tgs_i_fit_leave(tgs_i_fitting *f, int32_t spot)
{
    const tgs_i_spot x = f->spot[spot];

    tgs_i_fit_forget(f, spot);
    return tgs_i_fit_give(f, x.memory, x.until, tgs_i_fit_bytes(f, x.version, x.memory));
}

/* is the version elsewhere, too? */
static bool is_clean(const tgs_i_fitting *f, int32_t spot)
{
    const int32_t version = f->spot[spot].version, home = f->v->home[tgs_i_fit_datum(f, version)];

    if (f->stays[version] && home >= 0) /* the next step begins with it: it has to be home */
        return tgs_i_fit_find(f, version, home) >= 0;
    for (int32_t i = f->head[version]; i >= 0; i = f->spot[i].next)
        if (i != spot && !f->spot[i].left)
            return true;
    return false;
}

/* ---- transfers ------------------------------------------------------------------------------ */
/* When a version that left a memory may come again in so many seconds: so that its arrival is later
 * than its leaving beyond the slack of times, even where communication is free. */
static double again_at(const tgs_i_fitting *f, int32_t version, int32_t memory, double seconds)
{
    double time = -1;

    for (int32_t i = f->head[version]; i >= 0; i = f->spot[i].next)
        if (f->spot[i].memory == memory && f->spot[i].left)
            time = fmax(time, f->spot[i].until);
    if (time < 0)
        return 0;
    return time + fmax(0, 4e-9 * time + 1e-12 - seconds);
}

/* one hop; the new copy, or a status */
static int32_t hop(tgs_i_fitting *f, int32_t from, int32_t memory, bool clean)
{
    const int32_t version = f->spot[from].version, d = tgs_i_fit_datum(f, version);
    const int32_t source = f->spot[from].memory, before = f->spot[from].pinned;
    double start, end;
    int32_t spot;
    tgs_status status;

    f->spot[from].pinned = f->position + 1;
    status = tgs_i_fit_take(f, memory, tgs_i_fit_bytes(f, version, memory), clean, &start);
    f->spot[from].pinned = before;
    if (status)
        return status;
    end = tgs_c(f->v, d, source, memory);
    start = fmax(fmax(start, f->spot[from].there), again_at(f, version, memory, end));
    end += start;
    f->spot[from].until = fmax(f->spot[from].until, end);
    spot = tgs_i_fit_add(f, version, memory, end);
    if (spot >= 0
        && tgs_plan_move(f->plan, &(tgs_move){d, version < f->v->g->accesses ? version : -1, source,
                                              memory, start, end}))
        return no_memory(f);
    return spot;
}

int32_t tgs_i_fit_send(tgs_i_fitting *f, int32_t from, int32_t memory, bool clean)
{
    const tgs_platform_view *p = f->v->p;
    const int32_t version = f->spot[from].version;
    const int32_t pair = f->spot[from].memory * p->memories + memory;
    int32_t here = from;
    bool relay = false; /* here was brought only to go on */

    if (p->route_at[pair] == p->route_at[pair + 1]) /* free communication needs no link */
        return hop(f, from, memory, clean);
    for (int32_t i = p->route_at[pair]; i < p->route_at[pair + 1] && here >= 0; i++) {
        const int32_t to = p->link[p->route[i]].to;
        int32_t next = tgs_i_fit_find(f, version, to);

        const bool new = next < 0;

        if (new)
            next = hop(f, here, to, clean);
        if (next >= 0 && relay && f->spot[here].use == INT32_MAX && tgs_i_fit_leave(f, here))
            return no_memory(f);
        relay = new;
        here = next;
    }
    return here;
}

/* ---- who leaves ----------------------------------------------------------------------------- */
tgs_status tgs_i_fit_drop(tgs_i_fitting *f, int32_t version, int32_t memory, double time)
{
    const tgs_drop d = {tgs_i_fit_datum(f, version), version < f->v->g->accesses ? version : -1,
                        memory, time};

    return tgs_plan_drop(f->plan, &d) ? no_memory(f) : TGS_OK;
}

/* The memory that what is nowhere else is sent to, -1 none: home; else the nearest that has room
 * for it, without anybody leaving if there is such a one. */
static int32_t refuge(const tgs_i_fitting *f, int32_t spot)
{
    const tgs_i_spot *x = &f->spot[spot];
    const int32_t d = tgs_i_fit_datum(f, x->version), home = f->v->home[d];
    int32_t best = -1;
    double least = INFINITY;

    if (home >= 0 && tgs_c(f->v, d, x->memory, home) < INFINITY)
        return home;
    if (f->stays[x->version] && home >= 0)
        return -1;
    for (int32_t m = 0; m < f->v->memories; m++) {
        const double c = tgs_c(f->v, d, x->memory, m);

        if (m == x->memory || !(c < least)
            || (f->room[m].limited && f->room[m].total < f->v->g->datum[d].bytes))
            continue;
        best = m;
        least = c;
    }
    return best;
}

/* a before b among those that may leave */
static bool rather(const tgs_i_fitting *f, int32_t a, int32_t b)
{
    const tgs_i_spot *x = &f->spot[a], *y = &f->spot[b];
    const double p = f->v->g->datum[tgs_i_fit_datum(f, x->version)].bytes;
    const double q = f->v->g->datum[tgs_i_fit_datum(f, y->version)].bytes;
    bool c, d;

    if (x->use != y->use)
        return x->use > y->use;
    c = is_clean(f, a);
    d = is_clean(f, b);
    if (c != d)
        return c;
    return p != q ? p > q : a < b;
}

static int32_t victim(const tgs_i_fitting *f, int32_t memory, bool clean)
{
    const tgs_i_room *r = &f->room[memory];
    int32_t best = -1;

    for (int64_t i = 0; i < r->spots; i++) {
        const int32_t s = r->spot[i];

        if (f->spot[s].pinned == f->position + 1 || (best >= 0 && !rather(f, s, best)))
            continue;
        if (is_clean(f, s) || (!clean && refuge(f, s) >= 0))
            best = s;
    }
    return best;
}

static tgs_status evict(tgs_i_fitting *f, int32_t spot)
{
    tgs_status status = TGS_OK;

    if (!is_clean(f, spot)) {
        const int32_t saved = tgs_i_fit_send(f, spot, refuge(f, spot), true);

        if (saved < 0)
            return (tgs_status)saved;
    }
    status = tgs_i_fit_drop(f, f->spot[spot].version, f->spot[spot].memory, f->spot[spot].until);
    return status ? status : tgs_i_fit_leave(f, spot);
}

static tgs_status too_full(tgs_i_fitting *f, int32_t memory, double bytes)
{
    const tgs_graph_view *g = f->v->g;
    char room[TGS_NAME_ROOM];

    snprintf(room, sizeof room, "@%d", (int)f->task);
    return tgs_fail(f->err, TGS_EINFEASIBLE,
                    "task '%s' lacks %.17g bytes in memory '%s', and nothing more can leave it",
                    g->task[f->task].name ? tgs_task_name(g, f->task, TGS_ROOM) : room,
                    bytes - f->room[memory].total, f->v->p->memory[memory].name);
}

tgs_status tgs_i_fit_take(tgs_i_fitting *f, int32_t memory, double bytes, bool clean, double *time)
{
    tgs_i_room *r = &f->room[memory];
    const double little = 1e-9 * f->v->p->memory[memory].capacity;

    *time = 0;
    if (!r->limited || !(bytes > 0))
        return TGS_OK;
    while (r->total + little < bytes) {
        const int32_t s = victim(f, memory, clean);
        const tgs_status status = s < 0 ? too_full(f, memory, bytes) : evict(f, s);

        if (status)
            return status;
    }
    *time = withdraw(r, bytes);
    return TGS_OK;
}
