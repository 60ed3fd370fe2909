/* argmax.c -- where the largest or smallest element is along an axis. */
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    const bool keep = tgs_attr_int(n->op->attrs, "keepdims", 1) != 0;
    int32_t axis;
    tgs_status status = tgs_i_op_needs(n, 1, err);

    if (!status)
        status = tgs_i_op_axis(n, 0, x->rank, 0, &axis, err);
    if (status)
        return status;
    out->dtype = TGS_I64;
    out->rank = 0;
    for (int32_t i = 0; i < x->rank; i++)
        if (i != axis || keep)
            out->dim[out->rank++] = i == axis ? 1 : x->dim[i];
    return TGS_OK;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    int64_t axis = tgs_attr_int(n->op->attrs, "axis", 0);
    char attrs[TGS_I_ATTRS] = "";

    if (axis < 0)
        axis += tgs_node_in(n, 0)->rank;
    tgs_i_op_put_ints(attrs, "axis", &axis, 1);
    return tgs_i_op_emit(n, e, "R x0, W y0", attrs, tgs_elements(tgs_node_in(n, 0)), err);
}

const tgs_operator tgs_operator_argmax = {
    .base = {TGS_PLUGIN_ABI, "argmax", "where the largest or smallest element is", NULL, NULL},
    .types = "ArgMax ArgMin",
    .infer = infer,
    .forward = forward,
};
