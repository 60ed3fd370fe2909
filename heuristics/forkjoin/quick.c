/* quick.c -- a cheap lower bound of a fork-join case in class form. */
#include "core.h"
#include "form.h"

enum { MOST = 64 }; /* jobs per machine */

/* With k m + 1 jobs on m machines some machine has k + 1 of them: by the longest k m + 1 jobs, the
 * k + 1 smallest of those.  w: shortest first. */
static double pigeonholes(const double *w, const int32_t *order, int32_t n, int32_t m)
{
    double best = 0;

    for (int64_t k = 1; k * m + 1 <= n; k++) {
        const int32_t first = (int32_t)(n - (k * m + 1));
        double sum = 0;

        for (int32_t i = 0; i <= k; i++)
            sum += w[order[first + i]];
        best = fmax(best, sum);
    }
    return best;
}

static void offer(double x, const char *what, double *bound, const char **by)
{
    if (x > *bound) {
        *bound = x;
        *by = what;
    }
}

tgs_status tgs_i_fj_quick_bound(const tgs_i_fj_form *f, double *bound)
{
    const char *by;

    return tgs_i_fj_quick_reason(f, bound, &by);
}

tgs_status tgs_i_fj_quick_reason(const tgs_i_fj_form *f, double *bound, const char **by)
{
    const int32_t n = f->n, m = f->at[f->classes];
    double *w = tgs_mem_alloc((size_t)n, sizeof *w), alone = 0, work = 0;
    int32_t *order = tgs_mem_alloc((size_t)n, sizeof *order);
    tgs_status status = w && order ? TGS_OK : TGS_ENOMEM;

    for (int32_t j = 0; j < n && !status; j++) {
        alone = fmax(alone, tgs_i_fj_through(f, j, tgs_i_fj_quickest(f, j)));
        w[j] = INFINITY;
        for (int32_t g = 0; g < f->classes; g++)
            w[j] = fmin(w[j], f->p[(int64_t)j * f->classes + g]);
        work += w[j];
    }
    /* with many jobs the pigeonholes are weaker than the work */
    if (!status && n <= MOST * (int64_t)m)
        status = tgs_i_fj_sort(w, n, order, NULL);
    *bound = 0;
    *by = "nothing";
    if (!status) {
        offer(alone, "one task alone", bound, by);
        /* the sum is rounded: 1e-12 keeps the bound below it */
        offer(work / m * (1 - 1e-12), "work over processors", bound, by);
        if (n <= MOST * (int64_t)m)
            offer(pigeonholes(w, order, n, m), "pigeonholes", bound, by);
    }
    tgs_mem_free(w);
    tgs_mem_free(order);
    return status;
}
