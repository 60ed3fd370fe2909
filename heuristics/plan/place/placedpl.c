/* placedpl.c -- the paper's DPL: the dynamic program along a depth-first topological order, whose
 * ideals are the n + 1 beginnings of it. */
#include "place.h"

/* What was set free last comes next.  Odd numbers are of the reverse graph, from its end; 0 and 1
 * take what stands first, the others any. */
void tgs_i_place_depth_first(const tgs_i_place_graph *g, int32_t number, int32_t *order,
                             int32_t *scratch)
{
    const bool turned = number % 2;
    const int32_t *at = turned ? g->pred_at : g->succ_at, *to = turned ? g->pred : g->succ;
    const int32_t *back = turned ? g->succ_at : g->pred_at;
    int32_t *waits = scratch, *stack = scratch + g->n, ready = 0, done = 0;
    tgs_rng draw;

    tgs_rng_seed(&draw, (uint64_t)number);
    for (int32_t c = g->n - 1; c >= 0; c--) {
        waits[c] = back[c + 1] - back[c];
        if (!waits[c])
            stack[ready++] = c;
    }
    while (ready > 0) {
        const int32_t c = stack[--ready], first = ready;

        order[turned ? g->n - 1 - done : done] = c;
        done++;
        for (int32_t k = at[c + 1] - 1; k >= at[c]; k--)
            if (--waits[to[k]] == 0)
                stack[ready++] = to[k];
        for (int32_t i = ready - 1; i > first && number > 1; i--) {
            const int32_t j = (int32_t)tgs_rng_int(&draw, first, i), kept = stack[i];

            stack[i] = stack[j];
            stack[j] = kept;
        }
    }
}

/* ---- along an order ----------------------------------------------------------------------------
 *
 *   dp[used][e + 1] = min over b and groups g of max(dp[used - g][b], load of [b, e] on g)
 *
 * cut off as in placedp.c. */
typedef struct chain {
    const tgs_i_place_graph *g;
    const tgs_i_place_devices *d;
    tgs_i_pieces piece;
    int32_t states, *stride; /* [groups] of mixed radix numbers: devices used, per group */
    bool *full;              /* [group * states + state] no device is left */
    double *value;           /* [position * states + state] */
    int32_t *from;           /* ... where the last piece begins */
    uint8_t *via;            /* ... its group */
    double *rest, *capacity; /* [n + 1] least work behind; [states] what is left does in a second */
    double *time;            /* [group * (n + 1) + position] of what is before, where it can be */
    int32_t *live;           /* states that are worth going on from, by position */
    int64_t *live_at, room;  /* [n + 2] */
    double best;
    int32_t best_state; /* -1 none */
    int64_t pairs;
} chain;

static int32_t used(const chain *x, int32_t state, int32_t group)
{
    return state / x->stride[group] % (x->d->count[group] + 1);
}

static tgs_status measure(chain *x, const int32_t *order)
{
    const int32_t n = x->g->n, groups = x->g->groups;
    double *price = tgs_mem_alloc((size_t)groups, sizeof *price);

    if (!price)
        return TGS_ENOMEM;
    for (int32_t q = 0; q < groups; q++)
        price[q] = tgs_i_place_price(x->g, q);
    for (int32_t i = n - 1; i >= 0; i--)
        x->rest[i] = x->rest[i + 1] + tgs_i_place_least(x->g, price, order[i]);
    for (int32_t k = 0; k < x->states; k++)
        for (int32_t q = 0; q < groups; q++) {
            x->capacity[k] += price[q] * (x->d->count[q] - used(x, k, q));
            x->full[q * x->states + k] = used(x, k, q) == x->d->count[q];
        }
    for (int32_t q = 0; q < groups; q++)
        for (int32_t i = 0; i < n; i++) {
            const double t = x->g->time[(int64_t)order[i] * groups + q];
            double *at = &x->time[(int64_t)q * (n + 1) + i];

            at[1] = at[0] + (isinf(t) ? 0 : t);
        }
    tgs_mem_free(price);
    return TGS_OK;
}

static tgs_status open_chain(chain *x, const int32_t *order)
{
    const size_t places = (size_t)x->g->n + 1, states = (size_t)x->states;
    const size_t groups = (size_t)x->g->groups;
    const tgs_status status = tgs_i_pieces_open(&x->piece, x->g, x->d, order);

    x->stride = tgs_mem_alloc(groups, sizeof *x->stride);
    x->full = tgs_mem_alloc(groups * states, sizeof *x->full);
    x->value = tgs_mem_alloc(places * states, sizeof *x->value);
    x->from = tgs_mem_alloc(places * states, sizeof *x->from);
    x->via = tgs_mem_alloc(places * states, sizeof *x->via);
    x->rest = tgs_mem_alloc(places, sizeof *x->rest);
    x->capacity = tgs_mem_alloc(states, sizeof *x->capacity);
    x->time = tgs_mem_alloc(places * groups, sizeof *x->time);
    x->live_at = tgs_mem_alloc(places + 1, sizeof *x->live_at);
    if (status || !x->stride || !x->full || !x->value || !x->from || !x->via || !x->rest
        || !x->capacity || !x->time || !x->live_at)
        return TGS_ENOMEM;
    for (int32_t q = 0, k = 1; q < x->g->groups; q++) {
        x->stride[q] = k;
        k *= x->d->count[q] + 1;
    }
    for (size_t i = 1; i < places * states; i++)
        x->value[i] = INFINITY;
    return measure(x, order);
}

