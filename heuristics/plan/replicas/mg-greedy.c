/* mg-greedy.c -- gradients in merged messages, by the published rule. */
#include "../step.h"

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    return tgs_i_plan_merge(c, out, false, err);
}

const tgs_planner tgs_planner_mg_greedy = {
    .base = {TGS_PLUGIN_ABI, "mg-greedy", "gradients in merged messages, by the published rule",
             "Shi, Chu, Li, MG-WFBP, INFOCOM 2019", NULL},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "T7",
    .plan = plan,
};
