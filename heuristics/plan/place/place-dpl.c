/* place-dpl.c -- device placement along depth-first topological orders (Tarnawski et al. 2020). */
#include "placeplan.h"

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    tgs_i_placing p;
    tgs_status status = tgs_i_placing_open(&p, c, TGS_I_PLACE_CLASSES, err);

    if (status)
        return status;
    status = tgs_i_placing_dpl(&p, c, err);
    if (!status)
        status = tgs_i_placing_bound(&p, err);
    if (!status)
        status = tgs_i_placing_tell(&p, c, NULL, out, err);
    tgs_i_placing_close(&p);
    return status;
}

static const tgs_param params[] = {
    TGS_I_PLACING_ORDERS("4"),
    TGS_I_PLACING_HOST,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_place_dpl = {
    .base = {TGS_PLUGIN_ABI, "place-dpl",
             "device placement of a graph for throughput, along a topological order",
             "Tarnawski, Phanishayee, Devanur, Mahajan, Nina Paravecino (2020), Efficient "
             "algorithms for device placement of DNN graph operators, NeurIPS",
             params},
    .needs = TGS_PLANS_GRAPH | TGS_PLANS_PLATFORM,
    .systems = "T6",
    .plan = plan,
};
