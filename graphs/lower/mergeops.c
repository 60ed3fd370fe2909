/* mergeops.c -- the rule of each operator for merging models: what one operator does the work of M
 * twins on stacked ([M, ...]) or joined (channels M C) values. */
#include <string.h>
#include "core.h"

enum { OPERANDS = 8 };

static bool is_one_of(const char *list, const char *type)
{
    const size_t n = strlen(type);

    for (const char *s = list; *s;) {
        const size_t size = strcspn(s, " ");

        if (size == n && !memcmp(s, type, n))
            return true;
        s += size + strspn(s + size, " ");
    }
    return false;
}

/* element by element, with broadcasting where there are several operands */
static const char elements[] =
    "Relu Sigmoid Tanh Gelu Erf Exp Log Sqrt Abs Neg Reciprocal Softplus Softsign Sin Cos Sinh "
    "Cosh "
    "Tan Asin Acos Atan LeakyRelu Elu Selu Celu Identity Cast Ceil Floor Round Sign Not "
    "HardSigmoid "
    "HardSwish Clip Add Sub Mul Div Pow Max Min Sum Where Equal Less Greater LessOrEqual "
    "GreaterOrEqual "
    "And Or Xor";
static const char pools[] = "MaxPool AveragePool GlobalMaxPool GlobalAveragePool";
static const char reductions[] = "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 "
                                 "ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare";
static const char shapes[] = "Reshape Flatten Squeeze Unsqueeze";
static const char norms[] = "LayerNormalization RMSNormalization SimplifiedLayerNormalization";

static const tgs_tensor *output_of(const tgs_i_fuse *f, const tgs_op *op)
{
    return &f->m->tensor[op->output[0]];
}

/* ---- element by element ---- */

/* dimensions of stored operand x, joined, against a value with these channels; false: it cannot be
 */
static bool joined_form(const tgs_i_fuse *f, const tgs_tensor *x, const tgs_tensor *y, int64_t *dim)
{
    const int32_t at = 1 - (y->rank - x->rank); /* of the channels */

    if (x->rank > y->rank || at < 0 || x->dim[at] != y->dim[1])
        return false;
    for (int32_t i = 0; i < x->rank; i++)
        dim[i] = x->dim[i] * (i == at ? f->w->copies : 1);
    return at == 0 || x->dim[0] == 1;
}

static bool may_join(const tgs_i_fuse *f, const tgs_op *op)
{
    const tgs_tensor *y = output_of(f, op);
    int64_t dim[TGS_MODEL_RANK];

    for (int32_t j = 0; j < op->inputs && y->rank >= 2; j++) {
        const tgs_tensor *x = op->input[j] < 0 ? NULL : &f->m->tensor[op->input[j]];

        if (!x)
            continue;
        if (x->role == TGS_ROLE_CONSTANT           ? tgs_elements(x) != 1
            : tgs_i_fuse_computed(f, op->input[j]) ? x->rank != y->rank || x->dim[1] != y->dim[1]
                                                   : !joined_form(f, x, y, dim))
            return false;
    }
    return y->rank >= 2;
}

static int32_t joined_operand(tgs_i_fuse *f, const tgs_op *op, int32_t t)
{
    const tgs_tensor *x = &f->m->tensor[t];
    int64_t dim[TGS_MODEL_RANK];

    if (x->role == TGS_ROLE_CONSTANT)
        return tgs_model_adopt(f->b, f->m, t);
    if (tgs_i_fuse_computed(f, t))
        return tgs_i_fuse_value(f, t, true);
    if (!joined_form(f, x, output_of(f, op), dim))
        return (int32_t)tgs_i_fuse_refuse(f, op, "an operand has no channels");
    return tgs_i_fuse_weights(f, op, t, x->rank, dim);
}

/* operands that broadcast against each other in this rank */
static tgs_status operands(tgs_i_fuse *f, const tgs_op *op, bool joined, int32_t rank, int32_t *x)
{
    if (op->inputs > OPERANDS)
        return tgs_i_fuse_refuse(f, op, "too many operands");
    for (int32_t j = 0; j < op->inputs; j++) {
        const int32_t t = op->input[j];

        x[j] = -1;
        if (t < 0)
            continue;
        x[j] = joined ? joined_operand(f, op, t) : tgs_i_fuse_stacked(f, op, t, rank);
        if (x[j] < 0)
            return (tgs_status)x[j];
    }
    return TGS_OK;
}

static tgs_status same(tgs_i_fuse *f, const tgs_op *op, bool joined)
{
    int32_t x[OPERANDS];
    const tgs_status status = operands(f, op, joined, output_of(f, op)->rank, x);

    if (!status)
        tgs_i_fuse_op(f, op->type, op->attrs, op->inputs, x,
                      tgs_i_fuse_new(f, op->output[0], joined));
    return status;
}

