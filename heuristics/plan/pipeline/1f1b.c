/* 1f1b.c -- Narayanan et al., PipeDream, SOSP 2019: a forward and a backward pass in turn, flushed
 * at the end of each step. */
#include "../step.h"

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    return tgs_i_plan_flushed(c, out, "1f1b", err);
}

const tgs_planner tgs_planner_1f1b = {
    .base = {TGS_PLUGIN_ABI, "1f1b", "a pipeline of forward and backward passes in turn",
             "Narayanan et al., PipeDream, SOSP 2019", tgs_i_plan_flushed_params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "",
    .plan = plan,
};
