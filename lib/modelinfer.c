/* modelinfer.c -- the rule of every operator, the shape of every tensor, what is known before any
 * step runs, and the role of what is stored. */
#include <string.h>
#include "modelimpl.h"

enum { REALS = 64 }; /* most elements of a folded float constant */

/* does the blank-separated list hold the word? */
static bool lists(const char *list, const char *word)
{
    const size_t n = strlen(word);

    for (const char *s = list; *s;) {
        const char *end = s + strcspn(s, " ");

        if ((size_t)(end - s) == n && !memcmp(s, word, n))
            return true;
        s = end + strspn(end, " ");
    }
    return false;
}

static const tgs_plugin *const *operators(void)
{
    for (const tgs_i_kind *k = tgs_i_kinds; k->name; k++)
        if (!strcmp(k->name, "operator"))
            return k->plugin;
    return NULL;
}

static const tgs_operator *rule_of(const char *type)
{
    const tgs_plugin *const *p = operators();

    for (; p && *p; p++)
        if (lists(((const tgs_operator *)*p)->types, type))
            return (const tgs_operator *)*p;
    return NULL;
}

/* every output was declared, as ONNX files may do */
static bool declared(const tgs_model *m, const tgs_op *op)
{
    bool any = false;

    for (int32_t i = 0; i < op->outputs; i++)
        if (op->output[i] >= 0) {
            if (m->tensor[op->output[i]].rank < 0)
                return false;
            any = true;
        }
    return any;
}

/* does it read numbers that are only known when it runs, besides its first operand?  Shapes, axes
 * and limits are such numbers */
static bool needs_values(const tgs_model *m, const tgs_op *op)
{
    for (int32_t i = 1; i < op->inputs; i++) {
        const tgs_tensor *x = op->input[i] < 0 ? NULL : &m->tensor[op->input[i]];

        if (x && x->rank <= 1 && !x->value && !x->real && x->role != TGS_ROLE_BUFFER)
            return true;
    }
    return false;
}

static tgs_status unknown(tgs_model_builder *b, const tgs_op *op)
{
    const char *why = "no such operator is known, and the file does not say what shape it makes";

    if (lists("If Loop Scan", op->type))
        why = "control flow is not followed, and the file does not say what shape it makes";
    else if (strstr(op->type, "uant") || strstr(op->type, "QLinear") || strstr(op->type, "Integer"))
        why =
            "quantised operators are not supported, and the file does not say what shape it makes";
    return tgs_i_model_fail(b, TGS_ENOTAPPLICABLE, "node '%s' (%s): %s", op->name, op->type, why);
}

static bool is_float(tgs_dtype t)
{
    return t == TGS_F32 || t == TGS_F64 || t == TGS_F16 || t == TGS_BF16;
}

/* stored, or made of nothing but what is stored without being computed */
static bool is_stored(const tgs_model_builder *b, int32_t t)
{
    const tgs_tensor *x = &b->m->tensor[t];

    return b->told[t] & TGS_I_IS_STORED || (x->producer >= 0 && b->m->op[x->producer].folded);
}

static tgs_status shape_outputs(tgs_model_builder *b, const tgs_op *op)
{
    const tgs_node node = {&b->m->v, op};
    tgs_shape *shape = tgs_mem_alloc((size_t)op->outputs, sizeof *shape);
    tgs_error err;
    tgs_status status = TGS_OK;

    if (!shape)
        return tgs_i_model_fail(b, TGS_ENOMEM, "out of memory");
    err.text[0] = 0;
    status = op->rule->infer(&node, shape, &err);
    if (status)
        tgs_i_model_fail(b, status, "%s", err.text);
    for (int32_t i = 0; i < op->outputs && !status; i++)
        if (op->output[i] >= 0)
            status = tgs_model_shape(b, op->output[i], shape[i].dtype, shape[i].rank, shape[i].dim);
    tgs_mem_free(shape);
    return status;
}

/* its own rule if that can do without them, else only the sizes that the file declares */
static tgs_status give_up(tgs_model_builder *b, tgs_op *op)
{
    const tgs_node node = {&b->m->v, op};
    tgs_shape *shape = tgs_mem_alloc((size_t)op->outputs, sizeof *shape);
    const tgs_operator *layer = rule_of("tgsched.Layer");
    tgs_error err;
    tgs_status status;

    if (!shape)
        return tgs_i_model_fail(b, TGS_ENOMEM, "out of memory");
    status = op->rule->infer(&node, shape, &err);
    tgs_mem_free(shape);
    if (status == TGS_ENOTAPPLICABLE && layer && op->rule != layer) {
        op->rule = layer;
        b->m->v.opaque++;
    }
    return shape_outputs(b, op);
}

