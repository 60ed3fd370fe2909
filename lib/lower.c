/* lower.c -- a model and a strategy become a graph: the forward pass, edited by each transform. */
#include <stdarg.h>
#include <string.h>
#include "numerals.h"
#include "modelimpl.h"

tgs_status tgs_i_low_new(tgs_lowering **out, const tgs_model_view *m, tgs_error *err)
{
    tgs_lowering *l = tgs_mem_alloc(1, sizeof *l);

    *out = NULL;
    if (l) {
        l->m = m;
        l->loss_tensor = -1;
        l->pool = tgs_i_pool_new();
        l->parts = tgs_i_parts_new(m->tensors);
        l->tensor_datum = tgs_mem_alloc((size_t)m->tensors, sizeof *l->tensor_datum);
    }
    if (!l || !l->pool || !l->parts || !l->tensor_datum) {
        tgs_i_low_free(l);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    for (int32_t i = 0; i < m->tensors; i++)
        l->tensor_datum[i] = -1;
    *out = l;
    return TGS_OK;
}

void tgs_i_low_free(tgs_lowering *l)
{
    if (!l)
        return;
    tgs_mem_free(l->datum);
    tgs_mem_free(l->task);
    tgs_mem_free(l->access);
    tgs_mem_free(l->order);
    tgs_mem_free(l->tensor_datum);
    tgs_i_pool_free(l->pool);
    tgs_i_parts_free(l->parts);
    tgs_i_origin_free(l->origin);
    tgs_mem_free(l);
}

double tgs_i_low_elements(const tgs_low_datum *d)
{
    double n = 1;

    for (int32_t i = 0; i < d->rank; i++)
        n *= (double)d->dim[i];
    return n;
}

tgs_status tgs_i_low_room(tgs_lowering *l, int64_t data, int64_t tasks, int64_t accesses)
{
    return tgs_mem_grow(&l->datum, &l->data_room, data, sizeof *l->datum)
                   || tgs_mem_grow(&l->task, &l->task_room, tasks, sizeof *l->task)
                   || tgs_mem_grow(&l->access, &l->access_room, accesses, sizeof *l->access)
               ? TGS_ENOMEM
               : TGS_OK;
}

double tgs_i_low_bytes(const tgs_lowering *l, const tgs_low_task *t)
{
    double bytes = t->bytes;

    for (int32_t a = t->at; t->bytes == 0 && a < t->at + t->accesses; a++) {
        const tgs_low_datum *d = &l->datum[l->access[a].datum];

        bytes += tgs_i_low_elements(d) * tgs_dtype_size(d->dtype)
                 * (l->access[a].mode == TGS_RW ? 2 : 1);
    }
    return bytes;
}

int32_t tgs_low_add_datum(tgs_lowering *l, const tgs_low_datum *d)
{
    if (!d->name || !d->dim || l->data == INT32_MAX
        || tgs_mem_grow(&l->datum, &l->data_room, l->data + 1, sizeof *d))
        return TGS_ENOMEM;
    l->datum[l->data] = *d;
    return (int32_t)l->data++;
}

int32_t tgs_low_add_task(tgs_lowering *l, const tgs_low_task *t)
{
    if (!t->name || !t->codelet || !t->attrs || l->tasks == INT32_MAX
        || tgs_mem_grow(&l->task, &l->task_room, l->tasks + 1, sizeof *t))
        return TGS_ENOMEM;
    l->task[l->tasks] = *t;
    l->task[l->tasks].at = (int32_t)l->accesses;
    l->task[l->tasks].accesses = 0;
    return (int32_t)l->tasks++;
}

tgs_status tgs_low_add_access(tgs_lowering *l, int32_t datum, tgs_mode mode)
{
    if (datum < 0)
        return (tgs_status)datum; /* of the call that should have made it */
    if (l->accesses == INT32_MAX
        || tgs_mem_grow(&l->access, &l->access_room, l->accesses + 1, sizeof *l->access))
        return TGS_ENOMEM;
    l->access[l->accesses++] = (tgs_low_access){datum, mode};
    l->task[l->tasks - 1].accesses++;
    return TGS_OK;
}

tgs_status tgs_low_add_after(tgs_lowering *l, int32_t before, int32_t after)
{
    if (tgs_mem_grow(&l->order, &l->order_room, l->orders + 1, sizeof *l->order))
        return TGS_ENOMEM;
    l->order[l->orders++] = (tgs_low_order){before, after};
    return TGS_OK;
}

const char *tgs_low_text(tgs_lowering *l, const char *format, ...)
{
    va_list args, again;
    char *text;
    int n;

    va_start(args, format);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, args);
    text = n < 0 ? NULL : tgs_i_pool_get(l->pool, (size_t)n + 1);
    if (text)
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

tgs_status tgs_low_note(tgs_lowering *l, const char *format, ...)
{
    char text[TGS_I_NOTE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    l->note = l->note ? tgs_low_text(l, "%s; %s", l->note, text) : tgs_low_text(l, "%s", text);
    return l->note ? TGS_OK : TGS_ENOMEM;
}

const int64_t *tgs_low_dims(tgs_lowering *l, int32_t rank, const int64_t *dim)
{
    return tgs_i_pool_copy(l->pool, dim, (size_t)rank * sizeof *dim);
}

static tgs_status forward(tgs_lowering *l, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < l->m->ops && !status; i++)
        if (!l->m->op[l->m->order[i]].folded)
            status = tgs_i_low_forward(l, l->m->order[i], err);
    return status;
}

/* the model at this batch (0: its own), rewritten as the strategy says; *out NULL: it is m */
static tgs_status prepare(tgs_model **out, const tgs_model *m, const tgs_strategy *s, int64_t batch,
                          tgs_error *err)
{
    tgs_model *bound = NULL, *rewritten = NULL;
    tgs_status status = TGS_OK;

    *out = NULL;
    if (batch && batch != tgs_i_model_batch(&m->v))
        status = tgs_model_rebatch(&bound, m, batch, err);
    if (!status)
        status = tgs_i_model_rewrite(&rewritten, bound ? &bound->v : &m->v, s, err);
    if (rewritten || status) {
        tgs_model_free(bound);
        bound = NULL;
    }
    *out = rewritten ? rewritten : bound;
    return status;
}

static int64_t batch_of(const tgs_strategy *s)
{
    for (int64_t i = 0; s && i < s->directives; i++)
        if (s->directive[i].transform->batch)
            return s->directive[i].transform->batch(s->directive[i].args);
    return 0;
}

static tgs_status edit(tgs_lowering *l, const tgs_strategy *s, int64_t until, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < until; i++)
        l->apart |= s->directive[i].transform->apart;
    for (int64_t i = 0; i < until && !status; i++) {
        tgs_i_origin_reach(l->origin, i);
        if (s->directive[i].transform->apply)
            status = s->directive[i].transform->apply(l, s->directive[i].args, err);
    }
    return status;
}