static void close_chain(chain *x)
{
    tgs_i_pieces_close(&x->piece);
    tgs_mem_free(x->stride);
    tgs_mem_free(x->full);
    tgs_mem_free(x->value);
    tgs_mem_free(x->from);
    tgs_mem_free(x->via);
    tgs_mem_free(x->rest);
    tgs_mem_free(x->capacity);
    tgs_mem_free(x->time);
    tgs_mem_free(x->live);
    tgs_mem_free(x->live_at);
}

static bool dominated(const chain *x, const double *value, int32_t state)
{
    for (int32_t q = 0; q < x->g->groups; q++)
        if (used(x, state, q) > 0 && value[state - x->stride[q]] <= value[state])
            return true;
    return false;
}

/* the states of a position, which is reached no more */
static tgs_status list_live(chain *x, int32_t position)
{
    const double *value = &x->value[(int64_t)position * x->states];
    int64_t at = x->live_at[position];

    if (tgs_mem_grow(&x->live, &x->room, at + x->states, sizeof *x->live))
        return TGS_ENOMEM;
    for (int32_t k = 0; k < x->states; k++)
        if (value[k] < x->best && x->rest[position] <= x->best * x->capacity[k] * (1 + 1e-12)
            && !dominated(x, value, k))
            x->live[at++] = k;
    x->live_at[position + 1] = at;
    return TGS_OK;
}

static void relax(chain *x, int32_t b, int32_t q, double load)
{
    const int32_t end = x->piece.e + 1, stride = x->stride[q];
    const bool *full = &x->full[q * x->states];
    const double *before = &x->value[(int64_t)b * x->states];
    double *after = &x->value[(int64_t)end * x->states + stride];

    for (int64_t i = x->live_at[b]; i < x->live_at[b + 1]; i++) {
        const int32_t state = x->live[i];
        const double value = before[state] > load ? before[state] : load;
        const int64_t at = (int64_t)end * x->states + state + stride;

        if (full[state] || !(value < after[state]) || !(value < x->best))
            continue;
        after[state] = value;
        x->from[at] = b;
        x->via[at] = (uint8_t)q;
        if (end == x->g->n) {
            x->best = value;
            x->best_state = state + stride;
        }
    }
}

/* all pieces that end with the next class; those that take too long take no less when they go on */
static void pieces_to_next(chain *x)
{
    const int32_t n = x->g->n, groups = x->g->groups;
    int32_t first;

    tgs_i_pieces_next(&x->piece);
    first = x->piece.e + 1;
    for (int32_t q = 0; q < groups; q++) {
        const double *time = &x->time[(int64_t)q * (n + 1)];
        int32_t *low = &x->piece.low[q];

        while (*low <= x->piece.e && (time[x->piece.e + 1] - time[*low]) * (1 - 1e-9) > x->best)
            (*low)++;
        first = *low < first ? *low : first;
    }
    for (int32_t b = first; b <= x->piece.e; b++) {
        if (x->live_at[b] == x->live_at[b + 1])
            continue;
        x->pairs++;
        for (int32_t q = 0; q < groups; q++)
            if (b >= x->piece.low[q] && x->piece.cost[(int64_t)q * n + b] < x->best)
                relax(x, b, q, x->piece.cost[(int64_t)q * n + b]);
    }
}

static void trace_back(const chain *x, int32_t *device)
{
    int32_t end = x->g->n, state = x->best_state;

    while (end > 0) {
        const int64_t at = (int64_t)end * x->states + state;
        const int32_t q = x->via[at];

        for (int32_t i = x->from[at]; i < end; i++)
            device[x->piece.order[i]] = x->d->first[q] + used(x, state, q) - 1;
        end = x->from[at];
        state -= x->stride[q];
    }
}

static tgs_status along(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                        const int32_t *order, tgs_i_place_answer *a, bool (*stop)(void *),
                        void *user)
{
    chain x = {.g = g,
               .d = d,
               .states = (int32_t)tgs_i_place_states(d),
               .best = a->value,
               .best_state = -1};
    tgs_status status = open_chain(&x, order);

    for (int32_t e = 0; e < g->n && !status && !a->stopped; e++) {
        status = list_live(&x, e);
        if (!status)
            pieces_to_next(&x);
        a->stopped = stop && e % 64 == 0 && stop(user);
    }
    if (!status && x.best_state >= 0) {
        a->value = x.best;
        trace_back(&x, a->device);
    }
    a->pairs += x.pairs;
    close_chain(&x);
    return status;
}

tgs_status tgs_i_place_dpl(const tgs_i_place_graph *g, const tgs_i_place_devices *d, int32_t orders,
                           tgs_i_place_answer *a, bool (*stop)(void *), void *user)
{
    int32_t *room;
    tgs_status status = TGS_OK;

    if (tgs_i_place_states(d) > TGS_I_PLACE_STATES || d->groups > 64)
        return TGS_ENOTAPPLICABLE;
    room = tgs_mem_alloc(3 * (size_t)g->n, sizeof *room);
    if (!room)
        return TGS_ENOMEM;
    for (int32_t k = 0; k < orders && !status && !a->stopped; k++) {
        tgs_i_place_depth_first(g, k, room + 2 * g->n, room);
        status = along(g, d, room + 2 * g->n, a, stop, user);
    }
    tgs_mem_free(room);
    return status;
}
