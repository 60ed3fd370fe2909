/* expand.c -- a tensor broadcast to a shape. */
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t dim[TGS_MODEL_RANK];
    tgs_tensor to = {.dim = dim};
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (status)
        return status;
    to.rank = tgs_i_op_list(n, "shape", 1, dim, TGS_MODEL_RANK);
    if (to.rank < 0)
        return tgs_node_open(n, err, "its shape is not a constant");
    for (int32_t i = 0; i < to.rank; i++)
        if (dim[i] < 0)
            return tgs_node_fail(n, err, "its shape has the value %lld", (long long)dim[i]);
    return tgs_i_op_broadcast(n, tgs_node_in(n, 0), &to, out, err);
}

static bool fold(const tgs_node *n, int64_t *value)
{
    const tgs_tensor *x = tgs_node_in(n, 0);

    if (!x->value || tgs_elements(x) != 1)
        return tgs_i_op_fold_copy(n, value);
    for (int64_t i = 0; i < (int64_t)tgs_elements(tgs_node_out(n, 0)); i++)
        value[i] = x->value[0];
    return true;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_emit(n, e, "R x0, W y0", NULL, 0, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const tgs_emission c = {"reduce_to", "R dy0, W dx0", NULL, ".bwd",
                            tgs_elements(tgs_node_out(n, 0))};

    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_expand = {
    .base = {TGS_PLUGIN_ABI, "expand", "a tensor broadcast to a shape", NULL, NULL},
    .types = "Expand",
    .differentiable = 1,
    .infer = infer,
    .fold = fold,
    .forward = forward,
    .backward = backward,
};
