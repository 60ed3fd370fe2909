/* integer.c -- convolutions and matrix products of integers, and of numbers of few bits. */
#include <string.h>
#include "core.h"

/* where the second operand is, and how many flops scale each output */
static const struct rule {
    const char *type;
    int32_t second;
    bool convolution;
    tgs_dtype out; /* TGS_BYTES: that of the zero point before the last */
    int32_t zero;
    double scale;
} rules[] = {
    {"ConvInteger", 1, true, TGS_I32, -1, 0},
    {"QLinearConv", 3, true, TGS_BYTES, 7, 4},
    {"com.microsoft.QLinearConv", 3, true, TGS_BYTES, 7, 4},
    {"MatMulInteger", 1, false, TGS_I32, -1, 0},
    {"QLinearMatMul", 3, false, TGS_BYTES, 7, 4},
    {"com.microsoft.MatMulIntegerToFloat", 1, false, TGS_F32, -1, 2},
    {"com.microsoft.DynamicQuantizeMatMul", 1, false, TGS_F32, -1, 5},
    {"com.microsoft.QGemm", 3, false, TGS_BYTES, 8, 4},
};

static const struct rule *find(const tgs_node *n)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(n->op->type, rules[i].type))
            return &rules[i];
    return NULL;
}

static int64_t inner(const tgs_node *n)
{
    const tgs_tensor *a = tgs_node_in(n, 0);

    return tgs_attr_int(n->op->attrs, "transA", 0) ? a->dim[a->rank - 2] : a->dim[a->rank - 1];
}

static tgs_status infer_conv(const tgs_node *n, const struct rule *r, tgs_shape *out,
                             tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *f = tgs_node_in(n, r->second);
    const int64_t group = tgs_attr_int(n->op->attrs, "group", 1);
    tgs_i_op_window w;
    tgs_status status;

    if (f->rank != x->rank || x->rank < 3)
        return tgs_node_fail(n, err, "input of rank %d, weights of rank %d", (int)x->rank,
                             (int)f->rank);
    if (tgs_attr_int(n->op->attrs, "channels_last", 0))
        return tgs_node_open(n, err, "channels_last is not covered");
    if (group < 1 || x->dim[1] != f->dim[1] * group)
        return tgs_node_fail(n, err, "%lld channels, weights for %lld times %lld groups",
                             (long long)x->dim[1], (long long)f->dim[1], (long long)group);
    status = tgs_i_op_window_make(n, f->dim + 2, &w, err);
    tgs_shape_of(x, out);
    out->dim[1] = f->dim[0];
    for (int32_t i = 0; i < w.spatial && !status; i++)
        out->dim[i + 2] = w.out[i];
    return status;
}

static tgs_status infer_product(const tgs_node *n, const struct rule *r, tgs_shape *out,
                                tgs_error *err)
{
    const bool ta = tgs_attr_int(n->op->attrs, "transA", 0) != 0,
               tb = tgs_attr_int(n->op->attrs, "transB", 0) != 0;
    const tgs_tensor *a = tgs_node_in(n, 0), *b = tgs_node_in(n, r->second);
    tgs_tensor batch_a = *a, batch_b = *b;
    tgs_status status;

    if (a->rank < 2 || b->rank < 2)
        return tgs_node_open(n, err, "operands that are no matrices");
    if (inner(n) != b->dim[b->rank - 2 + tb])
        return tgs_node_fail(n, err, "inner dimensions %lld and %lld", (long long)inner(n),
                             (long long)b->dim[b->rank - 2 + tb]);
    batch_a.rank -= 2;
    batch_b.rank -= 2;
    status = tgs_i_op_broadcast(n, &batch_a, &batch_b, out, err);
    if (status)
        return status;
    out->dim[out->rank++] = a->dim[a->rank - 2 + ta];
    out->dim[out->rank++] = b->dim[b->rank - 1 - tb];
    return TGS_OK;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const struct rule *r = find(n);
    tgs_status status = tgs_i_op_needs(n, 1, err);

    if (!status && !tgs_node_in(n, r->second))
        status = tgs_node_fail(n, err, "input %d is missing", (int)r->second);
    if (!status)
        status = r->convolution ? infer_conv(n, r, out, err) : infer_product(n, r, out, err);
    if (!status)
        out->dtype = r->out != TGS_BYTES       ? r->out
                     : tgs_node_in(n, r->zero) ? tgs_node_in(n, r->zero)->dtype
                                               : TGS_F32;
    return status;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const struct rule *r = find(n);
    const tgs_tensor *f = tgs_node_in(n, r->second);
    const double taps = r->convolution ? tgs_elements(f) / (double)f->dim[0] : (double)inner(n);

    return tgs_i_op_task(n, e, tgs_elements(tgs_node_out(n, 0)) * (2 * taps + r->scale), err);
}

const tgs_operator tgs_operator_integer = {
    .base = {TGS_PLUGIN_ABI, "integer", "convolutions and products of integers", NULL, NULL},
    .types = "ConvInteger QLinearConv com.microsoft.QLinearConv MatMulInteger QLinearMatMul "
             "com.microsoft.MatMulIntegerToFloat com.microsoft.DynamicQuantizeMatMul "
             "com.microsoft.QGemm",
    .infer = infer,
    .forward = forward,
};
