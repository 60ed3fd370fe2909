/* knapsack.h -- multiple-choice knapsack: one choice for each item, the least sum of values whose
 * weights fit. */
#ifndef TGS_PLAN_KNAPSACK_H
#define TGS_PLAN_KNAPSACK_H
#include "tgsched/plugin.h"

typedef struct tgs_i_choices {
    int32_t items;
    const int32_t *at;     /* [items + 1] CSR: the choices of an item */
    const double *value;   /* INFINITY: not to be chosen */
    const int64_t *weight; /* >= 0 */
} tgs_i_choices;

/* choice [items], counted from the item's first; of equal values the first.  TGS_EINFEASIBLE: even
 * the lightest choices do not fit (*value is by how much).  O(choices * room) time, and items *
 * room bytes. */
tgs_status tgs_i_knapsack(const tgs_i_choices *x, int64_t room, int32_t *choice, double *value);

/* The same of items that are all alike: count [choices] of the items that take each.  Weights may
 * be any numbers.  O(items ^ (choices - 1)) at worst: partial sums that are no better than the best
 * are left. */
tgs_status tgs_i_knapsack_alike(int32_t items, int32_t choices, const double *value,
                                const double *weight, double room, int32_t *count, double *best);
#endif
