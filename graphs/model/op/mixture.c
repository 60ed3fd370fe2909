/* mixture.c -- mixtures of experts: tokens X [T, H] with the numbers [T, k] of their experts go to
 * the experts' buffers [experts, capacity, H], in order while there is room; what the experts make
 * of them comes back weighted by [T, k]. */
#include "core.h"

static tgs_status infer_dispatch(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *chosen = tgs_node_in(n, 1);
    const int64_t experts = tgs_attr_int(n->op->attrs, "experts", 0);
    const int64_t capacity = tgs_attr_int(n->op->attrs, "capacity", 0);

    if (experts < 1 || capacity < 1 || x->rank != 2 || chosen->rank != 2
        || chosen->dim[0] != x->dim[0])
        return tgs_node_fail(n, err, "its experts do not fit its tokens");
    out->dtype = x->dtype;
    out->rank = 3;
    out->dim[0] = experts;
    out->dim[1] = capacity;
    out->dim[2] = x->dim[1];
    return TGS_OK;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const bool dispatch = n->op->type[8] == 'D'; /* tgsched.Dispatch */
    const tgs_tensor *x = tgs_node_in(n, 0), *chosen = tgs_node_in(n, 1), *w = tgs_node_in(n, 2);
    const tgs_status status = tgs_i_op_needs(n, dispatch ? 2 : 3, err);

    if (status || dispatch)
        return status ? status : infer_dispatch(n, out, err);
    if (x->rank != 3 || chosen->rank != 2 || !tgs_i_op_equal(chosen, w))
        return tgs_node_fail(n, err, "its weights do not fit its experts");
    out->dtype = x->dtype;
    out->rank = 2;
    out->dim[0] = chosen->dim[0];
    out->dim[1] = x->dim[2];
    return TGS_OK;
}

static void attributes(const tgs_node *n, char *text)
{
    const int64_t experts = tgs_attr_int(n->op->attrs, "experts", 0);
    const int64_t capacity = tgs_attr_int(n->op->attrs, "capacity", 0);

    *text = 0;
    if (experts) {
        tgs_i_op_put_ints(text, "experts", &experts, 1);
        tgs_i_op_put_ints(text, "capacity", &capacity, 1);
    }
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const tgs_tensor *w = tgs_node_in(n, 2), *y = tgs_node_out(n, 0);
    char attrs[TGS_I_ATTRS];

    attributes(n, attrs);
    return tgs_i_op_emit(n, e, "R x0, R x1, [R x2], W y0", attrs,
                         w ? 2 * tgs_elements(w) * (double)y->dim[1] : 0, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const tgs_tensor *chosen = tgs_node_in(n, 1), *w = tgs_node_in(n, 2);
    const double moved = tgs_elements(chosen) * (double)tgs_node_in(n, 0)->dim[w ? 2 : 1];
    char attrs[TGS_I_ATTRS];
    const tgs_emission dispatch = {"dispatch_bwd", "R dy0, R x1, W dx0", attrs, ".bwd", moved};
    const tgs_emission data = {"combine_bwd_data", "R dy0, R x1, R x2, W dx0", attrs, ".bwd.data",
                               moved};
    const tgs_emission weights = {"combine_bwd_weights", "R x0, R x1, R dy0, W dx2", attrs,
                                  ".bwd.weights", 2 * moved};
    tgs_status status = TGS_OK;

    attributes(n, attrs);
    if (!w)
        return tgs_wanted(e, 0) ? tgs_emit(e, &dispatch, err) : TGS_OK;
    if (tgs_wanted(e, 2))
        status = tgs_emit(e, &weights, err);
    return !status && tgs_wanted(e, 0) ? tgs_emit(e, &data, err) : status;
}

const tgs_operator tgs_operator_mixture = {
    .base = {TGS_PLUGIN_ABI, "mixture", "tokens to experts and back",
             "Lepikhin et al., GShard, ICLR 2021", NULL},
    .types = "tgsched.Dispatch tgsched.Combine",
    .differentiable = 5,
    .infer = infer,
    .forward = forward,
    .backward = backward,
    .grows = "capacity",
};
