/* identity.c -- what passes its input on: Identity, and Dropout as it is outside of training. */
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *mode = tgs_node_in(n, 2);
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (status)
        return status;
    if (!strcmp(n->op->type, "Dropout") && mode && !(mode->value && !mode->value[0]))
        return tgs_node_open(n, err, "training_mode is not supported");
    for (int32_t i = 1; i < n->op->outputs; i++) /* the mask: never computed, refused when read */
        if (n->m->opset >= 10)
            out[i].dtype = TGS_BOOL;
    for (int32_t i = 1; i < n->op->outputs; i++)
        if (tgs_node_out(n, i) && tgs_node_out(n, i)->uses)
            return tgs_node_open(n, err, "its mask is not supported");
    return TGS_OK;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const tgs_emission c = {"identity", "R x0, W y0", NULL, NULL, 0};

    (void)n;
    return tgs_emit(e, &c, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    (void)n;
    return tgs_wanted(e, 0) ? tgs_emit_same(e, 0, err) : TGS_OK;
}

const tgs_operator tgs_operator_identity = {
    .base = {TGS_PLUGIN_ABI, "identity", "what passes its input on", NULL, NULL},
    .types = "Identity Dropout",
    .differentiable = 1,
    .infer = infer,
    .fold = tgs_i_op_fold_copy,
    .fold_real = tgs_i_op_fold_literal,
    .store = tgs_i_op_store_copy,
    .forward = forward,
    .backward = backward,
};
