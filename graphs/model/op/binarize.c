/* binarize.c -- signs, whose gradient passes straight through where the input is within [-1, 1]. */
#include "core.h"

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_emit(n, e, "R x0, W y0", NULL, tgs_elements(tgs_node_out(n, 0)), err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const tgs_emission c = {"binarize_bwd", "R x0, R dy0, W dx0", NULL, ".bwd",
                            2 * tgs_elements(tgs_node_out(n, 0))};

    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_binarize = {
    .base = {TGS_PLUGIN_ABI, "binarize", "signs with a straight-through gradient",
             "Courbariaux, Hubara, Soudry, El-Yaniv, Bengio 2016", NULL},
    .types = "tgsched.Binarize",
    .differentiable = 1,
    .infer = tgs_i_op_same,
    .forward = forward,
    .backward = backward,
};
