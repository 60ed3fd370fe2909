/* step.c -- functions of one tensor that are constant almost everywhere: no gradient passes. */
#include <math.h>
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (!status && !strncmp(n->op->type, "Is", 2))
        out->dtype = TGS_BOOL;
    return status;
}

static int64_t no(int64_t x)
{
    return !x;
}

static int64_t sign(int64_t x)
{
    return (x > 0) - (x < 0);
}

static bool fold(const tgs_node *n, int64_t *value)
{
    if (!strcmp(n->op->type, "Not"))
        return tgs_i_op_fold_each(n, value, no);
    return !strcmp(n->op->type, "Sign") && tgs_i_op_fold_each(n, value, sign);
}

static bool fold_real(const tgs_node *n, double *value)
{
    static const struct {
        const char *type;
        double (*of)(double x);
    } known[] = {{"Floor", floor}, {"Ceil", ceil}, {"Round", nearbyint}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(n->op->type, known[i].type))
            return tgs_i_op_fold_real_each(n, value, known[i].of);
    return false;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_emit(n, e, "R x0, W y0", NULL, tgs_elements(tgs_node_out(n, 0)), err);
}

const tgs_operator tgs_operator_step = {
    .base = {TGS_PLUGIN_ABI, "step", "rounding, signs, tests", NULL, NULL},
    .types = "Ceil Floor Round Sign Not IsNaN IsInf BitwiseNot",
    .infer = infer,
    .fold = fold,
    .fold_real = fold_real,
    .forward = forward,
};
