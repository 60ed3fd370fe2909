/* scatter.c -- ScatterND: a tensor with some entries replaced; GatherND: entries by coordinates. */
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *index = tgs_node_in(n, 1);
    const int64_t batch = tgs_attr_int(n->op->attrs, "batch_dims", 0);
    tgs_status status = tgs_i_op_needs(n, *n->op->type == 'S' ? 3 : 2, err);
    int64_t width;

    if (status || *n->op->type == 'S') {
        if (!status)
            tgs_shape_of(x, out);
        return status;
    }
    width = index->rank > 0 ? index->dim[index->rank - 1] : 0;
    if (batch < 0 || width < 1 || batch + width > x->rank
        || index->rank - 1 + x->rank - batch - width > TGS_MODEL_RANK)
        return tgs_node_fail(n, err, "its indices do not fit its data");
    out->dtype = x->dtype;
    out->rank = 0;
    for (int32_t i = 0; i < index->rank - 1; i++)
        out->dim[out->rank++] = index->dim[i];
    for (int64_t i = batch + width; i < x->rank; i++)
        out->dim[out->rank++] = x->dim[i];
    return TGS_OK;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const bool scatter = *n->op->type == 'S';

    return tgs_i_op_emit(n, e, scatter ? "R x0, R x1, R x2, W y0" : "R x0, R x1, W y0", NULL, 0,
                         err);
}

const tgs_operator tgs_operator_scatter = {
    .base = {TGS_PLUGIN_ABI, "scatter", "entries by coordinates, read or replaced", NULL, NULL},
    .types = "ScatterND GatherND",
    .differentiable = 5, /* a gradient exists but has no rule yet: training through it is refused */
    .infer = infer,
    .forward = forward,
};
