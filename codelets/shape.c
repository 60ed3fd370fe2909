/* shape.c -- shapes, their checks, and broadcasting. */
#include <stdio.h>
#include <string.h>
#include "shape.h"

tgs_i_shape tgs_i_shape_of(const tgs_buffer *b)
{
    tgs_i_shape s = {.rank = 1, .count = 1};

    if (!b->dims) {
        s.count = s.dim[0] = (int64_t)(b->bytes / tgs_dtype_size(b->dtype));
        return s;
    }
    s.rank = b->rank < TGS_I_RANK ? b->rank : TGS_I_RANK;
    for (int32_t k = 0; k < s.rank; k++)
        s.count *= s.dim[k] = b->dims[k];
    return s;
}

bool tgs_i_shape_equal(const tgs_i_shape *a, const tgs_i_shape *b)
{
    return a->rank == b->rank && !memcmp(a->dim, b->dim, (size_t)a->rank * sizeof *a->dim);
}

/* "3x4x5" for messages */
static const char *text(const tgs_buffer *b, char *to, size_t size)
{
    const tgs_i_shape s = tgs_i_shape_of(b);
    size_t used = (size_t)snprintf(to, size, s.rank ? "" : "a scalar");

    for (int32_t k = 0; k < s.rank && used < size; k++)
        used += (size_t)snprintf(to + used, size - used, k ? "x%lld" : "%lld", (long long)s.dim[k]);
    return to;
}

tgs_status tgs_i_check_type(const tgs_call *c, int32_t from, int32_t to, tgs_error *err)
{
    for (int32_t i = from; i < to; i++) {
        const tgs_buffer *b = &c->buffer[i];

        if (b->dtype != c->buffer[from].dtype || (b->dtype != TGS_F32 && b->dtype != TGS_F64))
            return tgs_fail(err, TGS_EINVAL, "buffer %d is %s, must be f32 or f64 like all others",
                            i, tgs_dtype_name(b->dtype));
        if (b->rank > TGS_I_RANK)
            return tgs_fail(err, TGS_EINVAL, "buffer %d has %d dims, at most %d are handled", i,
                            b->rank, TGS_I_RANK);
    }
    return TGS_OK;
}

tgs_status tgs_i_check_scalar(const tgs_call *c, int32_t buffer, tgs_error *err)
{
    char dims[96];

    if (tgs_i_shape_of(&c->buffer[buffer]).count == 1)
        return TGS_OK;
    return tgs_fail(err, TGS_EINVAL, "buffer %d is %s, must be one element", buffer,
                    text(&c->buffer[buffer], dims, sizeof dims));
}

tgs_status tgs_i_check_alike(const tgs_call *c, int32_t from, int32_t to, tgs_error *err)
{
    const tgs_status status = tgs_i_check_type(c, from, to, err);
    tgs_i_shape first;

    if (status)
        return status;
    first = tgs_i_shape_of(&c->buffer[from]);
    for (int32_t i = from + 1; i < to; i++) {
        const tgs_i_shape s = tgs_i_shape_of(&c->buffer[i]);
        char a[96], b[96];

        if (!tgs_i_shape_equal(&first, &s))
            return tgs_fail(err, TGS_EINVAL, "buffer %d is %s, buffer %d is %s", i,
                            text(&c->buffer[i], a, sizeof a), from,
                            text(&c->buffer[from], b, sizeof b));
    }
    return TGS_OK;
}

tgs_status tgs_i_check_elementwise(const tgs_call *c, tgs_error *err)
{
    return tgs_i_check_alike(c, 0, c->buffers, err);
}

tgs_status tgs_i_check_copy(const tgs_call *c, tgs_error *err)
{
    for (int32_t i = 1; i < c->buffers; i++)
        if (c->buffer[i].bytes != c->buffer[0].bytes || c->buffer[i].dtype != c->buffer[0].dtype)
            return tgs_fail(err, TGS_EINVAL, "buffer %d is %.17g bytes of %s, buffer 0 %.17g of %s",
                            i, c->buffer[i].bytes, tgs_dtype_name(c->buffer[i].dtype),
                            c->buffer[0].bytes, tgs_dtype_name(c->buffer[0].dtype));
    return TGS_OK;
}

tgs_status tgs_i_check_broadcast(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape a = tgs_i_shape_of(&c->buffer[0]), b = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[2]);
    const tgs_status status = tgs_i_check_type(c, 0, 3, err);
    tgs_i_walk w;

    if (!status && !tgs_i_walk_new(&w, &y, &a, &b))
        return tgs_fail(err, TGS_EINVAL, "the inputs do not broadcast to the output's shape");
    return status;
}

tgs_status tgs_i_check_many(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[c->buffers - 1]);
    const tgs_status status = tgs_i_check_type(c, 0, c->buffers, err);
    tgs_i_walk w;

    for (int32_t k = 0; k < c->buffers - 1 && !status; k++) {
        const tgs_i_shape x = tgs_i_shape_of(&c->buffer[k]);

        if (!tgs_i_walk_new(&w, &y, &x, NULL))
            return tgs_fail(err, TGS_EINVAL, "the inputs do not broadcast to the output's shape");
    }
    return status;
}

tgs_status tgs_i_check_operand(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape a = tgs_i_shape_of(&c->buffer[0]), b = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[2]), dx = tgs_i_shape_of(&c->buffer[3]);
    const tgs_status status = tgs_i_check_type(c, 0, 4, err);
    tgs_i_walk w;

    if (!status && !tgs_i_walk_new(&w, &y, &a, &b))
        return tgs_fail(err, TGS_EINVAL, "the inputs do not broadcast to the output's shape");
    if (!status && !tgs_i_shape_equal(&dx, tgs_attr_int(c->attrs, "input", 0) ? &b : &a))
        return tgs_fail(err, TGS_EINVAL, "the gradient does not have the operand's shape");
    return status;
}

