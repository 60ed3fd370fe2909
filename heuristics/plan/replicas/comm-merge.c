/* comm-merge.c -- gradients in merged messages, chosen exactly. */
#include "../step.h"

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    return tgs_i_plan_merge(c, out, true, err);
}

const tgs_planner tgs_planner_comm_merge = {
    .base = {TGS_PLUGIN_ABI, "comm-merge", "gradients in merged messages, chosen exactly",
             "Shi, Chu, Li, MG-WFBP, INFOCOM 2019; exact choice by a prefix programme", NULL},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "T7",
    .plan = plan,
};
