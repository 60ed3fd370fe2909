/* pool.c -- maximum and average over windows; global pools have the whole plane as their window. */
#include <string.h>
#include "core.h"

static bool is_max(const tgs_node *n)
{
    return !strcmp(n->op->type, "MaxPool") || !strcmp(n->op->type, "GlobalMaxPool");
}

static tgs_status window(const tgs_node *n, tgs_i_op_window *w, tgs_error *err)
{
    const bool global = !strncmp(n->op->type, "Global", 6);

    return tgs_i_op_window_make(n, global ? tgs_node_in(n, 0)->dim + 2 : NULL, w, err);
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    tgs_i_op_window w;
    tgs_status status = tgs_i_op_needs(n, 1, err);

    if (!status && tgs_node_out(n, 1))
        status = tgs_node_open(n, err, "its second output (indices) is not supported");
    if (!status)
        status = window(n, &w, err);
    if (status)
        return status;
    tgs_shape_of(tgs_node_in(n, 0), out);
    memcpy(out->dim + 2, w.out, (size_t)w.spatial * sizeof *w.out);
    return TGS_OK;
}

static tgs_status attributes(const tgs_node *n, char *text, double *flops, tgs_error *err)
{
    const int64_t include = tgs_attr_int(n->op->attrs, "count_include_pad", 0);
    tgs_i_op_window w;
    const tgs_status status = window(n, &w, err);

    *text = 0;
    if (!status) {
        tgs_i_op_window_put(text, &w);
        if (!is_max(n))
            tgs_i_op_put_ints(text, "include_pad", &include, 1);
        *flops = tgs_elements(tgs_node_out(n, 0)) * w.taps; /* a comparison or an addition each */
    }
    return status;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    tgs_emission c = {is_max(n) ? "maxpool" : "averagepool", "R x0, W y0", attrs, NULL, 0};
    const tgs_status status = attributes(n, attrs, &c.flops, err);

    return status ? status : tgs_emit(e, &c, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    tgs_emission max = {"maxpool_bwd", "R x0, R y0, R dy0, W dx0", attrs, ".bwd", 0};
    tgs_emission average = {"averagepool_bwd", "R dy0, W dx0", attrs, ".bwd", 0};
    tgs_emission *c = is_max(n) ? &max : &average;
    const tgs_status status = attributes(n, attrs, &c->flops, err);

    return status || !tgs_wanted(e, 0) ? status : tgs_emit(e, c, err);
}

const tgs_operator tgs_operator_pool = {
    .base = {TGS_PLUGIN_ABI, "pool", "maximum and average pooling", NULL, NULL},
    .types = "MaxPool AveragePool GlobalMaxPool GlobalAveragePool",
    .differentiable = 1,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
