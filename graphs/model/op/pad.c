/* pad.c -- a border around a tensor. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

static tgs_status look(const tgs_node *n, int64_t *pad, tgs_error *err)
{
    const int32_t rank = tgs_node_in(n, 0)->rank;
    int64_t given[2 * TGS_MODEL_RANK], axes[TGS_MODEL_RANK];
    const int32_t count = tgs_i_op_list(n, "pads", 1, given, 2 * TGS_MODEL_RANK);
    const int32_t on = tgs_i_op_list(n, "axes", 3, axes, TGS_MODEL_RANK);
    const int32_t k = on < 0 ? rank : on;

    if (count != 2 * k || on == -2)
        return tgs_node_open(n, err, "its pads are not known constants");
    memset(pad, 0, 2 * (size_t)rank * sizeof *pad);
    for (int32_t i = 0; i < k; i++) {
        int32_t axis;
        const tgs_status status = tgs_i_op_axis_of(n, on < 0 ? i : axes[i], rank, &axis, err);

        if (status)
            return status;
        if (llabs(given[i]) > INT32_MAX || llabs(given[i + k]) > INT32_MAX)
            return tgs_node_fail(n, err, "a pad is out of range");
        pad[axis] = given[i];
        pad[axis + rank] = given[i + k];
    }
    return TGS_OK;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t pad[2 * TGS_MODEL_RANK];
    tgs_status status = tgs_i_op_needs(n, 1, err);

    if (!status)
        status = look(n, pad, err);
    if (status)
        return status;
    tgs_shape_of(tgs_node_in(n, 0), out);
    for (int32_t i = 0; i < out->rank; i++) {
        out->dim[i] += pad[i] + pad[i + out->rank];
        if (out->dim[i] < 0)
            return tgs_node_fail(n, err, "nothing is left of dimension %d", (int)i);
    }
    return TGS_OK;
}

static tgs_status attributes(const tgs_node *n, char *text, tgs_error *err)
{
    const tgs_tensor *fill = tgs_node_in(n, 2);
    int64_t pad[2 * TGS_MODEL_RANK];
    char mode[16] = "constant";
    const tgs_status status = look(n, pad, err);

    *text = 0;
    if (status)
        return status;
    tgs_attr_text(n->op->attrs, "mode", mode, sizeof mode);
    tgs_i_op_put_ints(text, "pads", pad, 2 * tgs_node_in(n, 0)->rank);
    tgs_i_op_put_real(text, "value",
                      fill && fill->real ? fill->real[0] : tgs_attr_real(n->op->attrs, "value", 0));
    snprintf(text + strlen(text), TGS_I_ATTRS - strlen(text), " mode=%s", mode);
    return TGS_OK;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_status status = attributes(n, attrs, err);

    return status ? status : tgs_i_op_emit(n, e, "R x0, W y0", attrs, 0, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission c = {"pad_bwd", "R dy0, W dx0", attrs, ".bwd", 0};
    const tgs_status status = attributes(n, attrs, err);

    return status || !tgs_wanted(e, 0) ? status : tgs_emit(e, &c, err);
}

const tgs_operator tgs_operator_pad = {
    .base = {TGS_PLUGIN_ABI, "pad", "a border around a tensor", NULL, NULL},
    .types = "Pad",
    .differentiable = 1,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
