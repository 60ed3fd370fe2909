/* transpose.c -- the dimensions in another order. */
#include <string.h>
#include "core.h"

static tgs_status look(const tgs_node *n, int64_t *perm, tgs_error *err)
{
    const int32_t rank = tgs_node_in(n, 0)->rank;
    const int32_t given = tgs_attr_ints(n->op->attrs, "perm", perm, TGS_MODEL_RANK);
    bool seen[TGS_MODEL_RANK] = {false};

    for (int32_t i = 0; i < rank && !given; i++)
        perm[i] = rank - 1 - i;
    for (int32_t i = 0; i < rank; i++) {
        if ((given && given != rank) || perm[i] < 0 || perm[i] >= rank || seen[perm[i]])
            return tgs_node_fail(n, err, "perm is no permutation of %d dimensions", (int)rank);
        seen[perm[i]] = true;
    }
    return TGS_OK;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t perm[TGS_MODEL_RANK];
    tgs_status status = tgs_i_op_needs(n, 1, err);

    if (!status)
        status = look(n, perm, err);
    if (status)
        return status;
    tgs_shape_of(tgs_node_in(n, 0), out);
    for (int32_t i = 0; i < out->rank; i++)
        out->dim[i] = tgs_node_in(n, 0)->dim[perm[i]];
    return TGS_OK;
}

static bool fold(const tgs_node *n, int64_t *value)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *y = tgs_node_out(n, 0);
    int64_t perm[TGS_MODEL_RANK], stride[TGS_MODEL_RANK], step = 1;

    if (!x->value || look(n, perm, NULL))
        return false;
    for (int32_t d = x->rank - 1; d >= 0; d--) {
        stride[d] = step;
        step *= x->dim[d];
    }
    for (int64_t i = 0; i < (int64_t)tgs_elements(y); i++) {
        int64_t at = 0, rest = i;

        for (int32_t d = y->rank - 1; d >= 0; d--) {
            at += rest % y->dim[d] * stride[perm[d]];
            rest /= y->dim[d];
        }
        value[i] = x->value[at];
    }
    return true;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    int64_t perm[TGS_MODEL_RANK];
    char attrs[TGS_I_ATTRS] = "";
    const tgs_status status = look(n, perm, err);

    tgs_i_op_put_ints(attrs, "perm", perm, status ? 0 : tgs_node_in(n, 0)->rank);
    return status ? status : tgs_i_op_emit(n, e, "R x0, W y0", attrs, 0, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const int32_t rank = tgs_node_in(n, 0)->rank;
    int64_t perm[TGS_MODEL_RANK], inverse[TGS_MODEL_RANK];
    char attrs[TGS_I_ATTRS] = "";
    const tgs_emission c = {"transpose", "R dy0, W dx0", attrs, ".bwd", 0};
    const tgs_status status = look(n, perm, err);

    if (status || !tgs_wanted(e, 0))
        return status;
    for (int32_t i = 0; i < rank; i++)
        inverse[perm[i]] = i;
    tgs_i_op_put_ints(attrs, "perm", inverse, rank);
    return tgs_emit(e, &c, err);
}

const tgs_operator tgs_operator_transpose = {
    .base = {TGS_PLUGIN_ABI, "transpose", "the dimensions in another order", NULL, NULL},
    .types = "Transpose",
    .differentiable = 1,
    .infer = infer,
    .fold = fold,
    .forward = forward,
    .backward = backward,
};
