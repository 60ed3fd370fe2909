/* rates.h -- tasks divided between kinds of processors so that their work fits, by dual prices.
 *
 * Let r(j, t) be the time of task j on kind t divided by the sum of the speeds of that kind.  For
 * any prices mu_t >= 0 of sum 1
 *
 *     T >= g(mu) = sum over j of min over t of mu_t r(j, t)
 *
 * and the largest g is the optimum of the linear program that divides tasks between kinds.  Every
 * iterate is a valid bound.  One kind: a sum.  Two: g is concave and its slope changes where
 * mu_1 = r(j, 2) / (r(j, 1) + r(j, 2)); sort and scan, exact, O(n log n).  More: the ellipsoid
 * method in k - 1 dimensions, O(n k) for each of O(k^2) steps per digit. */
#ifndef TGS_BOUNDS_RATES_H
#define TGS_BOUNDS_RATES_H
#include "tgsched/plugin.h"

typedef struct tgs_i_rates {
    int32_t n, k;  /* k: kinds that have processors */
    double *r;     /* [task * k + kind]; INFINITY: not allowed */
    double *speed; /* [k] of all its processors */
    int32_t *kind; /* [k] of the platform */
    int32_t *proc; /* [procs] enough of them to know which kinds a task may use */
    int32_t procs;
} tgs_i_rates;

tgs_status tgs_i_rates_open(tgs_i_rates *x, const tgs_view *v, tgs_error *err);
void tgs_i_rates_close(tgs_i_rates *x);
/* g(mu), and into slope (NULL: not wanted) its gradient in the space of all k prices */
double tgs_i_rates_price(const tgs_i_rates *x, const double *mu, double *slope);
/* the largest g, and into mu (NULL: not wanted) prices for which it is */
tgs_status tgs_i_rates_bound(const tgs_i_rates *x, double *bound, double *mu, tgs_error *err);
#endif
