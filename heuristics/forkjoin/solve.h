/* solve.h -- from a fork-join problem to its cases and back: which memories hold the source and the
 * sink, up to symmetry, each solved in class form in the order of what it can give. */
#ifndef TGS_FJ_SOLVE_H
#define TGS_FJ_SOLVE_H
#include "core.h"
#include "form.h"

/* solves one case; answers of L >= limit are of no use.  a->lower must hold, even if a->L is
 * INFINITY. */
typedef tgs_status (*tgs_i_fj_solver)(void *user, const tgs_i_fj_form *f, double limit,
                                      tgs_i_fj_answer *a, tgs_error *err);

typedef struct tgs_i_fj_result {
    int32_t cases, skipped; /* skipped: by their bound */
    double makespan, lower; /* seconds; lower: the least over the cases */
    const char *theorem;    /* of the best case; NULL */
} tgs_i_fj_result;

/* fills the plan's placement, starts and lower bound (not its note); TGS_ENOTAPPLICABLE as core.h.
 * Cases that cannot better the makespan by more than 1 + eps are skipped; their bounds count. */
tgs_status tgs_i_fj_solve(const tgs_ctx *c, tgs_i_fj_solver solver, void *user, double eps,
                          tgs_plan *plan, tgs_i_fj_result *r, tgs_error *err);
#endif
