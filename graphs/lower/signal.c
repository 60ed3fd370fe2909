/* signal.c -- what stands in for the gradient that a block no longer gets from the next one. */
#include <string.h>
#include "decouple.h"

static int32_t like(tgs_i_decoupling *d, int32_t datum, const char *tail, double scale)
{
    tgs_low_datum x = d->l->datum[datum];

    x.name = tgs_low_text(d->l, "%s.%s", x.name, tail);
    x.init = NULL;
    x.scale = scale;
    x.reduced = x.shared = x.persistent = false;
    x.class_ = TGS_CLASS_GRADIENT;
    return tgs_low_add_datum(d->l, &x);
}

static tgs_status add_task(tgs_i_decoupling *d, const char *name, const char *codelet,
                           const char *attrs, int32_t op)
{
    const tgs_low_task t = {.name = name,
                            .codelet = codelet,
                            .attrs = attrs,
                            .phase = TGS_PHASE_BACKWARD,
                            .replica = -1,
                            .batch = -1,
                            .op = op};

    return tgs_low_add_task(d->l, &t) < 0 ? TGS_ENOMEM : TGS_OK;
}

static tgs_status two(tgs_i_decoupling *d, int32_t from, int32_t to)
{
    const tgs_status status = tgs_low_add_access(d->l, from, TGS_R);

    return status ? status : tgs_low_add_access(d->l, to, TGS_W);
}

/* what the gradient was in the step before */
static int32_t last(tgs_i_decoupling *d, int32_t gradient)
{
    const int32_t kept =
        d->stand_in[gradient] >= 0 ? d->stand_in[gradient] : like(d, gradient, "last", 0);

    if (kept >= 0) {
        d->l->datum[kept].persistent = true;
        d->l->datum[kept].class_ = TGS_CLASS_STATE;
        d->stand_in[gradient] = kept;
    }
    return kept;
}

/* at the end of the step it is kept for the next one */
tgs_status tgs_i_signal_keep(tgs_i_decoupling *d)
{
    tgs_status status = TGS_OK;

    for (int32_t g = 0; g < d->data && !status; g++) {
        if (d->stand_in[g] < 0)
            continue;
        status =
            add_task(d, tgs_low_text(d->l, "%s.keep", d->l->datum[g].name), "identity", "", -1);
        if (!status)
            status = two(d, g, d->stand_in[g]);
    }
    return status;
}

/* minus y over the samples: the slope of -y^2 / 2, so that a product with weights learns y x */
static int32_t local(tgs_i_decoupling *d, int32_t tensor)
{
    tgs_lowering *l = d->l;
    const tgs_tensor *t = &l->m->tensor[tensor];
    const int32_t y = tgs_low_tensor(l, tensor);
    static const int64_t one = 1;
    tgs_low_datum energy;
    int32_t zero, loss, signal;
    tgs_status status = TGS_OK;

    if (y < 0)
        return y;
    energy = l->datum[y];
    energy.name = tgs_low_text(l, "%s.energy", t->name);
    energy.class_ = TGS_CLASS_OTHER;
    energy.rank = 1;
    energy.dim = &one;
    energy.scale = NAN;
    zero = like(d, y, "zero", 0);
    loss = tgs_low_add_datum(l, &energy);
    signal = like(d, y, "local", NAN);
    if (zero < 0 || loss < 0 || signal < 0)
        return TGS_ENOMEM;
    status = add_task(d, tgs_low_text(l, "%s.local", t->name), "mse", "", t->producer);
    if (status)
        return status;
    l->task[l->tasks - 1].rows = -(t->rank > 0 ? (double)t->dim[0] : 1);
    l->task[l->tasks - 1].flops = 4 * tgs_elements(t);
    status = tgs_low_add_access(l, y, TGS_R);
    if (!status)
        status = tgs_low_add_access(l, zero, TGS_R);
    if (!status)
        status = tgs_low_add_access(l, loss, TGS_W);
    if (!status)
        status = tgs_low_add_access(l, signal, TGS_W);
    return status ? (int32_t)status : signal;
}

