/* lat-greedy.c -- the greedy rule of Tarnawski et al. (2020): devices are filled one after the
 * other in a topological order of inseparable blocks; what is left is the host's. */
#include "latencyplan.h"

static tgs_status rule(const tgs_i_place *x, const int32_t *order, int32_t *device, bool *there)
{
    const tgs_status status = tgs_i_place_fill(&x->class_, &x->d, order, device);

    *there = !status;
    return status == TGS_EINFEASIBLE ? TGS_OK : status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    return tgs_i_latency_plan(c, rule, false, out, err);
}

static const tgs_param params[] = {
    TGS_I_PLACING_ORDERS("1"),
    TGS_I_PLACING_HOST,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_lat_greedy = {
    .base = {TGS_PLUGIN_ABI, "lat-greedy",
             "device placement of a graph for latency: fill one device after the other",
             "Tarnawski, Phanishayee, Devanur, Mahajan, Nina Paravecino (2020), Efficient "
             "algorithms for device placement of DNN graph operators, NeurIPS",
             params},
    .needs = TGS_PLANS_GRAPH | TGS_PLANS_PLATFORM,
    .systems = "T6",
    .plan = plan,
};
