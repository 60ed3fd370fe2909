/* drawn.c -- random numbers, flags and bits: what has no gradient, element by element. */
#include <string.h>
#include "core.h"

static tgs_status of_shape(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    out->dtype = TGS_F32;
    tgs_i_op_dtype(n, &out->dtype);
    out->rank = tgs_i_op_list(n, "shape", -1, out->dim, TGS_MODEL_RANK);
    if (out->rank < 0)
        return tgs_node_fail(n, err, "it has no shape");
    return TGS_OK;
}

static tgs_status samples(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (status)
        return status;
    out->dtype = TGS_I32;
    tgs_i_op_dtype(n, &out->dtype);
    if (out->rank != 2)
        return tgs_node_fail(n, err, "its input is no matrix");
    out->dim[1] = tgs_attr_int(n->op->attrs, "sample_size", 1);
    return out->dim[1] < 0 ? tgs_node_fail(n, err, "sample_size is negative") : TGS_OK;
}

/* one place for each element, and its position: as many as there may be */
static tgs_status places(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    const tgs_status status = tgs_i_op_needs(n, 1, err);

    if (!status)
        tgs_i_op_dims(out, TGS_I64, 2, (int64_t[]){x->rank, (int64_t)tgs_elements(x)});
    return status;
}

static tgs_status unique(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    const bool flat = tgs_attr_int(n->op->attrs, "axis", INT64_MIN) == INT64_MIN;
    int32_t axis = 0;
    tgs_status status = tgs_i_op_needs(n, 1, err);

    if (!status && !flat)
        status = tgs_i_op_axis(n, 0, x->rank, 0, &axis, err);
    for (int32_t i = 0; i < n->op->outputs && !status; i++) {
        const int64_t all = flat ? (int64_t)tgs_elements(x) : x->dim[axis];

        if (i || flat)
            tgs_i_op_dims(&out[i], i ? TGS_I64 : x->dtype, 1, &all);
        else
            tgs_shape_of(x, out);
    }
    return status;
}

/* max_output_boxes_per_class of each class and batch, or all boxes */
static tgs_status boxes(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *box = tgs_node_in(n, 0), *score = tgs_node_in(n, 1);
    int64_t most;
    const tgs_status status = tgs_i_op_needs(n, 2, err);

    if (status)
        return status;
    if (box->rank != 3 || score->rank != 3)
        return tgs_node_fail(n, err, "boxes or scores are not of rank 3");
    if (!tgs_i_op_number(n, 2, &most) || most > box->dim[1] || most < 0)
        most = box->dim[1];
    tgs_i_op_dims(out, TGS_I64, 2, (int64_t[]){score->dim[0] * score->dim[1] * most, 3});
    return TGS_OK;
}

static tgs_status one_hot(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *depth = tgs_node_in(n, 1);
    int64_t size = 0;
    int32_t axis;
    tgs_status status = tgs_i_op_needs(n, 3, err);

    if (status)
        return status;
    if (!tgs_i_op_number(n, 1, &size)) {
        if (!depth->real)
            return tgs_node_open(n, err, "its depth is not a constant");
        size = (int64_t)depth->real[0];
    }
    if (x->rank >= TGS_MODEL_RANK || size < 0)
        return tgs_node_fail(n, err, "a depth of %lld", (long long)size);
    status = tgs_i_op_axis(n, -1, x->rank + 1, 0, &axis, err);
    out->dtype = tgs_node_in(n, 2)->dtype;
    out->rank = x->rank + 1;
    for (int32_t i = 0; i < out->rank && !status; i++)
        out->dim[i] = i == axis ? size : x->dim[i - (i > axis)];
    return status;
}

static const tgs_i_op_row row[] = {
    {"RandomNormal", of_shape, 0, 8},
    {"RandomUniform", of_shape, 0, 2},
    {"RandomNormalLike", tgs_i_op_typed, 0, 8},
    {"RandomUniformLike", tgs_i_op_typed, 0, 2},
    {"Bernoulli", tgs_i_op_typed, 0, 3},
    {"Multinomial", samples, 2, 2},
    {"EyeLike", tgs_i_op_typed, 0, 0},
    {"OneHot", one_hot, 0, 1},
    {"NonZero", places, 1, 0},
    {"Unique", unique, 16, 0},
    {"NonMaxSuppression", boxes, 4, 8},
    {"BitShift", tgs_i_op_pair, 0, 1},
    {"BitwiseAnd", tgs_i_op_pair, 0, 1},
    {"BitwiseOr", tgs_i_op_pair, 0, 1},
    {"BitwiseXor", tgs_i_op_pair, 0, 1},
    {"BitCast", tgs_i_op_typed, 0, 0},
    {"RegexFullMatch", tgs_i_op_flags, 1, 0},
    {"StringConcat", tgs_i_op_pair, 0, 1},
    {"StringNormalizer", tgs_i_op_like_0, 1, 0},
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

const tgs_operator tgs_operator_drawn = {
    .base = {TGS_PLUGIN_ABI, "drawn", "random numbers, flags and bits", NULL, NULL},
    .types = "RandomNormal RandomUniform RandomNormalLike RandomUniformLike Bernoulli "
             "Multinomial EyeLike OneHot NonZero Unique NonMaxSuppression BitShift BitwiseAnd "
             "BitwiseOr BitwiseXor BitCast RegexFullMatch StringConcat StringNormalizer",
    .infer = infer,
    .forward = forward,
    .at_most = "NonZero Unique NonMaxSuppression",
};
