/* modelbatch.c -- a model at another batch: the axes of its inputs along which samples run get the
 * new size, and every shape is inferred again.  Whatever the first model computed from shapes
 * follows by itself.  A Reshape whose target is a constant does not: its dimension that holds the
 * samples is found by their place in row-major order, which a Reshape keeps.  In the end each
 * dimension is what it was or grew as the batch did; all else is refused.  O(model). */
#include <string.h>
#include "modelimpl.h"

struct tgs_i_rebatch {
    const tgs_model *old;
    int64_t batch, wanted; /* samples before and after */
    int64_t from, to;      /* the same without their common divisors */
    bool *outer;           /* [tensors of old] samples come first in row-major order */
};

static int64_t divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* the axis in which two shapes of a tensor differ; -1 none, -2 several */
static int32_t grown(const tgs_tensor *x, const tgs_tensor *y)
{
    int32_t axis = -1;

    for (int32_t i = 0; i < x->rank; i++)
        if (x->dim[i] != y->dim[i])
            axis = axis == -1 ? i : -2;
    return axis;
}

/* ---- constants of Reshape ------------------------------------------------------------------ */
/* May dimension j of the target hold the samples?  They come after `before` outer elements, in an
 * axis of `size`; j comes after `done` of them. */
static bool may_hold(const struct tgs_i_rebatch *r, int64_t before, int64_t size, int64_t done,
                     int64_t dim)
{
    if (dim == 1 && size > 1) /* of a batch of one */
        return r->batch == 1 && before <= done && done < before * size;
    if (size == 1)
        return dim == 1 ? done == before : done <= before && before <= done * dim;
    return done < before * size && before < done * dim;
}

/* the dimension of y that holds the samples of x's axis, -1 when several may */
static int32_t find_place(const struct tgs_i_rebatch *r, const tgs_tensor *x, int32_t axis,
                          bool outer, const tgs_tensor *y)
{
    int32_t found[3] = {-1, -1, -1}, count[3] = {0, 0, 0}; /* any, a 1, a whole batch */
    int64_t before = 1, done = 1;

    for (int32_t i = 0; i < axis; i++)
        before *= x->dim[i];
    for (int32_t j = 0; j < y->rank; done *= y->dim[j++]) {
        const int64_t dim = y->dim[j];

        if (!may_hold(r, before, x->dim[axis], done, dim))
            continue;
        if (outer)
            return dim % r->from ? -1 : j;
        if (dim % r->from)
            continue;
        for (int k = 0; k < 3; k++)
            if (k == 0 || dim == (k == 1 ? 1 : r->batch)) {
                found[k] = j;
                count[k]++;
            }
    }
    if (x->dim[axis] == 1 && count[1])
        return count[1] == 1 ? found[1] : -1;
    return count[0] == 1 ? found[0] : count[2] == 1 ? found[2] : -1;
}

/* a constant of this node alone */
static tgs_status give_shape(tgs_model_builder *b, tgs_op *op, int32_t rank, const int64_t *dim)
{
    tgs_model *m = b->m;
    int32_t *input = tgs_i_pool_copy(m->pool, op->input, (size_t)op->inputs * sizeof *input);
    const int64_t one = rank;
    char name[512];
    tgs_tensor *t;

    if (!input)
        return tgs_i_model_fail(b, TGS_ENOMEM, "out of memory");
    snprintf(name, sizeof name, "%.480s.shape", op->name);
    for (int32_t i = 0; tgs_i_names_get(&b->tensors, &b->arena, name) >= 0; i++)
        snprintf(name, sizeof name, "%.480s.shape~%d", op->name, (int)i);
    input[1] = tgs_model_tensor(b, name);
    m->v.tensor = m->tensor; /* it may have moved */
    if (tgs_model_shape(b, input[1], TGS_I64, 1, &one) || tgs_model_stored(b, input[1], NULL)
        || tgs_model_integers(b, input[1], dim))
        return b->status;
    t = &m->tensor[input[1]];
    t->role = TGS_ROLE_CONSTANT;
    t->uses = 1;
    m->tensor[op->input[1]].uses--;
    op->input = input;
    return TGS_OK;
}

