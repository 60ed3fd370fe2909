/* where.c -- X where the condition holds, else Y. */
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    tgs_shape both;
    tgs_tensor t = {0};
    tgs_status status = tgs_i_op_needs(n, 3, err);

    if (!status)
        status = tgs_i_op_broadcast(n, tgs_node_in(n, 1), tgs_node_in(n, 2), &both, err);
    if (status)
        return status;
    t.rank = both.rank;
    t.dim = both.dim;
    t.dtype = both.dtype;
    return tgs_i_op_broadcast(n, &t, tgs_node_in(n, 0), out, err);
}

static bool fold(const tgs_node *n, int64_t *value)
{
    const tgs_tensor *y = tgs_node_out(n, 0), *holds = tgs_node_in(n, 0);

    for (int32_t i = 0; i < 3; i++)
        if (!tgs_node_in(n, i)->value)
            return false;
    for (int64_t i = 0; i < (int64_t)tgs_elements(y); i++) {
        const bool first = holds->value[tgs_i_op_source(holds, y, i)] != 0;
        const tgs_tensor *x = tgs_node_in(n, first ? 1 : 2);

        value[i] = x->value[tgs_i_op_source(x, y, i)];
    }
    return true;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_emit(n, e, "R x0, R x1, R x2, W y0", NULL, tgs_elements(tgs_node_out(n, 0)),
                         err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const double elements = tgs_elements(tgs_node_out(n, 0));
    const tgs_emission one = {"where_bwd", "R dy0, R x0, W dx1", "input=1", ".bwd.1", elements};
    const tgs_emission two = {"where_bwd", "R dy0, R x0, W dx2", "input=2", ".bwd.2", elements};
    tgs_status status = tgs_wanted(e, 1) ? tgs_emit(e, &one, err) : TGS_OK;

    if (!status && tgs_wanted(e, 2))
        status = tgs_emit(e, &two, err);
    return status;
}

const tgs_operator tgs_operator_where = {
    .base = {TGS_PLUGIN_ABI, "where", "a choice, element by element", NULL, NULL},
    .types = "Where",
    .differentiable = 6,
    .infer = infer,
    .fold = fold,
    .forward = forward,
    .backward = backward,
};
