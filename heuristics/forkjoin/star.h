/* star.h -- what heuristics for fork-join graphs on equal processors share: the instance, the best
 * schedule so far, and its plan.  Machine 0 is that of the source. */
#ifndef TGS_FJ_STAR_H
#define TGS_FJ_STAR_H
#include "core.h"
#include "tgsched/heap.h"

typedef struct tgs_i_fj_star {
    tgs_i_fj f;
    tgs_i_fj_equal e;
    int32_t sigma;                   /* processor of the source */
    double ready;                    /* its start */
    int32_t *machine, *best_machine; /* [n] of the trial; of the best */
    double *start, *best_start;      /* [n] since the end of the source */
    double L;                        /* of the best; INFINITY at first */
    int32_t sink;                    /* machine of the best */
} tgs_i_fj_star;

/* TGS_ENOTAPPLICABLE as tgs_i_fj_equal_open and tgs_i_fj_unconstrained; close also after failure */
tgs_status tgs_i_fj_star_open(tgs_i_fj_star *x, const tgs_ctx *c, tgs_error *err);
void tgs_i_fj_star_close(tgs_i_fj_star *x);
/* the trial becomes the best if its L is less */
void tgs_i_fj_star_keep(tgs_i_fj_star *x, double L, int32_t sink);
/* REMOTESCHED: job[count], smallest a first, each to the machine that is free first of those from
 * `first` on.  Fills machine and start and returns L, at most twice that of any schedule of these
 * jobs on these machines; INFINITY when there is none.  *last: the job through last, -1 without
 * jobs.  free has room for the machines.  O(count log m) */
double tgs_i_fj_remotesched(const tgs_i_fj_equal *e, const int32_t *job, int32_t count,
                            int32_t first, tgs_heap *free, int32_t *machine, double *start,
                            int32_t *last);
void tgs_i_fj_star_plan(const tgs_i_fj_star *x, tgs_plan *plan);
#endif
