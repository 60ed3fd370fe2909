/* mixed-comm.c -- work and chains at once, data on their way between kinds included: the linear
 * program of mix.c with communication.
 *
 * A move costs the cheapest way between memories of kinds that share none. */
#include "core.h"

static tgs_status run(const tgs_ctx *c, double *bound, tgs_error *err)
{
    return tgs_i_mix_bound(c, &(tgs_i_mix_parts){.communication = true}, bound, err);
}

static const tgs_param params[] = {
    {"size", "100000", TGS_PARAM_INT, 1, 1e9, "tasks times kinds, and dependencies, at most"},
    {"rounds", "100", TGS_PARAM_INT, 0, 1e9, "times that chains are added, at most"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_bound_plugin tgs_bound_mixed_comm = {
    .base = {TGS_PLUGIN_ABI, "mixed-comm", "mixed, with what moves between kinds",
             "after Kedad-Sidhoum, Monna, Trystram, IPDPSW 2015", params},
    .model = "every task once, any link model",
    .run = run,
};
