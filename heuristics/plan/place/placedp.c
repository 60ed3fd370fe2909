/* placedp.c -- the best contiguous placement: the paper's dynamic program over ideals, bounded.
 *
 *   dp[used][J] = min over ideals I in J and groups g of max(dp[used - g][I], load of J \ I on g)
 *
 * walked forward: from each ideal I by adding one class at a time, with loads that are counted step
 * by step.  Cut off are a group when what it must compute and transfer for sure is too much or does
 * not fit, a state that another one dominates, and a state from which what is left is too much for
 * the devices that are left, each measured by the best placement known.  A load can fall again when
 * a class is added (a transfer becomes inner), but times, and transfers from or to I, cannot. */
#include <string.h>
#include "place.h"

typedef struct frame {
    int32_t ideal, added; /* the class that led here */
    int64_t edge;         /* the next one to follow */
    uint64_t alive;       /* groups on which the set can still be put */
    double size;
} frame;

typedef struct search {
    const tgs_i_place_graph *g;
    const tgs_i_place_devices *d;
    const tgs_i_ideals *x;
    int32_t states, *stride; /* [groups] of mixed radix numbers: devices used, per group */
    double *value;           /* [ideal * states + state] */
    int32_t *from;           /* ... the ideal before */
    uint8_t *via;            /* ... the group between */
    double *rest;            /* [ideal] least work that is not in it, */
    double *capacity;        /* [state] and how much of it the devices not used do in a second */
    int32_t *stamp;          /* [ideal] of the last source it was reached from, + 1 */
    int32_t *inside;         /* [item] readers in the set */
    bool *made;              /* [item] its maker is in the set */
    frame *path;             /* [n + 1] */
    double *sums;          /* [(n + 1) * groups * 3] of a frame and group: times; sure; transfers */
    int32_t *live, *lives; /* [group * states]; [groups] states of the source with such a device */
    double best;
    int32_t best_state; /* of the ideal that is all; -1 none */
    int64_t pairs;
} search;

static int32_t used(const search *s, int32_t state, int32_t group)
{
    return state / s->stride[group] % (s->d->count[group] + 1);
}

/* ---- opening -----------------------------------------------------------------------------------
 */
double tgs_i_place_price(const tgs_i_place_graph *g, int32_t group)
{
    double here = 0, least = 0;

    for (int32_t c = 0; c < g->n; c++) {
        const double *time = &g->time[(int64_t)c * g->groups];
        double most = time[group];

        if (isinf(most))
            continue;
        here += most;
        for (int32_t q = 0; q < g->groups; q++)
            most = fmin(most, time[q]);
        least += most;
    }
    return here > 0 ? least / here : 1;
}

double tgs_i_place_least(const tgs_i_place_graph *g, const double *price, int32_t c)
{
    double least = INFINITY;

    for (int32_t q = 0; q < g->groups; q++)
        if (g->time[(int64_t)c * g->groups + q] < INFINITY)
            least = fmin(least, price[q] * g->time[(int64_t)c * g->groups + q]);
    return least;
}

/* rest and capacity: the ideals are by size, so that those with a member more come later */
static tgs_status measure(search *s)
{
    double *price = tgs_mem_alloc((size_t)s->g->groups, sizeof *price);

    if (!price)
        return TGS_ENOMEM;
    for (int32_t q = 0; q < s->g->groups; q++)
        price[q] = tgs_i_place_price(s->g, q);
    for (int32_t i = s->x->count - 2; i >= 0; i--)
        s->rest[i] = s->rest[s->x->next[s->x->next_at[i]]]
                     + tgs_i_place_least(s->g, price, s->x->added[s->x->next_at[i]]);
    for (int32_t k = 0; k < s->states; k++)
        for (int32_t q = 0; q < s->g->groups; q++)
            s->capacity[k] += price[q] * (s->d->count[q] - used(s, k, q));
    tgs_mem_free(price);
    return TGS_OK;
}

static tgs_status open_search(search *s)
{
    const size_t n = (size_t)s->g->n, groups = (size_t)s->g->groups, items = (size_t)s->g->items;
    const size_t ideals = (size_t)s->x->count, states = (size_t)s->states;

    s->value = tgs_mem_alloc(ideals * states, sizeof *s->value);
    s->from = tgs_mem_alloc(ideals * states, sizeof *s->from);
    s->via = tgs_mem_alloc(ideals * states, sizeof *s->via);
    s->rest = tgs_mem_alloc(ideals, sizeof *s->rest);
    s->capacity = tgs_mem_alloc(states, sizeof *s->capacity);
    s->stamp = tgs_mem_alloc(ideals, sizeof *s->stamp);
    s->inside = tgs_mem_alloc(items, sizeof *s->inside);
    s->made = tgs_mem_alloc(items, sizeof *s->made);
    s->path = tgs_mem_alloc(n + 1, sizeof *s->path);
    s->sums = tgs_mem_alloc((n + 1) * groups * 3, sizeof *s->sums);
    s->live = tgs_mem_alloc(groups * states, sizeof *s->live);
    s->lives = tgs_mem_alloc(groups, sizeof *s->lives);
    if (!s->value || !s->from || !s->via || !s->rest || !s->capacity || !s->stamp || !s->inside
        || !s->made || !s->path || !s->sums || !s->live || !s->lives)
        return TGS_ENOMEM;
    for (size_t i = 0; i < ideals * states; i++)
        s->value[i] = INFINITY;
    s->value[0] = 0; /* the empty ideal, with no device used */
    return measure(s);
}

