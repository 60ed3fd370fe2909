/* lrn.c -- local response normalisation over neighbouring channels. */
#include "core.h"

static void attributes(const tgs_node *n, char *text)
{
    const int64_t size = tgs_attr_int(n->op->attrs, "size", 1);

    *text = 0;
    tgs_i_op_put_ints(text, "size", &size, 1);
    tgs_i_op_put_real(text, "alpha", tgs_attr_real(n->op->attrs, "alpha", 1e-4));
    tgs_i_op_put_real(text, "beta", tgs_attr_real(n->op->attrs, "beta", 0.75));
    tgs_i_op_put_real(text, "bias", tgs_attr_real(n->op->attrs, "bias", 1));
}

/* per element: a sum of squares over the neighbours, a power, a quotient */
static double flops(const tgs_node *n)
{
    return tgs_elements(tgs_node_out(n, 0))
           * (2 * (double)tgs_attr_int(n->op->attrs, "size", 1) + 10);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];

    attributes(n, attrs);
    return tgs_i_op_emit(n, e, "R x0, W y0", attrs, flops(n), err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission c = {"lrn_bwd", "R x0, R y0, R dy0, W dx0", attrs, ".bwd", 2 * flops(n)};

    attributes(n, attrs);
    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_lrn = {
    .base = {TGS_PLUGIN_ABI, "lrn", "local response normalisation", NULL, NULL},
    .types = "LRN",
    .differentiable = 1,
    .infer = tgs_i_op_same,
    .forward = forward,
    .backward = backward,
};
