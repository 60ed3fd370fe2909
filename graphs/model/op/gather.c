/* gather.c -- entries of a tensor chosen by indices along one axis. */
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *index = tgs_node_in(n, 1);
    int32_t axis;
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (!status)
        status = tgs_i_op_axis(n, 0, x->rank, 0, &axis, err);
    if (status)
        return status;
    if (x->rank - 1 + index->rank > TGS_MODEL_RANK)
        return tgs_node_open(n, err, "a result of rank %d", (int)(x->rank - 1 + index->rank));
    out->dtype = x->dtype;
    out->rank = 0;
    for (int32_t i = 0; i < axis; i++)
        out->dim[out->rank++] = x->dim[i];
    for (int32_t i = 0; i < index->rank; i++)
        out->dim[out->rank++] = index->dim[i];
    for (int32_t i = axis + 1; i < x->rank; i++)
        out->dim[out->rank++] = x->dim[i];
    return TGS_OK;
}

static bool fold(const tgs_node *n, int64_t *value)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *index = tgs_node_in(n, 1);
    const int64_t indices = (int64_t)tgs_elements(index);
    int64_t inner = 1, used = 0;
    int32_t axis;

    if (!x->value || !index->value || tgs_i_op_axis(n, 0, x->rank, 0, &axis, NULL))
        return false;
    for (int32_t d = axis + 1; d < x->rank; d++)
        inner *= x->dim[d];
    for (int64_t i = 0; i < indices; i++)
        if (index->value[i] < -x->dim[axis] || index->value[i] >= x->dim[axis])
            return false;
    for (int64_t from = 0; from < (int64_t)tgs_elements(x); from += x->dim[axis] * inner)
        for (int64_t i = 0; i < indices; i++) {
            const int64_t at = index->value[i] + (index->value[i] < 0 ? x->dim[axis] : 0);

            memcpy(value + used, x->value + from + at * inner, (size_t)inner * sizeof *value);
            used += inner;
        }
    return true;
}

static void attributes(const tgs_node *n, char *text)
{
    int64_t axis = tgs_attr_int(n->op->attrs, "axis", 0);

    if (axis < 0)
        axis += tgs_node_in(n, 0)->rank;
    *text = 0;
    tgs_i_op_put_ints(text, "axis", &axis, 1);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];

    attributes(n, attrs);
    return tgs_i_op_emit(n, e, "R x0, R x1, W y0", attrs, 0, err);
}

/* rows that were chosen several times add up */
static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission c = {"gather_bwd", "R dy0, R x1, W dx0", attrs, ".bwd",
                            tgs_elements(tgs_node_out(n, 0))};

    attributes(n, attrs);
    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_gather = {
    .base = {TGS_PLUGIN_ABI, "gather", "entries chosen by indices", NULL, NULL},
    .types = "Gather",
    .differentiable = 1,
    .infer = infer,
    .fold = fold,
    .forward = forward,
    .backward = backward,
};
