/* conv.c -- convolution: X [N,C,...], W [M,C/group,k...], B [M] -> Y [N,M,...]. */
#include <string.h>
#include "core.h"

static tgs_status window(const tgs_node *n, tgs_i_op_window *w, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *f = tgs_node_in(n, 1);

    if (f->rank != x->rank || x->rank < 3)
        return tgs_node_fail(n, err, "input of rank %d, weights of rank %d", (int)x->rank,
                             (int)f->rank);
    return tgs_i_op_window_make(n, f->dim + 2, w, err);
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const int64_t group = tgs_attr_int(n->op->attrs, "group", 1);
    const tgs_tensor *x, *f, *bias = tgs_node_in(n, 2);
    tgs_i_op_window w;
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (!status)
        status = window(n, &w, err);
    if (status)
        return status;
    x = tgs_node_in(n, 0);
    f = tgs_node_in(n, 1);
    if (group < 1 || x->dim[1] != f->dim[1] * group || f->dim[0] % group)
        return tgs_node_fail(n, err, "%lld channels, weights for %lld times %lld groups",
                             (long long)x->dim[1], (long long)f->dim[1], (long long)group);
    if (bias && (bias->rank != 1 || bias->dim[0] != f->dim[0]))
        return tgs_node_fail(n, err, "the bias does not fit %lld outputs", (long long)f->dim[0]);
    tgs_shape_of(x, out);
    out->dim[1] = f->dim[0];
    memcpy(out->dim + 2, w.out, (size_t)w.spatial * sizeof *w.out);
    return TGS_OK;
}

/* 2 flops for each output element and each weight it sees */
static double products(const tgs_node *n)
{
    const tgs_tensor *f = tgs_node_in(n, 1);

    return 2 * tgs_elements(tgs_node_out(n, 0)) * tgs_elements(f) / (double)f->dim[0];
}

static tgs_status attributes(const tgs_node *n, char *text, tgs_error *err)
{
    const int64_t group = tgs_attr_int(n->op->attrs, "group", 1);
    tgs_i_op_window w;
    const tgs_status status = window(n, &w, err);

    *text = 0;
    if (!status) {
        tgs_i_op_window_put(text, &w);
        tgs_i_op_put_ints(text, "group", &group, 1);
    }
    return status;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_status status = attributes(n, attrs, err);
    const double bias = tgs_node_in(n, 2) ? tgs_elements(tgs_node_out(n, 0)) : 0;

    return status ? status
                  : tgs_i_op_emit(n, e, "R x0, R x1, [R x2], W y0", attrs, products(n) + bias, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission data = {"conv_bwd_data", "R dy0, R x1, W dx0", attrs, ".bwd.data",
                               products(n)};
    const tgs_emission weights = {"conv_bwd_weights", "R x0, R dy0, W dx1", attrs, ".bwd.weights",
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

const tgs_operator tgs_operator_conv = {
    .base = {TGS_PLUGIN_ABI, "conv", "convolution", NULL, NULL},
    .types = "Conv",
    .differentiable = 7,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
