/* unary.c -- functions of one tensor, element by element, whose gradient needs their input. */
#include <math.h>
#include <string.h>
#include "core.h"

enum { FLOPS = 4 }; /* per element: one elementary function */

/* scalar attributes go to the codelet as they are */
static void attributes(const tgs_node *n, char *text)
{
    static const char *const keys[] = {"alpha", "beta", "gamma", "bias", "lambd", "min", "max"};
    char form[8];
    double x;

    *text = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        x = tgs_attr_real(n->op->attrs, keys[i], NAN);
        if (!isnan(x))
            tgs_i_op_put_real(text, keys[i], x);
    }
    if (tgs_attr_text(n->op->attrs, "approximate", form, sizeof form) && !strcmp(form, "tanh"))
        tgs_i_op_put_real(text, "tanh", 1); /* of Gelu */
    if (strcmp(n->op->type, "Clip"))        /* newer models give its limits as inputs */
        return;
    for (int32_t i = 1; i < 3; i++) {
        const tgs_tensor *limit = tgs_node_in(n, i);

        if (limit && limit->real)
            tgs_i_op_put_real(text, i == 1 ? "min" : "max", limit->real[0]);
        else if (limit && limit->value)
            tgs_i_op_put_real(text, i == 1 ? "min" : "max", (double)limit->value[0]);
    }
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_status status = tgs_i_op_numbers(n, out, err);

    for (int32_t i = 1; i < n->op->inputs && !status; i++) {
        const tgs_tensor *t = tgs_node_in(n, i);

        if (t && !t->real && !t->value)
            return tgs_node_open(n, err, "its limits are not constants");
    }
    return status;
}

static int64_t negative(int64_t x)
{
    return (int64_t)(0 - (uint64_t)x);
}

static int64_t magnitude(int64_t x)
{
    return x < 0 ? negative(x) : x;
}

static bool fold(const tgs_node *n, int64_t *value)
{
    if (!strcmp(n->op->type, "Neg"))
        return tgs_i_op_fold_each(n, value, negative);
    return !strcmp(n->op->type, "Abs") && tgs_i_op_fold_each(n, value, magnitude);
}

static double negative_real(double x)
{
    return -x;
}

static double reciprocal(double x)
{
    return 1 / x;
}

static bool fold_real(const tgs_node *n, double *value)
{
    static const struct {
        const char *type;
        double (*of)(double x);
    } known[] = {{"Neg", negative_real}, {"Abs", fabs}, {"Sqrt", sqrt},
                 {"Exp", exp},           {"Log", log},  {"Reciprocal", reciprocal}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(n->op->type, known[i].type))
            return tgs_i_op_fold_real_each(n, value, known[i].of);
    return false;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];

    attributes(n, attrs);
    return tgs_i_op_emit(n, e, "R x0, W y0", attrs, FLOPS * tgs_elements(tgs_node_out(n, 0)), err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char codelet[48], attrs[TGS_I_ATTRS];
    const tgs_emission c = {tgs_i_op_codelet(n, "_bwd", codelet, sizeof codelet),
                            "R x0, R dy0, W dx0", attrs, ".bwd",
                            (FLOPS + 1) * tgs_elements(tgs_node_out(n, 0))};

    attributes(n, attrs);
    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_unary = {
    .base = {TGS_PLUGIN_ABI, "unary", "functions of one tensor, element by element", NULL, NULL},
    .types = "Abs Acos Acosh Asin Asinh Atan Atanh Celu Clip Cos Cosh Elu Erf Exp Gelu "
             "HardSigmoid HardSwish LeakyRelu Log Mish Neg Reciprocal Selu Shrink Sin Sinh "
             "Softplus Softsign Sqrt Tan ThresholdedRelu com.microsoft.Gelu "
             "com.microsoft.QuickGelu",
    .differentiable = 1,
    .infer = infer,
    .fold = fold,
    .fold_real = fold_real,
    .forward = forward,
    .backward = backward,
};
