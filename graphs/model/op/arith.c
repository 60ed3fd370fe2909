/* arith.c -- functions of two tensors, element by element with broadcasting. */
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_needs(n, 2, err);

    if (status)
        return status;
    if (n->op->inputs > 2)
        return tgs_node_fail(n, err, "%d inputs, not 2", (int)n->op->inputs);
    return tgs_i_op_broadcast(n, tgs_node_in(n, 0), tgs_node_in(n, 1), out, err);
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

static bool fold(const tgs_node *n, int64_t *value)
{
    static const struct {
        const char *type;
        int64_t (*of)(int64_t a, int64_t b);
    } known[] = {{"Sub", minus}, {"Mul", times}, {"Div", over}, {"Max", larger}, {"Min", smaller}};
    const tgs_tensor *b = tgs_node_in(n, 1);

    if (!strcmp(n->op->type, "Div") && b->value)
        for (int64_t i = 0; i < (int64_t)tgs_elements(b); i++)
            if (!b->value[i])
                return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(n->op->type, known[i].type))
            return tgs_i_op_fold(n, value, known[i].of);
    return false;
}

static double cost(const tgs_node *n)
{
    return tgs_elements(tgs_node_out(n, 0)) * (strcmp(n->op->type, "Pow") ? 1 : 8);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_emit(n, e, "R x0, R x1, W y0", NULL, cost(n), err);
}

/* one task per operand: attribute input says which; it sums over broadcast dimensions itself */
static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char codelet[32], buffers[48], attrs[24], suffix[24];
    const tgs_emission c = {tgs_i_op_codelet(n, "_bwd", codelet, sizeof codelet), buffers, attrs,
                            suffix, 2 * cost(n)};
    tgs_status status = TGS_OK;

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
    .types = "Sub Mul Div Pow Max Min PRelu Mod",
    .differentiable = 3,
    .infer = infer,
    .fold = fold,
    .forward = forward,
    .backward = backward,
};