/* ---- on channels ---- */

/* attributes without one of them, and with "key=value" in its place */
static tgs_status with_attr(tgs_i_fuse *f, const char *attrs, const char *key, const char *value,
                            char **out)
{
    const size_t size = strlen(attrs) + strlen(key) + strlen(value) + 4;
    char *text = tgs_mem_alloc(size, 1), *copy = tgs_mem_text(attrs), *cursor = copy;
    size_t used = 0;

    *out = text;
    if (!text || !copy) {
        tgs_mem_free(copy);
        return tgs_fail(f->err, TGS_ENOMEM, "out of memory");
    }
    for (char *word; (word = tgs_word(&cursor));)
        if (strncmp(word, key, strlen(key)) || word[strlen(key)] != '=')
            used += (size_t)snprintf(text + used, size - used, "%s ", word);
    snprintf(text + used, size - used, "%s=%s", key, value);
    tgs_mem_free(copy);
    return TGS_OK;
}

/* stored operand t, whose first dimension is one of channels */
static int32_t channel_weights(tgs_i_fuse *f, const tgs_op *op, int32_t t)
{
    const tgs_tensor *x = &f->m->tensor[t];
    int64_t dim[TGS_MODEL_RANK];

    if (tgs_i_fuse_computed(f, t) || x->role == TGS_ROLE_CONSTANT || x->rank < 1)
        return (int32_t)tgs_i_fuse_refuse(f, op, "its weights are not stored");
    memcpy(dim, x->dim, (size_t)x->rank * sizeof *dim);
    dim[0] *= f->w->copies;
    return tgs_i_fuse_weights(f, op, t, x->rank, dim);
}

static tgs_status on_channels(tgs_i_fuse *f, const tgs_op *op)
{
    int32_t x[OPERANDS] = {tgs_i_fuse_value(f, op->input[0], true)};
    char group[32], *attrs = NULL;
    tgs_status status;

    if (op->inputs > OPERANDS || op->outputs != 1)
        return tgs_i_fuse_refuse(f, op, "it has more than one output");
    for (int32_t j = 1; j < op->inputs; j++) {
        x[j] = op->input[j] < 0 ? -1 : channel_weights(f, op, op->input[j]);
        if (op->input[j] >= 0 && x[j] < 0)
            return (tgs_status)x[j];
    }
    snprintf(group, sizeof group, "%lld",
             (long long)tgs_attr_int(op->attrs, "group", 1) * f->w->copies);
    status = strcmp(op->type, "Conv") ? TGS_OK : with_attr(f, op->attrs, "group", group, &attrs);
    if (!status)
        tgs_i_fuse_op(f, op->type, attrs ? attrs : op->attrs, op->inputs, x,
                      tgs_i_fuse_new(f, op->output[0], true));
    tgs_mem_free(attrs);
    return status;
}

/* ---- on stacked values ---- */

static int32_t higher(const tgs_i_fuse *f, const tgs_op *op)
{
    const int32_t a = f->m->tensor[op->input[0]].rank, b = f->m->tensor[op->input[1]].rank;

    return a > b ? a : b;
}

static tgs_status product(tgs_i_fuse *f, const tgs_op *op)
{
    int32_t x[OPERANDS];
    const tgs_status status = operands(f, op, false, higher(f, op), x);

    if (!status)
        tgs_i_fuse_op(f, op->type, op->attrs, 2, x, tgs_i_fuse_new(f, op->output[0], false));
    return status;
}

/* alpha op(A) op(B) + beta C as a batched product, and what is left of the rest */
static tgs_status gemm(tgs_i_fuse *f, const tgs_op *op)
{
    const tgs_tensor *y = output_of(f, op);
    const double alpha = tgs_attr_real(op->attrs, "alpha", 1);
    const double beta = tgs_attr_real(op->attrs, "beta", 1);
    const bool bias = op->inputs > 2 && op->input[2] >= 0 && beta != 0;
    char attrs[48];
    int32_t x[OPERANDS], z;
    const tgs_status status = operands(f, op, false, 2, x);

    if (status)
        return status;
    snprintf(attrs, sizeof attrs, "transA=%d transB=%d",
             (int)(tgs_attr_int(op->attrs, "transA", 0) != 0),
             (int)(tgs_attr_int(op->attrs, "transB", 0) != 0));
    z = tgs_i_fuse_op(f, "com.microsoft.FusedMatMul", attrs, 2, x,
                      alpha == 1 && !bias ? tgs_i_fuse_new(f, op->output[0], false)
                                          : tgs_i_fuse_named(f, op->output[0], ".product"));
    if (alpha != 1)
        z = tgs_i_fuse_op(f, "Mul", NULL, 2, (int32_t[]){z, tgs_i_fuse_real(f, alpha, y->dtype)},
                          bias ? tgs_i_fuse_named(f, op->output[0], ".scaled")
                               : tgs_i_fuse_new(f, op->output[0], false));
    if (!bias)
        return TGS_OK;
    if (beta != 1)
        x[2] =
            tgs_i_fuse_op(f, "Mul", NULL, 2, (int32_t[]){x[2], tgs_i_fuse_real(f, beta, y->dtype)},
                          tgs_i_fuse_named(f, op->output[0], ".bias"));
    tgs_i_fuse_op(f, "Add", NULL, 2, (int32_t[]){z, x[2]}, tgs_i_fuse_new(f, op->output[0], false));
    return TGS_OK;
}

