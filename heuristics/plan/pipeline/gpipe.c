/* gpipe.c -- Huang et al., GPipe, NeurIPS 2019: all forward passes, then all backward passes. */
#include "../step.h"

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    return tgs_i_plan_flushed(c, out, "gpipe", err);
}

const tgs_planner tgs_planner_gpipe = {
    .base = {TGS_PLUGIN_ABI, "gpipe", "a pipeline of forward passes, then one of backward passes",
             "Huang et al., GPipe, NeurIPS 2019", tgs_i_plan_flushed_params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "",
    .plan = plan,
};
