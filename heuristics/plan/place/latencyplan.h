/* latencyplan.h -- the best of several placements, for latency. */
#ifndef TGS_PLAN_LATENCYPLAN_H
#define TGS_PLAN_LATENCYPLAN_H
#include "placeplan.h"

/* how a topological order of the blocks becomes a placement; *there: false when it does not */
typedef tgs_status tgs_i_latency_rule(const tgs_i_place *x, const int32_t *order, int32_t *device,
                                      bool *there);
/* a planner's whole work: the best, over the parameter `orders`, of what the rule makes; with
 * beside also that of the split with the smallest largest load, and of the host alone */
tgs_status tgs_i_latency_plan(const tgs_planner_ctx *c, tgs_i_latency_rule *rule, bool beside,
                              tgs_proposal *out, tgs_error *err);
#endif
