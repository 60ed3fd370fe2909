/* layer-argmin.c -- the fastest implementation of every layer (HEP-BNN): what its authors do, who
 * have the copies in the layers' times. */
#include "layerplan.h"

static tgs_status rule(const tgs_i_layer_times *x, double change, int32_t *choice, double *cost)
{
    tgs_i_layers_argmin(x, choice);
    *cost = tgs_i_layers_cost(x, choice, change, 0);
    return TGS_OK;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    return tgs_i_layer_plan(c, rule, out, err);
}

static const tgs_param params[] = {TGS_I_LAYER_PARAMS};

const tgs_planner tgs_planner_layer_argmin = {
    .base = {TGS_PLUGIN_ABI, "layer-argmin",
             "the fastest implementation of every layer, from a table of measured times",
             "Bereholschi, Lin, Yayla, Chen, HEP-BNN, 2023, arXiv 2301.05126", params},
    .needs = TGS_PLANS_FILE,
    .systems = "S6 T19",
    .plan = plan,
};
