/* softmax.c -- softmax along one axis. */
#include <string.h>
#include "core.h"

enum { FLOPS = 8 }; /* per element: maximum, exponential, sum, quotient */

/* Before opset 13 the tensor was a matrix, cut before the axis: flat tells that more than this one
 * axis is normalised, so that the task needs a matrix. */
static tgs_status axis_of(const tgs_node *n, int32_t *axis, bool *flat, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    const bool old = n->m->opset < 13;
    const tgs_status status = tgs_i_op_axis(n, old ? 1 : -1, x->rank, 0, axis, err);

    *flat = false;
    for (int32_t i = *axis + 1; i < x->rank && old && !status; i++)
        *flat |= x->dim[i] != 1;
    return status;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int32_t axis;
    bool flat;
    const tgs_status status = tgs_i_op_same(n, out, err);

    return status ? status : axis_of(n, &axis, &flat, err);
}

/* the matrix that is cut before the axis */
static void matrix_of(const tgs_node *n, int32_t axis, tgs_shape *m)
{
    const tgs_tensor *x = tgs_node_in(n, 0);

    m->dtype = x->dtype;
    m->rank = 2;
    m->dim[0] = m->dim[1] = 1;
    for (int32_t i = 0; i < x->rank; i++)
        m->dim[i >= axis] *= x->dim[i];
}

/* as many temporaries as the parts of a flattened pass need */
static tgs_status make_matrices(const tgs_node *n, tgs_emitter *e, int32_t axis, int32_t count,
                                const char *const *name, tgs_error *err)
{
    tgs_shape m;
    tgs_status status = TGS_OK;

    matrix_of(n, axis, &m);
    for (int32_t k = 0; k < count && !status; k++)
        status = tgs_emit_temp(e, k, name[k], &m, err);
    return status;
}

static tgs_status emit_all(tgs_emitter *e, const tgs_emission *c, int32_t count, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < count && !status; i++)
        status = tgs_emit(e, &c[i], err);
    return status;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    static const char *const names[] = {".in", ".out"};
    const double flops = FLOPS * tgs_elements(tgs_node_out(n, 0));
    char codelet[32], attrs[TGS_I_ATTRS] = "";
    const char *name = tgs_i_op_codelet(n, "", codelet, sizeof codelet);
    const tgs_emission direct = {name, "R x0, W y0", attrs, NULL, flops};
    const tgs_emission parts[] = {{"reshape", "R x0, W t0", NULL, ".in", 0},
                                  {name, "R t0, W t1", "axis=1", NULL, flops},
                                  {"reshape", "R t1, W y0", NULL, ".out", 0}};
    int32_t axis;
    bool flat;
    tgs_status status = axis_of(n, &axis, &flat, err);
    const int64_t a = axis;

    tgs_i_op_put_ints(attrs, "axis", &a, 1);
    if (status || !flat)
        return status ? status : tgs_emit(e, &direct, err);
    status = make_matrices(n, e, axis, 2, names, err);
    return status ? status : emit_all(e, parts, 3, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    static const char *const names[] = {".bwd.y", ".bwd.dy", ".bwd.dx"};
    const double flops = 4 * tgs_elements(tgs_node_out(n, 0));
    char codelet[32], attrs[TGS_I_ATTRS] = "";
    const char *name = tgs_i_op_codelet(n, "_bwd", codelet, sizeof codelet);
    const tgs_emission direct = {name, "R y0, R dy0, W dx0", attrs, ".bwd", flops};
    const tgs_emission parts[] = {{"reshape", "R y0, W t0", NULL, ".bwd.y", 0},
                                  {"reshape", "R dy0, W t1", NULL, ".bwd.dy", 0},
                                  {name, "R t0, R t1, W t2", "axis=1", ".bwd", flops},
                                  {"reshape", "R t2, W dx0", NULL, ".bwd.dx", 0}};
    int32_t axis;
    bool flat;
    tgs_status status = axis_of(n, &axis, &flat, err);
    const int64_t a = axis;

    tgs_i_op_put_ints(attrs, "axis", &a, 1);
    if (status || !tgs_wanted(e, 0))
        return status;
    if (!flat)
        return tgs_emit(e, &direct, err);
    status = make_matrices(n, e, axis, 3, names, err);
    return status ? status : emit_all(e, parts, 4, err);
}

const tgs_operator tgs_operator_softmax = {
    .base = {TGS_PLUGIN_ABI, "softmax", "softmax and its logarithm", NULL, NULL},
    .types = "Softmax LogSoftmax",
    .differentiable = 1,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
