/* convtranspose.c -- transposed convolution: X [N,C,...], W [C,M/group,k...] -> Y [N,M,...]. */
#include <string.h>
#include "core.h"

typedef struct shape {
    tgs_i_op_window w;
    int64_t group;
} shape;

/* total pad = stride (in - 1) + output_padding + reach - out; here pads are given */
static tgs_status make(const tgs_node *n, shape *s, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *f = tgs_node_in(n, 1);
    tgs_i_op_window *w = &s->w;
    int64_t extra[TGS_MODEL_RANK] = {0};
    char mode[16] = "NOTSET";
    tgs_status status;

    memset(s, 0, sizeof *s);
    s->group = tgs_attr_int(n->op->attrs, "group", 1);
    if (x->rank < 3 || f->rank != x->rank || s->group < 1 || x->dim[1] != f->dim[0])
        return tgs_node_fail(n, err, "its input and weights do not fit");
    tgs_attr_text(n->op->attrs, "auto_pad", mode, sizeof mode);
    if ((strcmp(mode, "NOTSET") && strcmp(mode, "VALID"))
        || tgs_attr_ints(n->op->attrs, "output_shape", extra, 1))
        return tgs_node_open(n, err, "auto_pad=%s or output_shape is not supported", mode);
    w->spatial = x->rank - 2;
    status = tgs_i_op_window_take(n, "output_padding", w->spatial, 0, 0, extra, err);
    if (!status)
        status = tgs_i_op_window_take(n, "strides", w->spatial, 1, 1, w->stride, err);
    if (!status)
        status = tgs_i_op_window_take(n, "dilations", w->spatial, 1, 1, w->dilation, err);
    if (!status)
        status = tgs_i_op_window_take(n, "pads", 2 * w->spatial, 0, 0, w->pad, err);
    if (status)
        return status;
    w->taps = 1;
    for (int32_t i = 0; i < w->spatial; i++) {
        w->kernel[i] = f->dim[i + 2];
        w->taps *= (double)w->kernel[i];
        if (w->kernel[i] < 1 || w->kernel[i] > INT32_MAX || x->dim[i + 2] > INT32_MAX)
            return tgs_node_fail(n, err, "its window does not fit its input");
        w->out[i] = w->stride[i] * (x->dim[i + 2] - 1) + extra[i]
                    + w->dilation[i] * (w->kernel[i] - 1) + 1 - w->pad[i] - w->pad[i + w->spatial];
        if (w->out[i] < 1)
            return tgs_node_fail(n, err, "its window does not fit its input");
    }
    return TGS_OK;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    shape s;
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (!status)
        status = make(n, &s, err);
    if (status)
        return status;
    tgs_shape_of(tgs_node_in(n, 0), out);
    out->dim[1] = tgs_node_in(n, 1)->dim[1] * s.group;
    memcpy(out->dim + 2, s.w.out, (size_t)s.w.spatial * sizeof *s.w.out);
    return TGS_OK;
}

/* each input element meets each weight of its channel */
static double products(const tgs_node *n)
{
    const tgs_tensor *f = tgs_node_in(n, 1);

    return 2 * tgs_elements(tgs_node_in(n, 0)) * tgs_elements(f) / (double)f->dim[0];
}

static tgs_status attributes(const tgs_node *n, char *text, tgs_error *err)
{
    shape s;
    const tgs_status status = make(n, &s, err);

    *text = 0;
    if (!status) {
        tgs_i_op_window_put(text, &s.w);
        tgs_i_op_put_ints(text, "group", &s.group, 1);
    }
    return status;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const double bias = tgs_node_in(n, 2) ? tgs_elements(tgs_node_out(n, 0)) : 0;
    const tgs_status status = attributes(n, attrs, err);

    return status ? status
                  : tgs_i_op_emit(n, e, "R x0, R x1, [R x2], W y0", attrs, products(n) + bias, err);
}

/* the gradient of a transposed convolution is a convolution, its weights' that of one */
static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission data = {"conv", "R dy0, R x1, W dx0", attrs, ".bwd.data", products(n)};
    const tgs_emission weights = {"conv_bwd_weights", "R dy0, R x0, W dx1", attrs, ".bwd.weights",
                                  products(n)};
    const tgs_emission bias = {"conv_bwd_bias", "R dy0, W dx2", NULL, ".bwd.bias",
                               tgs_elements(tgs_node_out(n, 0))};
    tgs_status status = attributes(n, attrs, err);

    if (!status && tgs_wanted(e, 1))
        status = tgs_emit(e, &weights, err);
    if (!status && tgs_wanted(e, 2))
        status = tgs_emit(e, &bias, err);
    if (!status && tgs_wanted(e, 0))
        status = tgs_emit(e, &data, err);
    return status;
}

const tgs_operator tgs_operator_convtranspose = {
    .base = {TGS_PLUGIN_ABI, "convtranspose", "transposed convolution", NULL, NULL},
    .types = "ConvTranspose",
    .differentiable = 7,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
