/* gatherelements.c -- an element for each index, from its own place but along one axis. */
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
    if (index->rank != x->rank)
        return tgs_node_fail(n, err, "indices of rank %d for data of rank %d", (int)index->rank,
                             (int)x->rank);
    for (int32_t i = 0; i < x->rank; i++)
        if (i != axis && index->dim[i] > x->dim[i])
            return tgs_node_fail(n, err, "indices of %lld for %lld in dimension %d",
                                 (long long)index->dim[i], (long long)x->dim[i], (int)i);
    tgs_shape_of(index, out);
    out->dtype = x->dtype;
    return TGS_OK;
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

/* elements that were chosen several times add up */
static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission c = {"gatherelements_bwd", "R dy0, R x1, W dx0", attrs, ".bwd",
                            tgs_elements(tgs_node_out(n, 0))};

    attributes(n, attrs);
    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_gatherelements = {
    .base = {TGS_PLUGIN_ABI, "gatherelements", "an element for each index", NULL, NULL},
    .types = "GatherElements",
    .differentiable = 1,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
