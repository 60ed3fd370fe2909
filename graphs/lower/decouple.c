/* decouple.c -- a backward pass that stays within blocks: where a task reads a gradient that a
 * later block wrote, it reads a stand-in for it, and what nobody reads any more is not computed. */
#include <string.h>
#include "decouple.h"

double tgs_i_elements(const tgs_low_datum *d)
{
    double n = 1;

    for (int32_t i = 0; i < d->rank; i++)
        n *= (double)d->dim[i];
    return n;
}

int32_t tgs_i_layers(const tgs_lowering *l, int32_t *block)
{
    const tgs_model_view *m = l->m;
    int32_t now = 1;
    bool any = false;

    for (int32_t i = 0; i < m->ops; i++) {
        const tgs_op *op = &m->op[m->order[i]];
        bool own = false;

        for (int32_t j = 0; j < op->inputs && !op->folded; j++)
            own |= op->input[j] >= 0 && m->tensor[op->input[j]].role == TGS_ROLE_PARAMETER;
        now += own && any;
        any |= own;
        block[m->order[i]] = now;
    }
    return now;
}

/* ---- who reads across ---------------------------------------------------------------------- */
/* the tensor whose gradient a backward task passes on from: an output of its operator, or the one
 * that a sum is of */
static int32_t tensor_of(const tgs_i_decoupling *d, const tgs_low_task *t, int32_t gradient)
{
    const tgs_model_view *m = d->l->m;

    if (t->op < 0)
        return d->tensor[d->l->access[t->at + t->accesses - 1].datum];
    for (int32_t j = 0; j < m->op[t->op].outputs; j++) {
        const int32_t tensor = m->op[t->op].output[j];

        if (tensor >= 0 && tgs_low_gradient(d->l, tensor) == gradient)
            return tensor;
    }
    return -1;
}

/* the block that a backward task belongs to: of its operator, or of that whose gradients it sums; 0
 * none */
static int32_t block_of(const tgs_i_decoupling *d, const tgs_low_task *t)
{
    const tgs_model_view *m = d->l->m;
    int32_t tensor;

    if (t->phase != TGS_PHASE_BACKWARD || t->dropped)
        return 0;
    if (t->op >= 0)
        return d->block[t->op];
    tensor = d->tensor[d->l->access[t->at + t->accesses - 1].datum];
    return tensor >= 0 && m->tensor[tensor].producer >= 0 ? d->block[m->tensor[tensor].producer]
                                                          : 0;
}

static void look(tgs_i_decoupling *d)
{
    tgs_lowering *l = d->l;

    memset(d->writer, -1, (size_t)d->data * sizeof *d->writer);
    memset(d->tensor, -1, (size_t)d->data * sizeof *d->tensor);
    memset(d->stand_in, -1, (size_t)d->data * sizeof *d->stand_in);
    memset(d->signals, -1, (size_t)l->m->tensors * sizeof *d->signals);
    for (int32_t i = 0; i < d->tasks; i++)
        for (int32_t a = l->task[i].at; a < l->task[i].at + l->task[i].accesses; a++)
            if (l->access[a].mode != TGS_R && !l->task[i].dropped)
                d->writer[l->access[a].datum] = i;
    for (int32_t t = 0; t < l->m->tensors; t++) {
        const int32_t g = l->m->tensor[t].producer >= 0 ? tgs_low_gradient(l, t) : TGS_LOW_NONE;

        if (g >= 0 && g < d->data)
            d->tensor[g] = t;
    }
    for (int32_t i = 0; i < d->tasks; i++)
        d->of_task[i] = block_of(d, &l->task[i]);
}

/* ---- the backward pass --------------------------------------------------------------------- */
/* what task reads as gradient g, which may be a stand-in: a status below 0 has its text */
static int32_t read(tgs_i_decoupling *d, int32_t task, int32_t g, tgs_error *err)
{
    const int32_t w = g < d->data ? d->writer[g] : -1;
    int32_t tensor, now;

    if (w < 0 || d->of_task[w] <= d->of_task[task])
        return g;
    tensor = tensor_of(d, &d->l->task[task], g);
    if (tensor < 0)
        return g;
    now = tgs_i_signal_for(d, g, tensor);
    if (now == TGS_ENOTAPPLICABLE)
        tgs_fail(err, TGS_ENOTAPPLICABLE, "%s: tensor '%s' has not as many rows as the output",
                 d->who, d->l->m->tensor[tensor].name);
    else if (now < 0)
        tgs_fail(err, TGS_ENOMEM, "%s: out of memory", d->who);
    return now;
}

