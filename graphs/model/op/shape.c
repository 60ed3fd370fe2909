/* shape.c -- what is known from shapes alone: Shape, Size, Range, and tensors of one value. */
#include <string.h>
#include "core.h"

static tgs_dtype constant_dtype(const tgs_node *n)
{
    char name[16] = "f32";

    tgs_attr_text(n->op->attrs, "dtype", name, sizeof name);
    for (int t = TGS_BYTES; t <= TGS_TEXT; t++)
        if (!strcmp(tgs_dtype_name((tgs_dtype)t), name))
            return (tgs_dtype)t;
    return TGS_F32;
}

static tgs_status infer_constant(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    out->dtype = constant_dtype(n);
    out->rank = tgs_i_op_list(n, "shape", 0, out->dim, TGS_MODEL_RANK);
    if (out->rank < 0)
        return tgs_node_open(n, err, "its shape is not known before the step runs");
    for (int32_t i = 0; i < out->rank; i++)
        if (out->dim[i] < 0)
            return tgs_node_fail(n, err, "its shape has the value %lld", (long long)out->dim[i]);
    return TGS_OK;
}

static tgs_status infer_range(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *from = tgs_node_in(n, 0), *to = tgs_node_in(n, 1), *by = tgs_node_in(n, 2);
    double count;
    const tgs_status status = tgs_i_op_needs(n, 3, err);

    if (status)
        return status;
    if (!from->value || !to->value || !by->value || !by->value[0])
        return tgs_node_open(n, err, "its limits are not known before the step runs");
    count = ceil(((double)to->value[0] - (double)from->value[0]) / (double)by->value[0]);
    out->dtype = from->dtype;
    out->rank = 1;
    out->dim[0] = count > 0 ? (int64_t)(count < 0x1p50 ? count : 0x1p50) : 0;
    return TGS_OK;
}

/* the dimensions [from, to) that Shape names */
static void span(const tgs_node *n, int64_t *from, int64_t *to)
{
    const int64_t rank = tgs_node_in(n, 0)->rank;

    *from = tgs_attr_int(n->op->attrs, "start", 0);
    *to = tgs_attr_int(n->op->attrs, "end", rank);
    *from += *from < 0 ? rank : 0;
    *to += *to < 0 ? rank : 0;
    *from = *from < 0 ? 0 : *from > rank ? rank : *from;
    *to = *to < *from ? *from : *to > rank ? rank : *to;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t from, to;
    tgs_status status;

    if (!strcmp(n->op->type, "Range"))
        return infer_range(n, out, err);
    status = tgs_i_op_needs(n, 1, err);
    if (status || !strcmp(n->op->type, "ConstantOfShape"))
        return status ? status : infer_constant(n, out, err);
    span(n, &from, &to);
    out->dtype = TGS_I64;
    out->rank = !strcmp(n->op->type, "Shape");
    out->dim[0] = to - from;
    return TGS_OK;
}

static bool fold(const tgs_node *n, int64_t *value)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *y = tgs_node_out(n, 0);
    const int64_t count = (int64_t)tgs_elements(y);
    int64_t from, to;

    if (!strcmp(n->op->type, "Size"))
        *value = (int64_t)tgs_elements(x);
    else if (!strcmp(n->op->type, "Shape")) {
        span(n, &from, &to);
        memcpy(value, x->dim + from, (size_t)(to - from) * sizeof *value);
    } else if (!strcmp(n->op->type, "Range"))
        for (int64_t i = 0; i < count; i++)
            value[i] = (int64_t)((uint64_t)x->value[0]
                                 + (uint64_t)i * (uint64_t)tgs_node_in(n, 2)->value[0]);
    else
        for (int64_t i = 0; i < count; i++)
            value[i] = tgs_attr_int(n->op->attrs, "value", 0);
    return true;
}

/* Networks without weights hold ConstantOfShape in their place.  A vector starts as the file says;
 * a matrix or kernel of one value would train every unit alike, so it gets its initial value by
 * role. */
static bool store(const tgs_node *n, char *init, size_t size)
{
    if (strcmp(n->op->type, "ConstantOfShape"))
        return false;
    if (tgs_node_out(n, 0)->rank < 2 || !tgs_i_op_float(tgs_node_out(n, 0)->dtype))
        snprintf(init, size, "constant:%.9g", tgs_attr_real(n->op->attrs, "value", 0));
    return true;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    if (!strcmp(n->op->type, "Range"))
        return tgs_i_op_emit(n, e, "R x0, R x1, R x2, W y0", NULL, tgs_elements(tgs_node_out(n, 0)),
                             err);
    return tgs_node_fail(n, err, "its values are too many to be known before the step runs");
}

const tgs_operator tgs_operator_shape = {
    .base = {TGS_PLUGIN_ABI, "shape", "what is known from shapes alone", NULL, NULL},
    .types = "Shape Size Range ConstantOfShape",
    .infer = infer,
    .fold = fold,
    .store = store,
    .forward = forward,
};
