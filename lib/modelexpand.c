/* modelexpand.c -- operators one after another, in an order in which all that can be known of their
 * inputs is known; those that the reader deferred become others at that moment, which are walked in
 * their place.  O(model), what was expanded included. */
#include <string.h>
#include "modelimpl.h"

static tgs_status no_memory(tgs_model_builder *b)
{
    return tgs_i_model_fail(b, TGS_ENOMEM, "out of memory");
}

/* ---- what a reader tells ------------------------------------------------------------------- */
tgs_status tgs_model_expander(tgs_model_builder *b, const tgs_expander *e)
{
    b->expander = *e;
    return b->status;
}

/* the operator, or NULL after a failure is remembered */
static tgs_op *at(tgs_model_builder *b, int32_t op)
{
    if (b->status)
        return NULL;
    if (op < 0 || op >= b->m->v.ops) {
        tgs_i_model_fail(b, TGS_EINVAL, "there is no operator %d", (int)op);
        return NULL;
    }
    return &b->m->op[op];
}

tgs_status tgs_model_defer(tgs_model_builder *b, int32_t op)
{
    if (at(b, op))
        b->deferred[op] |= TGS_I_OP_DEFERRED;
    return b->status;
}

tgs_status tgs_model_bundle(tgs_model_builder *b, int32_t tensor)
{
    if (!b->status && (tensor < 0 || tensor >= b->m->v.tensors))
        return tgs_i_model_fail(b, TGS_EINVAL, "there is no tensor %d", (int)tensor);
    if (!b->status)
        b->told[tensor] |= TGS_I_IS_BUNDLE;
    return b->status;
}

tgs_status tgs_model_attach(tgs_model_builder *b, int32_t op, int32_t tensor)
{
    tgs_op *o = at(b, op);
    int32_t *input;

    if (!o)
        return b->status;
    if (tensor < 0 || tensor >= b->m->v.tensors)
        return tgs_i_model_fail(b, TGS_EINVAL, "there is no tensor %d", (int)tensor);
    input = tgs_i_pool_get(b->m->pool, ((size_t)o->inputs + 1) * sizeof *input);
    if (!input)
        return no_memory(b);
    memcpy(input, o->input, (size_t)o->inputs * sizeof *input);
    input[o->inputs++] = tensor;
    o->input = input;
    if (op == b->expanding) /* the others were counted when it was sorted */
        b->m->tensor[tensor].uses++;
    return TGS_OK;
}

tgs_status tgs_model_attrs(tgs_model_builder *b, int32_t op, const char *attrs)
{
    tgs_op *o = at(b, op);

    if (o && !(o->attrs = tgs_i_pool_text(b->m->pool, attrs)))
        return no_memory(b);
    return b->status;
}

const tgs_model_view *tgs_model_so_far(tgs_model_builder *b)
{
    tgs_model *m = b->m;

    m->v.tensor = m->tensor;
    m->v.op = m->op;
    m->v.order = m->order;
    m->v.input = m->input;
    m->v.output = m->output;
    m->v.time = m->time;
    return &m->v;
}

/* ---- the walk ------------------------------------------------------------------------------ */
typedef struct walk {
    tgs_model_builder *b;
    int32_t *pending; /* a stack: the next operator on top */
    int64_t pendings, room, orders, order_room;
} walk;

/* the operators from first on, the earliest on top */
static tgs_status push(walk *w, int32_t first)
{
    const int64_t n = w->b->m->v.ops - first;
    int32_t *top;
    tgs_status status;

    if (tgs_mem_grow(&w->pending, &w->room, w->pendings + n, sizeof *w->pending))
        return no_memory(w->b);
    top = w->pending + w->pendings;
    status = tgs_i_model_sort(w->b, first, top);
    for (int64_t i = 0, j = n - 1; i < j && !status; i++, j--) {
        const int32_t swap = top[i];

        top[i] = top[j];
        top[j] = swap;
    }
    w->pendings += n;
    return status;
}

static bool is_deferred(const tgs_model_builder *b, int32_t i)
{
    const tgs_op *op = &b->m->op[i];

    if (b->deferred[i] & TGS_I_OP_DEFERRED)
        return true;
    for (int32_t j = 0; j < op->inputs && b->expander.expand; j++)
        if (op->input[j] >= 0 && b->told[op->input[j]] & TGS_I_IS_BUNDLE)
            return true;
    return false;
}

/* whoever made what it makes: everything it has to make is there */
static tgs_status look_at_outputs(tgs_model_builder *b, const tgs_op *op)
{
    for (int32_t j = 0; j < op->outputs; j++) {
        const int32_t t = op->output[j];

        if (t >= 0 && b->m->tensor[t].producer < 0 && b->m->tensor[t].uses
            && !(b->told[t] & (TGS_I_IS_STORED | TGS_I_IS_BUNDLE)))
            return tgs_i_model_fail(b, TGS_EPARSE, "node '%s' (%s): nothing makes its output '%s'",
                                    op->name, op->type, b->m->tensor[t].name);
    }
    return TGS_OK;
}

