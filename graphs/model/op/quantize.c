/* quantize.c -- numbers of few bits, and back. */
#include <string.h>
#include "core.h"

/* its type is that of the zero point */
static tgs_status quantize(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *zero = tgs_node_in(n, 2);
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (!status) {
        out->dtype = TGS_U8;
        tgs_i_op_dtype(n, &out->dtype);
        if (zero)
            out->dtype = zero->dtype;
    }
    return status;
}

static tgs_status dequantize(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (!status)
        status = tgs_i_op_same(n, out, err);
    if (!status) {
        out->dtype = tgs_node_in(n, 1)->dtype;
        tgs_i_op_dtype(n, &out->dtype);
    }
    return status;
}

static tgs_status dynamic(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_same(n, out, err);

    out->dtype = TGS_U8;
    for (int32_t i = 1; i < n->op->outputs && !status; i++)
        tgs_i_op_dims(&out[i], i == 1 ? TGS_F32 : TGS_U8, 0, NULL);
    return status;
}

/* of one input x, with its scale and zero point behind it; or two: x at 0, the other at 3 */
static tgs_status pair(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_needs(n, 4, err);

    return status ? status : tgs_i_op_broadcast(n, tgs_node_in(n, 0), tgs_node_in(n, 3), out, err);
}

static tgs_status plane(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_same(n, out, err);

    for (int32_t i = 2; i < out->rank && !status; i++)
        out->dim[i] = 1;
    return status;
}

static const tgs_i_op_row row[] = {
    {"QuantizeLinear", quantize, 0, 3},
    {"DequantizeLinear", dequantize, 0, 2},
    {"DynamicQuantizeLinear", dynamic, 2, 3},
    {"com.microsoft.QuantizeLinear", quantize, 0, 3},
    {"com.microsoft.DequantizeLinear", dequantize, 0, 2},
    {"com.microsoft.QLinearAdd", pair, 0, 6},
    {"com.microsoft.QLinearMul", pair, 0, 6},
    {"com.microsoft.QLinearSigmoid", tgs_i_op_like_0, 0, 8},
    {"com.microsoft.QLinearLeakyRelu", tgs_i_op_like_0, 0, 6},
    {"com.microsoft.QLinearSoftmax", tgs_i_op_like_0, 0, 9},
    {"com.microsoft.QLinearGlobalAveragePool", plane, 1, 4},
    {"RequantShift", tgs_i_op_like_0, 0, 3},
};
static const tgs_i_op_rows rows = {row, sizeof row / sizeof *row};

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    return tgs_i_op_row_infer(n, &rows, out, err);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_row_forward(n, &rows, e, err);
}

const tgs_operator tgs_operator_quantize = {
    .base = {TGS_PLUGIN_ABI, "quantize", "numbers of few bits", NULL, NULL},
    .types = "QuantizeLinear DequantizeLinear DynamicQuantizeLinear "
             "com.microsoft.QuantizeLinear com.microsoft.DequantizeLinear "
             "com.microsoft.QLinearAdd com.microsoft.QLinearMul com.microsoft.QLinearSigmoid "
             "com.microsoft.QLinearLeakyRelu com.microsoft.QLinearSoftmax "
             "com.microsoft.QLinearGlobalAveragePool RequantShift",
    .infer = infer,
    .forward = forward,
};