/* outputs that are known or stored: integers from shapes, stored tensors that only change shape */
static tgs_status fold(tgs_model_builder *b, tgs_op *op)
{
    const tgs_node node = {&b->m->v, op};
    const int32_t out = op->outputs ? op->output[0] : -1;
    tgs_tensor *t = out < 0 ? NULL : &b->m->tensor[out];
    int64_t value[TGS_MODEL_VALUES];
    double real[REALS];
    char init[4200] = "";

    if (!t)
        return TGS_OK;
    if (op->rule->fold && !is_float(t->dtype) && tgs_elements(t) <= TGS_MODEL_VALUES
        && op->rule->fold(&node, value)) {
        op->folded = true;
        return tgs_model_integers(b, out, value);
    }
    if (op->rule->fold_real && is_float(t->dtype) && tgs_elements(t) <= REALS
        && op->rule->fold_real(&node, real)) {
        op->folded = true;
        return tgs_model_reals(b, out, real, true);
    }
    if (op->rule->store && op->rule->store(&node, init, sizeof init)) {
        op->folded = true;
        t->init = *init ? tgs_i_pool_text(b->m->pool, init) : NULL;
        return *init && !t->init ? tgs_i_model_fail(b, TGS_ENOMEM, "out of memory") : TGS_OK;
    }
    return TGS_OK;
}

/* before a rule runs, its stored inputs that are used nowhere else may be recognised by this role
 */
static void give_roles(tgs_model_builder *b)
{
    tgs_model *m = b->m;

    for (int32_t t = 0; t < m->v.tensors; t++) {
        tgs_tensor *x = &m->tensor[t];

        if (x->value || (x->real && x->literal))
            x->role = TGS_ROLE_CONSTANT;
        else if (is_stored(b, t))
            x->role = TGS_ROLE_BUFFER;
        else if (b->told[t] & TGS_I_IS_INPUT)
            x->role = TGS_ROLE_INPUT;
    }
}

static void find_parameters(tgs_model *m)
{
    for (int32_t i = 0; i < m->v.ops; i++) {
        const tgs_op *op = &m->op[i];

        m->v.trained |= op->rule->gradient;
        if (op->folded || !op->rule->backward)
            continue;
        for (int32_t j = 0; j < op->inputs; j++) {
            tgs_tensor *x = op->input[j] < 0 ? NULL : &m->tensor[op->input[j]];

            if (x && x->role == TGS_ROLE_BUFFER && (is_float(x->dtype) || x->dtype == TGS_BYTES)
                && tgs_elements(x) > 0 && op->rule->differentiable >> (j < 31 ? j : 31) & 1)
                x->role = TGS_ROLE_PARAMETER;
        }
    }
}

tgs_status tgs_i_model_infer(tgs_model_builder *b)
{
    tgs_model *m = b->m;

    give_roles(b);
    for (int32_t t = 0; t < m->v.tensors; t++)
        if (m->tensor[t].rank < 0 && m->tensor[t].producer < 0)
            return tgs_i_model_fail(b, TGS_EINVAL, "tensor '%s' has no shape", m->tensor[t].name);
    for (int32_t i = 0; i < m->v.ops; i++) {
        tgs_op *op = &m->op[m->order[i]];
        tgs_status status;

        op->rule = rule_of(op->type);
        if (!op->rule && declared(m, op)) {
            op->rule = rule_of("tgsched.Layer");
            m->v.opaque += op->rule != NULL;
        }
        if (!op->rule)
            return unknown(b, op);
        status = b->again ? tgs_i_rebatch_before(b, op) : TGS_OK;
        if (!status)
            status = declared(m, op) && needs_values(m, op) ? give_up(b, op) : shape_outputs(b, op);
        if (!status && b->again)
            status = tgs_i_rebatch_after(b, op);
        if (!status)
            status = fold(b, op);
        if (status)
            return status;
        for (int32_t j = 0; op->folded && j < op->outputs; j++)
            if (op->output[j] >= 0)
                m->tensor[op->output[j]].role =
                    m->tensor[op->output[j]].value || m->tensor[op->output[j]].literal
                        ? TGS_ROLE_CONSTANT
                        : TGS_ROLE_BUFFER;
    }
    find_parameters(m);
    return TGS_OK;
}
