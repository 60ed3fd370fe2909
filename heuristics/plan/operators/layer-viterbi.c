/* layer-viterbi.c -- an implementation for every layer when changes between the host and the rest
 * cost: a shortest path over (layer, side). */
#include "layerplan.h"

static tgs_status rule(const tgs_i_layer_times *x, double change, int32_t *choice, double *cost)
{
    return tgs_i_layers_viterbi(x, change, 0, choice, cost);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    return tgs_i_layer_plan(c, rule, out, err);
}

static const tgs_param params[] = {TGS_I_LAYER_PARAMS};

const tgs_planner tgs_planner_layer_viterbi = {
    .base = {TGS_PLUGIN_ABI, "layer-viterbi",
             "an implementation for every layer when changes between host and device cost",
             "model: Bereholschi, Lin, Yayla, Chen, HEP-BNN, 2023, arXiv 2301.05126", params},
    .needs = TGS_PLANS_FILE,
    .systems = "S6 T19",
    .plan = plan,
};
