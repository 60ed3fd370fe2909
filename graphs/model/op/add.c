/* add.c -- sums of tensors: Add broadcasts, Sum takes any number of one shape. */
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const bool sum = !strcmp(n->op->type, "Sum");
    const tgs_tensor *a = tgs_node_in(n, 0);
    const tgs_status status = tgs_i_op_needs(n, sum ? n->op->inputs : 2, err);

    if (status)
        return status;
    if (!sum)
        return tgs_i_op_broadcast(n, a, tgs_node_in(n, 1), out, err);
    if (!a)
        return tgs_node_fail(n, err, "it has no inputs");
    for (int32_t i = 1; i < n->op->inputs; i++)
        if (!tgs_i_op_equal(a, tgs_node_in(n, i)))
            return tgs_node_open(n, err, "a Sum that broadcasts is not supported");
    tgs_shape_of(a, out);
    return TGS_OK;
}

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static double plus_real(double a, double b)
{
    return a + b;
}

static bool fold(const tgs_node *n, int64_t *value)
{
    return tgs_i_op_fold(n, value, plus);
}

static bool fold_real(const tgs_node *n, double *value)
{
    return tgs_i_op_fold_real(n, value, plus_real);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const double elements = tgs_elements(tgs_node_out(n, 0));

    if (!strcmp(n->op->type, "Sum"))
        return tgs_i_op_emit(n, e, "R x*, W y0", NULL, elements * (n->op->inputs - 1), err);
    return tgs_i_op_emit(n, e, "R x0, R x1, W y0", NULL, elements, err);
}

/* dX is dY, summed over the dimensions along which X was broadcast */
static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const tgs_tensor *y = tgs_node_out(n, 0);
    char buffers[32], suffix[24];
    const tgs_emission c = {"reduce_to", buffers, NULL, suffix, tgs_elements(y)};
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < n->op->inputs && !status; i++) {
        if (!tgs_wanted(e, i))
            continue;
        snprintf(buffers, sizeof buffers, "R dy0, W dx%d", (int)i);
        snprintf(suffix, sizeof suffix, ".bwd.%d", (int)i);
        status = tgs_emit_broadcast(e, i, 0) ? tgs_emit(e, &c, err) : tgs_emit_same(e, i, err);
    }
    return status;
}

const tgs_operator tgs_operator_add = {
    .base = {TGS_PLUGIN_ABI, "add", "sums of tensors", NULL, NULL},
    .types = "Add Sum",
    .differentiable = TGS_ALL_DIFFERENTIABLE,
    .infer = infer,
    .fold = fold,
    .fold_real = fold_real,
    .forward = forward,
    .backward = backward,
};
