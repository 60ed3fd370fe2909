/* scheme.h -- dual approximation: lengths T are tested, and what a test allows is scheduled. */
#ifndef TGS_FJ_SCHEME_H
#define TGS_FJ_SCHEME_H
#include "form.h"

typedef struct tgs_i_fj_effort {
    double eps;     /* stop when L <= (1 + eps) lower */
    int64_t nodes;  /* of the branch and bound, for few jobs; of the search for configurations */
    int64_t work;   /* jobs sequenced by the local search */
    int64_t sets;   /* nodes of the search for configurations */
    tgs_error *err; /* where the solver of linear programs says why it failed; NULL */
} tgs_i_fj_effort;

/* A schedule of the form and a lower bound; polynomial cases and few jobs exactly.  lower is at
 * least `limit` when nothing below it can exist. */
tgs_status tgs_i_fj_scheme(const tgs_i_fj_form *f, const tgs_i_fj_effort *e, double limit,
                           tgs_i_fj_answer *a);
#endif