static void close_search(search *s)
{
    tgs_mem_free(s->stride);
    tgs_mem_free(s->value);
    tgs_mem_free(s->from);
    tgs_mem_free(s->via);
    tgs_mem_free(s->rest);
    tgs_mem_free(s->capacity);
    tgs_mem_free(s->stamp);
    tgs_mem_free(s->inside);
    tgs_mem_free(s->made);
    tgs_mem_free(s->path);
    tgs_mem_free(s->sums);
    tgs_mem_free(s->live);
    tgs_mem_free(s->lives);
}

/* ---- from one ideal ----------------------------------------------------------------------------
 */
/* a state with no device more that is no worse makes this one superfluous */
static bool dominated(const search *s, const double *value, int32_t state)
{
    for (int32_t q = 0; q < s->g->groups; q++)
        if (used(s, state, q) > 0 && value[state - s->stride[q]] <= value[state])
            return true;
    return false;
}

/* the groups of which some live state has a device left */
static uint64_t find_live(search *s, int32_t ideal)
{
    double *value = &s->value[(int64_t)ideal * s->states];
    uint64_t groups = 0;

    memset(s->lives, 0, (size_t)s->g->groups * sizeof *s->lives);
    for (int32_t k = 0; k < s->states; k++) {
        if (!(value[k] < s->best) || s->rest[ideal] > s->best * s->capacity[k] * (1 + 1e-12)
            || dominated(s, value, k))
            continue;
        for (int32_t q = 0; q < s->g->groups; q++)
            if (used(s, k, q) < s->d->count[q]) {
                s->live[(int64_t)q * s->states + s->lives[q]++] = k;
                groups |= (uint64_t)1 << q;
            }
    }
    return groups;
}

static bool source_has(const search *s, int32_t node)
{
    return tgs_i_ideal_has(s->x, s->path[0].ideal, node);
}

static bool read_before(const search *s, int32_t item)
{
    for (int32_t k = s->g->item_at[item]; k < s->g->item_at[item + 1]; k++)
        if (source_has(s, s->g->item_to[k]))
            return true;
    return false;
}

/* transfers of an item, times count (of which sure count are for sure), to the sums of a frame */
static inline void charge(const search *s, double *sum, int32_t item, int32_t count, int32_t sure)
{
    const double *cost = &s->g->item_cost[(int64_t)item * s->g->groups];

    for (int32_t q = 0; q < s->g->groups && (count || sure); q++) {
        sum[3 * q + 1] += sure * cost[q];
        sum[3 * q + 2] += count * cost[q];
    }
}

/* the frame that has class c more */
static void add_class(search *s, const frame *f, const double *sum, int32_t c, frame *next,
                      double *into)
{
    const tgs_i_place_graph *g = s->g;

    memcpy(into, sum, 3 * (size_t)g->groups * sizeof *into);
    next->size = f->size + g->size[c];
    next->added = c;
    for (int32_t q = 0; q < g->groups; q++)
        into[3 * q] += g->time[(int64_t)c * g->groups + q];
    for (int32_t k = g->use_at[c]; k < g->use_at[c + 1]; k++) {
        const int32_t i = g->use[k], all = g->item_at[i + 1] - g->item_at[i];
        const int32_t before = s->inside[i]++;

        if (!s->made[i] && before == 0)
            charge(s, into, i, 1, source_has(s, g->item_from[i]));
        else if (s->made[i] && before + 1 == all)
            charge(s, into, i, -1, 0);
    }
    for (int32_t k = g->make_at[c]; k < g->make_at[c + 1]; k++) {
        const int32_t i = g->make[k], all = g->item_at[i + 1] - g->item_at[i];

        s->made[i] = true;
        charge(s, into, i, (s->inside[i] < all) - (s->inside[i] > 0), read_before(s, i));
    }
    next->alive = 0;
    for (int32_t q = 0; q < g->groups; q++)
        if (f->alive >> q & 1 && into[3 * q] + into[3 * q + 1] < s->best
            && next->size <= s->d->memory[q])
            next->alive |= (uint64_t)1 << q;
}

