/* arith.c -- functions of two tensors, element by element with broadcasting. */
#include <math.h>
#include <string.h>
#include "core.h"

/* Max, Min and Mean take any number of tensors */
static bool many(const tgs_node *n)
{
    return !strcmp(n->op->type, "Max") || !strcmp(n->op->type, "Min")
           || !strcmp(n->op->type, "Mean");
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const bool any = many(n);
    int64_t dim[TGS_MODEL_RANK];
    tgs_tensor sum;
    tgs_status status = tgs_i_op_needs(n, any ? n->op->inputs : 2, err);

    if (!status && any && n->op->inputs < 1)
        status = tgs_node_fail(n, err, "it has no inputs");
    if (status)
        return status;
    if (!any && n->op->inputs > 2)
        return tgs_node_fail(n, err, "%d inputs, not 2", (int)n->op->inputs);
    tgs_shape_of(tgs_node_in(n, 0), out);
    for (int32_t i = 1; i < n->op->inputs && !status; i++) {
        memcpy(dim, out->dim, sizeof dim);
        sum = *tgs_node_in(n, 0);
        sum.rank = out->rank;
        sum.dim = dim;
        status = tgs_i_op_broadcast(n, &sum, tgs_node_in(n, i), out, err);
    }
    return status;
}

static int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t over(int64_t a, int64_t b)
{
    return b && b != -1 ? a / b : minus(0, a); /* a zero divisor is refused below */
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* of the divisor's sign, as the operator has it for integers */
static int64_t rest(int64_t a, int64_t b)
{
    const int64_t r = b && b != -1 ? a % b : 0;

    return r && (r < 0) != (b < 0) ? r + b : r;
}

static int64_t power(int64_t a, int64_t b)
{
    int64_t p = 1;

    for (int64_t i = 0; i < b && i < 64; i++)
        p = times(p, a);
    return p;
}

static double minus_real(double a, double b)
{
    return a - b;
}

static double times_real(double a, double b)
{
    return a * b;
}

static double over_real(double a, double b)
{
    return a / b;
}

static const struct known {
    const char *type;
    int64_t (*of)(int64_t a, int64_t b);
    double (*of_real)(double a, double b);
} known[] = {
    {"Sub", minus, minus_real}, {"Mul", times, times_real}, {"Div", over, over_real},
    {"Max", larger, fmax},      {"Min", smaller, fmin},     {"Mod", rest, NULL},
    {"Pow", power, pow},
};

static const struct known *find(const tgs_node *n)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(n->op->type, known[i].type))
            return &known[i];
    return NULL;
}

/* Does every element of the second operand hold, so that the function is defined? */
static bool is_defined(const tgs_node *n)
{
    const tgs_tensor *b = tgs_node_in(n, 1);
    const bool divides = !strcmp(n->op->type, "Div") || !strcmp(n->op->type, "Mod");
    const bool power_of = !strcmp(n->op->type, "Pow");

    for (int64_t i = 0; b && b->value && i < (int64_t)tgs_elements(b); i++)
        if ((divides && !b->value[i]) || (power_of && (b->value[i] < 0 || b->value[i] > 63)))
            return false;
    return !tgs_attr_int(n->op->attrs, "fmod", 0);
}

static bool fold(const tgs_node *n, int64_t *value)
{
    const struct known *k = find(n);

    return k && is_defined(n) && tgs_i_op_fold(n, value, k->of);
}

static bool fold_real(const tgs_node *n, double *value)
{
    const struct known *k = find(n);

    return k && k->of_real && tgs_i_op_fold_real(n, value, k->of_real);
}

static double cost(const tgs_node *n)
{
    const double each = !strcmp(n->op->type, "Pow") ? 8 : many(n) ? n->op->inputs - 1 : 1;

    return tgs_elements(tgs_node_out(n, 0)) * each;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_emit(n, e, "R x*, W y0", NULL, cost(n), err);
}

/* of any number of operands: one task */
static tgs_status backward_all(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char codelet[32];
    const tgs_emission c = {tgs_i_op_codelet(n, "_bwd_all", codelet, sizeof codelet),
                            "R x*, R dy*, W dx*", NULL, ".bwd", 2 * cost(n)};

    for (int32_t i = 0; i < n->op->inputs; i++)
        if (tgs_wanted(e, i))
            return tgs_emit(e, &c, err);
    return TGS_OK;
}

/* one task per operand: attribute input says which; it sums over broadcast dimensions itself */
static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char codelet[32], buffers[48], attrs[24], suffix[24];
    const tgs_emission c = {tgs_i_op_codelet(n, "_bwd", codelet, sizeof codelet), buffers, attrs,
                            suffix, 2 * cost(n)};
    tgs_status status = TGS_OK;

    if (n->op->inputs != 2)
        return backward_all(n, e, err);
    for (int32_t i = 0; i < 2 && !status; i++) {
        snprintf(buffers, sizeof buffers, "R x0, R x1, R dy0, W dx%d", (int)i);
        snprintf(attrs, sizeof attrs, "input=%d", (int)i);
        snprintf(suffix, sizeof suffix, ".bwd.%d", (int)i);
        if (tgs_wanted(e, i))
            status = tgs_emit(e, &c, err);
    }
    return status;
}

const tgs_operator tgs_operator_arith = {
    .base = {TGS_PLUGIN_ABI, "arith", "functions of two tensors, element by element", NULL, NULL},
    .types = "Sub Mul Div Pow Max Min Mean PRelu Mod",
    .differentiable = TGS_ALL_DIFFERENTIABLE,
    .infer = infer,
    .fold = fold,
    .fold_real = fold_real,
    .forward = forward,
    .backward = backward,
};
