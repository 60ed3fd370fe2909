/* gemm.c -- Y = alpha op(A) op(B) + beta C. */
#include "core.h"

typedef struct product {
    int64_t m, n, k;
    int64_t ta, tb;
    double alpha, beta;
} product;

static product look(const tgs_node *n)
{
    const tgs_tensor *a = tgs_node_in(n, 0), *b = tgs_node_in(n, 1);
    product p = {.ta = tgs_attr_int(n->op->attrs, "transA", 0) != 0,
                 .tb = tgs_attr_int(n->op->attrs, "transB", 0) != 0,
                 .alpha = tgs_attr_real(n->op->attrs, "alpha", 1),
                 .beta = tgs_attr_real(n->op->attrs, "beta", 1)};

    p.m = a->dim[p.ta];
    p.k = a->dim[!p.ta];
    p.n = b->dim[!p.tb];
    return p;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *a = tgs_node_in(n, 0), *b = tgs_node_in(n, 1), *c = tgs_node_in(n, 2);
    int64_t dim[2];
    tgs_tensor y = {.rank = 2, .dim = dim};
    product p;
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (status)
        return status;
    if ((a->rank != 2 || b->rank != 2) && tgs_node_out(n, 0) && tgs_node_out(n, 0)->rank >= 0)
        return tgs_node_open(n, err, "operands of another rank than 2"); /* the file knows better */
    if (a->rank != 2 || b->rank != 2)
        return tgs_node_fail(n, err, "operands of rank %d and %d, not 2", (int)a->rank,
                             (int)b->rank);
    p = look(n);
    if (b->dim[p.tb] != p.k)
        return tgs_node_fail(n, err, "inner dimensions %lld and %lld", (long long)p.k,
                             (long long)b->dim[p.tb]);
    dim[0] = p.m;
    dim[1] = p.n;
    y.dtype = a->dtype;
    if (!c) {
        tgs_shape_of(&y, out);
        return TGS_OK;
    }
    status = tgs_i_op_broadcast(n, &y, c, out, err);
    if (!status && (out->rank != 2 || out->dim[0] != p.m || out->dim[1] != p.n))
        status = tgs_node_fail(n, err, "C is larger than the product");
    return status;
}

static void attributes(char *text, int64_t ta, int64_t tb, double alpha, double beta)
{
    *text = 0;
    tgs_i_op_put_ints(text, "transA", &ta, 1);
    tgs_i_op_put_ints(text, "transB", &tb, 1);
    tgs_i_op_put_real(text, "alpha", alpha);
    tgs_i_op_put_real(text, "beta", beta);
}

static double products(const product *p)
{
    return 2 * (double)p->m * (double)p->n * (double)p->k;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const product p = look(n);
    const double add = tgs_node_in(n, 2) ? (double)p.m * (double)p.n : 0;
    char attrs[TGS_I_ATTRS];

    attributes(attrs, p.ta, p.tb, p.alpha, p.beta);
    return tgs_i_op_emit(n, e, "R x0, R x1, [R x2], W y0", attrs, products(&p) + add, err);
}

static tgs_status backward_c(const tgs_node *n, tgs_emitter *e, double beta, tgs_error *err)
{
    const tgs_emission reduce = {"reduce_to", "R dy0, W dx2", NULL, ".bwd.c",
                                 tgs_elements(tgs_node_out(n, 0))};

    if (beta != 1)
        return tgs_node_fail(n, err, "the gradient of C with beta=%g is not supported", beta);
    return tgs_emit_broadcast(e, 2, 0) ? tgs_emit(e, &reduce, err) : tgs_emit_same(e, 2, err);
}

/* dA = alpha dY op(B)^T, dB = alpha op(A)^T dY, each transposed when its operand is */
static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const product p = look(n);
    char da[TGS_I_ATTRS], db[TGS_I_ATTRS];
    const tgs_emission a = {"gemm", p.ta ? "R x1, R dy0, W dx0" : "R dy0, R x1, W dx0", da,
                            ".bwd.a", products(&p)};
    const tgs_emission b = {"gemm", p.tb ? "R dy0, R x0, W dx1" : "R x0, R dy0, W dx1", db,
                            ".bwd.b", products(&p)};
    tgs_status status = TGS_OK;

    if (p.ta)
        attributes(da, p.tb, 1, p.alpha, 0);
    else
        attributes(da, 0, !p.tb, p.alpha, 0);
    if (p.tb)
        attributes(db, 1, p.ta, p.alpha, 0);
    else
        attributes(db, !p.ta, 0, p.alpha, 0);
    if (tgs_wanted(e, 1))
        status = tgs_emit(e, &b, err);
    if (!status && tgs_wanted(e, 2))
        status = backward_c(n, e, p.beta, err);
    if (!status && tgs_wanted(e, 0))
        status = tgs_emit(e, &a, err);
    return status;
}

const tgs_operator tgs_operator_gemm = {
    .base = {TGS_PLUGIN_ABI, "gemm", "matrix product with an addition", NULL, NULL},
    .types = "Gemm",
    .differentiable = 7,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