/* datum as a matrix of so many rows: itself when it is one */
static int32_t matrix(tgs_i_decoupling *d, int32_t datum, int64_t rows, const char *tail,
                      int32_t op)
{
    tgs_low_datum *x = &d->l->datum[datum];
    const int64_t dim[2] = {rows, (int64_t)(tgs_i_elements(x) / (double)rows)};
    int32_t flat;
    tgs_status status;

    if (x->rank == 2 && x->dim[0] == rows)
        return datum;
    flat = like(d, datum, tail, NAN);
    if (flat < 0)
        return flat;
    d->l->datum[flat].rank = 2;
    d->l->datum[flat].dim = tgs_low_dims(d->l, 2, dim);
    if (!d->l->datum[flat].dim)
        return TGS_ENOMEM;
    status = op < 0
                 ? TGS_OK
                 : add_task(d, tgs_low_text(d->l, "%s", d->l->datum[flat].name), "reshape", "", op);
    if (!status && op >= 0)
        status = two(d, datum, flat);
    return status ? (int32_t)status : flat;
}

/* the fixed matrix that brings the error of the output to this tensor */
static int32_t add_feedback(tgs_i_decoupling *d, int32_t signal, int64_t from, int64_t to,
                            const char *name)
{
    const int64_t dim[2] = {from, to};
    tgs_low_datum x = d->l->datum[signal];

    x.name = tgs_low_text(d->l, "%s.feedback", name);
    x.class_ = TGS_CLASS_OTHER;
    x.scale = sqrt(6 / (double)(from > to ? from : to));
    x.shared = x.persistent = true;
    if (x.dtype != TGS_BYTES) { /* whose size is not that of numbers */
        x.rank = 2;
        x.dim = tgs_low_dims(d->l, 2, dim);
    }
    return tgs_low_add_datum(d->l, &x);
}

static int32_t direct(tgs_i_decoupling *d, int32_t tensor)
{
    tgs_lowering *l = d->l;
    const tgs_tensor *t = &l->m->tensor[tensor];
    const int32_t error = tgs_low_gradient(l, l->loss_tensor), y = tgs_low_tensor(l, tensor);
    const int64_t rows = l->datum[error].rank > 1 ? l->datum[error].dim[0] : 1;
    const int64_t from = (int64_t)(tgs_i_elements(&l->datum[error]) / (double)rows);
    const int64_t to = (int64_t)(tgs_elements(t) / (double)rows);
    int32_t e, b, signal, flat;
    tgs_status status;

    if (y < 0 || (double)to * (double)rows != tgs_elements(t))
        return y < 0 ? y : TGS_ENOTAPPLICABLE;
    signal = like(d, y, "direct", NAN);
    e = signal < 0 ? signal : matrix(d, error, rows, "rows", t->producer);
    b = e < 0 ? e : add_feedback(d, signal, from, to, t->name);
    flat = b < 0 ? b : matrix(d, signal, rows, "rows", -1);
    if (flat < 0)
        return flat;
    status = add_task(d, tgs_low_text(l, "%s.direct", t->name), "gemm",
                      "alpha=1 beta=0 transA=0 transB=0", t->producer);
    if (status)
        return status;
    l->task[l->tasks - 1].flops = 2 * (double)rows * (double)from * (double)to;
    status = tgs_low_add_access(l, e, TGS_R);
    if (!status)
        status = two(d, b, flat);
    if (!status && flat != signal)
        status = add_task(d, l->datum[signal].name, "reshape", "", t->producer);
    if (!status && flat != signal)
        status = two(d, flat, signal);
    return status ? (int32_t)status : signal;
}

/* what stands in for a gradient of a tensor; a second one of the same tensor is nothing */
int32_t tgs_i_signal_for(tgs_i_decoupling *d, int32_t gradient, int32_t tensor)
{
    if (d->signal == TGS_I_LAST)
        return last(d, gradient);
    if (d->signals[tensor] < 0) {
        d->signals[tensor] = d->signal == TGS_I_LOCAL ? local(d, tensor) : direct(d, tensor);
        d->instead[tensor] = gradient;
    }
    return d->instead[tensor] == gradient ? d->signals[tensor] : like(d, gradient, "none", 0);
}
