/* adoptmodel.c -- parts of a model taken over into another that is being written. */
#include <string.h>
#include "modelimpl.h"

static bool listed(const int32_t *list, int32_t count, int32_t tensor)
{
    for (int32_t i = 0; i < count; i++)
        if (list[i] == tensor)
            return true;
    return false;
}

/* what no rule infers: what nobody makes, and what an operator outside the table makes */
static bool has_own_shape(const tgs_model_view *m, const tgs_tensor *t)
{
    return t->producer < 0 || m->op[t->producer].rule->opaque;
}

typedef struct prefixed { /* a name of another model in this one */
    char text[1100];
} prefixed;

static const char *prefix(prefixed *p, int32_t number, const char *name)
{
    if (number < 0)
        return name;
    snprintf(p->text, sizeof p->text, "%d.%.1000s", (int)number, name);
    return p->text;
}

static int32_t adopt(tgs_model_builder *b, const tgs_model_view *m, int32_t number, int32_t tensor)
{
    const tgs_tensor *t = &m->tensor[tensor];
    prefixed p;
    const int32_t before = b->m->v.tensors, x = tgs_model_tensor(b, prefix(&p, number, t->name));

    if (x < before) /* a status, or known */
        return x;
    if (has_own_shape(m, t))
        tgs_model_shape(b, x, t->dtype, t->rank, t->dim);
    if (t->producer < 0 && t->value)
        tgs_model_integers(b, x, t->value);
    if (t->producer < 0 && t->real)
        tgs_model_reals(b, x, t->real, t->literal);
    if (listed(m->input, m->inputs, tensor))
        tgs_model_input(b, x);
    else if (t->producer < 0)
        tgs_model_stored(b, x, t->init);
    if (t->samples)
        tgs_model_samples(b, x, t->samples - 1);
    return b->status ? (int32_t)b->status : x;
}

int32_t tgs_model_adopt(tgs_model_builder *b, const tgs_model_view *m, int32_t tensor)
{
    return adopt(b, m, -1, tensor);
}

tgs_status tgs_model_adopt_times(tgs_model_builder *b, const tgs_model_view *m, const int32_t *op)
{
    tgs_status status = b->status;

    for (int32_t i = 0; i < m->times && !status; i++) {
        const tgs_op_time *x = &m->time[i];

        if (op[x->op] < 0)
            continue;
        status = tgs_model_time(b, op[x->op], x->kind, x->forward, x->backward);
        if (!status)
            b->m->time[b->m->v.times - 1].bytes = x->bytes;
    }
    return status;
}

static int32_t adopt_op(tgs_model_builder *b, const tgs_model_view *m, int32_t number, int32_t op)
{
    const tgs_op *o = &m->op[op];
    prefixed p;
    int32_t *x = tgs_mem_alloc((size_t)o->inputs + (size_t)o->outputs, sizeof *x), to;

    if (!x)
        return (int32_t)tgs_i_model_fail(b, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < o->inputs + o->outputs; i++) {
        const int32_t t = i < o->inputs ? o->input[i] : o->output[i - o->inputs];

        x[i] = t < 0 ? -1 : adopt(b, m, number, t);
    }
    to = tgs_model_operator(b, prefix(&p, number, o->name), o->type, o->attrs, o->inputs, x,
                            o->outputs, x + o->inputs);
    tgs_mem_free(x);
    return to;
}

int32_t tgs_model_adopt_op(tgs_model_builder *b, const tgs_model_view *m, int32_t op)
{
    return adopt_op(b, m, -1, op);
}

static tgs_status adopt_all(tgs_model_builder *b, const tgs_model_view *m, int32_t number)
{
    int32_t *op = tgs_mem_alloc((size_t)m->ops, sizeof *op);

    if (!op)
        return tgs_i_model_fail(b, TGS_ENOMEM, "out of memory");
    tgs_model_opset(b, m->opset);
    for (int32_t i = 0; i < m->inputs; i++)
        adopt(b, m, number, m->input[i]);
    for (int32_t i = 0; i < m->ops && !b->status; i++)
        op[i] = adopt_op(b, m, number, i);
    for (int32_t i = 0; i < m->outputs && !b->status; i++)
        tgs_model_output(b, adopt(b, m, number, m->output[i]));
    tgs_model_adopt_times(b, m, op);
    tgs_mem_free(op);
    return b->status;
}

tgs_status tgs_model_adopt_all(tgs_model_builder *b, const tgs_model_view *m)
{
    return adopt_all(b, m, -1);
}

tgs_status tgs_model_union(tgs_model **out, const tgs_model *const *m, int32_t count,
                           tgs_error *err)
{
    tgs_model_builder *b = NULL;
    tgs_status status;

    *out = NULL;
    for (int32_t i = 1; i < count; i++)
        if (m[i]->v.opset != m[0]->v.opset)
            return tgs_fail(err, TGS_EINVAL, "%s has operators of version %d, %s of version %d",
                            m[0]->v.name, (int)m[0]->v.opset, m[i]->v.name, (int)m[i]->v.opset);
    status = tgs_model_builder_new(&b, count ? m[0]->v.name : "none", err);
    if (status)
        return status;
    for (int32_t i = 0; i < count && !status; i++)
        status = adopt_all(b, &m[i]->v, i);
    return tgs_model_finish(out, b, err);
}

bool tgs_op_listed(const char *list, const char *name)
{
    for (const char *s = list; *s;) {
        const size_t n = strcspn(s, ",");
        const bool starts = n && s[n - 1] == '*';

        if (starts ? !strncmp(s, name, n - 1) : strlen(name) == n && !memcmp(s, name, n))
            return true;
        s += n + (s[n] == ',');
    }
    return false;
}
