/* mixed-interval.c -- mixed-comm, where also what must lie in an interval has to fit (mixspan.c).
 *
 * The windows of windows.h say how much of a task lies between a and T - b, and the same division
 * of the tasks between kinds must fit into all intervals at once. */
#include "core.h"

static tgs_status run(const tgs_ctx *c, double *bound, tgs_error *err)
{
    return tgs_i_mix_bound(c, &(tgs_i_mix_parts){.communication = true, .intervals = true}, bound,
                           err);
}

static const tgs_param params[] = {
    {"size", "50000", TGS_PARAM_INT, 1, 1e9, "tasks times kinds, and dependencies, at most"},
    {"rounds", "100", TGS_PARAM_INT, 0, 1e9, "times that chains and intervals are added, at most"},
    {"effort", "20000000", TGS_PARAM_INT, 1, 1e12, "intervals x tasks x kinds in a round, at most"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_bound_plugin tgs_bound_mixed_interval = {
    .base = {TGS_PLUGIN_ABI, "mixed-interval", "mixed-comm, and what must lie in an interval",
             "after Agullo et al., IPDPS 2016; Fernandez, Bussell, IEEE Trans. Computers, 1973",
             params},
    .model = "every task once, any link model",
    .run = run,
};
