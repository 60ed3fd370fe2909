/* model.c -- a model being written, read from a file, and freed. */
#include <stdarg.h>
#include <string.h>
#include "modelimpl.h"

tgs_status tgs_i_model_fail(tgs_model_builder *b, tgs_status s, const char *format, ...)
{
    if (!b->status) {
        va_list args;

        va_start(args, format);
        vsnprintf(b->text, sizeof b->text, format, args);
        va_end(args);
        b->status = s;
    }
    return b->status;
}

static tgs_status no_memory(tgs_model_builder *b)
{
    return tgs_i_model_fail(b, TGS_ENOMEM, "out of memory");
}

tgs_status tgs_model_failed(tgs_model_builder *b, tgs_status s, const char *text)
{
    return tgs_i_model_fail(b, s, "%s", text);
}

tgs_status tgs_model_builder_new(tgs_model_builder **out, const char *name, tgs_error *err)
{
    tgs_model_builder *b = tgs_mem_alloc(1, sizeof *b);

    *out = NULL;
    if (b)
        b->m = tgs_mem_alloc(1, sizeof *b->m);
    if (b && b->m)
        b->m->pool = tgs_i_pool_new();
    if (!b || !b->m || !b->m->pool || !(b->m->v.name = tgs_i_pool_text(b->m->pool, name))) {
        tgs_model_builder_free(b);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    b->m->v.opset = 17;
    b->expanding = -1;
    *out = b;
    return TGS_OK;
}

void tgs_model_opset(tgs_model_builder *b, int32_t version)
{
    b->m->v.opset = version;
}

/* a stable copy of name, entered into names with this value */
static const char *enter(tgs_model_builder *b, tgs_i_names *names, const char *name, int32_t value)
{
    const int32_t at = tgs_i_arena_add(&b->arena, name);
    const char *copy = at > 0 ? tgs_i_pool_text(b->m->pool, name) : NULL;

    if (!copy || tgs_i_names_put(names, &b->arena, at, value))
        return NULL;
    return copy;
}

int32_t tgs_model_tensor(tgs_model_builder *b, const char *name)
{
    tgs_model *m = b->m;
    const int32_t n = m->v.tensors, known = tgs_i_names_get(&b->tensors, &b->arena, name);
    tgs_tensor *t;

    if (b->status)
        return b->status;
    if (known >= 0)
        return known;
    if (!*name)
        return tgs_i_model_fail(b, TGS_EINVAL, "a tensor has no name");
    if (n == INT32_MAX - 1 || tgs_mem_grow(&m->tensor, &b->tensor_room, n + 1, sizeof *m->tensor)
        || tgs_mem_grow(&b->told, &b->told_room, n + 1, 1)
        || tgs_mem_grow(&b->hint, &b->hint_room, n + 1, sizeof *b->hint))
        return no_memory(b);
    memset(&b->hint[n], 0, sizeof b->hint[n]);
    b->hint[n].rank = -1;
    t = &m->tensor[n];
    memset(t, 0, sizeof *t);
    b->told[n] = 0;
    t->rank = t->producer = -1;
    t->name = enter(b, &b->tensors, name, n);
    if (!t->name)
        return no_memory(b);
    m->v.tensors++;
    return n;
}

/* the tensor, or NULL after a failure is remembered */
static tgs_tensor *at(tgs_model_builder *b, int32_t tensor)
{
    if (b->status)
        return NULL;
    if (tensor < 0 || tensor >= b->m->v.tensors) {
        tgs_i_model_fail(b, TGS_EINVAL, "there is no tensor %d", (int)tensor);
        return NULL;
    }
    return &b->m->tensor[tensor];
}

tgs_status tgs_model_shape(tgs_model_builder *b, int32_t tensor, tgs_dtype dtype, int32_t rank,
                           const int64_t *dims)
{
    tgs_tensor *t = at(b, tensor);
    double elements = 1;

    if (!t)
        return b->status;
    if (rank < 0 || rank > TGS_MODEL_RANK)
        return tgs_i_model_fail(b, TGS_ENOTAPPLICABLE, "tensor '%s' has %d dimensions (limit %d)",
                                t->name, (int)rank, TGS_MODEL_RANK);
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] < 0)
            return tgs_i_model_fail(b, TGS_EINVAL, "tensor '%s': dimension %d is %lld", t->name,
                                    (int)i, (long long)dims[i]);
        elements *= (double)dims[i];
    }
    if (elements > 0x1p50)
        return tgs_i_model_fail(b, TGS_EINVAL, "tensor '%s' has more than 2^50 elements", t->name);
    t->dtype = dtype;
    t->dim = tgs_i_pool_copy(b->m->pool, dims, (size_t)rank * sizeof *dims);
    if (!t->dim)
        return no_memory(b);
    t->rank = rank;
    return TGS_OK;
}

