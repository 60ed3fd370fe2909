/* place-ideal-dp.c -- the best contiguous device placement, over all ideals of the graph
 * (Tarnawski et al. 2020). */
#include "placeplan.h"

/* states of ideals that are kept: 13 bytes each */
#define MOST_STATES 150e6

static tgs_status fall_back(tgs_proposal *out, const char *what, long long most)
{
    return tgs_proposal_note(out,
                             "more than %lld %s: this is the placement along topological orders "
                             "(place-dpl), not proven to be the best contiguous one",
                             most, what);
}

static tgs_status over_ideals(tgs_i_placing *p, const tgs_planner_ctx *c, tgs_proposal *out,
                              tgs_error *err)
{
    const tgs_i_place_graph *g = &p->x.class_;
    const int64_t most = tgs_arg_int(c->args, "ideals"), states = tgs_i_place_states(&p->x.d);
    tgs_i_ideals x;
    tgs_status status =
        tgs_i_ideals_open(&x, g->n, g->pred_at, g->pred, g->succ_at, g->succ, (int32_t)most);

    if (status)
        return tgs_fail(err, status, "out of memory for %lld ideals", (long long)most);
    if (!x.count) {
        status = fall_back(out, "ideals", most);
    } else if ((double)x.count * (double)states > MOST_STATES) {
        status = fall_back(out, "states of ideals", (long long)MOST_STATES);
    } else {
        status = tgs_i_place_dp(g, &p->x.d, &x, &p->a, c->stop, c->user);
        if (!status && !p->a.stopped)
            status = tgs_proposal_note(out, "no contiguous placement has a smaller largest load");
    }
    if (!status && x.count)
        status = tgs_proposal_figure(out, "ideals", x.count);
    tgs_i_ideals_close(&x);
    return status ? tgs_fail(err, status, "out of memory") : TGS_OK;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    tgs_i_placing p;
    tgs_status status = tgs_i_placing_open(&p, c, TGS_I_PLACE_CLASSES, err);

    if (status)
        return status;
    status = tgs_i_placing_dpl(&p, c, err);
    if (!status)
        status = over_ideals(&p, c, out, err);
    if (!status)
        status = tgs_i_placing_bound(&p, err);
    if (!status)
        status = tgs_i_placing_tell(&p, c, NULL, out, err);
    tgs_i_placing_close(&p);
    return status;
}

static const tgs_param params[] = {
    {"ideals", "60000", TGS_PARAM_INT, 1, 1e8, "ideals, at most; with more it is place-dpl's"},
    TGS_I_PLACING_ORDERS("4"),
    TGS_I_PLACING_HOST,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_place_ideal_dp = {
    .base = {TGS_PLUGIN_ABI, "place-ideal-dp",
             "the best contiguous device placement of a graph for throughput",
             "Tarnawski, Phanishayee, Devanur, Mahajan, Nina Paravecino (2020), Efficient "
             "algorithms for device placement of DNN graph operators, NeurIPS",
             params},
    .needs = TGS_PLANS_GRAPH | TGS_PLANS_PLATFORM,
    .systems = "T6",
    .plan = plan,
};
