/* optimizer.c -- updates of parameters as operators (ai.onnx.preview.training). */
#include <string.h>
#include "core.h"

/* parameters, and what their optimizer keeps of them, each as it was given: behind the learning
 * rate and the step count all X, all gradients, all that is kept */
static tgs_status updated(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const int32_t kept = !strcmp(n->op->type, "ai.onnx.preview.training.Adam") ? 3 : 2;
    const int32_t tensors = n->op->outputs / kept;
    tgs_status status = tgs_i_op_needs(n, 2 + n->op->outputs + tensors, err);

    for (int32_t i = 0; i < n->op->outputs && !status; i++)
        tgs_shape_of(tgs_node_in(n, 2 + (i < tensors ? i : i + tensors)), &out[i]);
    return status;
}

static const tgs_i_op_row row[] = {
    {"ai.onnx.preview.training.Adam", updated, 0, 12},
    {"ai.onnx.preview.training.Adagrad", updated, 0, 8},
    {"ai.onnx.preview.training.Momentum", updated, 0, 5},
};
static const tgs_i_op_rows rows = {row, sizeof row / sizeof *row};

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    return tgs_i_op_row_infer(n, &rows, out, err);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const int32_t kept = !strcmp(n->op->type, "ai.onnx.preview.training.Adam") ? 3 : 2;
    double all = 0;

    for (int32_t i = 0; i < n->op->outputs / kept; i++)
        all += tgs_node_out(n, i) ? tgs_elements(tgs_node_out(n, i)) : 0;
    return tgs_i_op_task(n, e, tgs_i_op_row_of(n, &rows)->per_out * all, err);
}

const tgs_operator tgs_operator_optimizer = {
    .base = {TGS_PLUGIN_ABI, "optimizer", "updates of parameters", NULL, NULL},
    .types = "ai.onnx.preview.training.Adam ai.onnx.preview.training.Adagrad "
             "ai.onnx.preview.training.Momentum",
    .infer = infer,
    .forward = forward,
    .gradient = true,
};