/* what an output of an operator that is gone leaves behind when nobody made it */
static void bury(tgs_model_builder *b, const tgs_op *op)
{
    static const int64_t none = 0;

    for (int32_t j = 0; j < op->outputs; j++) {
        const int32_t t = op->output[j];

        if (t >= 0 && b->m->tensor[t].producer < 0 && !(b->told[t] & TGS_I_IS_STORED)) {
            tgs_model_shape(b, t, TGS_BYTES, 1, &none);
            b->told[t] |= TGS_I_IS_STORED;
            b->m->tensor[t].role = TGS_ROLE_CONSTANT;
        }
    }
}

static tgs_status expand(walk *w, int32_t i, bool *instead)
{
    tgs_model_builder *b = w->b;
    const int32_t first = b->m->v.ops, tensors = b->m->v.tensors;
    const tgs_op before = b->m->op[i];
    tgs_status status;

    for (int32_t j = 0; j < before.outputs; j++)
        if (before.output[j] >= 0)
            b->m->tensor[before.output[j]].producer = -1;
    b->expanding = i;
    tgs_model_so_far(b);
    status = b->expander.expand(b->expander.user, b, i, instead);
    b->expanding = -1;
    tgs_model_so_far(b);
    if (b->status || status)
        return b->status ? b->status : tgs_i_model_fail(b, status, "cannot be expanded");
    for (int32_t t = tensors; t < b->m->v.tensors; t++)
        tgs_i_model_give_role(b, t);
    for (int32_t j = 0; j < before.outputs && *instead; j++)
        if (before.output[j] >= 0)
            tgs_i_model_give_role(b, before.output[j]);
    for (int32_t j = 0; j < before.outputs && !*instead; j++)
        if (before.output[j] >= 0)
            b->m->tensor[before.output[j]].producer = i;
    for (int32_t j = 0; j < before.inputs && *instead; j++)
        if (before.input[j] >= 0)
            b->m->tensor[before.input[j]].uses--;
    b->deferred[i] = *instead ? TGS_I_OP_GONE : 0;
    status = push(w, first);
    if (!status && *instead)
        status = look_at_outputs(b, &before);
    if (!status && *instead)
        bury(b, &before);
    return status ? status : b->status;
}

static tgs_status visit(walk *w, int32_t i)
{
    tgs_model *m = w->b->m;
    bool instead = false;
    tgs_status status = is_deferred(w->b, i) ? expand(w, i, &instead) : TGS_OK;

    if (status || instead)
        return status;
    if (tgs_mem_grow(&m->order, &w->order_room, w->orders + 1, sizeof *m->order))
        return no_memory(w->b);
    m->order[w->orders++] = i;
    return tgs_i_model_shape_op(w->b, i);
}

/* operators that became others leave the arrays; now[i]: where the others are */
static void close_ranks(tgs_model_builder *b, int32_t *now, int64_t orders)
{
    tgs_model *m = b->m;
    int32_t kept = 0;

    for (int32_t i = 0; i < m->v.ops; i++) {
        now[i] = b->deferred[i] & TGS_I_OP_GONE ? -1 : kept;
        if (now[i] >= 0)
            m->op[kept++] = m->op[i];
    }
    for (int64_t i = 0; i < orders; i++)
        m->order[i] = now[m->order[i]];
    for (int32_t t = 0; t < m->v.tensors; t++)
        if (m->tensor[t].producer >= 0)
            m->tensor[t].producer = now[m->tensor[t].producer];
    for (int32_t i = 0; i < m->v.times; i++)
        m->time[i].op = now[m->time[i].op];
    m->v.ops = kept;
}

static tgs_status look_at_shapes(tgs_model_builder *b)
{
    const tgs_model *m = b->m;

    for (int32_t t = 0; t < m->v.tensors; t++)
        if (m->tensor[t].rank < 0 && m->tensor[t].producer < 0 && !(b->told[t] & TGS_I_IS_BUNDLE))
            return tgs_i_model_fail(b, TGS_EINVAL, "tensor '%s' has no shape", m->tensor[t].name);
    return TGS_OK;
}

tgs_status tgs_i_model_walk(tgs_model_builder *b)
{
    walk w = {.b = b};
    int32_t *now = NULL;
    tgs_status status = push(&w, 0);

    if (!status)
        status = look_at_shapes(b);
    while (!status && w.pendings)
        status = visit(&w, w.pending[--w.pendings]);
    if (!status && w.orders < b->m->v.ops) {
        now = tgs_mem_alloc((size_t)b->m->v.ops, sizeof *now);
        if (now)
            close_ranks(b, now, w.orders);
        else
            status = no_memory(b);
    }
    if (!status && !b->m->order && !(b->m->order = tgs_mem_alloc(0, sizeof *b->m->order)))
        status = no_memory(b);
    tgs_model_so_far(b);
    tgs_mem_free(now);
    tgs_mem_free(w.pending);
    return status;
}
