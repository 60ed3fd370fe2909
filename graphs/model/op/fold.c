/* fold.c -- values that are known before a step runs.  Exporters compute shapes with operators;
 * these do what those would do. */
#include <string.h>
#include "core.h"

int64_t tgs_i_op_source(const tgs_tensor *x, const tgs_tensor *y, int64_t i)
{
    int64_t at = 0, stride = 1;

    for (int32_t d = y->rank - 1; d >= 0; d--) {
        const int32_t own = d - (y->rank - x->rank);

        if (own >= 0) {
            at += x->dim[own] > 1 ? i % y->dim[d] * stride : 0;
            stride *= x->dim[own];
        }
        i /= y->dim[d];
    }
    return at;
}

bool tgs_i_op_fold(const tgs_node *n, int64_t *value, int64_t (*combine)(int64_t a, int64_t b))
{
    const tgs_tensor *y = tgs_node_out(n, 0);
    const int64_t count = (int64_t)tgs_elements(y);

    for (int32_t k = 0; k < n->op->inputs; k++)
        if (!tgs_node_in(n, k)->value)
            return false;
    for (int64_t i = 0; i < count; i++) {
        value[i] = tgs_node_in(n, 0)->value[tgs_i_op_source(tgs_node_in(n, 0), y, i)];
        for (int32_t k = 1; k < n->op->inputs; k++) {
            const tgs_tensor *x = tgs_node_in(n, k);

            value[i] = combine(value[i], x->value[tgs_i_op_source(x, y, i)]);
        }
    }
    return true;
}

static bool is_known(const tgs_tensor *x)
{
    return x && (x->value || (x->real && x->literal));
}

static double real_of(const tgs_tensor *x, int64_t i)
{
    return x->value ? (double)x->value[i] : x->real[i];
}

bool tgs_i_op_fold_real(const tgs_node *n, double *value, double (*combine)(double a, double b))
{
    const tgs_tensor *y = tgs_node_out(n, 0);
    const int64_t count = (int64_t)tgs_elements(y);

    for (int32_t k = 0; k < n->op->inputs; k++)
        if (!is_known(tgs_node_in(n, k)))
            return false;
    for (int64_t i = 0; i < count; i++) {
        value[i] = real_of(tgs_node_in(n, 0), tgs_i_op_source(tgs_node_in(n, 0), y, i));
        for (int32_t k = 1; k < n->op->inputs; k++) {
            const tgs_tensor *x = tgs_node_in(n, k);

            value[i] = combine(value[i], real_of(x, tgs_i_op_source(x, y, i)));
        }
    }
    return true;
}

bool tgs_i_op_fold_copy(const tgs_node *n, int64_t *value)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *y = tgs_node_out(n, 0);

    if (!x || !x->value || tgs_elements(x) != tgs_elements(y))
        return false;
    memcpy(value, x->value, (size_t)tgs_elements(x) * sizeof *value);
    return true;
}

bool tgs_i_op_fold_literal(const tgs_node *n, double *value)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *y = tgs_node_out(n, 0);

    if (!is_known(x) || tgs_elements(x) != tgs_elements(y))
        return false;
    for (int64_t i = 0; i < (int64_t)tgs_elements(x); i++)
        value[i] = real_of(x, i);
    return true;
}

bool tgs_i_op_fold_each(const tgs_node *n, int64_t *value, int64_t (*of)(int64_t x))
{
    if (!tgs_i_op_fold_copy(n, value))
        return false;
    for (int64_t i = 0; i < (int64_t)tgs_elements(tgs_node_out(n, 0)); i++)
        value[i] = of(value[i]);
    return true;
}

bool tgs_i_op_fold_real_each(const tgs_node *n, double *value, double (*of)(double x))
{
    if (!tgs_i_op_fold_literal(n, value))
        return false;
    for (int64_t i = 0; i < (int64_t)tgs_elements(tgs_node_out(n, 0)); i++)
        value[i] = of(value[i]);
    return true;
}
