/* core.c -- what the operator files share. */
#include <ctype.h>
#include <string.h>
#include "core.h"

tgs_status tgs_i_op_needs(const tgs_node *n, int32_t inputs, tgs_error *err)
{
    for (int32_t i = 0; i < inputs; i++)
        if (!tgs_node_in(n, i))
            return tgs_node_fail(n, err, "input %d is missing", (int)i);
    return TGS_OK;
}

tgs_status tgs_i_op_same(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_needs(n, 1, err);

    for (int32_t i = 0; i < n->op->outputs && !status; i++)
        tgs_shape_of(tgs_node_in(n, 0), &out[i]);
    return status;
}

tgs_status tgs_i_op_numbers(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (!status && tgs_node_in(n, 0)->dtype == TGS_TEXT)
        return tgs_node_fail(n, err, "its input is text");
    return status;
}

/* "[2,3]" */
static const char *show(const tgs_tensor *t, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "[");

    for (int32_t i = 0; i < t->rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? "," : "",
                                 (long long)t->dim[i]);
    if (used < size)
        snprintf(text + used, size - used, "]");
    return text;
}

tgs_status tgs_i_op_broadcast(const tgs_node *n, const tgs_tensor *a, const tgs_tensor *b,
                              tgs_shape *out, tgs_error *err)
{
    const int32_t rank = a->rank > b->rank ? a->rank : b->rank;
    char one[160], two[160];

    out->dtype = a->dtype;
    out->rank = rank;
    for (int32_t i = 0; i < rank; i++) {
        const int32_t p = i - (rank - a->rank), q = i - (rank - b->rank);
        const int64_t x = p < 0 ? 1 : a->dim[p], y = q < 0 ? 1 : b->dim[q];

        if (x != y && x != 1 && y != 1)
            return tgs_node_fail(n, err, "shapes %s and %s do not fit", show(a, one, sizeof one),
                                 show(b, two, sizeof two));
        out->dim[i] = x == 1 ? y : x;
    }
    return TGS_OK;
}

tgs_status tgs_i_op_axis_of(const tgs_node *n, int64_t axis, int32_t rank, int32_t *out,
                            tgs_error *err)
{
    *out = 0;
    if (axis < -rank || axis >= rank)
        return tgs_node_fail(n, err, "axis %lld of a tensor of rank %d", (long long)axis,
                             (int)rank);
    *out = (int32_t)(axis < 0 ? axis + rank : axis);
    return TGS_OK;
}

tgs_status tgs_i_op_axis(const tgs_node *n, int64_t def, int32_t rank, int32_t extra, int32_t *out,
                         tgs_error *err)
{
    const int64_t axis = tgs_attr_int(n->op->attrs, "axis", def);

    if (extra && axis == rank) {
        *out = rank;
        return TGS_OK;
    }
    return tgs_i_op_axis_of(n, axis, rank, out, err);
}

bool tgs_i_op_equal(const tgs_tensor *a, const tgs_tensor *b)
{
    return a->rank == b->rank && !memcmp(a->dim, b->dim, (size_t)a->rank * sizeof *a->dim);
}

double tgs_i_shape_elements(const tgs_shape *s)
{
    double n = 1;

    for (int32_t i = 0; i < s->rank; i++)
        n *= (double)s->dim[i];
    return n;
}

const char *tgs_i_op_codelet(const tgs_node *n, const char *tail, char *text, size_t size)
{
    const char *dot = strrchr(n->op->type, '.');
    size_t used = 0;

    for (const char *s = dot ? dot + 1 : n->op->type; *s && used + 1 < size; s++)
        text[used++] = (char)tolower((unsigned char)*s);
    snprintf(text + used, size - used, "%s", tail);
    return text;
}

void tgs_i_op_put_ints(char *text, const char *key, const int64_t *value, int32_t n)
{
    size_t used = strlen(text);

    for (int32_t i = 0; i < n && used < TGS_I_ATTRS; i++)
        used +=
            (size_t)snprintf(text + used, TGS_I_ATTRS - used, "%s%s%s%lld", used && !i ? " " : "",
                             i ? "" : key, i ? "," : "=", (long long)value[i]);
}

void tgs_i_op_put_real(char *text, const char *key, double value)
{
    const size_t used = strlen(text);

    snprintf(text + used, TGS_I_ATTRS - used, "%s%s=%.9g", used ? " " : "", key, value);
}

int32_t tgs_i_op_list(const tgs_node *n, const char *key, int32_t input, int64_t *out, int32_t max)
{
    const tgs_tensor *t = tgs_node_in(n, input);
    const int32_t given = tgs_attr_ints(n->op->attrs, key, out, max);
    double count;

    if (given > 0)
        return given > max ? -2 : given;
    if (!t)
        return -1;
    count = tgs_elements(t);
    if (!t->value || count > max)
        return -2;
    for (int32_t i = 0; i < (int32_t)count; i++)
        out[i] = t->value[i];
    return (int32_t)count;
}

bool tgs_i_op_store_copy(const tgs_node *n, char *init, size_t size)
{
    const tgs_tensor *x = tgs_node_in(n, 0);

    if (!x || x->role != TGS_ROLE_BUFFER || x->uses != 1)
        return false;
    if (x->init && strlen(x->init) >= size)
        return false;
    snprintf(init, size, "%s", x->init ? x->init : "");
    return true;
}

bool tgs_i_op_float(tgs_dtype t)
{
    return t == TGS_F32 || t == TGS_F64 || t == TGS_F16 || t == TGS_BF16;
}

tgs_status tgs_i_op_emit(const tgs_node *n, tgs_emitter *e, const char *buffers, const char *attrs,
                         double flops, tgs_error *err)
{
    char codelet[80];
    const tgs_emission c = {.codelet = tgs_i_op_codelet(n, "", codelet, sizeof codelet),
                            .buffers = buffers,
                            .attrs = attrs,
                            .flops = flops};

    return tgs_emit(e, &c, err);
}
