/* layernorm.c -- normalisation of each sample by its own statistics. */
#include <string.h>
#include "core.h"

enum { FLOPS = 8 }; /* per element: mean, variance, scale, shift */

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    tgs_status status = tgs_i_op_needs(n, 2, err);
    int32_t axis;

    if (!status)
        status = tgs_i_op_axis(n, -1, tgs_node_in(n, 0)->rank, 0, &axis, err);
    for (int32_t i = 0; i < n->op->outputs && !status; i++) {
        tgs_shape_of(tgs_node_in(n, 0), &out[i]);
        for (int32_t j = axis; i > 0 && j < out[i].rank; j++) /* mean and inverse deviation */
            out[i].dim[j] = 1;
    }
    return status;
}

static void attributes(const tgs_node *n, char *text)
{
    const int64_t axis = tgs_attr_int(n->op->attrs, "axis", -1);
    const double epsilon = tgs_attr_real(n->op->attrs, "eps", 1e-5);

    *text = 0;
    tgs_i_op_put_ints(text, "axis", &axis, 1);
    tgs_i_op_put_real(text, "epsilon", tgs_attr_real(n->op->attrs, "epsilon", epsilon));
}

/* one codelet for what several sets of operators call it */
static const char *codelet(const tgs_node *n, const char *tail, char *text, size_t size)
{
    const bool rms = !strncmp(n->op->type, "RMS", 3) || !strncmp(n->op->type, "Simplified", 10);

    if (!rms)
        return tgs_i_op_codelet(n, tail, text, size);
    snprintf(text, size, "rmsnormalization%s", tail);
    return text;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS], name[64];
    const tgs_emission c = {codelet(n, "", name, sizeof name),
                            "R x0, R x1, [R x2], W y0, [W y1], [W y2]", attrs, NULL,
                            FLOPS * tgs_elements(tgs_node_out(n, 0))};

    attributes(n, attrs);
    return tgs_emit(e, &c, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const double elements = tgs_elements(tgs_node_out(n, 0));
    char attrs[TGS_I_ATTRS], data_codelet[64], weights_codelet[64];
    const tgs_emission data = {codelet(n, "_bwd_data", data_codelet, sizeof data_codelet),
                               "R x0, R x1, R dy0, W dx0", attrs, ".bwd.data", 12 * elements};
    const tgs_emission weights = {
        codelet(n, "_bwd_weights", weights_codelet, sizeof weights_codelet),
        "R x0, R dy0, [W dx1], [W dx2]", attrs, ".bwd.weights", FLOPS * elements};
    const tgs_emission bias = {"reduce_to", "R dy0, W dx2", NULL, ".bwd.weights", elements};
    tgs_status status = TGS_OK;

    attributes(n, attrs);
    if (tgs_wanted(e, 1) || (tgs_wanted(e, 2) && *n->op->type == 'I'))
        status = tgs_emit(e, &weights, err);
    else if (tgs_wanted(e, 2)) /* that of the bias alone, which broadcasts but in instances */
        status = tgs_emit(e, &bias, err);
    if (!status && tgs_wanted(e, 0))
        status = tgs_emit(e, &data, err);
    return status;
}

const tgs_operator tgs_operator_layernorm = {
    .base = {TGS_PLUGIN_ABI, "layernorm", "normalisation of each sample", NULL, NULL},
    .types = "LayerNormalization RMSNormalization RMSNorm SimplifiedLayerNormalization "
             "InstanceNormalization",
    .differentiable = 7,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
