/* scatter.c -- ScatterND: a tensor with some entries replaced; GatherND: entries by coordinates. */
#include <stdio.h>
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *index = tgs_node_in(n, 1);
    const int64_t batch = tgs_attr_int(n->op->attrs, "batch_dims", 0);
    tgs_status status = tgs_i_op_needs(n, *n->op->type == 'S' ? 3 : 2, err);
    int64_t width;

    if (status || *n->op->type == 'S') {
        if (!status)
            tgs_shape_of(x, out);
        return status;
    }
    width = index->rank > 0 ? index->dim[index->rank - 1] : 0;
    if (batch < 0 || width < 1 || batch + width > x->rank
        || index->rank - 1 + x->rank - batch - width > TGS_MODEL_RANK)
        return tgs_node_fail(n, err, "its indices do not fit its data");
    out->dtype = x->dtype;
    out->rank = 0;
    for (int32_t i = 0; i < index->rank - 1; i++)
        out->dim[out->rank++] = index->dim[i];
    for (int64_t i = batch + width; i < x->rank; i++)
        out->dim[out->rank++] = x->dim[i];
    return TGS_OK;
}

/* what a kernel has to know: batch_dims of GatherND, reduction of ScatterND, where they are given
 */
static void attributes(const tgs_node *n, char *text)
{
    const int64_t batch = tgs_attr_int(n->op->attrs, "batch_dims", 0);
    char reduction[16] = "none";

    *text = 0;
    tgs_attr_text(n->op->attrs, "reduction", reduction, sizeof reduction);
    if (*n->op->type == 'S' && strcmp(reduction, "none") != 0)
        snprintf(text, TGS_I_ATTRS, "reduction=%s", reduction);
    else if (*n->op->type == 'G' && batch)
        tgs_i_op_put_ints(text, "batch_dims", &batch, 1);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const bool scatter = *n->op->type == 'S';
    char attrs[TGS_I_ATTRS];

    attributes(n, attrs);
    return tgs_i_op_emit(n, e, scatter ? "R x0, R x1, R x2, W y0" : "R x0, R x1, W y0", attrs, 0,
                         err);
}

/* What was replaced passes no gradient on, and what replaced it takes the gradient from there. What
 * was added passes it on whole. */
static tgs_status scatter_backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const tgs_emission data = {"scatternd_bwd", "R dy0, R x1, W dx0", NULL, ".bwd.data", 0};
    const tgs_emission updates = {"gathernd", "R dy0, R x1, W dx2", NULL, ".bwd.updates", 0};
    char reduction[16] = "none";
    tgs_status status = TGS_OK;
    bool adds;

    tgs_attr_text(n->op->attrs, "reduction", reduction, sizeof reduction);
    adds = !strcmp(reduction, "add");
    if (!adds && strcmp(reduction, "none") != 0)
        return tgs_node_fail(n, err, "reduction %s has no gradient", reduction);
    if (tgs_wanted(e, 0))
        status = adds ? tgs_emit_same(e, 0, err) : tgs_emit(e, &data, err);
    if (!status && tgs_wanted(e, 2))
        status = tgs_emit(e, &updates, err);
    return status;
}

/* entries that were read several times have the sum of their gradients */
static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission gather = {"gathernd_bwd", "R dy0, R x1, W dx0", attrs, ".bwd",
                                 tgs_elements(tgs_node_out(n, 0))};

    if (*n->op->type == 'S')
        return scatter_backward(n, e, err);
    attributes(n, attrs);
    return tgs_wanted(e, 0) ? tgs_emit(e, &gather, err) : TGS_OK;
}

const tgs_operator tgs_operator_scatter = {
    .base = {TGS_PLUGIN_ABI, "scatter", "entries by coordinates, read or replaced", NULL, NULL},
    .types = "ScatterND GatherND",
    .differentiable = 5,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