/* a backward task is written again, behind what makes its stand-ins */
static tgs_status rewrite(tgs_i_decoupling *d, int32_t task, tgs_error *err)
{
    tgs_lowering *l = d->l;
    const int32_t at = l->task[task].at, accesses = l->task[task].accesses;
    tgs_low_task t;

    for (int32_t a = at; d->of_task[task] && a < at + accesses; a++)
        if (l->access[a].mode == TGS_R) {
            const int32_t now = read(d, task, l->access[a].datum, err);

            if (now < 0)
                return (tgs_status)now;
            l->access[a].datum = now;
        }
    t = l->task[task];
    l->task[task].dropped = true;
    if (tgs_low_add_task(l, &t) < 0)
        return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", d->who);
    for (int32_t a = at; a < at + accesses; a++) {
        const tgs_low_access x = l->access[a];

        if (tgs_low_add_access(l, x.datum, (tgs_mode)x.mode))
            return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", d->who);
    }
    return TGS_OK;
}

/* backward tasks that write only what nobody reads, and no gradient of a parameter */
static tgs_status drop(tgs_lowering *l)
{
    int32_t *readers = tgs_mem_alloc((size_t)l->data, sizeof *readers);

    if (!readers)
        return TGS_ENOMEM;
    for (int64_t i = 0; i < l->tasks; i++)
        for (int32_t a = l->task[i].at; a < l->task[i].at + l->task[i].accesses; a++)
            readers[l->access[a].datum] += l->access[a].mode != TGS_W && !l->task[i].dropped;
    for (int64_t i = l->tasks - 1; i >= 0; i--) {
        tgs_low_task *t = &l->task[i];
        bool used = t->dropped || t->phase != TGS_PHASE_BACKWARD;

        for (int32_t a = t->at; a < t->at + t->accesses && !used; a++) {
            const tgs_low_datum *x = &l->datum[l->access[a].datum];

            used = l->access[a].mode != TGS_R
                   && (readers[l->access[a].datum] || x->reduced || x->persistent);
        }
        for (int32_t a = t->at; a < t->at + t->accesses && !used; a++)
            readers[l->access[a].datum] -= l->access[a].mode != TGS_W;
        t->dropped |= !used;
    }
    tgs_mem_free(readers);
    return TGS_OK;
}

tgs_status tgs_i_decouple(tgs_lowering *l, const int32_t *block, tgs_i_signal signal,
                          const char *who, tgs_error *err)
{
    tgs_i_decoupling d = {
        .l = l, .block = block, .signal = signal, .who = who, .tasks = l->tasks, .data = l->data};
    tgs_status status = TGS_ENOMEM;

    d.writer = tgs_mem_alloc((size_t)l->data, sizeof *d.writer);
    d.tensor = tgs_mem_alloc((size_t)l->data, sizeof *d.tensor);
    d.stand_in = tgs_mem_alloc((size_t)l->data, sizeof *d.stand_in);
    d.signals = tgs_mem_alloc((size_t)l->m->tensors, sizeof *d.signals);
    d.instead = tgs_mem_alloc((size_t)l->m->tensors, sizeof *d.instead);
    d.of_task = tgs_mem_alloc((size_t)l->tasks, sizeof *d.of_task);
    if (d.writer && d.tensor && d.stand_in && d.signals && d.instead && d.of_task) {
        look(&d);
        status = TGS_OK;
        for (int32_t i = 0; i < d.tasks && !status; i++)
            if (l->task[i].phase == TGS_PHASE_BACKWARD && !l->task[i].dropped)
                status = rewrite(&d, i, err);
        if (!status && (tgs_i_signal_keep(&d) || drop(l)))
            status = tgs_fail(err, TGS_ENOMEM, "%s: out of memory", who);
    } else
        tgs_fail(err, status, "%s: out of memory", who);
    tgs_mem_free(d.writer);
    tgs_mem_free(d.tensor);
    tgs_mem_free(d.stand_in);
    tgs_mem_free(d.signals);
    tgs_mem_free(d.instead);
    tgs_mem_free(d.of_task);
    return status;
}