/* an operator with one computed operand and an axis, which moves by one */
static tgs_status with_axis(tgs_i_fuse *f, const tgs_op *op, int64_t def)
{
    const int32_t rank = f->m->tensor[op->input[0]].rank;
    const int64_t axis = tgs_attr_int(op->attrs, "axis", def);
    int32_t x[OPERANDS];
    char text[32], *attrs;
    tgs_status status;

    if (op->outputs > 1)
        return tgs_i_fuse_refuse(f, op, "it has more than one output");
    status = operands(f, op, false, rank, x);
    snprintf(text, sizeof text, "%lld", (long long)(axis < 0 ? axis + rank : axis) + 1);
    if (status)
        return status;
    status = with_attr(f, op->attrs, "axis", text, &attrs);
    if (!status)
        tgs_i_fuse_op(f, op->type, attrs, op->inputs, x, tgs_i_fuse_new(f, op->output[0], false));
    tgs_mem_free(attrs);
    return status;
}

static tgs_status transpose(tgs_i_fuse *f, const tgs_op *op)
{
    const int32_t rank = f->m->tensor[op->input[0]].rank;
    int64_t perm[TGS_MODEL_RANK];
    const bool given = tgs_attr_ints(op->attrs, "perm", perm, TGS_MODEL_RANK) == rank;
    int32_t x = tgs_i_fuse_stacked(f, op, op->input[0], rank);
    char text[128];
    size_t used = (size_t)snprintf(text, sizeof text, "perm=0");

    if (x < 0)
        return (tgs_status)x;
    for (int32_t i = 0; i < rank; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ",%lld",
                                 given ? (long long)perm[i] + 1 : (long long)(rank - i));
    tgs_i_fuse_op(f, "Transpose", text, 1, &x, tgs_i_fuse_new(f, op->output[0], false));
    return TGS_OK;
}

static tgs_status reshape(tgs_i_fuse *f, const tgs_op *op)
{
    const tgs_tensor *y = output_of(f, op);
    const int32_t x = tgs_i_fuse_stacked(f, op, op->input[0], f->m->tensor[op->input[0]].rank);
    int64_t dim[TGS_MODEL_RANK + 1] = {f->w->copies};

    if (x < 0)
        return (tgs_status)x;
    memcpy(dim + 1, y->dim, (size_t)y->rank * sizeof *dim);
    tgs_i_fuse_reshape(f, x, y->rank + 1, dim, tgs_i_fuse_new(f, op->output[0], false));
    return TGS_OK;
}

static tgs_status reduce(tgs_i_fuse *f, const tgs_op *op)
{
    const tgs_tensor *x = &f->m->tensor[op->input[0]], *y = output_of(f, op);
    const bool keep = tgs_attr_int(op->attrs, "keepdims", 1) != 0;
    const tgs_tensor *list =
        op->inputs > 1 && op->input[1] >= 0 ? &f->m->tensor[op->input[1]] : NULL;
    int64_t axes[TGS_MODEL_RANK];
    int32_t n = tgs_attr_ints(op->attrs, "axes", axes, TGS_MODEL_RANK), in;
    char text[160];
    size_t used;

    if (list && (!list->value || tgs_elements(list) > TGS_MODEL_RANK))
        return tgs_i_fuse_refuse(f, op, "its axes are not constants");
    for (int32_t i = 0; list && i < (int32_t)tgs_elements(list); n = ++i)
        axes[i] = list->value[i];
    if (n <= 0 && tgs_attr_int(op->attrs, "noop_with_empty_axes", 0))
        return tgs_i_fuse_refuse(f, op, "it reduces nothing");
    for (int32_t i = 0; n <= 0 && i < x->rank; i++)
        axes[i] = i;
    n = n <= 0 ? x->rank : n;
    in = tgs_i_fuse_stacked(f, op, op->input[0], x->rank);
    if (in < 0 || y->rank >= TGS_MODEL_RANK)
        return in < 0 ? (tgs_status)in : tgs_i_fuse_refuse(f, op, "too many dimensions");
    used = (size_t)snprintf(text, sizeof text, "keepdims=%d axes=", (int)keep);
    for (int32_t i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", i ? "," : "",
                                 (long long)(axes[i] < 0 ? axes[i] + x->rank : axes[i]) + 1);
    tgs_i_fuse_op(f, op->type, text, 1, &in, tgs_i_fuse_new(f, op->output[0], false));
    return TGS_OK;
}

