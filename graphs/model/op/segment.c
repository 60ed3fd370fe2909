/* segment.c -- rows summed by the number that comes with each: X [E, ...], numbers [E] in
 * [0, segments) -> Y [segments, ...]. */
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *number = tgs_node_in(n, 1);
    const int64_t segments = tgs_attr_int(n->op->attrs, "segments", 0);
    const tgs_status status = tgs_i_op_needs(n, 2, err);

    if (status)
        return status;
    if (segments < 1 || x->rank < 1 || number->rank != 1 || number->dim[0] != x->dim[0])
        return tgs_node_fail(n, err, "its numbers do not fit its rows, or it has no segments");
    tgs_shape_of(x, out);
    out->dim[0] = segments;
    return TGS_OK;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const int64_t segments = tgs_attr_int(n->op->attrs, "segments", 0);
    char attrs[TGS_I_ATTRS] = "";

    tgs_i_op_put_ints(attrs, "segments", &segments, 1);
    return tgs_i_op_emit(n, e, "R x0, R x1, W y0", attrs, tgs_elements(tgs_node_in(n, 0)), err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const tgs_emission c = {"gather", "R dy0, R x1, W dx0", "axis=0", ".bwd", 0};

    (void)n;
    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_segment = {
    .base = {TGS_PLUGIN_ABI, "segment", "rows summed by number", NULL, NULL},
    .types = "tgsched.SegmentSum",
    .differentiable = 1,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
