/* ls-class.c -- local search over device placements that need not be contiguous, from DPL's. */
#include "placeplan.h"

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    const int64_t evals = tgs_arg_int(c->args, "evals");
    const int32_t rounds = (int32_t)tgs_arg_int(c->args, "rounds");
    tgs_i_placing p;
    tgs_status status = tgs_i_placing_open(&p, c, TGS_I_PLACE_CLASSES, err);

    if (status)
        return status;
    status = tgs_i_placing_dpl(&p, c, err);
    if (!status)
        status =
            tgs_i_place_anneal(&p.x.class_, &p.x.d, evals, rounds, c->rng, &p.a, c->stop, c->user)
                ? tgs_fail(err, TGS_ENOMEM, "out of memory")
                : TGS_OK;
    if (!status)
        status = tgs_i_placing_bound(&p, err);
    if (!status)
        status = tgs_i_placing_tell(&p, c, NULL, out, err);
    tgs_i_placing_close(&p);
    return status;
}

static const tgs_param params[] = {
    {"evals", "5000000", TGS_PARAM_INT, 0, 1e12, "classes that are moved when moves are tried"},
    {"rounds", "4", TGS_PARAM_INT, 1, 1000, "coolings, each from the best so far"},
    TGS_I_PLACING_ORDERS("4"),
    TGS_I_PLACING_HOST,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_ls_class = {
    .base = {TGS_PLUGIN_ABI, "ls-class",
             "device placement of a graph for throughput, not contiguous, by local search",
             "Tarnawski, Phanishayee, Devanur, Mahajan, Nina Paravecino (2020), Efficient "
             "algorithms for device placement of DNN graph operators, NeurIPS",
             params},
    .needs = TGS_PLANS_GRAPH | TGS_PLANS_PLATFORM,
    .systems = "T6",
    .plan = plan,
};
