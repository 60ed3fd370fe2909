/* core.h -- fork-join graphs: a source, independent inner tasks, a sink.
 *
 * Put time 0 at the end of the source and let L be the start of the sink.  With the source on
 * processor sigma and the sink on kappa, inner task j on processor i takes p, may start at r (0 in
 * the memory of sigma, else the time its input takes) and is followed by q (0 in the memory of
 * kappa, else the time its output takes); L = max (C_j + q_j).  Processors that look alike to every
 * task form a class.  Case 1 has sigma = kappa, case 2 has them apart; neither dominates. */
#ifndef TGS_FORKJOIN_CORE_H
#define TGS_FORKJOIN_CORE_H
#include "tgsched/plugin.h"

typedef struct tgs_i_fj {
    const tgs_view *v;
    int32_t source, sink; /* tasks; -1: none (a join, a fork) */
    int32_t n;
    int32_t *task; /* [n] the inner tasks, ascending */
} tgs_i_fj;

/* TGS_ENOTAPPLICABLE, with the reason, when the graph is not a fork-join */
tgs_status tgs_i_fj_open(tgs_i_fj *f, const tgs_view *v, tgs_error *err);
void tgs_i_fj_close(tgs_i_fj *f);
/* when all initial data of task can be in a memory */
double tgs_i_fj_initial_ready(const tgs_view *v, int32_t task, int32_t memory);
/* the processor where the source can start first, and when: its initial data must come there */
int32_t tgs_i_fj_source_processor(const tgs_i_fj *f, double *ready);
/* TGS_ENOTAPPLICABLE when a task is pinned, grouped, released later, or (but for the source) waits
 * for initial data */
tgs_status tgs_i_fj_unconstrained(const tgs_i_fj *f, tgs_error *err);

typedef struct tgs_i_fj_case {
    const tgs_i_fj *f;
    int32_t sigma, kappa; /* processors */
    bool alone;
    int32_t classes;    /* alone: 0 is sigma; 1 kappa, if it is another; then the others */
    int32_t *at, *proc; /* CSR: the processors of each class, ascending */
    double *p, *r, *q;  /* [j * classes + class]; p INFINITY: not allowed */
} tgs_i_fj_case;

/* alone: sigma and kappa are classes of their own even where others look like them */
tgs_status tgs_i_fj_case_open(tgs_i_fj_case *k, const tgs_i_fj *f, int32_t sigma, int32_t kappa,
                              bool alone, tgs_error *err);
void tgs_i_fj_case_close(tgs_i_fj_case *k);

/* ---- equal processors (v->homogeneous): one w, a, b per inner task -------------------------- */
typedef struct tgs_i_fj_equal {
    int32_t n, m;
    double *w, *a, *b; /* [n]: work, and what input and output take between two processors */
    double head, tail; /* times of the source and of the sink */
} tgs_i_fj_equal;

/* TGS_ENOTAPPLICABLE when the graph is not a fork-join or the processors differ */
tgs_status tgs_i_fj_equal_open(tgs_i_fj_equal *e, const tgs_view *v, tgs_error *err);
void tgs_i_fj_equal_close(tgs_i_fj_equal *e);

/* Lower bounds on L; apart: of case 2 (INFINITY when there is one processor only).  O(n log n).
 * Idle area: u other processors are used, and each of them idles for the smallest input of its
 * tasks at the front and the smallest output at the end. */
tgs_status tgs_i_fj_idle_area(const tgs_i_fj_equal *e, bool apart, double *bound, tgs_error *err);
/* Forced work: a task with a + w + b > L must run where the source or the sink is. */
tgs_status tgs_i_fj_forced_work(const tgs_i_fj_equal *e, bool apart, double *bound, tgs_error *err);
/* head + the lesser of the two cases + tail */
typedef tgs_status (*tgs_i_fj_rule)(const tgs_i_fj_equal *e, bool apart, double *bound,
                                    tgs_error *err);
tgs_status tgs_i_fj_bound(const tgs_i_fj_equal *e, tgs_i_fj_rule rule, double *bound,
                          tgs_error *err);

/* order[n]: indices by key, smallest first, ties by index */
tgs_status tgs_i_fj_sort(const double *key, int32_t n, int32_t *order, tgs_error *err);
#endif
