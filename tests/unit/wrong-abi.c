/* wrong-abi.c -- a heuristic built for another version of plugin.h, for t_external. */
#include "tgsched/plugin.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    (void)c, (void)plan;
    return tgs_fail(err, TGS_EINVAL, "must not be called");
}

extern const tgs_heuristic tgs_heuristic_wrong_abi;
const tgs_heuristic tgs_heuristic_wrong_abi = {
    .base = {TGS_PLUGIN_ABI + 1, "wrong-abi", "of another time", NULL, NULL}, .run = run};
