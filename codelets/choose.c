/* choose.c -- parts and entries of tensors, reductions along axes, rows that are normalised. */
#include "shape.h"

tgs_status tgs_i_pick_new(tgs_i_pick *p, const tgs_call *c, int32_t data, int32_t index,
                          int32_t picked, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[data]), i = tgs_i_shape_of(&c->buffer[index]);
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[picked]);
    const tgs_dtype type = c->buffer[index].dtype;
    int64_t axis = tgs_attr_int(c->attrs, "axis", 0);
    bool fits;

    if (type != TGS_I32 && type != TGS_I64)
        return tgs_fail(err, TGS_EINVAL, "indices are i32 or i64, not %s", tgs_dtype_name(type));
    if (c->buffer[data].dtype != c->buffer[picked].dtype)
        return tgs_fail(err, TGS_EINVAL, "what is chosen has another type");
    if (axis < -x.rank || axis >= x.rank)
        return tgs_fail(err, TGS_EINVAL, "axis=%lld is outside a shape of %d dims", (long long)axis,
                        (int)x.rank);
    axis += axis < 0 ? x.rank : 0;
    fits = c->buffer[picked].rank <= TGS_I_RANK && y.rank == x.rank - 1 + i.rank;
    *p = (tgs_i_pick){1, x.dim[axis], 1, i.count};
    for (int32_t k = 0; k < x.rank; k++) {
        *(k < axis ? &p->outer : &p->inner) *= k == axis ? 1 : x.dim[k];
        fits = fits && (k == axis || x.dim[k] == y.dim[k < axis ? k : k - 1 + i.rank]);
    }
    for (int32_t k = 0; k < i.rank; k++)
        fits = fits && i.dim[k] == y.dim[axis + k];
    return fits ? TGS_OK
                : tgs_fail(err, TGS_EINVAL,
                           "the output is not the data with the indices' dims in "
                           "place of the axis");
}

int64_t tgs_i_pick_at(const tgs_buffer *index, int64_t i, int64_t size)
{
    int64_t at = index->dtype == TGS_I64 ? ((const int64_t *)index->data)[i]
                                         : ((const int32_t *)index->data)[i];

    at += at < 0 ? size : 0;
    return at < size ? at : -1;
}

/* the dims of index but its last, then those of the data behind the coordinates */
static bool entries_fit(const tgs_i_shape *y, const tgs_i_shape *index, const tgs_i_shape *x,
                        int32_t behind)
{
    const int32_t rank = index->rank - 1 + x->rank - behind;
    bool fits = rank == y->rank || (rank == 0 && y->count == 1);

    for (int32_t k = 0; k < rank && fits; k++)
        fits = y->dim[k]
               == (k < index->rank - 1 ? index->dim[k] : x->dim[behind + k - index->rank + 1]);
    return fits;
}

tgs_status tgs_i_coordinates_new(tgs_i_coordinates *p, const tgs_call *c, int32_t data,
                                 int32_t index, int32_t entries, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[data]), i = tgs_i_shape_of(&c->buffer[index]);
    const tgs_dtype type = c->buffer[index].dtype;
    const int64_t batch = tgs_attr_int(c->attrs, "batch_dims", 0), width = i.dim[i.rank - 1];
    bool fits = batch >= 0 && batch < i.rank && batch <= x.rank - width && width >= 1;

    if (type != TGS_I32 && type != TGS_I64)
        return tgs_fail(err, TGS_EINVAL, "indices are i32 or i64, not %s", tgs_dtype_name(type));
    if (entries >= 0 && c->buffer[data].dtype != c->buffer[entries].dtype)
        return tgs_fail(err, TGS_EINVAL, "the entries have another type than the data");
    for (int32_t k = 0; fits && k < batch; k++)
        fits = x.dim[k] == i.dim[k];
    if (fits && entries >= 0) {
        const tgs_i_shape y = tgs_i_shape_of(&c->buffer[entries]);

        fits = entries_fit(&y, &i, &x, (int32_t)(batch + width));
    }
    if (!fits)
        return tgs_fail(err, TGS_EINVAL, "data, coordinates and entries do not fit");
    *p = (tgs_i_coordinates){.width = (int32_t)width, .count = 1, .entry = 1, .each = 1};
    for (int32_t k = 0; k < i.rank - 1; k++) {
        p->count *= i.dim[k];
        p->each *= k < batch ? 1 : i.dim[k];
    }
    for (int32_t k = (int32_t)(batch + width); k < x.rank; k++)
        p->entry *= x.dim[k];
    for (int32_t k = 0; k < p->width; k++)
        p->dim[k] = x.dim[batch + k];
    return TGS_OK;
}