static tgs_status list(tgs_model_builder *b, int32_t tensor, int flag, int32_t **array,
                       int64_t *room, int32_t *count)
{
    const tgs_tensor *t = at(b, tensor);

    if (!t)
        return b->status;
    if (b->told[tensor] & flag)
        return tgs_i_model_fail(b, TGS_EINVAL, "tensor '%s' is listed twice", t->name);
    if (tgs_mem_grow(array, room, *count + 1, sizeof **array))
        return no_memory(b);
    (*array)[(*count)++] = tensor;
    b->told[tensor] |= (uint8_t)flag;
    return TGS_OK;
}

tgs_status tgs_model_input(tgs_model_builder *b, int32_t tensor)
{
    return list(b, tensor, TGS_I_IS_INPUT, &b->m->input, &b->input_room, &b->m->v.inputs);
}

tgs_status tgs_model_output(tgs_model_builder *b, int32_t tensor)
{
    const tgs_status status =
        list(b, tensor, TGS_I_IS_OUTPUT, &b->m->output, &b->output_room, &b->m->v.outputs);

    if (!status && b->expanding >= 0) /* the others are counted when all is told */
        b->m->tensor[tensor].uses++;
    return status;
}

tgs_status tgs_model_stored(tgs_model_builder *b, int32_t tensor, const char *init)
{
    tgs_tensor *t = at(b, tensor);

    if (!t)
        return b->status;
    if (b->told[tensor] & TGS_I_IS_STORED)
        return tgs_i_model_fail(b, TGS_EINVAL, "tensor '%s' is stored twice", t->name);
    b->told[tensor] |= TGS_I_IS_STORED;
    t->init = init ? tgs_i_pool_text(b->m->pool, init) : NULL;
    return init && !t->init ? no_memory(b) : TGS_OK;
}

tgs_status tgs_model_samples(tgs_model_builder *b, int32_t input, int32_t axis)
{
    tgs_tensor *t = at(b, input);

    if (!t)
        return b->status;
    if (axis < 0 || axis >= TGS_MODEL_RANK)
        return tgs_i_model_fail(b, TGS_EINVAL, "input '%s' has no axis %d", t->name, (int)axis);
    t->samples = axis + 1;
    return TGS_OK;
}

/* how many values a tensor has; -1 and a failure when they are too many or its shape is unknown */
static int64_t count_values(tgs_model_builder *b, const tgs_tensor *t)
{
    if (t->rank >= 0 && tgs_elements(t) <= TGS_MODEL_VALUES)
        return (int64_t)tgs_elements(t);
    tgs_i_model_fail(b, TGS_EINVAL, "tensor '%s' cannot have known values", t->name);
    return -1;
}

tgs_status tgs_model_integers(tgs_model_builder *b, int32_t tensor, const int64_t *value)
{
    tgs_tensor *t = at(b, tensor);
    const int64_t n = t ? count_values(b, t) : -1;

    if (n < 0)
        return b->status;
    t->value = tgs_i_pool_copy(b->m->pool, value, (size_t)n * sizeof *value);
    return t->value ? TGS_OK : no_memory(b);
}

tgs_status tgs_model_reals(tgs_model_builder *b, int32_t tensor, const double *value, bool literal)
{
    tgs_tensor *t = at(b, tensor);
    const int64_t n = t ? count_values(b, t) : -1;

    if (n < 0)
        return b->status;
    t->real = tgs_i_pool_copy(b->m->pool, value, (size_t)n * sizeof *value);
    t->literal = literal;
    return t->real ? TGS_OK : no_memory(b);
}

/* a name that no operator has yet: the wanted one, else that of an output, else with a number */
static const char *own_name(tgs_model_builder *b, const char *wanted, const char *output,
                            int32_t value)
{
    char text[512];
    const char *base = wanted && *wanted ? wanted : output;

    if (tgs_i_names_get(&b->ops, &b->arena, base) < 0)
        return enter(b, &b->ops, base, value);
    for (int32_t i = value;; i++) { /* from its index on: many equal names cost no search */
        snprintf(text, sizeof text, "%.480s#%d", base, (int)i);
        if (tgs_i_names_get(&b->ops, &b->arena, text) < 0)
            return enter(b, &b->ops, text, value);
    }
}

