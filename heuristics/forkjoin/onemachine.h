/* onemachine.h -- one machine with release times r and delivery times (tails) q: 1|r_j,q_j|Lmax,
 * L = max (C_j + q_j).  ALGORITHMS-style blocks that the fork-join solvers are made of. */
#ifndef TGS_FJ_ONEMACHINE_H
#define TGS_FJ_ONEMACHINE_H
#include "tgsched/plugin.h"

typedef struct tgs_i_fj_jobs {
    int32_t n;
    const double *p, *r, *q; /* seconds */
} tgs_i_fj_jobs;

/* Schrage's (Jackson's) rule: of the released jobs the one with the largest tail, ties by index.
 * start [n] is filled; at most max p above the optimum.  O(n log n) */
tgs_status tgs_i_fj_schrage(const tgs_i_fj_jobs *j, double *start, double *length);
/* the preemptive optimum: a lower bound.  O(n log n) */
tgs_status tgs_i_fj_preemptive(const tgs_i_fj_jobs *j, double *length);
/* Carlier's branch and bound, at most *nodes nodes (*nodes: what is left).  start [n] is the best
 * schedule found of those with L < limit; *length is INFINITY, and start unused, when none was.
 * *lower is what is proven: when it finished, the least of *length and limit. */
tgs_status tgs_i_fj_carlier(const tgs_i_fj_jobs *j, int64_t *nodes, double limit, double *start,
                            double *length, double *lower);
#endif
