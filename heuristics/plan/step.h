/* step.h -- what planners of a training step share. */
#ifndef TGS_PLAN_STEP_H
#define TGS_PLAN_STEP_H
#include "tgsched/planner.h"

/* ---- sizes.c: micro-batches ------------------------------------------------------------------ */
/* The sizes that a micro-batch of the step may have for which model 0 has layers, ascending: with
 * `given` > 0 that one alone.  size has room for PLAN_SIZES; returns how many, or a status. */
#define PLAN_SIZES 32
int32_t tgs_i_plan_sizes(const tgs_planner_ctx *c, int64_t given, int64_t *size, tgs_error *err);
/* directives by which a step of c->batch samples runs as micro-batches of that size */
tgs_status tgs_i_plan_put_batches(const tgs_planner_ctx *c, int64_t size, char *text, size_t room);

/* ---- flushed.c: pipelines that are empty at the end of every step ---------------------------- */
tgs_status tgs_i_plan_flushed(const tgs_planner_ctx *c, tgs_proposal *out, const char *order,
                              tgs_error *err);
extern const tgs_param tgs_i_plan_flushed_params[];
#endif