int64_t tgs_i_coordinates_at(const tgs_i_coordinates *p, const tgs_buffer *index, int64_t i)
{
    int64_t at = i / p->each; /* the part of the batch */

    for (int32_t k = 0; k < p->width; k++) {
        const int64_t chosen = tgs_i_pick_at(index, i * p->width + k, p->dim[k]);

        if (chosen < 0)
            return -1;
        at = at * p->dim[k] + chosen;
    }
    return at * p->entry;
}

tgs_status tgs_i_check_placed(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[0]), index = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[2]);
    const tgs_call ends = {.buffer = (tgs_buffer[]){c->buffer[0], c->buffer[2]}, .buffers = 2};
    const int64_t axis = tgs_attr_int(c->attrs, "axis", 0);
    const tgs_status status = tgs_i_check_type(&ends, 0, 2, err);

    if (status)
        return status;
    if (c->buffer[1].dtype != TGS_I64 && c->buffer[1].dtype != TGS_I32)
        return tgs_fail(err, TGS_EINVAL, "indices are i32 or i64");
    if (axis < 0 || axis >= x.rank || x.rank != y.rank || !tgs_i_shape_equal(&index, &y))
        return tgs_fail(err, TGS_EINVAL,
                        "gradients and indices are not of one shape, of the "
                        "input's rank, of which axis is one");
    for (int32_t d = 0; d < x.rank; d++)
        if (d != axis && y.dim[d] > x.dim[d])
            return tgs_fail(err, TGS_EINVAL, "more indices than elements along dimension %d",
                            (int)d);
    return TGS_OK;
}

tgs_status tgs_i_check_mixture(const tgs_call *c, int32_t tokens, int32_t experts, int32_t index,
                               int32_t weights, tgs_error *err)
{
    const tgs_i_shape t = tgs_i_shape_of(&c->buffer[tokens]);
    const tgs_i_shape e = tgs_i_shape_of(&c->buffer[experts]);
    const tgs_i_shape i = tgs_i_shape_of(&c->buffer[index]);
    const tgs_i_shape w = tgs_i_shape_of(&c->buffer[weights < 0 ? index : weights]);
    const tgs_dtype type = c->buffer[index].dtype;

    for (int32_t k = 0; k < c->buffers; k++) {
        const tgs_call one = {.buffer = (tgs_buffer[]){c->buffer[tokens], c->buffer[k]}};
        const tgs_status status = k == index ? TGS_OK : tgs_i_check_type(&one, 0, 2, err);

        if (status)
            return status;
    }
    if (type != TGS_I64 && type != TGS_I32)
        return tgs_fail(err, TGS_EINVAL, "experts are named by i32 or i64");
    if (t.rank != 2 || e.rank != 3 || i.rank != 2 || i.dim[0] != t.dim[0] || e.dim[2] != t.dim[1]
        || !tgs_i_shape_equal(&i, &w))
        return tgs_fail(err, TGS_EINVAL, "experts, tokens and choices do not fit");
    return TGS_OK;
}

