/* reduce.c -- sums, means, extremes and norms along axes. */
#include <string.h>
#include "core.h"

static tgs_status look(const tgs_node *n, bool *reduced, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    const bool keep_all = tgs_attr_int(n->op->attrs, "noop_with_empty_axes", 0) != 0;
    int64_t axes[TGS_MODEL_RANK];
    const int32_t given = tgs_i_op_list(n, "axes", 1, axes, TGS_MODEL_RANK);

    if (given == -2)
        return tgs_node_open(n, err, "its axes are not constants");
    for (int32_t i = 0; i < x->rank; i++)
        reduced[i] = given <= 0 && !keep_all;
    for (int32_t i = 0; i < given; i++) {
        int32_t axis;
        const tgs_status status = tgs_i_op_axis_of(n, axes[i], x->rank, &axis, err);

        if (status)
            return status;
        reduced[axis] = true;
    }
    return TGS_OK;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    const bool keep = tgs_attr_int(n->op->attrs, "keepdims", 1) != 0;
    bool reduced[TGS_MODEL_RANK];
    tgs_status status = tgs_i_op_needs(n, 1, err);

    if (!status)
        status = look(n, reduced, err);
    if (status)
        return status;
    out->dtype = x->dtype;
    out->rank = 0;
    for (int32_t i = 0; i < x->rank; i++)
        if (!reduced[i] || keep)
            out->dim[out->rank++] = reduced[i] ? 1 : x->dim[i];
    return TGS_OK;
}

static bool fold(const tgs_node *n, int64_t *value)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    const bool sum = !strcmp(n->op->type, "ReduceSum"),
               product = !strcmp(n->op->type, "ReduceProd");

    if (!x->value || tgs_elements(tgs_node_out(n, 0)) != 1 || (!sum && !product))
        return false;
    *value = product;
    for (int64_t i = 0; i < (int64_t)tgs_elements(x); i++)
        *value = (int64_t)(product ? (uint64_t)*value * (uint64_t)x->value[i]
                                   : (uint64_t)*value + (uint64_t)x->value[i]);
    return true;
}

static tgs_status attributes(const tgs_node *n, char *text, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    bool reduced[TGS_MODEL_RANK];
    int64_t axes[TGS_MODEL_RANK];
    int32_t count = 0;
    const tgs_status status = look(n, reduced, err);

    *text = 0;
    for (int32_t i = 0; i < x->rank && !status; i++)
        if (reduced[i])
            axes[count++] = i;
    tgs_i_op_put_ints(text, "axes", axes, count);
    return status;
}

/* Without axes along which anything is reduced ("axes=" is all of them to a kernel), what it is of
 * each element by itself; NULL: no codelet is that. */
static const char *of_each(const tgs_node *n)
{
    static const char *const same[] = {"ReduceSum", "ReduceMean", "ReduceMax",
                                       "ReduceMin", "ReduceProd", "ReduceLogSumExp"};
    bool reduced[TGS_MODEL_RANK];

    if (look(n, reduced, NULL))
        return NULL;
    for (int32_t i = 0; i < tgs_node_in(n, 0)->rank; i++)
        if (reduced[i])
            return NULL;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!strcmp(n->op->type, same[i]))
            return "identity";
    return !strcmp(n->op->type, "ReduceL1") || !strcmp(n->op->type, "ReduceL2") ? "abs" : NULL;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_status status = attributes(n, attrs, err);
    const tgs_emission each = {of_each(n), "R x0, W y0", NULL, NULL,
                               tgs_elements(tgs_node_in(n, 0))};

    if (each.codelet)
        return tgs_emit(e, &each, err);
    return status ? status
                  : tgs_i_op_emit(n, e, "R x0, W y0", attrs, tgs_elements(tgs_node_in(n, 0)), err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const bool linear = !strcmp(n->op->type, "ReduceSum") || !strcmp(n->op->type, "ReduceMean");
    char codelet[48], attrs[TGS_I_ATTRS];
    const tgs_emission c = {tgs_i_op_codelet(n, "_bwd", codelet, sizeof codelet),
                            linear ? "R dy0, W dx0" : "R x0, R y0, R dy0, W dx0", attrs, ".bwd",
                            tgs_elements(tgs_node_in(n, 0))};
    const tgs_status status = attributes(n, attrs, err);
    const char *each = of_each(n);
    const tgs_emission one = {"abs_bwd", "R x0, R dy0, W dx0", NULL, ".bwd", c.flops};

    if (each && tgs_wanted(e, 0))
        return strcmp(each, "abs") ? tgs_emit_same(e, 0, err) : tgs_emit(e, &one, err);
    return status || !tgs_wanted(e, 0) ? status : tgs_emit(e, &c, err);
}

const tgs_operator tgs_operator_reduce = {
    .base = {TGS_PLUGIN_ABI, "reduce", "sums, means, extremes and norms along axes", NULL, NULL},
    .types = "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 "
             "ReduceLogSum ReduceLogSumExp ReduceSumSquare",
    .differentiable = 1,
    .infer = infer,
    .fold = fold,
    .forward = forward,
    .backward = backward,
};
