/* compare.h -- what heuristics are worth over many instances; tgsched.h includes it. */
#ifndef TGSCHED_COMPARE_H
#define TGSCHED_COMPARE_H
#include "tgsched.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- comparing heuristics -------------------------------------------------------------------- */
typedef struct tgs_standing { /* of a heuristic over many instances */
    int32_t solved;           /* instances that it has a schedule for */
    int32_t wins, ties;       /* instances where none is better: alone, and together with others */
    double mean_to_bound;     /* geometric mean of makespan / bound, where a bound is known; NaN */
    double mean_to_best;      /* and of makespan / the best makespan; NaN when nothing is solved */
    double worst_to_best;
} tgs_standing;
/* value[instance * methods + method]: makespans, NaN where there is none; noise (may be NULL), of
 * the same shape: two makespans closer than that are a tie; bound (may be NULL): [instances], NaN
 * unknown; out: [methods] */
tgs_status tgs_standings(tgs_standing *out, const double *value, const double *noise,
                         const double *bound, int32_t instances, int32_t methods, tgs_error *err);
/* Dolan and More's performance profile: ratio gets, ascending, a method's makespan over the best on
 * each instance that anyone solved, INFINITY where it did not; returns how many.  The profile at
 * tau is the part of them that is at most tau. */
int32_t tgs_profile(double *ratio, const double *value, int32_t instances, int32_t methods,
                    int32_t method);

#ifdef __cplusplus
}
#endif
#endif
