/* count.c -- how many jobs fit the machines by T?
 *
 * Of the N longest jobs a machine of class g takes at most k_g, the most for which the k_g shortest
 * of them fit between the least r and the least q of those that it may run at all; and the class at
 * most as many as may run there.  If that is less than N, for any N, no schedule has L <= T. */
#include "fluid.h"

/* the most k with: the k shortest of the first N jobs take at most `room` */
static int32_t most_jobs(const double *sum, int32_t N, double room)
{
    int32_t low = 0, high = N;

    while (low < high) {
        const int32_t k = low + (high - low + 1) / 2;

        if (sum[N] - sum[N - k] <= room)
            low = k;
        else
            high = k - 1;
    }
    return low;
}

bool tgs_i_fj_count_test(const tgs_i_fj_fluid *x, double T, double *sum, int64_t *fit)
{
    const tgs_i_fj_form *f = x->f;

    for (int32_t N = 0; N <= f->n; N++)
        fit[N] = 0;
    for (int32_t i = 0; i < f->n; i++)
        sum[i + 1] = sum[i] + f->p[(int64_t)x->by_w[i] * f->classes];
    for (int32_t g = 0; g < f->classes; g++) {
        double r = INFINITY, q = INFINITY;
        int64_t allowed = 0;

        for (int32_t N = 1; N <= f->n; N++) {
            const int64_t i = (int64_t)x->by_w[N - 1] * f->classes + g;
            int64_t most;

            if (tgs_i_fj_through(f, x->by_w[N - 1], g) <= T * (1 + 1e-12)) {
                allowed++;
                r = f->r[i] < r ? f->r[i] : r;
                q = f->q[i] < q ? f->q[i] : q;
            }
            if (!allowed)
                continue;
            most = most_jobs(sum, N, (T * (1 + 1e-11) - r - q) / x->factor[g]);
            most *= f->at[g + 1] - f->at[g];
            fit[N] += most < allowed ? most : allowed;
        }
    }
    for (int32_t N = 1; N <= f->n; N++)
        if (fit[N] < N)
            return false;
    return true;
}
