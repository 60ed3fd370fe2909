/* compare.c -- comparisons and logic, element by element with broadcasting. */
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    tgs_status status = tgs_i_op_needs(n, 2, err);

    if (!status)
        status = tgs_i_op_broadcast(n, tgs_node_in(n, 0), tgs_node_in(n, 1), out, err);
    out->dtype = TGS_BOOL;
    return status;
}

static int64_t equal(int64_t a, int64_t b)
{
    return a == b;
}

static int64_t less(int64_t a, int64_t b)
{
    return a < b;
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b;
}

static int64_t at_most(int64_t a, int64_t b)
{
    return a <= b;
}

static int64_t at_least(int64_t a, int64_t b)
{
    return a >= b;
}

static int64_t both(int64_t a, int64_t b)
{
    return a && b;
}

static int64_t either(int64_t a, int64_t b)
{
    return a || b;
}

static int64_t one_of(int64_t a, int64_t b)
{
    return !a != !b;
}

static bool fold(const tgs_node *n, int64_t *value)
{
    static const struct {
        const char *type;
        int64_t (*of)(int64_t a, int64_t b);
    } known[] = {{"Equal", equal},
                 {"Less", less},
                 {"Greater", greater},
                 {"LessOrEqual", at_most},
                 {"GreaterOrEqual", at_least},
                 {"And", both},
                 {"Or", either},
                 {"Xor", one_of}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(n->op->type, known[i].type))
            return tgs_i_op_fold(n, value, known[i].of);
    return false;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_emit(n, e, "R x0, R x1, W y0", NULL, tgs_elements(tgs_node_out(n, 0)), err);
}

const tgs_operator tgs_operator_compare = {
    .base = {TGS_PLUGIN_ABI, "compare", "comparisons and logic", NULL, NULL},
    .types = "Equal Less Greater LessOrEqual GreaterOrEqual And Or Xor",
    .infer = infer,
    .fold = fold,
    .forward = forward,
};
