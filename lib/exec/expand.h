/* expand.h -- a schedule that runs tasks more than once, as a job in which every task runs once. */
#ifndef TGS_EXEC_EXPAND_H
#define TGS_EXEC_EXPAND_H
#include "internal.h"

typedef struct tgs_i_expanded {
    tgs_graph *g;        /* the tasks are the executions, by place; the data of copies come last */
    tgs_view v;          /* of g, with the prices of the problem */
    tgs_schedule_view s; /* one execution per task */
    int32_t *task, *datum; /* whose execution and whose value each of them is */
    double *time;
    int32_t *pin_proc, *home;
    uint64_t *mem_mask;
    tgs_place *place;
} tgs_i_expanded;

/* Each copy writes data of its own; a task reads those that the plan has in its memory first.
 * TGS_ENOTAPPLICABLE when s lists its transfers. */
tgs_status tgs_i_expand(tgs_i_expanded **out, const tgs_problem *pb, const tgs_schedule_view *s,
                        tgs_error *err);
void tgs_i_expanded_free(tgs_i_expanded *x);
#endif
