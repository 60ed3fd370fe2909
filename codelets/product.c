/* product.c -- the shape of a matrix product. */
#include "shape.h"

/* rows and columns of an operand before transposing; `row`: how a 1-D one is read */
static void matrix(const tgs_i_shape *s, bool row, int64_t *rows, int64_t *columns)
{
    *rows = s->rank > 1 ? s->dim[s->rank - 2] : row ? 1 : s->dim[0];
    *columns = s->rank > 1 ? s->dim[s->rank - 1] : row ? s->dim[0] : 1;
}

/* the dims in front of the matrix */
static tgs_i_shape front(const tgs_i_shape *s, int32_t drop)
{
    tgs_i_shape f = {.rank = s->rank > drop ? s->rank - drop : 0, .count = 1};

    for (int32_t k = 0; k < f.rank; k++)
        f.count *= f.dim[k] = s->dim[k];
    return f;
}

tgs_status tgs_i_product_new(tgs_i_product *p, const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape a = tgs_i_shape_of(&c->buffer[0]), b = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[c->buffers - 1]);
    const tgs_i_shape fa = front(&a, 2), fb = front(&b, 2);
    int64_t ka, kb, rows;
    tgs_i_shape fy;
    int32_t drop; /* matrix dims of Y */

    p->trans_a = tgs_attr_int(c->attrs, "transA", 0) != 0;
    p->trans_b = tgs_attr_int(c->attrs, "transB", 0) != 0;
    drop = (a.rank > 1 || p->trans_a) + (b.rank > 1 || p->trans_b);
    if (a.rank < 1 || b.rank < 1 || y.rank < drop)
        return tgs_fail(err, TGS_EINVAL, "a matrix product of %d, %d to %d dims", a.rank, b.rank,
                        y.rank);
    fy = front(&y, drop);
    matrix(&a, true, p->trans_a ? &ka : &p->m, p->trans_a ? &p->m : &ka);
    matrix(&b, false, p->trans_b ? &p->n : &kb, p->trans_b ? &kb : &p->n);
    p->k = ka;
    p->size_a = p->m * p->k;
    p->size_b = p->k * p->n;
    rows = fy.count * p->m * p->n;
    if (ka != kb)
        return tgs_fail(err, TGS_EINVAL, "inner dims of the product differ: %lld and %lld",
                        (long long)ka, (long long)kb);
    if (rows != y.count || !tgs_i_walk_new(&p->batch, &fy, &fa, &fb))
        return tgs_fail(err, TGS_EINVAL, "the product does not have the shape of the output");
    p->batches = fy.count;
    return TGS_OK;
}
