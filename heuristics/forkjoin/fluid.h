/* fluid.h -- is there a schedule of length T, if jobs may be cut and run anywhere in their windows?
 *
 * The relaxation behind the certificate: "no" proves that no schedule has L <= T; "yes" says how
 * much of each job runs where, which the list schedules begin from.  For jobs whose p is w_j f_g
 * (equal or related machines). */
#ifndef TGS_FJ_FLUID_H
#define TGS_FJ_FLUID_H
#include "maxflow.h"
#include "form.h"

typedef struct tgs_i_fj_fluid {
    const tgs_i_fj_form *f;
    bool single;             /* every job is a group of its own */
    int32_t grid;            /* breakpoints by r, and as many by q, of each class */
    int32_t *by_w;           /* [n] longest first */
    double *factor;          /* [classes] p = w factor, w = p of class 0 */
    double total;            /* sum of w */
    double *mark_r, *mark_q; /* [classes * grid] ascending */
    int32_t *marks_r, *marks_q;
    double *point; /* [classes * (2 grid + 2)] at T; point 0 is time 0 */
    int32_t *points;
    /* groups of jobs with the same windows */
    int32_t groups, *group_of; /* [n] */
    int32_t *table;            /* of groups, by hash; -1 free */
    bool nowhere;              /* T: a job fits no class */
    uint32_t *key; /* [group * classes] first interval << 16 | one past the last; 0: none */
    double *work;  /* [group] */
    int32_t *count;
    double *share; /* [group * classes] work on each class, of the last "yes" */
    tgs_i_maxflow flow;
    double *sum; /* [n + 1] of the counting test; NULL: it is not made */
    int64_t *fit;
} tgs_i_fj_fluid;

/* *fits false: times are not w_j f_g, or a job runs nowhere on some class */
tgs_status tgs_i_fj_fluid_open(tgs_i_fj_fluid *x, const tgs_i_fj_form *f, bool *fits);
void tgs_i_fj_fluid_close(tgs_i_fj_fluid *x);
tgs_status tgs_i_fj_fluid_test(tgs_i_fj_fluid *x, double T, bool *feasible);
/* false: no schedule has L <= T, since too few jobs fit; sum and fit [n + 1] are room, sum[0] is 0.
 * O(n classes log n) */
bool tgs_i_fj_count_test(const tgs_i_fj_fluid *x, double T, double *sum, int64_t *fit);
/* class_of[n]: each job to one class, by the shares of the last "yes", which it uses up;
 * carry [classes] is room */
void tgs_i_fj_fluid_assign(tgs_i_fj_fluid *x, double *carry, int32_t *class_of);
#endif
