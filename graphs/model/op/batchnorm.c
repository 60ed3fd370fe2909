/* batchnorm.c -- y = scale (x - mean) / sqrt(var + epsilon) + bias per channel.
 *
 * The running statistics are used as the file says (training_mode=0), in a training step too: they
 * are buffers that no task writes, so that micro-batches and replicas stay independent. */
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    tgs_status status = tgs_i_op_needs(n, 5, err);

    if (status)
        return status;
    if (tgs_attr_int(n->op->attrs, "training_mode", 0))
        return tgs_node_open(n, err, "training_mode=1 is not supported");
    if (x->rank < 2)
        return tgs_node_fail(n, err, "its input has rank %d", (int)x->rank);
    for (int32_t i = 1; i < 5; i++)
        if (tgs_elements(tgs_node_in(n, i)) != (double)x->dim[1])
            return tgs_node_fail(n, err, "input %d does not fit %lld channels", (int)i,
                                 (long long)x->dim[1]);
    tgs_shape_of(x, out);
    for (int32_t i = 1; i < n->op->outputs; i++) /* old models name their statistics again */
        tgs_shape_of(tgs_node_in(n, i < 3 ? i + 2 : i), &out[i]);
    return TGS_OK;
}

static void attributes(const tgs_node *n, char *text)
{
    *text = 0;
    tgs_i_op_put_real(text, "epsilon", tgs_attr_real(n->op->attrs, "epsilon", 1e-5));
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];

    attributes(n, attrs);
    return tgs_i_op_emit(n, e, "R x0, R x1, R x2, R x3, R x4, W y0", attrs,
                         2 * tgs_elements(tgs_node_out(n, 0)), err);
}

/* both are computed together: one that nobody wants goes to a temporary */
static tgs_status emit_weights(const tgs_node *n, tgs_emitter *e, const char *attrs, double flops,
                               tgs_error *err)
{
    const bool scale = tgs_wanted(e, 1), bias = tgs_wanted(e, 2);
    const tgs_emission c = {"batchnormalization_bwd_weights",
                            scale && bias ? "R x0, R x3, R x4, R dy0, W dx1, W dx2"
                            : scale       ? "R x0, R x3, R x4, R dy0, W dx1, W t0"
                                          : "R x0, R x3, R x4, R dy0, W t0, W dx2",
                            attrs, ".bwd.weights", flops};
    tgs_shape vector;
    tgs_status status = TGS_OK;

    tgs_shape_of(tgs_node_in(n, 1), &vector);
    if (!scale || !bias)
        status = tgs_emit_temp(e, 0, ".bwd.unused", &vector, err);
    return status ? status : tgs_emit(e, &c, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const double elements = tgs_elements(tgs_node_out(n, 0));
    char attrs[TGS_I_ATTRS];
    const tgs_emission data = {"batchnormalization_bwd_data", "R x1, R x4, R dy0, W dx0", attrs,
                               ".bwd.data", elements};
    tgs_status status = TGS_OK;

    attributes(n, attrs);
    if (tgs_wanted(e, 1) || tgs_wanted(e, 2))
        status = emit_weights(n, e, attrs, 4 * elements, err);
    if (!status && tgs_wanted(e, 0))
        status = tgs_emit(e, &data, err);
    return status;
}

const tgs_operator tgs_operator_batchnorm = {
    .base = {TGS_PLUGIN_ABI, "batchnorm", "batch normalisation by running statistics", NULL, NULL},
    .types = "BatchNormalization",
    .differentiable = 7,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
