/* slice.c -- part of a tensor: from start to end by step along some axes. */
#include <string.h>
#include "core.h"

typedef struct cut { /* for every axis */
    int64_t start[TGS_MODEL_RANK], step[TGS_MODEL_RANK], size[TGS_MODEL_RANK];
} cut;

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static void cut_axis(cut *c, int32_t axis, int64_t dim, int64_t start, int64_t end, int64_t step)
{
    int64_t from = start < 0 ? start + dim : start, to = end;

    if (end < 0)
        to = end < -dim ? -1 : end + dim;
    if (step > 0) {
        from = clamp(from, 0, dim);
        to = clamp(to < 0 ? 0 : to, 0, dim);
        c->size[axis] = to > from ? (to - from - 1) / step + 1 : 0;
    } else {
        from = clamp(from, 0, dim - 1);
        to = clamp(to, -1, dim - 1);
        c->size[axis] = from > to ? (from - to - 1) / -step + 1 : 0;
    }
    c->start[axis] = from;
    c->step[axis] = step;
}

static tgs_status look(const tgs_node *n, cut *c, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    int64_t start[TGS_MODEL_RANK], end[TGS_MODEL_RANK], axes[TGS_MODEL_RANK], step[TGS_MODEL_RANK];
    const int32_t starts = tgs_i_op_list(n, "starts", 1, start, TGS_MODEL_RANK);
    const int32_t ends = tgs_i_op_list(n, "ends", 2, end, TGS_MODEL_RANK);
    const int32_t given = tgs_i_op_list(n, "axes", 3, axes, TGS_MODEL_RANK);
    const int32_t steps = tgs_i_op_list(n, "steps", 4, step, TGS_MODEL_RANK);

    if (starts < 0 || ends != starts || given == -2 || steps == -2
        || (given >= 0 && given != starts) || (steps >= 0 && steps != starts))
        return tgs_node_open(n, err, "its starts, ends, axes or steps are not known constants");
    for (int32_t i = 0; i < x->rank; i++) {
        c->start[i] = 0;
        c->step[i] = 1;
        c->size[i] = x->dim[i];
    }
    for (int32_t i = 0; i < starts; i++) {
        const int64_t by = steps < 0 ? 1 : step[i];
        int32_t axis;
        const tgs_status status = tgs_i_op_axis_of(n, given < 0 ? i : axes[i], x->rank, &axis, err);

        if (status)
            return status;
        if (by == 0 || by == INT64_MIN)
            return tgs_node_fail(n, err, "a step of %lld", (long long)by);
        cut_axis(c, axis, x->dim[axis], start[i], end[i], by);
    }
    return TGS_OK;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    cut c;
    tgs_status status = tgs_i_op_needs(n, 1, err);

    if (!status)
        status = look(n, &c, err);
    if (status)
        return status;
    tgs_shape_of(tgs_node_in(n, 0), out);
    memcpy(out->dim, c.size, (size_t)out->rank * sizeof *c.size);
    return TGS_OK;
}

static bool fold(const tgs_node *n, int64_t *value)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *y = tgs_node_out(n, 0);
    cut c;

    if (!x->value || look(n, &c, NULL))
        return false;
    for (int64_t i = 0; i < (int64_t)tgs_elements(y); i++) {
        int64_t at = 0, stride = 1, rest = i;

        for (int32_t d = y->rank - 1; d >= 0; d--) {
            at += (c.start[d] + rest % y->dim[d] * c.step[d]) * stride;
            stride *= x->dim[d];
            rest /= y->dim[d];
        }
        value[i] = x->value[at];
    }
    return true;
}

static tgs_status attributes(const tgs_node *n, char *text, tgs_error *err)
{
    const int32_t rank = tgs_node_in(n, 0)->rank;
    cut c;
    const tgs_status status = look(n, &c, err);

    *text = 0;
    if (!status) {
        tgs_i_op_put_ints(text, "starts", c.start, rank);
        tgs_i_op_put_ints(text, "steps", c.step, rank);
    }
    return status;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_status status = attributes(n, attrs, err);

    return status ? status : tgs_i_op_emit(n, e, "R x0, W y0", attrs, 0, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission c = {"slice_bwd", "R dy0, W dx0", attrs, ".bwd", 0};
    const tgs_status status = attributes(n, attrs, err);

    return status || !tgs_wanted(e, 0) ? status : tgs_emit(e, &c, err);
}

const tgs_operator tgs_operator_slice = {
    .base = {TGS_PLUGIN_ABI, "slice", "part of a tensor", NULL, NULL},
    .types = "Slice",
    .differentiable = 1,
    .infer = infer,
    .fold = fold,
    .forward = forward,
    .backward = backward,
};
