/* matmul.c -- matrix products of the last two dimensions, the others broadcast. */
#include <string.h>
#include "core.h"

/* the dimensions of a product of matrices with these inner extents */
static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *a = tgs_node_in(n, 0), *b = tgs_node_in(n, 1);
    tgs_tensor batch_a, batch_b;
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (status)
        return status;
    if (a->rank < 2 || b->rank < 2)
        return tgs_node_fail(n, err, "operands of rank %d and %d, not 2 or more", (int)a->rank,
                             (int)b->rank);
    if (a->dim[a->rank - 1] != b->dim[b->rank - 2])
        return tgs_node_fail(n, err, "inner dimensions %lld and %lld",
                             (long long)a->dim[a->rank - 1], (long long)b->dim[b->rank - 2]);
    batch_a = *a;
    batch_b = *b;
    batch_a.rank -= 2;
    batch_b.rank -= 2;
    status = tgs_i_op_broadcast(n, &batch_a, &batch_b, out, err);
    if (status)
        return status;
    out->dim[out->rank++] = a->dim[a->rank - 2];
    out->dim[out->rank++] = b->dim[b->rank - 1];
    return TGS_OK;
}

static double products(const tgs_node *n)
{
    const tgs_tensor *a = tgs_node_in(n, 0);

    return 2 * tgs_elements(tgs_node_out(n, 0)) * (double)a->dim[a->rank - 1];
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_emit(n, e, "R x0, R x1, W y0", "transA=0 transB=0", products(n), err);
}

/* the gradient of one operand: a product in the batch of Y, summed where the operand was broadcast
 */
static tgs_status operand(const tgs_node *n, tgs_emitter *e, int32_t i, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, i), *y = tgs_node_out(n, 0);
    const char *attrs = i ? "transA=1 transB=0" : "transA=0 transB=1";
    tgs_emission direct = {"matmul", i ? "R x0, R dy0, W dx1" : "R dy0, R x1, W dx0", attrs,
                           i ? ".bwd.b" : ".bwd.a", products(n)};
    tgs_emission reduce = {"reduce_to", i ? "R t1, W dx1" : "R t0, W dx0", NULL,
                           i ? ".bwd.b.sum" : ".bwd.a.sum", 0};
    tgs_shape full;
    tgs_status status;

    tgs_shape_of(y, &full);
    full.dim[y->rank - 2] = x->dim[x->rank - 2];
    full.dim[y->rank - 1] = x->dim[x->rank - 1];
    if (full.rank == x->rank && !memcmp(full.dim, x->dim, (size_t)x->rank * sizeof *x->dim))
        return tgs_emit(e, &direct, err);
    direct.buffers = i ? "R x0, R dy0, W t1" : "R dy0, R x1, W t0";
    reduce.flops = tgs_i_shape_elements(&full);
    status = tgs_emit_temp(e, i, i ? ".grad.b" : ".grad.a", &full, err);
    if (!status)
        status = tgs_emit(e, &direct, err);
    return status ? status : tgs_emit(e, &reduce, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    tgs_status status = tgs_wanted(e, 1) ? operand(n, e, 1, err) : TGS_OK;

    if (!status && tgs_wanted(e, 0))
        status = operand(n, e, 0, err);
    return status;
}

const tgs_operator tgs_operator_matmul = {
    .base = {TGS_PLUGIN_ABI, "matmul", "matrix product", NULL, NULL},
    .types = "MatMul",
    .differentiable = 3,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
