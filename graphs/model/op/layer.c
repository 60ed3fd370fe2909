/* layer.c -- operators of which only sizes are known: layers of a profile, control flow that is one
 * task, and whatever the table does not cover.  Forward and backward are a task each.  Of control
 * flow its reader says flops and bytes: those of a body as often as it runs, or of the larger
 * branch. */
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    for (int32_t i = 0; i < n->op->outputs; i++) {
        const tgs_tensor *y = tgs_node_out(n, i);

        if (!y)
            continue;
        if (y->rank < 0)
            return tgs_node_open(n, err, "the shape of output %d is not known", (int)i);
        tgs_shape_of(y, &out[i]);
    }
    return TGS_OK;
}

static tgs_status emit(const tgs_node *n, tgs_emitter *e, bool back, tgs_error *err)
{
    const double times = back ? 2 : 1;
    char codelet[80];
    const tgs_emission c = {.codelet =
                                tgs_i_op_codelet(n, back ? "_bwd" : "", codelet, sizeof codelet),
                            .buffers = back ? "R x*, R dy*, W dx*" : "R x*, W y*",
                            .suffix = back ? ".bwd" : NULL,
                            .flops = times * tgs_attr_real(n->op->attrs, "body_flops", 0)};
    const tgs_status status = tgs_emit(e, &c, err);

    if (!status)
        tgs_emit_bytes(e, times * tgs_attr_real(n->op->attrs, "body_bytes", 0));
    return status;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return emit(n, e, false, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return emit(n, e, true, err);
}

const tgs_operator tgs_operator_layer = {
    .base = {TGS_PLUGIN_ABI, "layer", "what is known by its sizes alone", NULL, NULL},
    .types = "tgsched.Layer If Loop Scan SequenceMap",
    .differentiable = TGS_ALL_DIFFERENTIABLE,
    .opaque = true,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
