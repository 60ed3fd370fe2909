/* matmul.c -- matrix products of the last two dimensions, the others broadcast; of FusedMatMul,
 * operands that are transposed first. */
#include <string.h>
#include "core.h"

static bool turned(const tgs_node *n, int32_t i)
{
    return tgs_attr_int(n->op->attrs, i ? "transB" : "transA", 0) != 0;
}

/* rows (0) or columns (1) of an operand, as they are multiplied */
static int64_t extent(const tgs_node *n, int32_t i, int32_t side)
{
    const tgs_tensor *x = tgs_node_in(n, i);

    return x->dim[x->rank - 2 + (turned(n, i) ? !side : side)];
}

/* a row of one side, a column of the other: the dimension that numpy adds is taken away again */
static tgs_status infer_vector(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *a = tgs_node_in(n, 0), *b = tgs_node_in(n, 1);
    const int64_t k = a->dim[a->rank - 1], rows = b->rank == 1 ? b->dim[0] : b->dim[b->rank - 2];

    if (k != rows)
        return tgs_node_fail(n, err, "inner dimensions %lld and %lld", (long long)k,
                             (long long)rows);
    tgs_shape_of(a->rank > 1 ? a : b, out);
    if (a->rank > 1)
        out->rank--;
    else if (b->rank > 1) {
        out->dim[out->rank - 2] = out->dim[out->rank - 1];
        out->rank--;
    } else
        out->rank = 0;
    return TGS_OK;
}

/* Is there no codelet that does it?  Vectors and products with a factor have only sizes. */
static bool is_special(const tgs_node *n)
{
    return tgs_node_in(n, 0)->rank < 2 || tgs_node_in(n, 1)->rank < 2
           || tgs_attr_real(n->op->attrs, "alpha", 1) != 1;
}

/* the dimensions of a product of matrices with these inner extents */
static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *a = tgs_node_in(n, 0), *b = tgs_node_in(n, 1);
    tgs_tensor batch_a, batch_b;
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (status)
        return status;
    if ((a->rank == 1 || b->rank == 1) && a->rank && b->rank && !strcmp(n->op->type, "MatMul"))
        return infer_vector(n, out, err);
    if (a->rank < 2 || b->rank < 2)
        return tgs_node_fail(n, err, "operands of rank %d and %d, not 2 or more", (int)a->rank,
                             (int)b->rank);
    if (extent(n, 0, 1) != extent(n, 1, 0))
        return tgs_node_fail(n, err, "inner dimensions %lld and %lld", (long long)extent(n, 0, 1),
                             (long long)extent(n, 1, 0));
    if (tgs_attr_int(n->op->attrs, "transBatchA", 0)
        || tgs_attr_int(n->op->attrs, "transBatchB", 0))
        return tgs_node_open(n, err, "transposed batches are not supported");
    batch_a = *a;
    batch_b = *b;
    batch_a.rank -= 2;
    batch_b.rank -= 2;
    status = tgs_i_op_broadcast(n, &batch_a, &batch_b, out, err);
    if (status)
        return status;
    out->dim[out->rank++] = extent(n, 0, 0);
    out->dim[out->rank++] = extent(n, 1, 1);
    return TGS_OK;
}

static double products(const tgs_node *n)
{
    const tgs_tensor *a = tgs_node_in(n, 0);

    return 2 * tgs_elements(tgs_node_out(n, 0))
           * (double)(a->rank < 2 ? a->dim[0] : extent(n, 0, 1));
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[32];

    if (is_special(n))
        return tgs_emit(
            e, &(tgs_emission){"matmul_special", "R x0, R x1, W y0", NULL, NULL, products(n)}, err);
    snprintf(attrs, sizeof attrs, "transA=%d transB=%d", turned(n, 0), turned(n, 1));
    return tgs_emit(e, &(tgs_emission){"matmul", "R x0, R x1, W y0", attrs, NULL, products(n)},
                    err);
}

/* [operand][transposed][through a temporary] */
static const char *const places[2][2][2] = {
    {{"R dy0, R x1, W dx0", "R dy0, R x1, W t0"}, {"R x1, R dy0, W dx0", "R x1, R dy0, W t0"}},
    {{"R x0, R dy0, W dx1", "R x0, R dy0, W t1"}, {"R dy0, R x0, W dx1", "R dy0, R x0, W t1"}},
};

/* The gradient of one operand: a product in the batch of Y, summed where the operand was broadcast.
 * Of Y = op(A) op(B): dA = dY op(B)', or op(B) dY' when A was transposed; dB = op(A)' dY, or dY'
 * op(A) when B was. */
static tgs_status operand(const tgs_node *n, tgs_emitter *e, int32_t i, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, i), *y = tgs_node_out(n, 0);
    const bool ta = turned(n, 0), tb = turned(n, 1), mine = i ? tb : ta;
    char attrs[32];
    tgs_emission direct = {"matmul", places[i][mine][0], attrs, i ? ".bwd.b" : ".bwd.a",
                           products(n)};
    tgs_emission reduce = {"reduce_to", i ? "R t1, W dx1" : "R t0, W dx0", NULL,
                           i ? ".bwd.b.sum" : ".bwd.a.sum", 0};
    tgs_shape full;
    tgs_status status;

    if (i)
        snprintf(attrs, sizeof attrs, "transA=%d transB=%d", tb || !ta, tb && ta);
    else
        snprintf(attrs, sizeof attrs, "transA=%d transB=%d", ta && tb, ta || !tb);
    tgs_shape_of(y, &full);
    full.dim[y->rank - 2] = x->dim[x->rank - 2];
    full.dim[y->rank - 1] = x->dim[x->rank - 1];
    if (!tgs_emit_broadcast(e, i, 2))
        return tgs_emit(e, &direct, err);
    direct.buffers = places[i][mine][1];
    reduce.flops = tgs_i_shape_elements(&full);
    status = tgs_emit_temp(e, i, i ? ".grad.b" : ".grad.a", &full, err);
    if (!status)
        status = tgs_emit(e, &direct, err);
    return status ? status : tgs_emit(e, &reduce, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    tgs_status status = TGS_OK;

    if (is_special(n)) { /* a product for each gradient */
        const int products_wanted = (tgs_wanted(e, 0) != 0) + (tgs_wanted(e, 1) != 0);

        return !products_wanted
                   ? TGS_OK
                   : tgs_emit(e,
                              &(tgs_emission){"matmul_special_bwd", "R x*, R dy*, W dx*", NULL,
                                              ".bwd", products_wanted * products(n)},
                              err);
    }
    if (tgs_wanted(e, 1))
        status = operand(n, e, 1, err);
    if (!status && tgs_wanted(e, 0))
        status = operand(n, e, 0, err);
    return status;
}

const tgs_operator tgs_operator_matmul = {
    .base = {TGS_PLUGIN_ABI, "matmul", "matrix product", NULL, NULL},
    .types = "MatMul com.microsoft.FusedMatMul",
    .differentiable = 3,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
