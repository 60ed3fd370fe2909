/* chain.c -- contiguous min-max partition of a chain of layers over an ordered list of unlike
 * devices, and the search over that order.
 *
 * F(p, j) = min over i < j of max(F(p - 1, i), stage(p, i, j)), where stage holds the layers i to
 * j - 1 on the device at position p, with what it receives at both of its cuts.  A stage's compute
 * time only grows to the left, so that the search for i ends where it alone exceeds the best that
 * is known; and cuts are sought only where the compute times of all stages before and behind leave
 * room below the bound.  O(k n^2) at most. */
#include <string.h>
#include "../step.h"

/* seconds of layers [i, j) at position p of order; INFINITY: it does not fit */
double tgs_i_chain_stage(const tgs_i_chain *x, const int32_t *order, int32_t k, int32_t p,
                         int32_t i, int32_t j)
{
    const int32_t d = order[p];
    const double *time = x->time + (int64_t)d * (x->n + 1);
    const double flight = x->flight ? x->flight[p] : 1;
    double sum = time[j] - time[i];

    if (x->capacity
        && x->fixed[j] - x->fixed[i] + flight * (x->saved[j] - x->saved[i]) > x->capacity[d])
        return INFINITY;
    if (p > 0 && x->lat)
        sum += x->lat[order[p - 1] * x->devices + d]
               + x->cut[i] * x->inv[order[p - 1] * x->devices + d];
    if (p + 1 < k && x->lat)
        sum += x->lat[order[p + 1] * x->devices + d]
               + x->cut[j] * x->inv[order[p + 1] * x->devices + d];
    return sum;
}

/* Where cuts can be: [low[p], high[p]] before the stage at position p, when no stage computes for
 * as long as the bound, and each has a layer.  false: nowhere. */
static bool windows(const tgs_i_chain *x, const int32_t *order, int32_t k, double bound,
                    int32_t *low, int32_t *high)
{
    low[k] = high[k] = x->n;
    for (int32_t p = k - 1; p >= 0; p--) {
        const double *time = x->time + (int64_t)order[p] * (x->n + 1);

        low[p] = low[p + 1] - 1;
        while (low[p] > p && time[low[p + 1]] - time[low[p] - 1] < bound)
            low[p]--;
    }
    high[0] = 0;
    for (int32_t p = 0; p + 1 < k; p++) {
        const double *time = x->time + (int64_t)order[p] * (x->n + 1);

        high[p + 1] = high[p] + 1;
        while (high[p + 1] < x->n - (k - 1 - p) && time[high[p + 1] + 1] - time[high[p]] < bound)
            high[p + 1]++;
    }
    for (int32_t p = 0; p <= k; p++)
        if (low[p] > high[p])
            return false;
    return true;
}

/* F(p + 1, j): the best i, from high[p] or j - 1 down */
static void best_cut(const tgs_i_chain *x, const int32_t *order, int32_t k, int32_t p, int32_t j,
                     const int32_t *low, const int32_t *high, double bound, const double *f,
                     double *to, int32_t *from)
{
    const double *time = x->time + (int64_t)order[p] * (x->n + 1);
    double best = bound;

    *to = INFINITY;
    *from = -1;
    for (int32_t i = high[p] < j ? high[p] : j - 1; i >= low[p] && time[j] - time[i] < best; i--) {
        double longest = f[i];

        if (longest < best) {
            const double stage = tgs_i_chain_stage(x, order, k, p, i, j);

            longest = stage > longest ? stage : longest;
        }
        if (longest < best) {
            *to = best = longest;
            *from = i;
        }
    }
}

tgs_status tgs_i_chain_cut(const tgs_i_chain *x, const int32_t *order, int32_t k, double bound,
                           int32_t *cut, double *longest)
{
    const size_t row = (size_t)x->n + 1, size = row * ((size_t)k + 1);
    int32_t *low = tgs_mem_alloc(2 * ((size_t)k + 1), sizeof *low);
    int32_t *high = low ? low + k + 1 : NULL, *from = NULL;
    double *f = NULL;
    tgs_status status = low ? TGS_OK : TGS_ENOMEM;

    *longest = INFINITY;
    if (status || k > x->n || !windows(x, order, k, bound, low, high))
        goto done;
    f = tgs_mem_alloc(size, sizeof *f);
    from = tgs_mem_alloc(size, sizeof *from);
    if (!f || !from) {
        status = TGS_ENOMEM;
        goto done;
    }
    for (int32_t p = 0; p < k; p++)
        for (int32_t j = low[p + 1]; j <= high[p + 1]; j++) {
            const size_t at = ((size_t)p + 1) * row + (size_t)j;

            best_cut(x, order, k, p, j, low, high, bound, f + (size_t)p * row, f + at, from + at);
        }
    *longest = f[size - 1];
    cut[k] = x->n;
    for (int32_t p = k; p > 0 && *longest < INFINITY; p--)
        cut[p - 1] = from[(size_t)p * row + (size_t)cut[p]];
done:
    tgs_mem_free(low);
    tgs_mem_free(f);
    tgs_mem_free(from);
    return status;
}

/* ---- the order ---- */
typedef struct search {
    const tgs_i_chain *x;
    int32_t k, *trial, *trial_cut, *order, *cut;
    double longest;
    int64_t left; /* orders that may still be tried */
    tgs_status status;
} search;

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

static void swap(int32_t *a, int32_t *b)
{
    const int32_t c = *a;

    *a = *b;
    *b = c;
}

/* every order of the positions from p on, but those that only exchange devices of one type */
static void permute(search *s, int32_t p)
{
    if (p == s->k) {
        try_order(s);
        return;
    }
    for (int32_t i = p; i < s->k && !s->status && s->left > 0; i++) {
        bool seen = false;

        for (int32_t j = p; j < i; j++)
            seen |= s->x->type[s->trial[j]] == s->x->type[s->trial[i]];
        if (seen)
            continue;
        swap(&s->trial[p], &s->trial[i]);
        permute(s, p + 1);
        swap(&s->trial[p], &s->trial[i]);
    }
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
                             int64_t most, double *longest)
{
    search s = {.x = x, .k = k, .order = order, .cut = cut, .longest = INFINITY, .left = most};

    s.trial = tgs_mem_alloc((size_t)k, sizeof *s.trial);
    s.trial_cut = tgs_mem_alloc((size_t)k + 1, sizeof *s.trial_cut);
    if (s.trial && s.trial_cut) {
        memcpy(s.trial, order, (size_t)k * sizeof *order);
        if (orders_of(&s, most) <= most)
            permute(&s, 0);
        else
            climb(&s);
    } else
        s.status = TGS_ENOMEM;
    tgs_mem_free(s.trial);
    tgs_mem_free(s.trial_cut);
    *longest = s.longest;
    return s.status;
}
