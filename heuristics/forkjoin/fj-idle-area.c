/* fj-idle-area.c -- a lower bound for fork-join graphs on equal processors: the work and the idle
 * time that communication forces on used processors.
 *
 * head + min over the two cases (source and sink on one processor, or apart) of L + tail; see
 * core.h. O(n log n). */
#include "core.h"

static tgs_status run(const tgs_ctx *c, double *bound, tgs_error *err)
{
    tgs_i_fj_equal e;
    tgs_status status = tgs_i_fj_equal_open(&e, c->v, err);

    if (status)
        return status;
    status = tgs_i_fj_bound(&e, tgs_i_fj_idle_area, bound, err);
    tgs_i_fj_equal_close(&e);
    return status;
}

const tgs_bound_plugin tgs_bound_fj_idle_area = {
    .base = {TGS_PLUGIN_ABI, "fj-idle-area",
             "fork-join: the work and the idle time that communication forces on used processors",
             NULL, NULL},
    .model = "fork-join graph, equal processors, uniform links, any link model, no duplication",
    .duplication = false,
    .run = run,
};