tgs_status tgs_i_reduction_new(tgs_i_walk *w, const tgs_buffer *x, const tgs_buffer *y,
                               const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape all = tgs_i_shape_of(x), some = tgs_i_shape_of(y);
    tgs_i_shape kept = all;
    int64_t axes[TGS_I_RANK];
    const int32_t given = tgs_attr_ints(c->attrs, "axes", axes, TGS_I_RANK);

    for (int32_t k = 0; k < all.rank && !given; k++)
        kept.dim[k] = 1;
    for (int32_t k = 0; k < given; k++) {
        if (k >= TGS_I_RANK || axes[k] < -all.rank || axes[k] >= all.rank)
            return tgs_fail(err, TGS_EINVAL, "axes name what %d dims do not have", (int)all.rank);
        kept.dim[axes[k] + (axes[k] < 0 ? all.rank : 0)] = 1;
    }
    kept.count = 1;
    for (int32_t k = 0; k < all.rank; k++)
        kept.count *= kept.dim[k];
    if (kept.count != some.count || !tgs_i_walk_new(w, &all, &kept, NULL))
        return tgs_fail(err, TGS_EINVAL, "%lld sums do not fit axes, which leave %lld",
                        (long long)some.count, (long long)kept.count);
    return TGS_OK;
}

tgs_status tgs_i_norm_new(tgs_i_norm *n, const tgs_call *c, const tgs_buffer *scale,
                          const tgs_buffer *bias, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), s = tgs_i_shape_of(scale);
    const tgs_i_shape b = tgs_i_shape_of(bias ? bias : scale);
    tgs_i_shape row = {.count = 1};
    int64_t axis = tgs_attr_int(c->attrs, "axis", -1);

    if (axis < -x.rank || axis >= x.rank)
        return tgs_fail(err, TGS_EINVAL, "axis=%lld is outside a shape of %d dims", (long long)axis,
                        (int)x.rank);
    axis += axis < 0 ? x.rank : 0;
    n->rows = 1;
    for (int32_t k = 0; k < x.rank; k++)
        if (k < axis)
            n->rows *= x.dim[k];
        else
            row.count *= row.dim[row.rank++] = x.dim[k];
    n->size = row.count;
    if (!tgs_i_walk_new(&n->w, &row, &s, &b))
        return tgs_fail(err, TGS_EINVAL, "scale or bias does not broadcast to what is normalised");
    return TGS_OK;
}

bool tgs_i_sliced(const tgs_call *c, int32_t rank, int64_t *start, int64_t *step)
{
    const int32_t starts = tgs_attr_ints(c->attrs, "starts", start, TGS_I_RANK);
    const int32_t steps = tgs_attr_ints(c->attrs, "steps", step, TGS_I_RANK);

    for (int32_t k = 0; k < rank && !steps; k++)
        step[k] = 1;
    return starts == rank && (!steps || steps == rank);
}

tgs_status tgs_i_check_sliced(const tgs_call *c, const tgs_buffer *all, const tgs_buffer *part,
                              tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(all), y = tgs_i_shape_of(part);
    int64_t start[TGS_I_RANK], step[TGS_I_RANK];

    if (all->dtype != part->dtype || x.rank != y.rank)
        return tgs_fail(err, TGS_EINVAL, "a part of another dtype or number of dims");
    if (!tgs_i_sliced(c, x.rank, start, step))
        return tgs_fail(err, TGS_EINVAL, "starts or steps are not one for each dim");
    for (int32_t k = 0; k < x.rank; k++) {
        const int64_t last = start[k] + (y.dim[k] - 1) * step[k];

        if (y.dim[k] > 0 && (start[k] < 0 || start[k] >= x.dim[k] || last < 0 || last >= x.dim[k]))
            return tgs_fail(err, TGS_EINVAL, "dim %d: from %lld to %lld, but there are %lld",
                            (int)k, (long long)start[k], (long long)last, (long long)x.dim[k]);
    }
    return TGS_OK;
}
