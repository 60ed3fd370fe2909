/* cast.c -- the same values in another dtype. */
#include <math.h>
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    char name[16] = "";
    const tgs_tensor *like = tgs_node_in(n, 1);
    const tgs_status status = tgs_i_op_same(n, out, err);

    if (status)
        return status;
    if (!strcmp(n->op->type, "CastLike") && like) {
        out->dtype = like->dtype;
        return TGS_OK;
    }
    tgs_attr_text(n->op->attrs, "dtype", name, sizeof name);
    for (int t = TGS_F32; t <= TGS_TEXT; t++)
        if (!strcmp(tgs_dtype_name((tgs_dtype)t), name)) {
            out->dtype = (tgs_dtype)t;
            return TGS_OK;
        }
    return tgs_node_open(n, err, "its type is not supported");
}

/* a real number to an integer: what lies behind the point is dropped */
static bool fold(const tgs_node *n, int64_t *value)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    const bool truth = tgs_node_out(n, 0)->dtype == TGS_BOOL;

    if (!tgs_i_op_float(x->dtype)) {
        if (!tgs_i_op_fold_copy(n, value))
            return false;
        for (int64_t i = 0; truth && i < (int64_t)tgs_elements(x); i++)
            value[i] = value[i] != 0;
        return true;
    }
    if (!x->real || !x->literal)
        return false;
    for (int64_t i = 0; i < (int64_t)tgs_elements(x); i++) {
        if (!(fabs(x->real[i]) < 0x1p62))
            return false;
        value[i] = truth ? x->real[i] != 0 : (int64_t)x->real[i];
    }
    return true;
}

static void attributes(const tgs_node *n, bool back, char *text)
{
    snprintf(text, TGS_I_ATTRS, "to=%s",
             tgs_dtype_name(back ? tgs_node_in(n, 0)->dtype : tgs_node_out(n, 0)->dtype));
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission c = {"cast", "R x0, W y0", attrs, NULL, tgs_elements(tgs_node_out(n, 0))};

    attributes(n, false, attrs);
    return tgs_emit(e, &c, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission c = {"cast", "R dy0, W dx0", attrs, ".bwd",
                            tgs_elements(tgs_node_out(n, 0))};

    attributes(n, true, attrs);
    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_cast = {
    .base = {TGS_PLUGIN_ABI, "cast", "the same values in another dtype", NULL, NULL},
    .types = "Cast CastLike",
    .differentiable = 1,
    .infer = infer,
    .fold = fold,
    .fold_real = tgs_i_op_fold_literal,
    .forward = forward,
    .backward = backward,
};
