/* layer.c -- operators of which only sizes are known: layers of a profile, and whatever the table
 * does not cover.  Forward and backward are a task each; nothing is known of the arithmetic. */
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    for (int32_t i = 0; i < n->op->outputs; i++) {
        const tgs_tensor *y = tgs_node_out(n, i);

        if (!y)
            continue;
        if (y->rank < 0)
            return tgs_node_fail(n, err, "the shape of output %d is not known", (int)i);
        tgs_shape_of(y, &out[i]);
    }
    return TGS_OK;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_emit(n, e, "R x*, W y*", NULL, 0, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char codelet[80];
    const tgs_emission c = {tgs_i_op_codelet(n, "_bwd", codelet, sizeof codelet),
                            "R x*, R dy*, W dx*", NULL, ".bwd", 0};

    return tgs_emit(e, &c, err);
}

const tgs_operator tgs_operator_layer = {
    .base = {TGS_PLUGIN_ABI, "layer", "what is known by its sizes alone", NULL, NULL},
    .types = "tgsched.Layer",
    .differentiable = TGS_ALL_DIFFERENTIABLE,
    .opaque = true,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
