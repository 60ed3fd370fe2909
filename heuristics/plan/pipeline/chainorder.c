/* chainorder.c -- the order of unlike devices in which a chain of layers is cut best (chain.c).
 *
 * Few orders are searched by depth: orders that begin alike share the rows of F for what they begin
 * with.  No stage can be shorter than what is left, shared among the devices that are left by their
 * speeds: each layer counts with the least part of a device's time that it takes on any of them.
 * Where that leaves nothing below the best that is known, no order that begins so is looked at.
 * Bounds little above what computing takes are tried first. */
#include <string.h>
#include "../step.h"

typedef struct search {
    const tgs_i_chain *x;
    int32_t k, *trial, *trial_cut, *order, *cut;
    double longest;
    int64_t left; /* orders that a climb may still try */
    tgs_status status;
    tgs_i_chain_f *row; /* [k + 1] of the first positions of trial; NULL: it climbs */
    double *work;       /* [n + 1] of the layers before: least parts of a device's time */
    double *speed;      /* [device] devices' times per second */
    double flight;      /* the fewest micro-batches under way anywhere */
} search;

static void swap(int32_t *a, int32_t *b)
{
    const int32_t c = *a;

    *a = *b;
    *b = c;
}

/* ---- every order ---- */
static tgs_status open_rows(search *s)
{
    const tgs_i_chain *x = s->x;
    const size_t n = (size_t)x->n + 1, k = (size_t)s->k;
    double *room = tgs_mem_alloc(n * (k + 2) + (size_t)x->devices, sizeof *room);
    int32_t *from = tgs_mem_alloc(n * (k + 1), sizeof *from);

    s->row = tgs_mem_alloc(k + 1, sizeof *s->row);
    s->work = room;
    if (!s->row || !room || !from) {
        tgs_mem_free(from);
        return TGS_ENOMEM;
    }
    s->speed = room + n * (k + 2);
    for (size_t p = 0; p <= k; p++)
        s->row[p] = (tgs_i_chain_f){0, 0, room + n * (p + 1), from + n * p};
    for (int32_t p = 0; p < s->k; p++) {
        const int32_t d = s->trial[p];
        const double *time = x->time + (int64_t)d * (x->n + 1);

        s->speed[d] = time[x->n] > 0 ? 1 / time[x->n] : 1;
        for (int32_t i = 0; i < x->n; i++) {
            const double part = (time[i + 1] - time[i]) * s->speed[d];

            s->work[i + 1] = p ? fmin(s->work[i + 1], part) : part;
        }
        s->flight = p ? fmin(s->flight, x->flight ? x->flight[p] : 1) : x->flight ? *x->flight : 1;
    }
    for (int32_t i = 0; i < x->n; i++)
        s->work[i + 1] += s->work[i];
    return TGS_OK;
}

static void close_rows(search *s)
{
    if (s->row)
        tgs_mem_free(s->row[0].from);
    tgs_mem_free(s->row);
    tgs_mem_free(s->work);
}

/* can devices of so much speed and so many bytes hold the layers from i on, by their sums? */
static bool hold_rest(const search *s, double speed, double bytes, int32_t i)
{
    const tgs_i_chain *x = s->x;
    const double slack = 1 + 1e-9; /* sums are rounded */

    if (s->work[x->n] - s->work[i] > s->longest * speed * slack)
        return false;
    return !x->capacity
           || x->fixed[x->n] - x->fixed[i] + s->flight * (x->saved[x->n] - x->saved[i])
                  <= bytes * slack;
}

/* row p, when it is known which device is at position p and behind which; false: nothing is left */
static bool extend(search *s, int32_t p)
{
    const tgs_i_chain *x = s->x;
    const tgs_i_chain_f *f = &s->row[p - 1];
    tgs_i_chain_f *to = &s->row[p];
    const double *time = x->time + (int64_t)s->trial[p - 1] * (x->n + 1);
    double speed = 0, bytes = 0;

    for (int32_t q = p; q < s->k; q++) {
        speed += s->speed[s->trial[q]];
        bytes += x->capacity ? x->capacity[s->trial[q]] : 0;
    }
    to->low = to->high = x->n - (s->k - p);
    while (to->low > f->low + 1 && hold_rest(s, speed, bytes, to->low - 1))
        to->low--;
    while (to->high > to->low && !(time[to->high] - time[f->high] < s->longest))
        to->high--;
    tgs_i_chain_row(x, s->trial, s->k, p - 1, s->longest, f, to);
    while (to->high >= to->low && !(to->f[to->high - to->low] < INFINITY))
        to->high--;
    return to->low <= to->high;
}