tgs_status tgs_i_check_number(const tgs_call *c, const char *key, tgs_error *err)
{
    char value[64];
    double x;

    if (!tgs_attr_text(c->attrs, key, value, sizeof value) || tgs_parse_real(value, &x))
        return TGS_OK;
    return tgs_fail(err, TGS_EINVAL, "%s=%s is not a number", key, value);
}

/* the stride of operand s along dim k of a shape of rank dims; false when it does not broadcast */
static bool stride_of(const tgs_i_shape *s, int32_t rank, int32_t k, int64_t dim, int64_t *stride)
{
    const int32_t own = k - (rank - s->rank);

    *stride = 0;
    if (own < 0 || s->dim[own] == 1)
        return true;
    if (s->dim[own] != dim)
        return false;
    *stride = 1;
    for (int32_t j = own + 1; j < s->rank; j++)
        *stride *= s->dim[j];
    return true;
}

bool tgs_i_walk_new(tgs_i_walk *w, const tgs_i_shape *shape, const tgs_i_shape *a,
                    const tgs_i_shape *b)
{
    *w = (tgs_i_walk){.rank = 1, .dim = {1}};
    if (!b)
        b = shape;
    if (a->rank > shape->rank || b->rank > shape->rank)
        return false;
    for (int32_t k = 0; k < shape->rank; k++) {
        const int64_t dim = shape->dim[k];
        const int32_t last = w->rank - 1;
        int64_t sa, sb;

        if (!stride_of(a, shape->rank, k, dim, &sa) || !stride_of(b, shape->rank, k, dim, &sb))
            return false;
        if (dim == 1)
            continue;
        if (w->dim[last] == 1 || (w->a[last] == sa * dim && w->b[last] == sb * dim)) {
            w->dim[last] *= dim;
        } else {
            w->rank++;
            w->dim[last + 1] = dim;
        }
        w->a[w->rank - 1] = sa;
        w->b[w->rank - 1] = sb;
    }
    return true;
}

int64_t tgs_i_walk_rows(const tgs_i_walk *w)
{
    int64_t rows = 1;

    for (int32_t k = 0; k < w->rank - 1; k++)
        rows *= w->dim[k];
    return rows;
}

void tgs_i_walk_row(const tgs_i_walk *w, int64_t row, int64_t *a, int64_t *b)
{
    *a = *b = 0;
    for (int32_t k = w->rank - 2; k >= 0; k--) {
        const int64_t i = row % w->dim[k];

        row /= w->dim[k];
        *a += i * w->a[k];
        *b += i * w->b[k];
    }
}

tgs_status tgs_i_axis_new(tgs_i_axis *a, const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape s = tgs_i_shape_of(&c->buffer[0]);
    int64_t axis = tgs_attr_int(c->attrs, "axis", -1);

    if (axis < -s.rank || axis >= s.rank)
        return tgs_fail(err, TGS_EINVAL, "axis=%lld is outside a shape of %d dims", (long long)axis,
                        s.rank);
    axis = axis < 0 ? axis + s.rank : axis;
    *a = (tgs_i_axis){1, s.dim[axis], 1};
    for (int32_t k = 0; k < axis; k++)
        a->outer *= s.dim[k];
    for (int32_t k = (int32_t)axis + 1; k < s.rank; k++)
        a->inner *= s.dim[k];
    return TGS_OK;
}

tgs_status tgs_i_check_axis(const tgs_call *c, tgs_error *err)
{
    const tgs_status status = tgs_i_check_elementwise(c, err);
    tgs_i_axis a;

    return status ? status : tgs_i_axis_new(&a, c, err);
}

tgs_status tgs_i_check_beside(const tgs_call *c, int32_t whole, int64_t *sum, tgs_error *err)
{
    const tgs_i_shape w = tgs_i_shape_of(&c->buffer[whole]);
    tgs_i_axis a;
    tgs_status status = tgs_i_check_type(c, 0, c->buffers, err);
    int32_t axis = 0;

    *sum = 0;
    if (!status)
        status = tgs_i_axis_new(&a, c, err);
    if (status)
        return status;
    axis = (int32_t)tgs_attr_int(c->attrs, "axis", -1);
    axis += axis < 0 ? tgs_i_shape_of(&c->buffer[0]).rank : 0;
    for (int32_t i = 0; i < c->buffers; i++) {
        const tgs_i_shape s = tgs_i_shape_of(&c->buffer[i]);

        for (int32_t k = 0; k < w.rank; k++)
            if (s.rank != w.rank || (k != axis && s.dim[k] != w.dim[k]))
                return tgs_fail(err, TGS_EINVAL, "buffer %d does not lie beside the others", i);
        *sum += i == whole ? 0 : s.dim[axis];
    }
    return TGS_OK;
}

tgs_status tgs_i_check_channels(const tgs_call *c, int32_t like, int32_t from, int32_t to,
                                tgs_error *err)
{
    const tgs_i_shape s = tgs_i_shape_of(&c->buffer[like]);

    if (s.rank < 2)
        return tgs_fail(err, TGS_EINVAL, "buffer %d has no channels", like);
    for (int32_t i = from; i < to; i++)
        if (tgs_i_shape_of(&c->buffer[i]).count != s.dim[1])
            return tgs_fail(err, TGS_EINVAL, "buffer %d must have one value per channel", i);
    return TGS_OK;
}
