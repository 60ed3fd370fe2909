/* sdf.c -- synchronous dataflow: how often each actor fires, how large buffers are, and what a
 * choice of calls takes. */
#include "sdf.h"

#define MOST_FIRINGS (INT64_C(1) << 40)

static int64_t common(int64_t a, int64_t b) /* greatest common divisor */
{
    while (b) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* ---- repetitions -------------------------------------------------------------------------------
 * times of the actors of a connected part, as fractions of those of its first one */
typedef struct fractions {
    int64_t *over, *under; /* [actors]; over 0: not reached yet */
} fractions;

/* what one end of a channel says of the other: b = a * up / down; false: it is too large */
static bool follow(const fractions *f, int32_t a, int32_t b, int64_t up, int64_t down)
{
    const int64_t g = common(up, down), h = common(f->over[a], down / g);
    const int64_t i = common(up / g, f->under[a]);

    if (f->over[a] / h > MOST_FIRINGS / (up / g / i)
        || f->under[a] / i > MOST_FIRINGS / (down / g / h))
        return false;
    f->over[b] = f->over[a] / h * (up / g / i);
    f->under[b] = f->under[a] / i * (down / g / h);
    return true;
}

/* reaches all that is connected with what was reached; false: *channel does not balance */
static bool spread(const tgs_i_sdf *x, const fractions *f, int32_t *channel)
{
    for (bool more = true; more;) {
        more = false;
        for (int32_t e = 0; e < x->channels; e++) {
            const tgs_i_sdf_channel *c = &x->channel[e];
            const bool there = f->over[c->from], too = f->over[c->to];

            *channel = e;
            if (there && !too && !follow(f, c->from, c->to, c->produce, c->consume))
                return false;
            if (!there && too && !follow(f, c->to, c->from, c->consume, c->produce))
                return false;
            more |= there != too;
        }
    }
    return true;
}

static bool balanced(const tgs_i_sdf *x, int32_t *channel)
{
    for (int32_t e = 0; e < x->channels; e++) {
        const tgs_i_sdf_channel *c = &x->channel[e];

        *channel = e;
        if ((double)x->actor[c->from].times * (double)c->produce
            != (double)x->actor[c->to].times * (double)c->consume)
            return false;
    }
    return true;
}

/* whole numbers, as small as can be, of the actors reached since the last time */
static bool settle(tgs_i_sdf *x, const fractions *f)
{
    int64_t all = 1, shared = 0;

    for (int32_t a = 0; a < x->actors; a++)
        if (f->over[a] && !x->actor[a].times) {
            const int64_t more = f->under[a] / common(all, f->under[a]);

            if (all > MOST_FIRINGS / more)
                return false;
            all *= more;
        }
    for (int32_t a = 0; a < x->actors; a++)
        if (f->over[a] && !x->actor[a].times) {
            if (f->over[a] > MOST_FIRINGS / (all / f->under[a]))
                return false;
            shared = common(f->over[a] * (all / f->under[a]), shared);
        }
    for (int32_t a = 0; a < x->actors; a++)
        if (f->over[a] && !x->actor[a].times)
            x->actor[a].times = f->over[a] * (all / f->under[a]) / shared;
    return true;
}

/* channels without delays lead from earlier to later actors in some order */
static tgs_status check_cycles(const tgs_i_sdf *x, int32_t *channel)
{
    int32_t *depth = tgs_mem_alloc((size_t)x->actors, sizeof *depth);
    bool more = true;

    if (!depth)
        return TGS_ENOMEM;
    for (int32_t round = 0; round <= x->actors && more; round++) {
        more = false;
        for (int32_t e = 0; e < x->channels; e++) {
            const tgs_i_sdf_channel *c = &x->channel[e];

            if (c->delay || depth[c->to] > depth[c->from])
                continue;
            depth[c->to] = depth[c->from] + 1;
            *channel = e;
            more = true;
        }
    }
    tgs_mem_free(depth);
    return more ? TGS_ECYCLE : TGS_OK;
}

tgs_status tgs_i_sdf_repetitions(tgs_i_sdf *x, int32_t *channel)
{
    int64_t *room = tgs_mem_alloc(2 * (size_t)x->actors, sizeof *room);
    const fractions f = {room, room ? room + x->actors : NULL};
    tgs_status status = room ? TGS_OK : TGS_ENOMEM;

    *channel = 0;
    for (int32_t a = 0; a < x->actors; a++)
        x->actor[a].times = 0;
    for (int32_t a = 0; a < x->actors && !status; a++)
        if (!f.over[a]) {
            f.over[a] = f.under[a] = 1;
            if (!spread(x, &f, channel) || !settle(x, &f))
                status = TGS_EINVAL;
        }
    if (!status && !balanced(x, channel))
        status = TGS_EINVAL;
    if (!status)
        status = check_cycles(x, channel);
    tgs_mem_free(room);
    return status;
}

int64_t tgs_i_sdf_buffer(int64_t produce, int64_t consume, int64_t delay)
{
    const int64_t g = common(produce, consume), least = produce + consume - g;

    return delay > least ? delay : least + delay % g;
}

/* ---- schedules ---------------------------------------------------------------------------------
 */
enum { MOST_CALLS = 1000000 };

typedef struct playing {
    const tgs_i_sdf *x;
    const tgs_i_sdf_plan *p;
    int64_t *calls, *done; /* [actors] of all; begun */
    int64_t *first;        /* [actors] of its calls in end */
    double *end;           /* [calls] */
    int64_t *buffer;       /* [channels] tokens */
    double *core;          /* [cores] when it is free */
    double device;         /* when that is */
} playing;

static tgs_status open_playing(playing *l)
{
    const tgs_i_sdf *x = l->x;
    int64_t all = 0;

    l->calls = tgs_mem_alloc(3 * (size_t)x->actors, sizeof *l->calls);
    l->buffer = tgs_mem_alloc((size_t)x->channels, sizeof *l->buffer);
    l->core = tgs_mem_alloc((size_t)x->cores, sizeof *l->core);
    if (!l->calls || !l->buffer || !l->core)
        return TGS_ENOMEM;
    l->done = l->calls + x->actors;
    l->first = l->done + x->actors;
    for (int32_t a = 0; a < x->actors; a++) {
        l->calls[a] = x->actor[a].times * x->iterations / l->p->block[a];
        l->first[a] = all;
        all += l->calls[a];
        if (l->calls[a] > MOST_CALLS || all > MOST_CALLS)
            return TGS_ENOTAPPLICABLE;
    }
    for (int32_t e = 0; e < x->channels; e++) {
        const tgs_i_sdf_channel *c = &x->channel[e];

        l->buffer[e] = tgs_i_sdf_buffer(c->produce * l->p->block[c->from],
                                        c->consume * l->p->block[c->to], c->delay);
    }
    l->end = tgs_mem_alloc((size_t)all, sizeof *l->end);
    return l->end ? TGS_OK : TGS_ENOMEM;
}

static void close_playing(playing *l)
{
    tgs_mem_free(l->calls);
    tgs_mem_free(l->buffer);
    tgs_mem_free(l->core);
    tgs_mem_free(l->end);
}

/* the end of an actor's calls up to the count-th; INFINITY: not all of them have begun */
static double ended(const playing *l, int32_t actor, int64_t count)
{
    if (count <= 0)
        return 0;
    return count > l->done[actor] ? INFINITY : l->end[l->first[actor] + count - 1];
}

static int64_t ceiling(int64_t a, int64_t b) /* b > 0 */
{
    return a > 0 ? (a + b - 1) / b : 0;
}

/* when the buffers have room for what the actor's next call makes */
static double room_at(const playing *l, int32_t a, int32_t e)
{
    const tgs_i_sdf_channel *c = &l->x->channel[e];
    const int64_t made = (l->done[a] + 1) * l->p->block[a] * c->produce + c->delay;

    return ended(l, c->to, ceiling(made - l->buffer[e], c->consume * l->p->block[c->to]));
}

/* when the tokens are there that it reads */
static double tokens_at(const playing *l, int32_t a, int32_t e)
{
    const tgs_i_sdf_channel *c = &l->x->channel[e];
    const int64_t read = (l->done[a] + 1) * l->p->block[a] * c->consume - c->delay;

    return ended(l, c->from, ceiling(read, c->produce * l->p->block[c->from]));
}

/* when the next call of an actor can begin, wherever; *starved: it waits for tokens or its turn */
static double ready(const playing *l, int32_t a, bool *starved)
{
    double at = ended(l, a, l->done[a]);

    *starved = false;
    for (int32_t e = 0; e < l->x->channels; e++)
        if (l->x->channel[e].to == a) {
            at = fmax(at, tokens_at(l, a, e));
            *starved |= isinf(at);
        }
    for (int32_t e = 0; e < l->x->channels; e++)
        if (l->x->channel[e].from == a)
            at = fmax(at, room_at(l, a, e));
    return at;
}

static double *place(playing *l, int32_t side)
{
    double *least = l->core;

    if (side == TGS_I_SDF_DEVICE)
        return &l->device;
    for (int32_t k = 1; k < l->x->cores; k++)
        if (l->core[k] < *least)
            least = &l->core[k];
    return least;
}

static double length(const playing *l, int32_t a)
{
    const tgs_i_sdf_actor *actor = &l->x->actor[a];
    const int32_t side = l->p->side[a];
    bool crosses = false;

    for (int32_t e = 0; e < l->x->channels; e++)
        crosses |= l->x->channel[e].to == a && l->p->side[l->x->channel[e].from] != side;
    return actor->start[side] + actor->each[side] * (double)l->p->block[a]
           + (crosses ? l->x->change : 0);
}

/* the first channel in the way of an actor that has its tokens grows by what a call makes */
static bool grow(playing *l)
{
    for (int32_t e = 0; e < l->x->channels; e++) {
        const int32_t a = l->x->channel[e].from;
        bool starved;

        if (l->done[a] == l->calls[a])
            continue;
        ready(l, a, &starved);
        if (starved || !isinf(room_at(l, a, e)))
            continue;
        l->buffer[e] += l->x->channel[e].produce * l->p->block[a];
        return true;
    }
    return false;
}

/* false: nothing more can begin */
static bool begin_next(playing *l, double *makespan)
{
    int32_t next = -1;
    double first = INFINITY, *where;

    for (int32_t a = 0; a < l->x->actors; a++) {
        bool starved;
        double at;

        if (l->done[a] == l->calls[a])
            continue;
        at = fmax(ready(l, a, &starved), *place(l, l->p->side[a]));
        if (at < first) {
            first = at;
            next = a;
        }
    }
    if (next < 0)
        return false;
    where = place(l, l->p->side[next]);
    *where = first + length(l, next);
    l->end[l->first[next] + l->done[next]++] = *where;
    *makespan = fmax(*makespan, *where);
    return true;
}

static double memory_of(const playing *l)
{
    double bytes = 0;

    for (int32_t e = 0; e < l->x->channels; e++)
        bytes += (double)l->buffer[e] * l->x->channel[e].bytes;
    for (int32_t a = 0; a < l->x->actors; a++)
        bytes += (double)l->p->block[a] * l->x->actor[a].bytes;
    return bytes;
}

tgs_status tgs_i_sdf_schedule(const tgs_i_sdf *x, tgs_i_sdf_plan *p)
{
    playing l = {.x = x, .p = p};
    tgs_status status = open_playing(&l);
    double makespan = 0;
    bool all = true;

    for (int32_t a = 0; a < x->actors && !status; a++)
        if (isinf(x->actor[a].start[p->side[a]]) || isinf(x->actor[a].each[p->side[a]])
            || (p->side[a] == TGS_I_SDF_HOST && !x->cores))
            makespan = INFINITY;
    while (!status && !isinf(makespan) && (begin_next(&l, &makespan) || grow(&l)))
        ;
    for (int32_t a = 0; a < x->actors && !status; a++)
        all &= l.done[a] == l.calls[a];
    p->makespan = all ? makespan : INFINITY;
    p->memory = status ? INFINITY : memory_of(&l);
    close_playing(&l);
    return status;
}