/* the rows of all positions are known */
static void record(search *s)
{
    const tgs_i_chain_f *last = &s->row[s->k];

    if (!(last->f[0] < s->longest))
        return;
    s->longest = last->f[0];
    memcpy(s->order, s->trial, (size_t)s->k * sizeof *s->order);
    s->cut[s->k] = s->x->n;
    for (int32_t p = s->k; p > 0; p--)
        s->cut[p - 1] = s->row[p].from[s->cut[p] - s->row[p].low];
}

/* every order of the positions from p on, but those that only exchange devices of one type */
static void permute(search *s, int32_t p)
{
    for (int32_t i = p; i < s->k; i++) {
        bool seen = false;

        for (int32_t j = p; j < i; j++)
            seen |= s->x->type[s->trial[j]] == s->x->type[s->trial[i]];
        if (seen)
            continue;
        swap(&s->trial[p], &s->trial[i]);
        if (!p || extend(s, p)) {
            if (p + 1 < s->k)
                permute(s, p + 1);
            else if (extend(s, s->k))
                record(s);
        }
        swap(&s->trial[p], &s->trial[i]);
    }
}

/* below growing bounds, until there is one */
static tgs_status search_all(search *s)
{
    const double given = s->longest;
    tgs_status status = open_rows(s);
    double least = 0, below = 0;

    for (int32_t p = 0; p < s->k && !status; p++)
        least += s->speed[s->trial[p]];
    if (!status)
        least = s->work[s->x->n] / least;
    for (double slack = 0.0625; !status && s->k <= s->x->n && below < given; slack *= 4) {
        s->longest = below = fmin(given, least > 0 && slack < 100 ? least * (1 + slack) : INFINITY);
        permute(s, 0);
        if (s->longest < below)
            break;
    }
    if (!(s->longest < below))
        s->longest = given;
    close_rows(s);
    return status;
}

/* distinct orders of the types, capped */
static int64_t orders_of(const search *s, int64_t most)
{
    double count = 1;

    for (int32_t i = 0; i < s->k; i++) {
        int32_t same = 1;

        for (int32_t j = 0; j < i; j++)
            same += s->x->type[s->trial[j]] == s->x->type[s->trial[i]];
        count = count * (i + 1) / same;
    }
    return count > (double)most ? most + 1 : (int64_t)count;
}

/* ---- some of the orders ---- */
static void try_order(search *s)
{
    double longest;

    s->left--;
    s->status = tgs_i_chain_cut(s->x, s->trial, s->k, s->longest, s->trial_cut, &longest);
    if (s->status || !(longest < s->longest))
        return;
    s->longest = longest;
    memcpy(s->order, s->trial, (size_t)s->k * sizeof *s->order);
    memcpy(s->cut, s->trial_cut, (size_t)(s->k + 1) * sizeof *s->cut);
}

/* too many to try them all: exchanges of two that help, from the order that was given */
static void climb(search *s)
{
    bool better = true;

    try_order(s);
    while (better && !s->status && s->left > 0) {
        better = false;
        for (int32_t i = 0; i < s->k && !better; i++)
            for (int32_t j = i + 1; j < s->k && !better && s->left > 0; j++) {
                const double before = s->longest;

                if (s->x->type[s->trial[i]] == s->x->type[s->trial[j]])
                    continue;
                swap(&s->trial[i], &s->trial[j]);
                try_order(s);
                better = s->longest < before;
                if (!better)
                    swap(&s->trial[i], &s->trial[j]);
            }
    }
}

tgs_status tgs_i_chain_order(const tgs_i_chain *x, int32_t k, int32_t *order, int32_t *cut,
                             int64_t most, double bound, double *longest)
{
    search s = {.x = x, .k = k, .order = order, .cut = cut, .longest = bound, .left = most};

    s.trial = tgs_mem_alloc((size_t)k, sizeof *s.trial);
    s.trial_cut = tgs_mem_alloc((size_t)k + 1, sizeof *s.trial_cut);
    if (s.trial && s.trial_cut) {
        memcpy(s.trial, order, (size_t)k * sizeof *order);
        if (orders_of(&s, most) <= most)
            s.status = search_all(&s);
        else {
            s.longest = INFINITY; /* the way below the bound may begin above it */
            climb(&s);
        }
    } else
        s.status = TGS_ENOMEM;
    tgs_mem_free(s.trial);
    tgs_mem_free(s.trial_cut);
    *longest = s.longest < bound ? s.longest : INFINITY;
    return s.status;
}
