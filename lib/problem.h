/* problem.h -- the parts of pricing a problem; between problem.c, reprice.c and limits.c. */
#ifndef TGS_PROBLEM_H
#define TGS_PROBLEM_H
#include "internal.h"

/* A problem whose times are all NaN, on base or, when links were measured, on a copy of base with
 * those numbers. */
tgs_status tgs_i_problem_blank(tgs_problem **out, const tgs_graph *g, const tgs_platform *p,
                               const tgs_platform *base, const tgs_costs *costs,
                               const tgs_link_model *link, tgs_error *err);
/* fill the times that are NaN; a time that stays unknown is an error */
tgs_status tgs_i_problem_price(tgs_problem *pb, const tgs_costs *costs, tgs_error *err);
/* what the runtime takes of a task's time on a kind */
double tgs_i_problem_overhead(const tgs_problem *pb, int32_t task, int32_t kind);
/* kernelcost.c: INFINITY where a task's codelet has kernels, but none for the kind's architecture
 */
tgs_status tgs_i_problem_exclude(tgs_problem *pb, const tgs_codelets *c, tgs_error *err);
/* fill times that are NaN with what the kernels of pb->codelets say of their cost */
tgs_status tgs_i_problem_hint(tgs_problem *pb, tgs_error *err);
/* limits.c: pins, masks of memories, and that every task may run somewhere */
tgs_status tgs_i_problem_limit(tgs_problem *pb, tgs_error *err);
/* "'name'", or "@index" when it has none, for messages */
const char *tgs_i_task_label(const tgs_graph_view *g, int32_t task, char *text, size_t size);
#define TGS_I_LABEL 96
#endif