/* the attribute that counts samples: what stands before its value, the new one, the rest */
static tgs_status grow_attr(tgs_model_builder *b, tgs_op *op)
{
    const struct tgs_i_rebatch *r = b->again;
    const size_t n = strlen(op->rule->grows), size = strlen(op->attrs) + 32;
    const int64_t value = tgs_attr_int(op->attrs, op->rule->grows, 0);
    const char *at = op->attrs;
    char *text;

    if (value == 0)
        return TGS_OK;
    if (value % r->from || value / r->from > INT64_MAX / r->to)
        return tgs_i_model_fail(
            b, TGS_ENOTAPPLICABLE, "node '%s' (%s): its %s of %lld does not follow a batch of %lld",
            op->name, op->type, op->rule->grows, (long long)value, (long long)r->wanted);
    while (strncmp(at, op->rule->grows, n) || at[n] != '=')
        at += strcspn(at, " ") + 1;
    at += n + 1;
    text = tgs_i_pool_get(b->m->pool, size);
    if (!text)
        return tgs_i_model_fail(b, TGS_ENOMEM, "out of memory");
    snprintf(text, size, "%.*s%lld%s", (int)(at - op->attrs), op->attrs,
             (long long)(value / r->from * r->to), at + strcspn(at, " "));
    op->attrs = text;
    return TGS_OK;
}

static tgs_status fix_reshape(tgs_model_builder *b, tgs_op *op)
{
    const struct tgs_i_rebatch *r = b->again;
    const tgs_tensor *old = r->old->tensor, *now = b->m->tensor, *y;
    int64_t dim[TGS_MODEL_RANK];
    int32_t x, shape, axis, place = -1;

    if (op->inputs < 2 || op->input[0] < 0 || op->input[1] < 0)
        return TGS_OK;
    x = op->input[0];
    shape = op->input[1];
    axis = grown(&old[x], &now[x]);
    if (!now[shape].value || axis == -1 || tgs_elements(&old[x]) == 0
        || memcmp(now[shape].value, old[shape].value,
                  (size_t)tgs_elements(&now[shape]) * sizeof *dim))
        return TGS_OK; /* what was computed from shapes has followed them */
    y = &old[op->output[0]];
    if (axis >= 0)
        place = find_place(r, &old[x], axis, r->outer[x], y);
    if (place < 0 || y->dim[place] / r->from > INT64_MAX / r->to)
        return tgs_i_model_fail(b, TGS_ENOTAPPLICABLE,
                                "node '%s' (%s): its constant shape does not say where a batch of "
                                "%lld would be",
                                op->name, op->type, (long long)r->wanted);
    for (int32_t i = 0; i < y->rank; i++)
        dim[i] = i == place ? y->dim[i] / r->from * r->to : y->dim[i];
    return give_shape(b, op, y->rank, dim);
}

bool tgs_i_rebatch_opaque(const tgs_model_builder *b, int32_t op)
{
    return b->again->old->op[op].opaque;
}

tgs_status tgs_i_rebatch_before(tgs_model_builder *b, tgs_op *op)
{
    if (op->rule->grows)
        return grow_attr(b, op);
    return strcmp(op->type, "Reshape") ? TGS_OK : fix_reshape(b, op);
}

/* ---- what became of a node ----------------------------------------------------------------- */
static bool follows(const struct tgs_i_rebatch *r, const tgs_tensor *x, const tgs_tensor *y)
{
    if (x->rank != y->rank)
        return false;
    for (int32_t i = 0; i < x->rank; i++)
        if (x->dim[i] != y->dim[i]
            && (x->dim[i] % r->from || y->dim[i] % r->to
                || x->dim[i] / r->from != y->dim[i] / r->to))
            return false;
    return true;
}

/* Samples come first in y when they do in all it is made of, no axis of y before theirs is longer
 * than 1, and no operator joined them with something else (Reshape keeps the order whatever it
 * joins). */