static tgs_status open_step(tgs_lowering **out, tgs_model **instead, const tgs_model *m,
                            const tgs_strategy *s, int64_t until, int64_t batch,
                            const tgs_lowering *of, tgs_error *err)
{
    tgs_lowering *l = NULL;
    tgs_status status = prepare(instead, m, s, batch, err);

    *out = NULL;
    if (!status)
        status = tgs_i_low_new(&l, *instead ? &(*instead)->v : &m->v, err);
    if (!status && !(l->origin = tgs_i_origin_new(m, s)))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = forward(l, err);
    if (!status && !l->tasks && s && s->directives)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "%s: nothing is computed: every output is stored or known", m->v.name);
    if (!status) {
        l->share = of ? batch : 0;
        l->like = of ? of->m : NULL;
        status = edit(l, s, until, err);
    }
    if (!status) {
        *out = l;
        return TGS_OK;
    }
    tgs_i_low_free(l);
    tgs_model_free(*instead);
    *instead = NULL;
    return status;
}

tgs_status tgs_i_low_open(tgs_lowering **out, tgs_model **instead, const tgs_model *m,
                          const tgs_strategy *s, tgs_error *err)
{
    return open_step(out, instead, m, s, s ? s->directives : 0, batch_of(s), NULL, err);
}

tgs_status tgs_i_low_part(tgs_lowering **out, tgs_model **instead, const tgs_model *m,
                          const tgs_strategy *s, int64_t until, int64_t samples,
                          const tgs_lowering *of, tgs_error *err)
{
    return open_step(out, instead, m, s, until, samples, of, err);
}