static void take_back(search *s, int32_t c)
{
    for (int32_t k = s->g->use_at[c]; k < s->g->use_at[c + 1]; k++)
        s->inside[s->g->use[k]]--;
    for (int32_t k = s->g->make_at[c]; k < s->g->make_at[c + 1]; k++)
        s->made[s->g->make[k]] = false;
}

static void relax(search *s, const frame *f, const double *sum)
{
    const int32_t source = s->path[0].ideal;
    const double *before = &s->value[(int64_t)source * s->states];

    s->pairs++;
    for (int32_t q = 0; q < s->g->groups; q++) {
        const double load = s->d->host[q] ? sum[3 * q] : sum[3 * q] + sum[3 * q + 2];

        double *into = &s->value[(int64_t)f->ideal * s->states + s->stride[q]];

        if (!(f->alive >> q & 1) || !(load < s->best))
            continue;
        for (int32_t i = 0; i < s->lives[q]; i++) {
            const int32_t state = s->live[(int64_t)q * s->states + i];
            const double value = before[state] > load ? before[state] : load;
            int64_t at;

            if (!(value < s->best) || !(value < into[state]))
                continue;
            at = (int64_t)f->ideal * s->states + state + s->stride[q];
            s->value[at] = value;
            s->from[at] = source;
            s->via[at] = (uint8_t)q;
            if (f->ideal == s->x->count - 1) {
                s->best = value;
                s->best_state = state + s->stride[q];
            }
        }
    }
}

/* every ideal that holds the source, as long as some group could take the difference */
static void spread(search *s, int32_t source, uint64_t alive)
{
    const size_t width = 3 * (size_t)s->g->groups;
    int32_t depth = 0;

    s->path[0] = (frame){source, -1, s->x->next_at[source], alive, 0};
    memset(s->sums, 0, width * sizeof *s->sums);
    while (depth >= 0) {
        frame *f = &s->path[depth], *next = f + 1;
        double *sum = &s->sums[(size_t)depth * width];

        if (f->edge == s->x->next_at[f->ideal + 1]) {
            if (depth > 0)
                take_back(s, f->added);
            depth--;
            continue;
        }
        const int64_t e = f->edge++;

        if (s->stamp[s->x->next[e]] == source + 1)
            continue;
        s->stamp[s->x->next[e]] = source + 1;
        add_class(s, f, sum, s->x->added[e], next, sum + width);
        if (!next->alive) {
            take_back(s, s->x->added[e]);
            continue;
        }
        next->ideal = s->x->next[e];
        next->edge = s->x->next_at[next->ideal];
        relax(s, next, sum + width);
        depth++;
    }
}

/* ---- the answer --------------------------------------------------------------------------------
 */
static void trace_back(const search *s, tgs_i_place_answer *a)
{
    int32_t ideal = s->x->count - 1, state = s->best_state;

    while (ideal > 0) {
        const int64_t at = (int64_t)ideal * s->states + state;
        const int32_t q = s->via[at], before = s->from[at];
        const int32_t device = s->d->first[q] + used(s, state, q) - 1;

        for (int32_t c = 0; c < s->g->n; c++)
            if (tgs_i_ideal_has(s->x, ideal, c) && !tgs_i_ideal_has(s->x, before, c))
                a->device[c] = device;
        ideal = before;
        state -= s->stride[q];
    }
}

int64_t tgs_i_place_states(const tgs_i_place_devices *d)
{
    int64_t states = 1;

    for (int32_t q = 0; q < d->groups && states <= TGS_I_PLACE_STATES; q++)
        states *= d->count[q] + 1;
    return states;
}

tgs_status tgs_i_place_dp(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                          const tgs_i_ideals *x, tgs_i_place_answer *a, bool (*stop)(void *),
                          void *user)
{
    search s = {.g = g, .d = d, .x = x, .best = a->value, .best_state = -1};
    const int64_t states = tgs_i_place_states(d);
    tgs_status status = states > TGS_I_PLACE_STATES || d->groups > 64 ? TGS_ENOTAPPLICABLE : TGS_OK;

    s.states = (int32_t)states;
    s.stride = tgs_mem_alloc((size_t)d->groups, sizeof *s.stride);
    if (!s.stride)
        status = TGS_ENOMEM;
    for (int32_t q = 0, k = 1; q < d->groups && !status; q++) {
        s.stride[q] = k;
        k *= d->count[q] + 1;
    }
    if (!status)
        status = open_search(&s);
    for (int32_t i = 0; i + 1 < x->count && !status && !a->stopped; i++) {
        const uint64_t alive = find_live(&s, i);

        if (alive)
            spread(&s, i, alive);
        a->stopped = stop && i % 64 == 0 && stop(user);
    }
    if (!status && s.best_state >= 0) {
        a->value = s.best;
        trace_back(&s, a);
    }
    a->pairs += s.pairs;
    close_search(&s);
    return status;
}
