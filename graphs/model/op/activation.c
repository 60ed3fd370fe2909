/* activation.c -- activations whose gradient follows from their output. */
#include <string.h>
#include "core.h"

/* flops per element, forward and backward, an exponential counted as 4 */
static double flops(const tgs_node *n, bool backward)
{
    const double elements = tgs_elements(tgs_node_out(n, 0));

    if (!strcmp(n->op->type, "Relu"))
        return elements;
    return elements * (backward ? 3 : 6);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_emit(n, e, "R x0, W y0", NULL, flops(n, false), err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char codelet[32];
    const tgs_emission c = {tgs_i_op_codelet(n, "_bwd", codelet, sizeof codelet),
                            "R y0, R dy0, W dx0", NULL, ".bwd", flops(n, true)};

    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_activation = {
    .base = {TGS_PLUGIN_ABI, "activation", "relu, sigmoid, tanh", NULL, NULL},
    .types = "Relu Sigmoid Tanh",
    .differentiable = 1,
    .infer = tgs_i_op_numbers,
    .forward = forward,
    .backward = backward,
};
