/* knapsack.c -- multiple-choice knapsack: by dynamic programming over the weight, and by
 * enumerating counts when all items are alike. */
#include <string.h>
#include "knapsack.h"

enum { MOST_CHOICES = 255 };

/* ---- dynamic programming -----------------------------------------------------------------------
 * least[w]: the least value of the items so far whose weights sum up to at most w */
static int64_t lightest(const tgs_i_choices *x, int32_t item)
{
    int64_t least = INT64_MAX;

    for (int32_t k = x->at[item]; k < x->at[item + 1]; k++)
        if (x->value[k] < INFINITY && x->weight[k] < least)
            least = x->weight[k];
    return least;
}

/* how much too heavy the lightest choices are; INFINITY when an item has none */
static double excess(const tgs_i_choices *x, int64_t room)
{
    double sum = 0;

    for (int32_t i = 0; i < x->items; i++) {
        const int64_t least = lightest(x, i);

        sum += least == INT64_MAX ? INFINITY : (double)least;
    }
    return sum - (double)room;
}

static void take_item(const tgs_i_choices *x, int32_t item, int64_t room, const double *before,
                      double *after, uint8_t *taken)
{
    for (int64_t w = 0; w <= room; w++) {
        after[w] = INFINITY;
        for (int32_t k = x->at[item]; k < x->at[item + 1]; k++)
            if (x->weight[k] <= w && before[w - x->weight[k]] + x->value[k] < after[w]) {
                after[w] = before[w - x->weight[k]] + x->value[k];
                taken[w] = (uint8_t)(k - x->at[item]);
            }
    }
}

tgs_status tgs_i_knapsack(const tgs_i_choices *x, int64_t room, int32_t *choice, double *value)
{
    const size_t width = room < 0 ? 1 : (size_t)room + 1;
    double *least = tgs_mem_alloc(2 * width, sizeof *least);
    uint8_t *taken = tgs_mem_alloc((size_t)x->items * width, sizeof *taken);
    tgs_status status = least && taken ? TGS_OK : TGS_ENOMEM;

    for (int32_t i = 0; i < x->items && !status; i++)
        if (x->at[i + 1] - x->at[i] > MOST_CHOICES)
            status = TGS_ENOTAPPLICABLE;
    *value = excess(x, room);
    if (!status && *value > 0)
        status = TGS_EINFEASIBLE;
    for (int32_t i = 0; i < x->items && !status; i++)
        take_item(x, i, room, least + (size_t)(i % 2) * width,
                  least + (size_t)((i + 1) % 2) * width, taken + (size_t)i * width);
    if (!status) {
        int64_t w = room;

        *value = least[(size_t)(x->items % 2) * width + (size_t)room];
        for (int32_t i = x->items - 1; i >= 0; i--) {
            choice[i] = taken[(size_t)i * width + (size_t)w];
            w -= x->weight[x->at[i] + choice[i]];
        }
    }
    tgs_mem_free(least);
    tgs_mem_free(taken);
    return status;
}

/* ---- items that are alike ----------------------------------------------------------------------
 */
typedef struct counting {
    int32_t choices;
    const double *value, *weight;
    double room, best;
    double *least_value, *least_weight; /* [choices] of what stands here or behind */
    int32_t *now, *count;               /* [choices] */
} counting;

static double times(int32_t n, double value) /* none of what is infinite is nothing */
{
    return n ? n * value : 0;
}

static void try_counts(counting *x, int32_t k, int32_t left, double value, double weight)
{
    if (value + times(left, x->least_value[k]) >= x->best
        || weight + left * x->least_weight[k] > x->room * (1 + 1e-12))
        return;
    if (k == x->choices - 1) {
        x->best = value + times(left, x->value[k]);
        x->now[k] = left;
        memcpy(x->count, x->now, (size_t)x->choices * sizeof *x->count);
        return;
    }
    for (int32_t n = left; n >= 0; n--) {
        x->now[k] = n;
        try_counts(x, k + 1, left - n, value + times(n, x->value[k]), weight + n * x->weight[k]);
    }
}

tgs_status tgs_i_knapsack_alike(int32_t items, int32_t choices, const double *value,
                                const double *weight, double room, int32_t *count, double *best)
{
    double *least = tgs_mem_alloc(2 * (size_t)choices, sizeof *least);
    counting x = {choices,
                  value,
                  weight,
                  room,
                  INFINITY,
                  least,
                  least ? least + choices : NULL,
                  tgs_mem_alloc((size_t)choices, sizeof *x.now),
                  count};
    tgs_status status = least && x.now ? TGS_OK : TGS_ENOMEM;

    for (int32_t k = choices - 1; k >= 0 && !status; k--) {
        const bool last = k == choices - 1;

        x.least_value[k] = last ? value[k] : fmin(value[k], x.least_value[k + 1]);
        x.least_weight[k] = last ? weight[k] : fmin(weight[k], x.least_weight[k + 1]);
    }
    if (!status && choices > 0 && items > 0)
        try_counts(&x, 0, items, 0, 0);
    if (!status && items > 0 && isinf(x.best))
        status = TGS_EINFEASIBLE;
    *best = status == TGS_EINFEASIBLE ? items * least[choices] - room : items > 0 ? x.best : 0;
    tgs_mem_free(least);
    tgs_mem_free(x.now);
    return status;
}
