/* concat.c -- tensors side by side along one axis. */
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int32_t axis;
    tgs_status status = tgs_i_op_needs(n, n->op->inputs > 0 ? n->op->inputs : 1, err);

    if (!status)
        status = tgs_i_op_axis(n, 1, tgs_node_in(n, 0)->rank, 0, &axis, err);
    if (status)
        return status;
    tgs_shape_of(tgs_node_in(n, 0), out);
    for (int32_t i = 1; i < n->op->inputs; i++) {
        const tgs_tensor *x = tgs_node_in(n, i);

        for (int32_t j = 0; j < out->rank; j++)
            if (x->rank != out->rank || (j != axis && x->dim[j] != out->dim[j]))
                return tgs_node_fail(n, err, "input %d does not fit input 0", (int)i);
        out->dim[axis] += x->dim[axis];
        if (out->dim[axis] > INT64_MAX / 4)
            return tgs_node_fail(n, err, "its result is too large");
    }
    return TGS_OK;
}

/* the values before the axis one by one, and of each those that the inputs have in a row */
static bool fold(const tgs_node *n, int64_t *value)
{
    const tgs_tensor *y = tgs_node_out(n, 0);
    int64_t outer = 1, used = 0;
    int32_t axis;

    if (tgs_i_op_axis(n, 1, y->rank, 0, &axis, NULL))
        return false;
    for (int32_t i = 0; i < n->op->inputs; i++)
        if (!tgs_node_in(n, i)->value)
            return false;
    for (int32_t d = 0; d < axis; d++)
        outer *= y->dim[d];
    for (int64_t o = 0; o < outer; o++)
        for (int32_t i = 0; i < n->op->inputs; i++) {
            const tgs_tensor *x = tgs_node_in(n, i);
            const int64_t row = (int64_t)tgs_elements(x) / outer;

            memcpy(value + used, x->value + o * row, (size_t)row * sizeof *value);
            used += row;
        }
    return true;
}

static void attributes(const tgs_node *n, int64_t *axis, char *text)
{
    *axis = tgs_attr_int(n->op->attrs, "axis", 1);
    if (*axis < 0)
        *axis += tgs_node_in(n, 0)->rank;
    *text = 0;
    tgs_i_op_put_ints(text, "axis", axis, 1);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    int64_t axis;

    attributes(n, &axis, attrs);
    return tgs_i_op_emit(n, e, "R x*, W y0", attrs, 0, err);
}

/* each gradient is a slice of dY: of its own extent, from offset on */
static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    int64_t axis, offset = 0;
    char attrs[TGS_I_ATTRS], buffers[32], suffix[24];
    const tgs_emission c = {"concat_bwd", buffers, attrs, suffix, 0};
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < n->op->inputs && !status; i++) {
        attributes(n, &axis, attrs);
        tgs_i_op_put_ints(attrs, "offset", &offset, 1);
        snprintf(buffers, sizeof buffers, "R dy0, W dx%d", (int)i);
        snprintf(suffix, sizeof suffix, ".bwd.%d", (int)i);
        if (tgs_wanted(e, i))
            status = tgs_emit(e, &c, err);
        offset += tgs_node_in(n, i)->dim[axis];
    }
    return status;
}

const tgs_operator tgs_operator_concat = {
    .base = {TGS_PLUGIN_ABI, "concat", "tensors side by side", NULL, NULL},
    .types = "Concat",
    .differentiable = TGS_ALL_DIFFERENTIABLE,
    .infer = infer,
    .fold = fold,
    .forward = forward,
    .backward = backward,
};
