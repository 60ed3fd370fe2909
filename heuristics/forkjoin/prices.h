/* prices.h -- the fluid question for jobs whose times differ between classes in any way, answered
 * by prices of the classes' time. */
#ifndef TGS_FJ_PRICES_H
#define TGS_FJ_PRICES_H
#include "form.h"

typedef struct tgs_i_fj_prices {
    const tgs_i_fj_form *f;
    double *price;       /* [classes] kept from test to test: they change little with T */
    double *room, *load; /* [classes] machine time at T; what jobs take at the prices */
    double *regret;      /* [n] */
    int32_t *order;      /* [n] */
} tgs_i_fj_prices;

tgs_status tgs_i_fj_prices_open(tgs_i_fj_prices *x, const tgs_i_fj_form *f);
void tgs_i_fj_prices_close(tgs_i_fj_prices *x);
/* *refuted: no schedule has L <= T; else nothing is known.  O(rounds n classes) */
void tgs_i_fj_prices_test(tgs_i_fj_prices *x, double T, bool *refuted);
/* class_of[n]: each job to its cheapest class that has room at T, those that lose most first */
tgs_status tgs_i_fj_prices_assign(tgs_i_fj_prices *x, double T, int32_t *class_of);
#endif
