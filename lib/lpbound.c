/* lpbound.c -- a bound on the optimum of a linear program that no rounding makes too large.
 *
 * For any row prices y the Lagrangian is a bound: with d = cost - y A,
 *     L(y) = sum over rows of min(y low, y high) + sum over columns of min(d low, d high),
 * where min(y low, y high) is y low for y > 0 and y high for y < 0, of which the bound must be
 * finite: a price of the wrong sign is taken as 0.  Sums are compensated and come with a bound of
 * their own error, so that the outward rounding needs no other rounding mode.
 * [Neumaier & Shcherbina 2004, Safe bounds in linear and mixed-integer linear programming;
 *  Ogita, Rump & Oishi 2005, Accurate sum and dot product, theorem 5.4 for the error] */
#include <float.h>
#include "internal.h"
#include "lp.h"

static void add(tgs_i_total *t, double a, double b)
{
    const double product = a * b, rest = fma(a, b, -product);
    const double sum = t->high + product, back = sum - t->high;

    t->low += (t->high - (sum - back)) + (product - back) + rest;
    t->high = sum;
    t->absolute += fabs(product);
    t->terms++;
}

/* not less than the distance between high + low, rounded, and the sum */
static double error_of(const tgs_i_total *t)
{
    const double unit = DBL_EPSILON / 2, n = 2 * (double)t->terms + 2;
    const double gamma = n * unit / (1 - n * unit);

    /* twice what the theorem asks for, since this too is rounded; and what underflows */
    return 2 * (unit * fabs(t->high + t->low) + gamma * gamma * t->absolute + n * DBL_MIN);
}

/* adds the least of d x with d = [d - e, d + e] and x in [low, high]; false: -infinite */
static bool add_least(tgs_i_total *t, double d, double e, double low, double high)
{
    const double least = nextafter(d - e, -INFINITY), most = nextafter(d + e, INFINITY);
    double at_low, at_high;

    if ((low == -INFINITY && most > 0) || (high == INFINITY && least < 0))
        return false;
    at_low = low == -INFINITY ? INFINITY : low > 0 ? least : most;
    at_high = high == INFINITY ? INFINITY : high > 0 ? least : most;
    if (low == -INFINITY || (high < INFINITY && at_high * high < at_low * low))
        add(t, at_high, high);
    else
        add(t, at_low, low);
    return true;
}

/* the price of a row as far as it has the sign that its bounds ask for */
static double usable(const tgs_lp *lp, int32_t row, double y)
{
    if (!(fabs(y) <= DBL_MAX) || (y > 0 && lp->row_low[row] == -INFINITY)
        || (y < 0 && lp->row_high[row] == INFINITY))
        return 0;
    return y;
}

double tgs_lp_safe_bound(const tgs_lp *lp, const double *price)
{
    tgs_i_total sum = {0, 0, 0, 0}, *const reduced = lp->reduced;
    bool finite = true;
    double error;

    if (lp->status || (!price && lp->priced < lp->rows))
        return -INFINITY;
    price = price ? price : lp->dual;
    for (int32_t j = 0; j < lp->columns; j++)
        reduced[j] = (tgs_i_total){lp->cost[j], 0, fabs(lp->cost[j]), 1};
    for (int32_t r = 0; r < lp->rows; r++) {
        const double y = usable(lp, r, price[r]);

        if (y == 0)
            continue;
        add(&sum, y, y > 0 ? lp->row_low[r] : lp->row_high[r]);
        for (int32_t i = lp->row_at[r]; i < lp->row_at[r + 1]; i++)
            add(&reduced[lp->column[i]], -y, lp->coefficient[i]);
    }
    for (int32_t j = 0; j < lp->columns && finite; j++)
        finite = lp->low[j] <= lp->high[j]
                 && add_least(&sum, reduced[j].high + reduced[j].low, error_of(&reduced[j]),
                              lp->low[j], lp->high[j]);
    error = error_of(&sum);
    return finite && fabs(sum.high) <= DBL_MAX ? nextafter(sum.high + sum.low - error, -INFINITY)
                                               : -INFINITY;
}
