/* topk.c -- the k largest (or smallest) entries along an axis, and where they stand. */
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    int64_t k;
    int32_t axis;
    tgs_status status = tgs_i_op_needs(n, 1, err);

    if (!status)
        status = tgs_i_op_axis(n, -1, x->rank, 0, &axis, err);
    if (status)
        return status;
    if (tgs_i_op_list(n, "k", 1, &k, 1) != 1)
        return tgs_node_open(n, err, "how many entries is not a constant");
    if (k < 0 || k > x->dim[axis])
        return tgs_node_fail(n, err, "%lld entries of %lld", (long long)k, (long long)x->dim[axis]);
    for (int32_t i = 0; i < n->op->outputs; i++) {
        tgs_shape_of(x, &out[i]);
        out[i].dim[axis] = k;
    }
    if (n->op->outputs > 1)
        out[1].dtype = TGS_I64;
    return TGS_OK;
}

static void attributes(const tgs_node *n, char *text)
{
    int64_t axis = tgs_attr_int(n->op->attrs, "axis", -1);
    const int64_t largest = tgs_attr_int(n->op->attrs, "largest", 1);

    if (axis < 0)
        axis += tgs_node_in(n, 0)->rank;
    *text = 0;
    tgs_i_op_put_ints(text, "axis", &axis, 1);
    tgs_i_op_put_ints(text, "largest", &largest, 1);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];

    attributes(n, attrs);
    return tgs_i_op_emit(n, e, "R x0, W y*", attrs, tgs_elements(tgs_node_in(n, 0)), err);
}

/* the gradient goes to where the entries stood */
static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission c = {"topk_bwd", "R dy0, R y1, W dx0", attrs, ".bwd",
                            tgs_elements(tgs_node_in(n, 0))};

    attributes(n, attrs);
    if (!tgs_wanted(e, 0))
        return TGS_OK;
    return tgs_node_out(n, 1) ? tgs_emit(e, &c, err)
                              : tgs_node_fail(n, err, "a gradient needs its second output");
}

const tgs_operator tgs_operator_topk = {
    .base = {TGS_PLUGIN_ABI, "topk", "the largest entries along an axis", NULL, NULL},
    .types = "TopK",
    .differentiable = 1,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
