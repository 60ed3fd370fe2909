/* rows.c -- what tables of operators share. */
#include <ctype.h>
#include <string.h>
#include "core.h"

bool tgs_i_op_dtype(const tgs_node *n, tgs_dtype *out)
{
    char name[16] = "";

    tgs_attr_text(n->op->attrs, "dtype", name, sizeof name);
    for (int t = TGS_F32; t <= TGS_TEXT; t++)
        if (!strcmp(tgs_dtype_name((tgs_dtype)t), name)) {
            *out = (tgs_dtype)t;
            return true;
        }
    return false;
}

bool tgs_i_op_number(const tgs_node *n, int32_t input, int64_t *out)
{
    const tgs_tensor *t = tgs_node_in(n, input);

    if (!t || !t->value || tgs_elements(t) != 1)
        return false;
    *out = t->value[0];
    return true;
}

void tgs_i_op_dims(tgs_shape *out, tgs_dtype dtype, int32_t rank, const int64_t *dim)
{
    out->dtype = dtype;
    out->rank = rank;
    for (int32_t i = 0; i < rank; i++)
        out->dim[i] = dim[i];
}

const tgs_i_op_row *tgs_i_op_row_of(const tgs_node *n, const tgs_i_op_rows *t)
{
    for (size_t i = 0; i < t->rows; i++)
        if (!strcmp(n->op->type, t->row[i].type))
            return &t->row[i];
    return NULL;
}

tgs_status tgs_i_op_row_infer(const tgs_node *n, const tgs_i_op_rows *t, tgs_shape *out,
                              tgs_error *err)
{
    const tgs_i_op_row *r = tgs_i_op_row_of(n, t);

    return r ? r->shape(n, out, err) : tgs_node_open(n, err, "no such operator is known");
}

static double flops(const tgs_node *n, const tgs_i_op_rows *t)
{
    const tgs_i_op_row *r = tgs_i_op_row_of(n, t);
    const tgs_tensor *x = tgs_node_in(n, 0), *y = tgs_node_out(n, 0);

    return (x ? r->per_in * tgs_elements(x) : 0) + (y ? r->per_out * tgs_elements(y) : 0);
}

/* the type in lower case, with its domain: what others call as the standard does may take something
 * else, and what is written here of all inputs has no kernel */
static const char *whole_name(const tgs_node *n, const char *tail, char *text, size_t size)
{
    size_t used = 0;

    for (const char *s = n->op->type; *s && used + 1 < size; s++)
        text[used++] = (char)tolower((unsigned char)*s);
    snprintf(text + used, size - used, "%s", tail);
    return text;
}

tgs_status tgs_i_op_task(const tgs_node *n, tgs_emitter *e, double work, tgs_error *err)
{
    char codelet[80];
    const tgs_emission c = {whole_name(n, "", codelet, sizeof codelet), "R x*, W y*", NULL, NULL,
                            work};

    return tgs_emit(e, &c, err);
}

tgs_status tgs_i_op_task_bwd(const tgs_node *n, tgs_emitter *e, double work, tgs_error *err)
{
    char codelet[80];
    const tgs_emission c = {whole_name(n, "_bwd", codelet, sizeof codelet), "R x*, R dy*, W dx*",
                            NULL, ".bwd", work};

    for (int32_t i = 0; i < n->op->inputs; i++)
        if (tgs_wanted(e, i))
            return tgs_emit(e, &c, err);
    return TGS_OK;
}

tgs_status tgs_i_op_row_forward(const tgs_node *n, const tgs_i_op_rows *t, tgs_emitter *e,
                                tgs_error *err)
{
    return tgs_i_op_task(n, e, flops(n, t), err);
}

tgs_status tgs_i_op_row_backward(const tgs_node *n, const tgs_i_op_rows *t, tgs_emitter *e,
                                 tgs_error *err)
{
    return tgs_i_op_task_bwd(n, e, 2 * flops(n, t), err);
}

/* ---- shapes -------------------------------------------------------------------------------- */
tgs_status tgs_i_op_like_0(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    return tgs_i_op_same(n, out, err);
}

tgs_status tgs_i_op_flags(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (!status)
        out->dtype = TGS_BOOL;
    return status;
}

tgs_status tgs_i_op_pair(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_needs(n, 2, err);

    return status ? status : tgs_i_op_broadcast(n, tgs_node_in(n, 0), tgs_node_in(n, 1), out, err);
}

tgs_status tgs_i_op_typed(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (!status)
        tgs_i_op_dtype(n, &out->dtype);
    return status;
}
