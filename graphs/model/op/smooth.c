/* smooth.c -- functions of one tensor as a whole: running sums, normalisations, parts and copies of
 * it. */
#include <string.h>
#include "core.h"

static tgs_status tile(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t times[TGS_MODEL_RANK];
    tgs_status status = tgs_i_op_needs(n, 2, err);
    const int32_t given = status ? 0 : tgs_i_op_list(n, "", 1, times, TGS_MODEL_RANK);

    if (status)
        return status;
    if (given < 0)
        return tgs_node_open(n, err, "how often is not a constant");
    tgs_shape_of(tgs_node_in(n, 0), out);
    if (given != out->rank)
        return tgs_node_fail(n, err, "%d repeats for %d dimensions", (int)given, (int)out->rank);
    for (int32_t i = 0; i < given; i++) {
        if (times[i] < 0 || times[i] > INT32_MAX)
            return tgs_node_fail(n, err, "%lld repeats", (long long)times[i]);
        out->dim[i] *= times[i];
    }
    return TGS_OK;
}

/* blocks of pixels become channels, or the other way round */
static tgs_status blocks(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const int64_t size = tgs_attr_int(n->op->attrs, "blocksize", 0);
    const bool deep = !strcmp(n->op->type, "SpaceToDepth");
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (status)
        return status;
    if (out->rank != 4 || size < 1 || size > INT32_MAX
        || (deep ? out->dim[2] % size || out->dim[3] % size : out->dim[1] % (size * size)))
        return tgs_node_fail(n, err, "blocks of %lld do not fit its input", (long long)size);
    out->dim[1] = deep ? out->dim[1] * size * size : out->dim[1] / (size * size);
    for (int i = 2; i < 4; i++)
        out->dim[i] = deep ? out->dim[i] / size : out->dim[i] * size;
    return TGS_OK;
}

/* at most all of the axis, or of all elements, is kept */
static tgs_status compress(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *keep = tgs_node_in(n, 1);
    const bool flat = tgs_attr_int(n->op->attrs, "axis", INT64_MIN) == INT64_MIN;
    int32_t axis = 0;
    int64_t kept = 0;
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (!status && !flat)
        status = tgs_i_op_axis(n, 0, x->rank, 0, &axis, err);
    if (status)
        return status;
    tgs_shape_of(x, out);
    if (flat) {
        out->rank = 1;
        out->dim[0] = (int64_t)tgs_elements(x);
    }
    for (int64_t i = 0; keep->value && i < (int64_t)tgs_elements(keep); i++)
        kept += keep->value[i] != 0;
    if (keep->value)
        out->dim[axis] = kept;
    return TGS_OK;
}

static tgs_status crop(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t size[TGS_MODEL_RANK], axes[TGS_MODEL_RANK];
    const tgs_status status = tgs_i_op_same(n, out, err);
    const int32_t sizes = status ? 0 : tgs_i_op_list(n, "", 1, size, TGS_MODEL_RANK);
    const int32_t given = tgs_attr_ints(n->op->attrs, "axes", axes, TGS_MODEL_RANK);

    if (status)
        return status;
    if (sizes < 0)
        return tgs_node_open(n, err, "its size is not a constant");
    for (int32_t i = 0; i < sizes; i++) {
        int32_t axis;
        const tgs_status bad = tgs_i_op_axis_of(n, given > i ? axes[i] : i, out->rank, &axis, err);

        if (bad)
            return bad;
        out->dim[axis] = size[i] < 0 ? 0 : size[i];
    }
    return TGS_OK;
}

static tgs_status matrices(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (!status && out->rank < 2)
        return tgs_node_fail(n, err, "its input is no matrix");
    out->rank -= 2;
    return status;
}

static tgs_status pool(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const bool global = !strncmp(n->op->type, "Global", 6);
    tgs_i_op_window w;
    tgs_status status = tgs_i_op_same(n, out, err);

    if (!status && out->rank < 3)
        status = tgs_node_fail(n, err, "its input has rank %d", (int)out->rank);
    if (!status)
        status = tgs_i_op_window_make(n, global ? tgs_node_in(n, 0)->dim + 2 : NULL, &w, err);
    for (int32_t i = 2; i < out->rank && !status; i++)
        out->dim[i] = w.out[i - 2];
    return status;
}

static const tgs_i_op_row row[] = {
    {"CumSum", tgs_i_op_like_0, 1, 0},
    {"CumProd", tgs_i_op_like_0, 1, 0},
    {"LpNormalization", tgs_i_op_like_0, 4, 0},
    {"MeanVarianceNormalization", tgs_i_op_like_0, 8, 0},
    {"Swish", tgs_i_op_like_0, 5, 0},
    {"Trilu", tgs_i_op_like_0, 0, 0},
    {"ReverseSequence", tgs_i_op_like_0, 0, 0},
    {"TensorScatter", tgs_i_op_like_0, 0, 0},
    {"Tile", tile, 0, 0},
    {"DepthToSpace", blocks, 0, 0},
    {"SpaceToDepth", blocks, 0, 0},
    {"Compress", compress, 0, 0},
    {"CenterCropPad", crop, 0, 0},
    {"Det", matrices, 2, 0},
    {"LpPool", pool, 3, 1},
    {"GlobalLpPool", pool, 3, 1},
    {"Hardmax", tgs_i_op_like_0, 1, 0},
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

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_row_backward(n, &rows, e, err);
}

const tgs_operator tgs_operator_smooth = {
    .base = {TGS_PLUGIN_ABI, "smooth", "functions of one tensor as a whole", NULL, NULL},
    .types = "CumSum CumProd LpNormalization MeanVarianceNormalization Swish Trilu "
             "ReverseSequence TensorScatter Tile DepthToSpace SpaceToDepth Compress "
             "CenterCropPad Det LpPool GlobalLpPool Hardmax",
    .differentiable = 1,
    .infer = infer,
    .forward = forward,
    .backward = backward,
    .at_most = "Compress",
};