int64_t tgs_low_batch(const tgs_lowering *l)
{
    return tgs_i_model_batch(l->m);
}

/* seconds and bytes of the batch that m was bound to, as those of another; NULL: out of memory */
static tgs_op_time *scaled(const tgs_op_time *time, int32_t times, double ratio)
{
    tgs_op_time *out = tgs_mem_alloc((size_t)times, sizeof *out);

    for (int32_t i = 0; out && i < times; i++) {
        out[i] = time[i];
        out[i].forward *= ratio;
        out[i].backward *= ratio;
        out[i].bytes *= ratio;
    }
    return out;
}

/* may times that were measured of m be used for what is lowered instead, and how much longer? */
static tgs_status take_times(tgs_op_time **out, const tgs_op_time *time, int32_t times,
                             const tgs_model *m, const tgs_model *instead, const tgs_strategy *s,
                             tgs_error *err)
{
    for (int64_t i = 0; s && i < s->directives; i++)
        if (s->directive[i].transform->rewrite)
            return tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "measured times are of the operators of the file, and the strategy "
                            "rewrites the model");
    *out = scaled(time, times,
                  (double)tgs_i_model_batch(&instead->v) / (double)tgs_i_model_batch(&m->v));
    return *out ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
}

tgs_status tgs_i_model_lower(tgs_graph **out, const tgs_model *m, const tgs_strategy *s,
                             const tgs_op_time *more, int32_t times, tgs_error *err)
{
    const locale_t before = tgs_i_numerals_enter(); /* attributes and initial values are text */
    tgs_op_time *longer = NULL;
    tgs_model *instead;
    tgs_lowering *l;
    tgs_builder *b = NULL;
    tgs_status status = tgs_i_low_open(&l, &instead, m, s, err);

    *out = NULL;
    if (!status && instead && times)
        status = take_times(&longer, more, times, m, instead, s, err);
    if (!status)
        status = tgs_i_low_build(&b, l, longer ? longer : more, times, err);
    tgs_i_low_free(l); /* before the graph takes as much memory */
    if (!status)
        status = tgs_builder_finish(out, b, err);
    if (!status)
        status = tgs_i_graph_rewrite(out, s, err);
    tgs_mem_free(longer);
    tgs_model_free(instead);
    tgs_i_numerals_leave(before);
    return status;
}

tgs_status tgs_model_lower(tgs_graph **out, const tgs_model *m, const tgs_strategy *s,
                           tgs_error *err)
{
    return tgs_i_model_lower(out, m, s, NULL, 0, err);
}

tgs_status tgs_model_opaque(const tgs_model *m, int32_t i, const char **name, const char **type)
{
    *name = *type = NULL;
    for (int32_t k = 0; k < m->v.ops; k++) {
        const tgs_op *op = &m->v.op[m->v.order[k]];

        if (op->opaque && i-- == 0) {
            *name = op->name;
            *type = op->type;
            return TGS_OK;
        }
    }
    return TGS_ENOTFOUND;
}

const char *tgs_model_note(const tgs_model *m)
{
    return m->v.note;
}

tgs_status tgs_model_measure(const tgs_model *m, tgs_model_stats *out, tgs_error *err)
{
    tgs_lowering *l = NULL;
    tgs_status status = tgs_i_low_new(&l, &m->v, err);

    memset(out, 0, sizeof *out);
    if (!status)
        status = forward(l, err);
    for (int32_t i = 0; i < m->v.ops && !status; i++)
        out->layers += !m->v.op[i].folded;
    for (int64_t i = 0; !status && i < l->tasks; i++) {
        out->flops_forward += l->task[i].flops;
        out->bytes_forward += tgs_i_low_bytes(l, &l->task[i]);
    }
    for (int32_t i = 0; i < m->v.tensors; i++)
        if (m->v.tensor[i].role == TGS_ROLE_PARAMETER)
            out->parameters += tgs_elements(&m->v.tensor[i]);
    out->tensors = m->v.tensors;
    out->opaque = m->v.opaque;
    out->batch = (double)tgs_i_model_batch(&m->v);
    tgs_i_low_free(l);
    return status;
}