/* Rows of a table of each twin: one table of them all, and indices that begin where each one's rows
 * do.  (Indices count from 0.)  With constant indices, the axis moves. */
static tgs_status gather(tgs_i_fuse *f, const tgs_op *op)
{
    const tgs_tensor *table = &f->m->tensor[op->input[0]], *rows = &f->m->tensor[op->input[1]];
    const int64_t axis = tgs_attr_int(op->attrs, "axis", 0);
    int64_t dim[TGS_MODEL_RANK + 1], *start;
    int32_t x[2], offsets;
    tgs_status status = TGS_OK;

    if (rows->role == TGS_ROLE_CONSTANT)
        return with_axis(f, op, 0);
    if (tgs_i_fuse_computed(f, op->input[0]) || axis != 0 || table->rank < 1
        || f->w->copies > TGS_MODEL_VALUES)
        return tgs_i_fuse_refuse(f, op, "its table is computed");
    memcpy(dim, table->dim, (size_t)table->rank * sizeof *dim);
    dim[0] *= f->w->copies;
    x[0] = tgs_i_fuse_weights(f, op, op->input[0], table->rank, dim);
    x[1] = tgs_i_fuse_stacked(f, op, op->input[1], rows->rank);
    start = tgs_mem_alloc((size_t)f->w->copies, sizeof *start);
    if (!start)
        status = tgs_fail(f->err, TGS_ENOMEM, "out of memory");
    else if (x[0] < 0 || x[1] < 0)
        status = x[0] < 0 ? (tgs_status)x[0] : (tgs_status)x[1];
    for (int32_t c = 0; c < f->w->copies && !status; c++)
        start[c] = c * table->dim[0];
    if (!status) {
        for (int32_t i = 0; i <= rows->rank; i++)
            dim[i] = i ? 1 : f->w->copies;
        offsets = tgs_i_fuse_named(f, op->output[0], ".rows");
        tgs_model_shape(f->b, offsets, rows->dtype, rows->rank + 1, dim);
        tgs_model_stored(f->b, offsets, NULL);
        tgs_model_integers(f->b, offsets, start);
        x[1] = tgs_i_fuse_op(f, "Add", NULL, 2, (int32_t[]){x[1], offsets},
                             tgs_i_fuse_named(f, op->output[0], ".indices"));
        tgs_i_fuse_op(f, "Gather", "axis=0", 2, x, tgs_i_fuse_new(f, op->output[0], false));
    }
    tgs_mem_free(start);
    return status;
}

/* ---- which rule, which layout ---- */

uint8_t tgs_i_fuse_layouts(const tgs_i_fuse *f, const tgs_op *op)
{
    if (!tgs_i_fuse_needed(f, op))
        return 0;
    if (!strcmp(op->type, "Conv") || !strcmp(op->type, "BatchNormalization")
        || is_one_of(pools, op->type))
        return 2;
    return is_one_of(elements, op->type) && may_join(f, op) ? 0 : 1;
}

tgs_status tgs_i_fuse_one(tgs_i_fuse *f, const tgs_op *op, bool joined)
{
    const bool old = f->m->opset < 13; /* softmax */

    if (op->inputs < 1 || op->input[0] < 0)
        return tgs_i_fuse_refuse(f, op, "it has no operand");
    if (tgs_i_fuse_layouts(f, op) == 2)
        return on_channels(f, op);
    if (is_one_of(elements, op->type) || !strcmp(op->type, "Dropout"))
        return op->outputs == 1 ? same(f, op, joined)
                                : tgs_i_fuse_refuse(f, op, "it has more than one output");
    if (is_one_of("MatMul com.microsoft.FusedMatMul", op->type))
        return product(f, op);
    if (!strcmp(op->type, "Gemm"))
        return gemm(f, op);
    if (is_one_of("Softmax LogSoftmax", op->type))
        return with_axis(f, op, old ? 1 : -1);
    if (is_one_of(norms, op->type))
        return with_axis(f, op, -1);
    if (!strcmp(op->type, "Concat"))
        return with_axis(f, op, 0);
    if (!strcmp(op->type, "Transpose"))
        return transpose(f, op);
    if (is_one_of(shapes, op->type))
        return reshape(f, op);
    if (is_one_of(reductions, op->type))
        return reduce(f, op);
    if (!strcmp(op->type, "Gather"))
        return gather(f, op);
    return tgs_i_fuse_refuse(f, op, "there is no rule for it");
}
