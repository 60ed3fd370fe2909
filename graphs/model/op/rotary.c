/* rotary.c -- rotary positions: pairs of X [batch, heads, seq, size] turned by the angles whose
 * cosines and sines are [seq, size / 2].  The gradient turns back. */
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    tgs_status status = tgs_i_op_needs(n, 3, err);

    if (status)
        return status;
    if (tgs_node_in(n, 3) || tgs_attr_int(n->op->attrs, "rotary_embedding_dim", 0) || x->rank != 4
        || x->dim[3] % 2)
        return tgs_node_open(n, err,
                             "only [batch, heads, seq, size] without position ids and with "
                             "all of an even size turned is supported");
    for (int32_t i = 1; i < 3; i++) {
        const tgs_tensor *t = tgs_node_in(n, i);

        if (t->rank != 2 || t->dim[0] != x->dim[2] || t->dim[1] != x->dim[3] / 2)
            return tgs_node_fail(n, err, "input %d is not [seq, size / 2]", (int)i);
    }
    tgs_shape_of(x, out);
    return TGS_OK;
}

static void attributes(const tgs_node *n, char *text)
{
    const int64_t interleaved = tgs_attr_int(n->op->attrs, "interleaved", 0);

    *text = 0;
    tgs_i_op_put_ints(text, "interleaved", &interleaved, 1);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];

    attributes(n, attrs);
    return tgs_i_op_emit(n, e, "R x0, R x1, R x2, W y0", attrs,
                         3 * tgs_elements(tgs_node_out(n, 0)), err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission c = {"rotaryembedding_bwd", "R dy0, R x1, R x2, W dx0", attrs, ".bwd",
                            3 * tgs_elements(tgs_node_out(n, 0))};

    attributes(n, attrs);
    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_rotary = {
    .base = {TGS_PLUGIN_ABI, "rotary", "rotary positions", "Su, Lu, Pan, Wen, Liu, RoFormer, 2021",
             NULL},
    .types = "RotaryEmbedding",
    .differentiable = 1,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
