/* step.c -- functions of one tensor that are constant almost everywhere: no gradient passes. */
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (!status && !strncmp(n->op->type, "Is", 2))
        out->dtype = TGS_BOOL;
    return status;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_emit(n, e, "R x0, W y0", NULL, tgs_elements(tgs_node_out(n, 0)), err);
}

const tgs_operator tgs_operator_step = {
    .base = {TGS_PLUGIN_ABI, "step", "rounding, signs, tests", NULL, NULL},
    .types = "Ceil Floor Round Sign Not IsNaN IsInf BitwiseNot",
    .infer = infer,
    .forward = forward,
};