int32_t tgs_model_operator(tgs_model_builder *b, const char *name, const char *type,
                           const char *attrs, int32_t inputs, const int32_t *input, int32_t outputs,
                           const int32_t *output)
{
    tgs_model *m = b->m;
    const int32_t n = m->v.ops;
    const char *first = "node";
    tgs_op *op;

    if (b->status)
        return b->status;
    for (int32_t i = 0; i < inputs + outputs; i++) {
        const int32_t t = i < inputs ? input[i] : output[i - inputs];

        if (t >= 0 && !at(b, t))
            return b->status;
        if (i >= inputs && t >= 0 && !strcmp(first, "node"))
            first = m->tensor[t].name;
    }
    if (n == INT32_MAX - 1 || tgs_mem_grow(&m->op, &b->op_room, n + 1, sizeof *m->op)
        || tgs_mem_grow(&b->deferred, &b->deferred_room, n + 1, 1))
        return no_memory(b);
    b->deferred[n] = 0;
    op = &m->op[n];
    memset(op, 0, sizeof *op);
    op->name = own_name(b, name, first, n);
    op->type = tgs_i_pool_text(m->pool, type);
    op->attrs = tgs_i_pool_text(m->pool, attrs ? attrs : "");
    op->input = tgs_i_pool_copy(m->pool, input, (size_t)inputs * sizeof *input);
    op->output = tgs_i_pool_copy(m->pool, output, (size_t)outputs * sizeof *output);
    if (!op->name || !op->type || !op->attrs || !op->input || !op->output)
        return no_memory(b);
    op->inputs = inputs;
    op->outputs = outputs;
    m->v.ops++;
    return n;
}

tgs_status tgs_model_time(tgs_model_builder *b, int32_t op, const char *kind, double forward,
                          double backward)
{
    tgs_model *m = b->m;
    tgs_op_time t = {op, NULL, forward, backward, NAN};

    if (b->status)
        return b->status;
    if (op < 0 || op >= m->v.ops)
        return tgs_i_model_fail(b, TGS_EINVAL, "there is no operator %d", (int)op);
    if (forward < 0 || backward < 0 || isinf(forward) || isinf(backward))
        return tgs_i_model_fail(b, TGS_EINVAL, "operator '%s': a time that is none",
                                m->op[op].name);
    if ((kind && !(t.kind = tgs_i_pool_text(m->pool, kind)))
        || tgs_mem_grow(&m->time, &m->time_room, m->v.times + 1, sizeof *m->time))
        return no_memory(b);
    m->time[m->v.times++] = t;
    return TGS_OK;
}

tgs_status tgs_model_finish(tgs_model **out, tgs_model_builder *b, tgs_error *err)
{
    tgs_model *m = b->m;
    tgs_status status = b->status;

    *out = NULL;
    if (!status && !m->v.inputs && !m->v.outputs && !m->v.ops)
        status = tgs_i_model_fail(b, TGS_EPARSE, "the model has neither inputs nor outputs");
    tgs_model_so_far(b);
    if (!status)
        status = tgs_i_model_find_samples(b);
    if (!status)
        status = tgs_i_model_infer(b);
    tgs_model_so_far(b);
    if (status)
        tgs_fail(err, status, "%s", b->text);
    else {
        *out = m;
        b->m = NULL;
    }
    tgs_model_builder_free(b);
    return status;
}

void tgs_model_builder_free(tgs_model_builder *b)
{
    if (!b)
        return;
    tgs_model_free(b->m);
    if (b->expander.close)
        b->expander.close(b->expander.user);
    tgs_i_remarks_free(b->remarks);
    tgs_mem_free(b->told);
    tgs_mem_free(b->hint);
    tgs_mem_free(b->deferred);
    tgs_i_arena_free(&b->arena);
    tgs_i_names_free(&b->tensors);
    tgs_i_names_free(&b->ops);
    tgs_mem_free(b);
}

void tgs_model_free(tgs_model *m)
{
    if (!m)
        return;
    tgs_i_pool_free(m->pool);
    tgs_mem_free(m->tensor);
    tgs_mem_free(m->op);
    tgs_mem_free(m->order);
    tgs_mem_free(m->input);
    tgs_mem_free(m->output);
    tgs_mem_free(m->time);
    tgs_mem_free(m);
}

const tgs_model_view *tgs_model_look(const tgs_model *m)
{
    return &m->v;
}
