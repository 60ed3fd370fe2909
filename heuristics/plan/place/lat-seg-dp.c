/* lat-seg-dp.c -- device placement for latency: the least serial time of all ways to cut a
 * topological order of inseparable blocks into pieces, for several orders; beside it the split with
 * the smallest largest load and the host alone, and the best of them all. */
#include "latencyplan.h"

static tgs_status rule(const tgs_i_place *x, const int32_t *order, int32_t *device, bool *there)
{
    double serial;
    const tgs_status status = tgs_i_place_segments(&x->class_, &x->d, order, device, &serial);

    *there = !isinf(serial);
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    return tgs_i_latency_plan(c, rule, true, out, err);
}

static const tgs_param params[] = {
    TGS_I_PLACING_ORDERS("8"),
    TGS_I_PLACING_HOST,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_lat_seg_dp = {
    .base = {TGS_PLUGIN_ABI, "lat-seg-dp",
             "device placement of a graph for the latency of one sample, memory permitting",
             "model: Tarnawski, Phanishayee, Devanur, Mahajan, Nina Paravecino (2020), NeurIPS",
             params},
    .needs = TGS_PLANS_GRAPH | TGS_PLANS_PLATFORM,
    .systems = "T6",
    .plan = plan,
};
