/* fused.c -- several operators as one, most of them of com.microsoft, and updates of elements. */
#include <string.h>
#include "core.h"

/* the sum, or the mean and deviation, that a normalisation may put out besides */
static tgs_status normalised(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_same(n, out, err);

    for (int32_t i = 1; i < n->op->outputs && !status; i++)
        if (i < 3 && out[i].rank > 0)
            out[i].dim[out[i].rank - 1] = 1;
    return status;
}

/* word ids [batch, seq], and the table of words [words, hidden] */
static tgs_status embedded(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *ids = tgs_node_in(n, 0), *words = tgs_node_in(n, 2);
    const tgs_status status = tgs_i_op_needs(n, 1, err);

    if (status)
        return status;
    if (!words || ids->rank != 2 || words->rank != 2)
        return tgs_node_fail(n, err, "its words do not fit their table");
    tgs_i_op_dims(out, words->dtype, 3, (int64_t[]){ids->dim[0], ids->dim[1], words->dim[1]});
    for (int32_t i = 1; i < n->op->outputs; i++) /* how long each row is, and the sum */
        if (i == 1)
            tgs_i_op_dims(&out[i], TGS_I32, 1, ids->dim);
        else
            out[i] = out[0];
    return TGS_OK;
}

static tgs_status loss(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    char text[16] = "mean";
    const tgs_tensor *target = tgs_node_in(n, 1);
    const tgs_status status = tgs_i_op_needs(n, 2, err);

    if (status)
        return status;
    tgs_attr_text(n->op->attrs, "reduction", text, sizeof text);
    tgs_i_op_dims(out, tgs_node_in(n, 0)->dtype, strcmp(text, "none") ? 0 : target->rank,
                  target->dim);
    return TGS_OK;
}

/* weights of a few bits, K by N, in blocks */
static tgs_status few_bits(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const int64_t k = tgs_attr_int(n->op->attrs, "K", 0), m = tgs_attr_int(n->op->attrs, "N", 0);
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (!status && (out->rank < 1 || out->dim[out->rank - 1] != k || m < 1))
        return tgs_node_fail(n, err, "%lld columns for K=%lld N=%lld",
                             (long long)(out->rank ? out->dim[out->rank - 1] : 0), (long long)k,
                             (long long)m);
    if (!status)
        out->dim[out->rank - 1] = m;
    return status;
}

static const tgs_i_op_row row[] = {
    {"com.microsoft.BiasGelu", tgs_i_op_like_0, 10, 0},
    {"com.microsoft.FastGelu", tgs_i_op_like_0, 10, 0},
    {"com.microsoft.BiasSplitGelu", tgs_i_op_like_0, 10, 0},
    {"com.microsoft.BiasAdd", tgs_i_op_like_0, 2, 0},
    {"com.microsoft.BiasDropout", tgs_i_op_like_0, 4, 0},
    {"com.microsoft.BiasSoftmax", tgs_i_op_like_0, 6, 0},
    {"com.microsoft.SkipLayerNormalization", normalised, 10, 0},
    {"com.microsoft.SkipSimplifiedLayerNormalization", normalised, 7, 0},
    {"com.microsoft.EmbedLayerNormalization", embedded, 0, 11},
    {"com.microsoft.GroupNorm", tgs_i_op_like_0, 8, 0},
    {"com.microsoft.SkipGroupNorm", tgs_i_op_like_0, 10, 0},
    {"com.microsoft.RotaryEmbedding", tgs_i_op_like_0, 3, 0},
    {"com.microsoft.MatMulNBits", few_bits, 0, 0},
    {"com.microsoft.Trilu", tgs_i_op_like_0, 0, 0},
    {"com.microsoft.Inverse", tgs_i_op_like_0, 4, 0},
    {"GroupNormalization", tgs_i_op_like_0, 8, 0},
    {"NegativeLogLikelihoodLoss", loss, 0, 2},
    {"Scatter", tgs_i_op_like_0, 0, 0},
    {"ScatterElements", tgs_i_op_like_0, 0, 0},
};
static const tgs_i_op_rows rows = {row, sizeof row / sizeof *row};

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    return tgs_i_op_row_infer(n, &rows, out, err);
}

static double products(const tgs_node *n)
{
    return 2 * tgs_elements(tgs_node_out(n, 0)) * (double)tgs_attr_int(n->op->attrs, "K", 0);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    if (!strcmp(n->op->type, "com.microsoft.MatMulNBits"))
        return tgs_i_op_task(n, e, products(n), err);
    return tgs_i_op_row_forward(n, &rows, e, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    if (!strcmp(n->op->type, "com.microsoft.MatMulNBits"))
        return tgs_i_op_task_bwd(n, e, 2 * products(n), err);
    return tgs_i_op_row_backward(n, &rows, e, err);
}

const tgs_operator tgs_operator_fused = {
    .base = {TGS_PLUGIN_ABI, "fused", "several operators as one", NULL, NULL},
    .types = "com.microsoft.BiasGelu com.microsoft.FastGelu com.microsoft.BiasSplitGelu "
             "com.microsoft.BiasAdd com.microsoft.BiasDropout com.microsoft.BiasSoftmax "
             "com.microsoft.SkipLayerNormalization "
             "com.microsoft.SkipSimplifiedLayerNormalization "
             "com.microsoft.EmbedLayerNormalization com.microsoft.GroupNorm "
             "com.microsoft.SkipGroupNorm com.microsoft.RotaryEmbedding "
             "com.microsoft.MatMulNBits com.microsoft.Trilu com.microsoft.Inverse "
             "GroupNormalization NegativeLogLikelihoodLoss Scatter ScatterElements",
    .differentiable = TGS_ALL_DIFFERENTIABLE,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
