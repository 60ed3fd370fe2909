/* configs.h -- configurations: sets of jobs that one machine can run by T.
 *
 * Prices y_j >= 0 of jobs prove that no schedule has L <= T when the jobs are worth more than all
 * machines can be: sum_j y_j > sum_g m_g max {y(C): C a configuration of class g at T}.  A linear
 * program over the configurations found so far proposes the prices; the maximum, or a bound of it,
 * is found by a search that needs no solver, so the proof does not hang on its tolerances. */
#ifndef TGS_FJ_CONFIGS_H
#define TGS_FJ_CONFIGS_H
#include "form.h"

typedef struct tgs_i_fj_pricing {
    const tgs_i_fj_form *f;
    int32_t class;
    double T;
    const double *price; /* [n] */
    double above;        /* only sets worth more are of interest */
    double slack;        /* and a better one is not looked for when it is so little better */
    int64_t nodes;       /* of the search; what is left */
    /* called for each set found, worth more than the one before; L: what a machine needs for it,
     * T unless that is not known to be possible */
    tgs_status (*take)(void *user, const int32_t *job, int32_t size, double L);
    void *user;
} tgs_i_fj_pricing;

/* *most: no set of jobs that a machine of the class runs by T is worth more */
tgs_status tgs_i_fj_price(tgs_i_fj_pricing *x, double *most);

typedef struct tgs_i_fj_sets {
    int32_t count;
    int32_t *at, *job; /* CSR: job[at[i]] .. job[at[i + 1] - 1] */
    int32_t *class;
    double *L;
    int64_t at_room, job_room, class_room, L_room;
} tgs_i_fj_sets;

tgs_status tgs_i_fj_sets_add(tgs_i_fj_sets *x, int32_t class, const int32_t *job, int32_t size,
                             double L);
void tgs_i_fj_sets_free(tgs_i_fj_sets *x);

/* Machines by sets with L <= T, by integer programming, at most `nodes` nodes; jobs that no set
 * takes go where the load is least.  a is overwritten; a->L may be anything.  TGS_ENOTAPPLICABLE
 * without a solver. */
tgs_status tgs_i_fj_cover(const tgs_i_fj_form *f, const tgs_i_fj_sets *sets, double T,
                          int64_t nodes, tgs_i_fj_answer *a, tgs_error *err);

enum { TGS_I_FJ_CONFIGS = 200 }; /* most jobs */
/* Raises a->lower, and betters a, until they are within 1 + eps or `nodes` nodes of the searches
 * for sets are used up.  Nothing happens without a solver of linear programs. */
tgs_status tgs_i_fj_configs(const tgs_i_fj_form *f, int64_t nodes, int64_t work, double eps,
                            double limit, tgs_i_fj_answer *a, tgs_error *err);
#endif
