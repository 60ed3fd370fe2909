/* reshape.c -- the same elements in another shape. */
#include <string.h>
#include "core.h"

static tgs_status infer_flatten(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    int32_t axis;
    const tgs_status status = tgs_i_op_axis(n, 1, x->rank, 1, &axis, err);

    out->dtype = x->dtype;
    out->rank = 2;
    out->dim[0] = out->dim[1] = 1;
    for (int32_t i = 0; i < x->rank; i++)
        out->dim[i >= axis] *= x->dim[i];
    return status;
}

static tgs_status infer_reshape(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    const bool zero = tgs_attr_int(n->op->attrs, "allowzero", 0) != 0;
    const int32_t rank = tgs_i_op_list(n, "shape", 1, out->dim, TGS_MODEL_RANK);
    double known = 1;
    int32_t open = -1;

    if (rank < 0)
        return tgs_node_open(n, err, "its shape is not a constant");
    out->dtype = x->dtype;
    out->rank = rank;
    for (int32_t i = 0; i < rank; i++) {
        if (out->dim[i] == 0 && !zero) {
            if (i >= x->rank)
                return tgs_node_fail(n, err, "dimension %d is to be copied from rank %d", (int)i,
                                     (int)x->rank);
            out->dim[i] = x->dim[i];
        }
        if (out->dim[i] == -1 && open < 0)
            open = i;
        else if (out->dim[i] < 0)
            return tgs_node_fail(n, err, "its shape has the value %lld", (long long)out->dim[i]);
        else
            known *= (double)out->dim[i];
    }
    if (open >= 0)
        out->dim[open] = known > 0 ? (int64_t)(tgs_elements(x) / known) : 0;
    if (tgs_i_shape_elements(out) != tgs_elements(x))
        return tgs_node_fail(n, err, "%.0f elements do not fit its shape", tgs_elements(x));
    return TGS_OK;
}

static tgs_status infer_squeeze(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    int64_t axes[TGS_MODEL_RANK];
    const int32_t given = tgs_i_op_list(n, "axes", 1, axes, TGS_MODEL_RANK);
    bool drop[TGS_MODEL_RANK] = {false};

    if (given == -2)
        return tgs_node_open(n, err, "its axes are not constants");
    for (int32_t i = 0; i < given; i++) {
        int32_t axis;
        const tgs_status status = tgs_i_op_axis_of(n, axes[i], x->rank, &axis, err);

        if (status)
            return status;
        if (x->dim[axis] != 1)
            return tgs_node_fail(n, err, "dimension %d is %lld, not 1", (int)axis,
                                 (long long)x->dim[axis]);
        drop[axis] = true;
    }
    out->dtype = x->dtype;
    out->rank = 0;
    for (int32_t i = 0; i < x->rank; i++)
        if (given < 0 ? x->dim[i] != 1 : !drop[i])
            out->dim[out->rank++] = x->dim[i];
    return TGS_OK;
}

static tgs_status infer_unsqueeze(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    int64_t axes[TGS_MODEL_RANK];
    const int32_t given = tgs_i_op_list(n, "axes", 1, axes, TGS_MODEL_RANK);
    bool added[TGS_MODEL_RANK] = {false};
    int32_t from = 0;

    if (given < 0)
        return tgs_node_open(n, err, "its axes are not constants");
    if (x->rank + given > TGS_MODEL_RANK)
        return tgs_node_fail(n, err, "a result of rank %d", (int)(x->rank + given));
    out->dtype = x->dtype;
    out->rank = x->rank + given;
    for (int32_t i = 0; i < given; i++) {
        int32_t axis;
        const tgs_status status = tgs_i_op_axis_of(n, axes[i], out->rank, &axis, err);

        if (status)
            return status;
        if (added[axis])
            return tgs_node_fail(n, err, "axis %d is given twice", (int)axis);
        added[axis] = true;
    }
    for (int32_t i = 0; i < out->rank; i++)
        out->dim[i] = added[i] ? 1 : x->dim[from++];
    return TGS_OK;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_needs(n, 1, err);

    if (status)
        return status;
    switch (*n->op->type) {
    case 'F':
        return infer_flatten(n, out, err);
    case 'R':
        return infer_reshape(n, out, err);
    case 'S':
        return infer_squeeze(n, out, err);
    default:
        return infer_unsqueeze(n, out, err);
    }
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const tgs_emission c = {"reshape", "R x0, W y0", NULL, NULL, 0};

    (void)n;
    return tgs_emit(e, &c, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const tgs_emission c = {"reshape", "R dy0, W dx0", NULL, ".bwd", 0};

    (void)n;
    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_reshape = {
    .base = {TGS_PLUGIN_ABI, "reshape", "the same elements in another shape", NULL, NULL},
    .types = "Reshape Flatten Squeeze Unsqueeze",
    .differentiable = 1,
    .infer = infer,
    .fold = tgs_i_op_fold_copy,
    .fold_real = tgs_i_op_fold_literal,
    .store = tgs_i_op_store_copy,
    .forward = forward,
    .backward = backward,
};
