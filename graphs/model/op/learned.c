/* learned.c -- classical models (ai.onnx.ml): linear ones, support vectors, encoders and scalers.
 */
#include <string.h>
#include "core.h"

static int64_t labels(const tgs_node *n)
{
    static const char *const keys[] = {"classlabels_ints.count", "classlabels_int64s.count",
                                       "classlabels_strings.count"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (tgs_attr_int(n->op->attrs, keys[i], 0) > 0)
            return tgs_attr_int(n->op->attrs, keys[i], 0);
    return 2;
}

static bool named(const tgs_node *n)
{
    return tgs_attr_int(n->op->attrs, "classlabels_strings.count", 0) > 0;
}

static int64_t height(const tgs_tensor *x)
{
    return x->rank > 1 ? x->dim[0] : 1;
}

/* a label and a score of each class */
static tgs_status classify(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    const tgs_status status = tgs_i_op_needs(n, 1, err);

    for (int32_t i = 0; i < n->op->outputs && !status; i++)
        tgs_i_op_dims(&out[i],
                      i          ? TGS_F32
                      : named(n) ? TGS_TEXT
                                 : TGS_I64,
                      i ? 2 : 1, (int64_t[]){height(x), labels(n)});
    return status;
}

static tgs_status regress(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t targets = tgs_attr_int(n->op->attrs, "targets", 1);
    const tgs_status status = tgs_i_op_needs(n, 1, err);

    targets = tgs_attr_int(n->op->attrs, "n_targets", targets);
    if (!status)
        tgs_i_op_dims(out, TGS_F32, 2,
                      (int64_t[]){height(tgs_node_in(n, 0)), targets < 1 ? 1 : targets});
    return status;
}

static tgs_status real(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (!status)
        out->dtype = TGS_F32;
    return status;
}

/* the type of what it gives follows the list of values it has */
static tgs_status encode(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (status)
        return status;
    if (tgs_attr_int(n->op->attrs, "values_strings.count", 0) > 0)
        out->dtype = TGS_TEXT;
    else if (tgs_attr_int(n->op->attrs, "values_floats.count", 0) > 0)
        out->dtype = TGS_F32;
    else
        out->dtype = tgs_node_in(n, 0)->dtype == TGS_I64 ? TGS_TEXT : TGS_I64;
    return TGS_OK;
}

static tgs_status one_hot(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t count = tgs_attr_int(n->op->attrs, "cats_int64s.count", 0);
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (count < 1)
        count = tgs_attr_int(n->op->attrs, "cats_strings.count", 1);
    if (!status && out->rank >= TGS_MODEL_RANK)
        return tgs_node_fail(n, err, "a result of rank %d", (int)out->rank + 1);
    out->dtype = TGS_F32;
    out->dim[out->rank++] = count;
    return status;
}

/* columns side by side */
static tgs_status join(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t columns = 0;
    const tgs_status status = tgs_i_op_needs(n, n->op->inputs, err);

    for (int32_t i = 0; i < n->op->inputs && !status; i++) {
        const tgs_tensor *x = tgs_node_in(n, i);

        columns += x->rank ? x->dim[x->rank - 1] : 1;
    }
    if (!status && n->op->inputs)
        tgs_i_op_dims(out, TGS_F32, 2, (int64_t[]){height(tgs_node_in(n, 0)), columns});
    return status ? status : n->op->inputs ? TGS_OK : tgs_node_fail(n, err, "it has no inputs");
}

static tgs_status extract(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (!status)
        status = tgs_i_op_same(n, out, err);
    if (!status && out->rank < 1)
        status = tgs_node_fail(n, err, "its input is one number");
    if (!status)
        out->dim[out->rank - 1] = (int64_t)tgs_elements(tgs_node_in(n, 1));
    return status;
}

static tgs_status vectors(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t words = tgs_attr_int(n->op->attrs, "ngram_indexes.count", 0);
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (words < 1)
        words = tgs_attr_int(n->op->attrs, "string_vocabulary.count", 1);
    if (!status) {
        out->dtype = TGS_F32;
        if (out->rank < 1)
            out->rank = 1;
        out->dim[out->rank - 1] = words;
    }
    return status;
}

static const tgs_i_op_row row[] = {
    {"ai.onnx.ml.ArrayFeatureExtractor", extract, 0, 0},
    {"ai.onnx.ml.Binarizer", tgs_i_op_like_0, 0, 1},
    {"ai.onnx.ml.CastMap", real, 0, 0},
    {"ai.onnx.ml.CategoryMapper", encode, 0, 4},
    {"ai.onnx.ml.DictVectorizer", real, 0, 1},
    {"ai.onnx.ml.FeatureVectorizer", join, 0, 0},
    {"ai.onnx.ml.Imputer", tgs_i_op_like_0, 0, 1},
    {"ai.onnx.ml.LabelEncoder", encode, 0, 4},
    {"ai.onnx.ml.LinearClassifier", classify, 0, 0},
    {"ai.onnx.ml.LinearRegressor", regress, 0, 0},
    {"ai.onnx.ml.Normalizer", real, 0, 3},
    {"ai.onnx.ml.OneHotEncoder", one_hot, 0, 1},
    {"ai.onnx.ml.Scaler", real, 0, 2},
    {"ai.onnx.ml.SVMClassifier", classify, 0, 0},
    {"ai.onnx.ml.SVMRegressor", regress, 0, 0},
    {"ai.onnx.ml.ZipMap", tgs_i_op_like_0, 0, 0},
    {"TfIdfVectorizer", vectors, 4, 0},
};
static const tgs_i_op_rows rows = {row, sizeof row / sizeof *row};

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    return tgs_i_op_row_infer(n, &rows, out, err);
}

/* every row of the input with every coefficient: a multiply-add each */
static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    static const char *const keys[] = {"coefficients.count", "support_vectors.count"};
    double numbers = 0;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        numbers += (double)tgs_attr_int(n->op->attrs, keys[i], 0);
    if (numbers > 0)
        return tgs_i_op_task(n, e, 2 * numbers * (double)height(tgs_node_in(n, 0)), err);
    return tgs_i_op_row_forward(n, &rows, e, err);
}

const tgs_operator tgs_operator_learned = {
    .base = {TGS_PLUGIN_ABI, "learned", "classical models", NULL, NULL},
    .types = "ai.onnx.ml.ArrayFeatureExtractor ai.onnx.ml.Binarizer ai.onnx.ml.CastMap "
             "ai.onnx.ml.CategoryMapper ai.onnx.ml.DictVectorizer ai.onnx.ml.FeatureVectorizer "
             "ai.onnx.ml.Imputer ai.onnx.ml.LabelEncoder ai.onnx.ml.LinearClassifier "
             "ai.onnx.ml.LinearRegressor ai.onnx.ml.Normalizer ai.onnx.ml.OneHotEncoder "
             "ai.onnx.ml.Scaler ai.onnx.ml.SVMClassifier ai.onnx.ml.SVMRegressor "
             "ai.onnx.ml.ZipMap TfIdfVectorizer",
    .infer = infer,
    .forward = forward,
};
