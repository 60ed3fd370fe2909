/* products.c -- Gemm and MatMul with a matrix: which operators are chosen, and what their tasks do
 * with the three extents M, N and K. */
#include <string.h>
#include "pieces.h"

bool tgs_i_is_product(const tgs_lowering *l, int32_t op)
{
    const tgs_op *o = &l->m->op[op];

    return !o->folded && (!strcmp(o->type, "Gemm") || !strcmp(o->type, "MatMul"))
           && o->input[0] != o->input[1] && l->m->tensor[o->input[1]].rank == 2
           && l->m->tensor[o->input[0]].rank >= 2;
}

static tgs_status choose_one(const tgs_lowering *l, const char *directive, char *name, bool *in,
                             tgs_error *err)
{
    size_t n = strlen(name);
    bool some = false;
    int32_t op = 0;

    if (!tgs_name_take(name))
        return tgs_fail(err, TGS_EINVAL, "%s: '%s' is not a name", directive, name);
    if (n && name[n - 1] == '*') { /* all products whose names begin so */
        for (n = strlen(name) - 1; op < l->m->ops; op++)
            if (tgs_i_is_product(l, op) && !strncmp(l->m->op[op].name, name, n))
                some = in[op] = true;
        return some ? TGS_OK
                    : tgs_fail(err, TGS_EINVAL, "%s: no product named '%s'", directive, name);
    }
    while (op < l->m->ops && strcmp(l->m->op[op].name, name))
        op++;
    if (op == l->m->ops)
        return tgs_fail(err, TGS_EINVAL, "%s: no operator '%s'", directive, name);
    if (!tgs_i_is_product(l, op))
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "%s: operator '%s' (%s) is no product with a matrix", directive, name,
                        l->m->op[op].type);
    in[op] = true;
    return TGS_OK;
}

tgs_status tgs_i_choose_ops(const tgs_lowering *l, const char *directive, const char *names,
                            bool *in, tgs_error *err)
{
    char *text, *next;
    tgs_status status = TGS_OK;

    if (!*names) {
        for (int32_t i = 0; i < l->m->ops; i++)
            in[i] = tgs_i_is_product(l, i)
                    && l->m->tensor[l->m->op[i].input[1]].role == TGS_ROLE_PARAMETER;
        return TGS_OK;
    }
    text = tgs_mem_text(names);
    if (!text)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (char *name = text; name && !status; name = next) {
        next = strchr(name, ',');
        if (next)
            *next++ = 0;
        status = choose_one(l, directive, name, in, err);
    }
    tgs_mem_free(text);
    return status;
}

static int32_t tensor_datum(const tgs_i_split *s, const tgs_low_task *t, int32_t input)
{
    const tgs_op *op = &s->l->m->op[t->op];

    return input < op->inputs && op->input[input] >= 0 ? s->l->tensor_datum[op->input[input]] : -1;
}

/* of the two factors of a product, forward or backward */
static bool factors(const tgs_i_split *s, const tgs_low_task *t, tgs_i_role *a, tgs_i_role *b)
{
    const tgs_low_access *access = &s->l->access[t->at];
    const int32_t x = tensor_datum(s, t, 0), w = tensor_datum(s, t, 1);

    *a = access[0].datum == x ? TGS_I_X : access[0].datum == w ? TGS_I_W : TGS_I_Y;
    *b = access[1].datum == x ? TGS_I_X : access[1].datum == w ? TGS_I_W : TGS_I_Y;
    return *a != *b;
}

/* the letter that two of X, W and Y share */
static int32_t shared(tgs_i_role a, tgs_i_role b)
{
    if (a != TGS_I_W && b != TGS_I_W)
        return TGS_I_LM;
    return a != TGS_I_X && b != TGS_I_X ? TGS_I_LN : TGS_I_LK;
}

static tgs_i_role third(tgs_i_role a, tgs_i_role b)
{
    return (tgs_i_role)(TGS_I_X + TGS_I_W + TGS_I_Y - a - b);
}

/* a sum over the batch of a gradient that was made for all of it */
static bool summed(tgs_i_split *s, const tgs_low_task *t, tgs_i_product_task *out)
{
    const tgs_i_role role = (tgs_i_role)s->role[s->l->access[t->at].datum];

    if (role != TGS_I_X && role != TGS_I_W)
        return false;
    out->role[0] = out->role[1] = role;
    out->label[TGS_I_LK] = role == TGS_I_W ? TGS_I_FIRST + 1 : TGS_I_FIRST;
    out->label[TGS_I_LM] = role == TGS_I_W ? -1 : TGS_I_FIRST + 1;
    out->label[TGS_I_LN] = role == TGS_I_W ? TGS_I_FIRST : -1;
    return true;
}

bool tgs_i_product_of(tgs_i_split *s, const tgs_low_task *t, bool batch, tgs_i_labels *labels,
                      tgs_i_product_task *out)
{
    const tgs_low_access *access = &s->l->access[t->at];
    const int32_t last = t->accesses - 1;
    tgs_i_role a, b, y;

    memset(out, 0, sizeof *out);
    if (!tgs_i_labels_of(labels, s->l, t))
        return false;
    if (!strcmp(t->codelet, "reduce_to")) {
        if (!summed(s, t, out))
            return false;
    } else {
        if ((strcmp(t->codelet, "gemm") && strcmp(t->codelet, "matmul")) || !factors(s, t, &a, &b))
            return false;
        y = third(a, b);
        out->role[0] = a;
        out->role[1] = b;
        out->role[2] = TGS_I_C;
        out->role[last] = y;
        out->label[shared(a, y)] = TGS_I_M;
        out->label[shared(b, y)] = TGS_I_N;
        out->label[shared(a, b)] = TGS_I_K;
        s->role[access[last].datum] = (int8_t)y;
    }
    if (batch)
        out->label[TGS_I_LM] = TGS_I_FIRST + s->l->m->tensor[s->l->m->op[t->op].input[0]].rank - 1;
    return true;
}

void tgs_i_product_extents(const tgs_lowering *l, int32_t op, bool batch, int64_t *extent)
{
    const tgs_op *o = &l->m->op[op];
    const tgs_tensor *x = &l->m->tensor[o->input[0]], *w = &l->m->tensor[o->input[1]];
    const bool gemm = !strcmp(o->type, "Gemm");
    const bool ta = gemm && tgs_attr_int(o->attrs, "transA", 0) != 0;
    const bool tb = gemm && tgs_attr_int(o->attrs, "transB", 0) != 0;

    extent[TGS_I_LM] = batch ? x->dim[0] : x->dim[x->rank - 2 + ta];
    extent[TGS_I_LK] = x->dim[x->rank - 1 - ta];
    extent[TGS_I_LN] = w->dim[!tb];
}
