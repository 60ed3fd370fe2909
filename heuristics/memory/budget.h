/* budget.h -- what is left of each memory when tasks take their bytes for good, as on accelerators
 * that hold a model: what a task writes, and the initial data it reads. */
#ifndef TGS_MEMORY_BUDGET_H
#define TGS_MEMORY_BUDGET_H
#include "core.h"

typedef struct tgs_i_budget {
    const tgs_view *v;
    double *left;   /* [memories] bytes */
    double *bytes;  /* [n] what each task takes */
    int32_t *last;  /* [m] the last task of each processor, -1 none */
    int32_t *child; /* [n] the favourite child of each task, -1 none; NULL: nobody has one */
    bool *placed;   /* [n] */
} tgs_i_budget;

tgs_status tgs_i_budget_open(tgs_i_budget *b, const tgs_view *v, tgs_error *err);
void tgs_i_budget_close(tgs_i_budget *b);
/* ETF over the memories that have enough left, then over the others; a processor waits for the
 * favourite child of its last task as long as the data take to another memory */
tgs_status tgs_i_budget_run(tgs_i_budget *b, const tgs_ctx *c, tgs_plan *plan, tgs_error *err);
#endif