static bool stays_outer(const struct tgs_i_rebatch *r, const tgs_model *m, const tgs_op *op,
                        int32_t y)
{
    const tgs_tensor *old = r->old->tensor;
    const int32_t axis = grown(&old[y], &m->tensor[y]);

    for (int32_t i = 0; i < axis; i++)
        if (old[y].dim[i] != 1)
            return false;
    for (int32_t j = 0; axis >= 0 && j < op->inputs; j++) {
        const int32_t x = op->input[j];
        const int32_t own = x < 0 || x >= r->old->v.tensors ? -1 : grown(&old[x], &m->tensor[x]);

        if (own == -2
            || (own >= 0
                && (!r->outer[x]
                    || (old[x].dim[own] != old[y].dim[axis] && strcmp(op->type, "Reshape")))))
            return false;
    }
    return axis >= 0;
}

tgs_status tgs_i_rebatch_after(tgs_model_builder *b, const tgs_op *op)
{
    const struct tgs_i_rebatch *r = b->again;
    bool in = false, out = false;

    for (int32_t j = 0; j < op->inputs; j++)
        if (op->input[j] >= 0 && op->input[j] < r->old->v.tensors)
            in |= grown(&r->old->tensor[op->input[j]], &b->m->tensor[op->input[j]]) != -1;
    for (int32_t j = 0; j < op->outputs; j++) {
        const int32_t y = op->output[j];

        if (y < 0)
            continue;
        if (!follows(r, &r->old->tensor[y], &b->m->tensor[y]))
            return tgs_i_model_fail(b, TGS_ENOTAPPLICABLE,
                                    "node '%s' (%s): its output does not follow a batch of %lld",
                                    op->name, op->type, (long long)r->wanted);
        out |= grown(&r->old->tensor[y], &b->m->tensor[y]) != -1;
        r->outer[y] = stays_outer(r, b->m, op, y);
    }
    if (op->rule->opaque && in && !out)
        return tgs_i_model_fail(b, TGS_ENOTAPPLICABLE,
                                "node '%s' (%s): its sizes are known for a batch of %lld only",
                                op->name, op->type, (long long)r->batch);
    return TGS_OK;
}

/* ---- the model once more ------------------------------------------------------------------- */
/* its shape if it is given, not computed */
static void copy_tensor(tgs_model_builder *b, const struct tgs_i_rebatch *r, int32_t i)
{
    const tgs_tensor *t = &r->old->tensor[i];
    const int32_t to = tgs_model_tensor(b, t->name);
    const bool opaque = t->producer >= 0 && r->old->op[t->producer].rule->opaque;
    /* nobody can say how an operator outside the table grows: its rows are taken for samples */
    const int32_t axis = opaque && t->rank > 0 && t->dim[0] == r->batch ? 1 : t->samples;
    int64_t dim[TGS_MODEL_RANK];

    if (t->producer >= 0 && !opaque)
        return;
    for (int32_t k = 0; k < t->rank; k++)
        dim[k] = t->dim[k];
    if (axis > 0)
        dim[axis - 1] = r->wanted;
    tgs_model_shape(b, to, t->dtype, t->rank, dim);
    if (t->value && t->producer < 0)
        tgs_model_integers(b, to, t->value);
    if (t->real && t->producer < 0)
        tgs_model_reals(b, to, t->real, t->literal);
    r->outer[i] = axis == 1;
}

static void copy_roles(tgs_model_builder *b, const tgs_model *m)
{
    bool given;

    for (int32_t i = 0; i < m->v.inputs; i++) {
        tgs_model_input(b, m->input[i]);
        if (m->tensor[m->input[i]].samples)
            tgs_model_samples(b, m->input[i], m->tensor[m->input[i]].samples - 1);
    }
    for (int32_t i = 0; i < m->v.outputs; i++)
        tgs_model_output(b, m->output[i]);
    for (int32_t i = 0; i < m->v.tensors && !b->status; i++) {
        given = b->told[i] & TGS_I_IS_INPUT;
        if (m->tensor[i].producer < 0 && (!given || m->tensor[i].role != TGS_ROLE_INPUT))
            tgs_model_stored(b, i, m->tensor[i].init);
    }
}

