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

const tgs_operator *tgs_i_model_rule(const char *type)
{
    const tgs_plugin *const *p = operators();

    for (; p && *p; p++)
        if (lists(((const tgs_operator *)*p)->types, type))
            return (const tgs_operator *)*p;
    return NULL;
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

/* Is the shape of an input a guess?  Then what does not fit need not be the model's fault. */
static bool guesses(const tgs_model_builder *b, const tgs_op *op)
{
    for (int32_t i = 0; i < op->inputs; i++)
        if (op->input[i] >= 0 && b->told[op->input[i]] & TGS_I_IS_GUESS)
            return true;
    return false;
}

static tgs_status shape_outputs(tgs_model_builder *b, tgs_op *op)
{
    const tgs_node node = {&b->m->v, op};
    tgs_shape *shape = tgs_mem_alloc((size_t)op->outputs, sizeof *shape);
    const bool guess = guesses(b, op);
    tgs_error err;
    tgs_status status = TGS_OK;

    if (!shape)
        return tgs_i_model_fail(b, TGS_ENOMEM, "out of memory");
    err.text[0] = 0;
    status = op->rule->infer(&node, shape, &err);
    if (status == TGS_ENOTFOUND || (status == TGS_ENOTAPPLICABLE && guess)) {
        tgs_mem_free(shape);
        return tgs_i_model_opaque(b, op);
    }
    if (status)
        tgs_i_model_fail(b, status, "%s", err.text);
    for (int32_t i = 0; i < op->outputs && !status; i++)
        if (op->output[i] >= 0)
            status = tgs_model_shape(b, op->output[i], shape[i].dtype, shape[i].rank, shape[i].dim);
    if (!status && op->rule->at_most && lists(op->rule->at_most, op->type))
        status = tgs_model_remark(b, "%s '%.200s' is taken to make as much as there may be",
                                  op->type, op->name);
    for (int32_t i = 0; i < op->outputs && guess; i++)
        if (op->output[i] >= 0)
            b->told[op->output[i]] |= TGS_I_IS_GUESS;
    tgs_mem_free(shape);
    return status;
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
void tgs_i_model_give_role(tgs_model_builder *b, int32_t t)
{
    tgs_tensor *x = &b->m->tensor[t];

    if (x->value || (x->real && x->literal))
        x->role = TGS_ROLE_CONSTANT;
    else if (is_stored(b, t))
        x->role = TGS_ROLE_BUFFER;
    else if (b->told[t] & TGS_I_IS_INPUT)
        x->role = TGS_ROLE_INPUT;
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

static void give_role(tgs_model *m, const tgs_op *op)
{
    for (int32_t j = 0; op->folded && j < op->outputs; j++)
        if (op->output[j] >= 0) {
            tgs_tensor *y = &m->tensor[op->output[j]];

            y->role = y->value || y->literal ? TGS_ROLE_CONSTANT : TGS_ROLE_BUFFER;
        }
}

tgs_status tgs_i_model_shape_op(tgs_model_builder *b, int32_t i)
{
    tgs_model *m = b->m;
    tgs_op *op = &m->op[i];
    const bool opaque = b->again && tgs_i_rebatch_opaque(b, i);
    tgs_status status;

    op->rule = tgs_i_model_rule(op->type);
    if (!op->rule || opaque)
        op->rule = tgs_i_model_rule("tgsched.Layer");
    status = b->again ? tgs_i_rebatch_before(b, op) : TGS_OK;
    if (!status)
        status = opaque || (!tgs_i_model_rule(op->type)) ? tgs_i_model_opaque(b, op)
                                                         : shape_outputs(b, op);
    if (!status && b->again)
        status = tgs_i_rebatch_after(b, op);
    if (!status && !op->opaque)
        status = fold(b, op);
    if (!status)
        give_role(m, op);
    return status;
}

tgs_status tgs_i_model_infer(tgs_model_builder *b)
{
    tgs_model *m = b->m;
    tgs_status status;

    for (int32_t t = 0; t < m->v.tensors; t++)
        tgs_i_model_give_role(b, t);
    status = tgs_i_model_walk(b);
    if (!status)
        find_parameters(m);
    return status ? status : tgs_i_model_close_remarks(b);
}
