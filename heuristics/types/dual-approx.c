/* dual-approx.c -- dual approximation for two kinds of processors.
 *
 * S. Kedad-Sidhoum, F. Monna, G. Mounie, D. Trystram, "A family of scheduling algorithms for hybrid
 * parallel platforms", International Journal of Foundations of Computer Science 29(1), 2018.
 *
 * For a guess T a task that takes longer on one side is on the other; what is left goes to the
 * other side, what gains most first, until the work there is over kT, the task that makes it so
 * included. If then the work on the near side is over mT, or what had to be on one side is too much
 * for it, no schedule of independent tasks takes T or less.  Otherwise, with that one task placed
 * last, every task begins by T at the latest and takes no longer: makespan <= 2T.  T is found by
 * bisection.
 *
 * So for independent tasks on two kinds, without communication, at most twice the optimum (and a
 * lower bound).  Beyond the paper: tasks that depend on each other are listed by rank on the kinds
 * found so, without that guarantee; more than two kinds are split one after the other.
 *
 * O(n log n), and O(n) for each of about 40 guesses. */
#include "core.h"

#define PRECISION 1e-9 /* of T */

/* fills right and last; false: T is too small */
static bool fits(tgs_i_split *s, double T)
{
    double near = 0, far = 0;
    bool over = false;

    s->last = -1;
    for (int32_t i = 0; i < s->n; i++) {
        if (s->a[i] > T && s->b[i] > T)
            return false;
        s->right[i] = s->a[i] > T;
        if (s->right[i])
            far += s->b[i];
    }
    if (far > s->k * T)
        return false;
    for (int32_t o = 0; o < s->n; o++) {
        const int32_t i = s->order[o];

        if (s->a[i] > T)
            continue;
        if (s->b[i] > T || over) {
            near += s->a[i];
            continue;
        }
        s->right[i] = true;
        far += s->b[i];
        over = far > s->k * T;
        s->last = over ? i : -1;
    }
    return near <= s->m * T;
}

static void split(tgs_i_split *s)
{
    double low = 0, high = 0, all = 0;

    for (int32_t i = 0; i < s->n; i++) {
        const double w = s->a[i] < s->b[i] ? s->a[i] : s->b[i];

        low = w > low ? w : low; /* the optimum is no less */
        all += w;
    }
    high = all; /* everything where it is faster, one after the other */
    s->bound = low;
    if (fits(s, low))
        return;
    while (high - low > PRECISION * high) {
        const double T = low + (high - low) / 2;

        if (fits(s, T))
            high = T;
        else
            low = T;
    }
    s->bound = low * (1 - PRECISION); /* sums are rounded */
    fits(s, high);
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_types_run(c, plan, split, err);
}

const tgs_heuristic tgs_heuristic_dual_approx = {
    .base = {TGS_PLUGIN_ABI, "dual-approx",
             "kinds by dual approximation: independent tasks on two kinds within twice the optimum",
             "Kedad-Sidhoum, Monna, Mounie, Trystram, IJFCS 29(1), 2018", NULL},
    .run = run,
};