/* a layer's seconds and bytes are taken to grow as the batch does */
static void copy_times(tgs_model_builder *b, const struct tgs_i_rebatch *r)
{
    const double ratio = (double)r->wanted / (double)r->batch;

    for (int32_t i = 0; i < r->old->v.times; i++) {
        const tgs_op_time *t = &r->old->time[i];

        if (!tgs_model_time(b, t->op, t->kind, t->forward * ratio, t->backward * ratio))
            b->m->time[i].bytes = t->bytes * ratio;
    }
}

static tgs_status copy(tgs_model_builder *b, const struct tgs_i_rebatch *r)
{
    const tgs_model *m = r->old;

    tgs_model_opset(b, m->v.opset);
    for (int32_t i = 0; i < m->v.tensors && !b->status; i++)
        copy_tensor(b, r, i);
    for (int32_t i = 0; i < m->v.ops && !b->status; i++) {
        const tgs_op *op = &m->op[i];

        tgs_model_operator(b, op->name, op->type, op->attrs, op->inputs, op->input, op->outputs,
                           op->output);
    }
    copy_roles(b, m);
    copy_times(b, r);
    return b->status;
}

/* something must come out for each sample */
static tgs_status look(const tgs_model *m, const struct tgs_i_rebatch *r, tgs_error *err)
{
    const int32_t y = m->v.outputs ? m->output[0] : -1;
    const int32_t producer = y < 0 ? -1 : m->tensor[y].producer;

    if (r->from == r->to)
        return TGS_OK;
    for (int32_t i = 0; i < m->v.outputs; i++)
        if (grown(&r->old->tensor[m->output[i]], &m->tensor[m->output[i]]) != -1)
            return TGS_OK;
    return tgs_fail(err, TGS_ENOTAPPLICABLE, "%s: node '%s': no output follows a batch of %lld",
                    m->v.name, producer < 0 ? "" : m->op[producer].name, (long long)r->wanted);
}

static tgs_status build(tgs_model **out, struct tgs_i_rebatch *r, tgs_error *err)
{
    tgs_model_builder *b = NULL;
    tgs_error local = {TGS_OK, ""};
    tgs_status status = tgs_model_builder_new(&b, r->old->v.name, err);

    if (!status) {
        b->again = r;
        copy(b, r);
        status = tgs_model_finish(out, b, &local);
        if (status)
            tgs_fail(err, status, "%s: %s", r->old->v.name, local.text);
    }
    if (!status)
        status = look(*out, r, err);
    if (status) {
        tgs_model_free(*out);
        *out = NULL;
    }
    return status;
}

tgs_status tgs_model_rebatch(tgs_model **out, const tgs_model *m, int64_t batch, tgs_error *err)
{
    const int64_t now = tgs_i_model_batch(&m->v), common = divisor(now, batch);
    struct tgs_i_rebatch r = {m, now, batch, 0, 0, NULL};
    tgs_status status;

    *out = NULL;
    if (batch < 1 || batch > INT32_MAX)
        return tgs_fail(err, TGS_EINVAL, "a batch of %lld samples", (long long)batch);
    if (now < 1)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "%s: no input says along which axis samples run",
                        m->v.name);
    for (int32_t i = 0; i < m->v.ops; i++)
        if (!strcmp(m->op[i].type, "tgsched.Layer"))
            return tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "%s: layer '%s' is known for one batch only, that of its profile",
                            m->v.name, m->op[i].name);
    r.from = now / common;
    r.to = batch / common;
    r.outer = tgs_mem_alloc((size_t)m->v.tensors, sizeof *r.outer);
    if (!r.outer)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    status = build(out, &r, err);
    tgs_mem_free(r.outer);
    return status;
}
