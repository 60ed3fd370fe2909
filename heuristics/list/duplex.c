/* duplex.c -- Duplex: the better of Min-Min and Max-Min.
 *
 * T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent
 * tasks onto heterogeneous distributed computing systems", J. Parallel Distrib. Comput. 61(6),
 * 2001.
 *
 * Of equal makespans Min-Min's. */
#include <stdio.h>
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    static const char *const name[] = {"minmin", "maxmin"};
    double best = INFINITY;
    tgs_plan *other;
    int32_t batch = 0;
    tgs_status status = tgs_plan_open(&other, c->v, err);

    if (!status)
        status = tgs_i_choice(c, "ready", "dynamic|batch", &batch, err);
    for (int32_t i = 0; i < 2 && !status; i++) {
        char spec[40];

        snprintf(spec, sizeof spec, "%s:ready=%s", name[i], batch ? "batch" : "dynamic");
        status = tgs_plan_make(c, spec, 1, other, err);
        if (status || !(tgs_plan_makespan(c->v, other) < best))
            continue;
        best = tgs_plan_makespan(c->v, other);
        status = tgs_plan_assign(c->v, plan, other);
    }
    tgs_plan_free(other);
    return status;
}

static const tgs_param params[] = {
    {"ready", "dynamic", TGS_PARAM_TEXT, 0, 0,
     "dynamic, or batch: the ready tasks are placed before others become ready"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_duplex = {
    .base = {TGS_PLUGIN_ABI, "duplex", "the better of Min-Min and Max-Min",
             "Braun et al., JPDC 61(6), 2001", params},
    .run = run,
};
