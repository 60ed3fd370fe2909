/* softmax.c -- softmax along one axis. */
#include <string.h>
#include "core.h"

enum { FLOPS = 8 }; /* per element: maximum, exponential, sum, quotient */

/* Before opset 13 the tensor was flattened at the axis; that is one axis as long as what follows is
 * of extent 1, and what precedes does not matter. */
static tgs_status axis_of(const tgs_node *n, int32_t *axis, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    const tgs_status status = tgs_i_op_axis(n, n->m->opset < 13 ? 1 : -1, x->rank, 0, axis, err);

    for (int32_t i = *axis + 1; i < x->rank && n->m->opset < 13 && !status; i++)
        if (x->dim[i] != 1)
            return tgs_node_fail(n, err, "over several dimensions it is not supported");
    return status;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int32_t axis;
    const tgs_status status = tgs_i_op_same(n, out, err);

    return status ? status : axis_of(n, &axis, err);
}

static tgs_status attributes(const tgs_node *n, char *text, tgs_error *err)
{
    int32_t axis;
    const tgs_status status = axis_of(n, &axis, err);
    const int64_t a = axis;

    *text = 0;
    tgs_i_op_put_ints(text, "axis", &a, 1);
    return status;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_status status = attributes(n, attrs, err);

    return status ? status
                  : tgs_i_op_emit(n, e, "R x0, W y0", attrs,
                                  FLOPS * tgs_elements(tgs_node_out(n, 0)), err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char codelet[32], attrs[TGS_I_ATTRS];
    const tgs_emission c = {tgs_i_op_codelet(n, "_bwd", codelet, sizeof codelet),
                            "R y0, R dy0, W dx0", attrs, ".bwd",
                            4 * tgs_elements(tgs_node_out(n, 0))};
    const tgs_status status = attributes(n, attrs, err);

    return status || !tgs_wanted(e, 0) ? status : tgs_emit(e, &c, err);
}

const tgs_operator tgs_operator_softmax = {
    .base = {TGS_PLUGIN_ABI, "softmax", "softmax and its logarithm", NULL, NULL},
    .types = "Softmax LogSoftmax",
    .differentiable = 1,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
