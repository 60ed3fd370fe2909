/* chain.c -- contiguous min-max partition of a chain of layers over an ordered list of unlike
 * devices, and the search over that order.
 *
 * F(p, j) = min over i < j of max(F(p - 1, i), stage(p, i, j)), where stage holds the layers i to
 * j - 1 on the device at position p, with what it receives at both of its cuts.  A stage's compute
 * time only grows to the left, so that the search for i ends where it alone exceeds the best that
 * is known.  O(k n^2) at most. */
#include <string.h>
#include "step.h"

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

tgs_status tgs_i_chain_cut(const tgs_i_chain *x, const int32_t *order, int32_t k, double bound,
                           int32_t *cut, double *longest)
{
    const int32_t n = x->n;
    double *f = tgs_mem_alloc((size_t)(n + 1) * (size_t)(k + 1), sizeof *f);
    int32_t *from = tgs_mem_alloc((size_t)(n + 1) * (size_t)(k + 1), sizeof *from);

    *longest = INFINITY;
    for (int32_t i = 0; f && i < (n + 1) * (k + 1); i++)
        f[i] = i ? INFINITY : 0;
    for (int32_t p = 0; p < k && f && from; p++) {
        const double *time = x->time + (int64_t)order[p] * (n + 1);

        for (int32_t j = p + 1; j <= n - (k - 1 - p); j++) {
            double *to = &f[(p + 1) * (n + 1) + j];

            if (p + 1 == k && j < n)
                continue;
            for (int32_t i = j - 1; i >= p && time[j] - time[i] < fmin(bound, *to); i--) {
                const double before = f[p * (n + 1) + i];
                const double stage =
                    before < *to ? tgs_i_chain_stage(x, order, k, p, i, j) : INFINITY;

                if (fmax(before, stage) < fmin(*to, bound)) {
                    *to = fmax(before, stage);
                    from[(p + 1) * (n + 1) + j] = i;
                }
            }
        }
    }
    if (f && from && f[k * (n + 1) + n] < INFINITY) {
        *longest = f[k * (n + 1) + n];
        cut[k] = n;
        for (int32_t p = k; p > 0; p--)
            cut[p - 1] = from[p * (n + 1) + cut[p]];
    }
    tgs_mem_free(f);
    tgs_mem_free(from);
    return f && from ? TGS_OK : TGS_ENOMEM;
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
