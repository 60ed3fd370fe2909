/* windows.h -- when tasks can run in a schedule of any length T, and how much of them must then lie
 * in the interval [a, T - b].
 *
 * On kind t task j starts no earlier than head(j, t) and ends no later than T - tail(j, t).  Pushed
 * as far as it goes out of the interval, at either end, it still leaves inside
 *
 *     min(w - max(0, a - head, b - tail), T - a - b)
 *
 * of its time w, since in between it leaves more.  Without duplication heads and tails count data
 * on their way; with it tails do not, and it is the earliest copy of each task that keeps to them.
 */
#ifndef TGS_BOUNDS_WINDOWS_H
#define TGS_BOUNDS_WINDOWS_H
#include "paths.h"
#include "rates.h"

typedef struct tgs_i_windows {
    int32_t n, k;              /* kinds are numbered as in rates.h */
    double *work;              /* [task * k + kind] at speed 1; INFINITY: not allowed */
    double *head, *tail;       /* [task * k + kind]; INFINITY where not allowed */
    double *fastest, *slowest; /* [k] speeds */
    double *from, *until;      /* values worth trying for a and b, ascending from 0 */
    int32_t froms, untils;
    double *every_from, *every_until; /* all there are, among which those above lie evenly */
    int32_t every_froms, every_untils;
    double least; /* no schedule is shorter */
} tgs_i_windows;

/* most: values of a, and of b */
tgs_status tgs_i_windows_open(tgs_i_windows *x, const tgs_view *v, const tgs_i_rates *rates,
                              bool duplication, int32_t most, tgs_error *err);
void tgs_i_windows_close(tgs_i_windows *x);
/* where among every_... the i-th of some values is */
static inline int64_t tgs_i_windows_place(int32_t i, int32_t some, int32_t every)
{
    return some > 1 ? (int64_t)i * (every - 1) / (some - 1) : 0;
}

/* what must lie inside, as work at speed 1; length: of the interval, at least */
static inline double tgs_i_windows_part(const tgs_i_windows *x, int64_t task, int32_t kind,
                                        double a, double b, double length)
{
    const int64_t i = task * x->k + kind;
    const double early = a - x->head[i], late = b - x->tail[i];
    const double out = early > late ? early : late;
    const double in = out > 0 ? x->work[i] - x->fastest[kind] * out : x->work[i];
    const double most = x->slowest[kind] * length;

    if (in <= 0)
        return 0;
    return in < most || !(in < INFINITY) ? in : most;
}
#endif
