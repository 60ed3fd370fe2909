/* loss.c -- the loss at the end of the forward pass, and the gradient it starts the backward pass
 * with.  Every loss is the mean over the samples of all micro-batches and replicas:
 *
 *   xent  cross entropy of the logits [N,C] with labels [N]; a final Softmax becomes part of it
 *   mse   half the squared distance to a target of the output's shape
 *   sum   the sum of the output's elements */
#include <string.h>
#include "tgsched/model.h"

typedef struct ending {      /* what the loss is taken of */
    int32_t tensor, softmax; /* softmax: the operator it replaces, -1 */
    int64_t rows, columns;   /* as a matrix of samples and classes; columns 0: it is none */
    int32_t axis;            /* of the classes */
    bool flat;               /* [N,C] or [N,C,1,..] */
} ending;

static tgs_status find_output(const tgs_lowering *l, int64_t which, ending *e, tgs_error *err)
{
    const tgs_model_view *m = l->m;
    const tgs_tensor *t;

    if (m->trained)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "the model holds gradients already");
    if (which >= m->outputs)
        return tgs_fail(err, TGS_EINVAL, "loss: the model has %d outputs", (int)m->outputs);
    e->tensor = m->output[which];
    e->softmax = -1;
    t = &m->tensor[e->tensor];
    if (t->role != TGS_ROLE_ACTIVATION
        || (t->dtype != TGS_F32 && t->dtype != TGS_F64 && t->dtype != TGS_BYTES))
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "loss: output '%s' is not a computed f32 or f64",
                        t->name);
    return TGS_OK;
}

/* [N,C], [N,C,1,..] and [..,C] are matrices of samples and classes */
static void measure(const tgs_lowering *l, ending *e)
{
    const tgs_tensor *t = &l->m->tensor[e->tensor];

    e->flat = t->rank >= 2;
    for (int32_t i = 2; i < t->rank; i++)
        e->flat &= t->dim[i] == 1;
    e->axis = e->flat ? 1 : t->rank - 1;
    e->columns = t->rank < 1 ? 0 : t->dim[e->axis];
    e->rows = e->columns ? (int64_t)(tgs_elements(t) / (double)e->columns) : 0;
}

/* the Softmax over the classes that the output may come from */
static void find_softmax(const tgs_lowering *l, ending *e)
{
    const tgs_tensor *t = &l->m->tensor[e->tensor];
    const tgs_op *op = &l->m->op[t->producer];
    int64_t axis;

    if (strcmp(op->type, "Softmax"))
        return;
    axis = tgs_attr_int(op->attrs, "axis", l->m->opset < 13 ? 1 : -1);
    if (axis + (axis < 0 ? t->rank : 0) == e->axis)
        e->softmax = t->producer;
}

static int32_t add_datum(tgs_lowering *l, const char *name, tgs_dtype dtype, int32_t rank,
                         const int64_t *dim, tgs_class class_, double scale)
{
    const tgs_low_datum d = {.name = name,
                             .dim = tgs_low_dims(l, rank, dim),
                             .rank = rank,
                             .dtype = dtype,
                             .class_ = class_,
                             .scale = scale,
                             .replica = -1,
                             .batch = -1};

    return tgs_low_add_datum(l, &d);
}

typedef struct writing {
    tgs_lowering *l;
    tgs_status status; /* the first failure */
} writing;

static void add_task(writing *w, const char *name, const char *codelet, double rows, double flops,
                     tgs_phase phase)
{
    const tgs_low_task t = {.name = name,
                            .codelet = codelet,
                            .attrs = "",
                            .rows = rows,
                            .flops = flops,
                            .phase = phase,
                            .replica = -1,
                            .batch = -1,
                            .op = -1};

    if (!w->status && tgs_low_add_task(w->l, &t) < 0)
        w->status = TGS_ENOMEM;
}

static void touch(writing *w, int32_t datum, tgs_mode mode)
{
    if (!w->status)
        w->status = tgs_low_add_access(w->l, datum, mode);
}

static int32_t add_loss(tgs_lowering *l, tgs_dtype dtype)
{
    static const int64_t one = 1;
    const int32_t datum = add_datum(l, "loss", dtype, 1, &one, TGS_CLASS_OTHER, NAN);

    if (datum >= 0)
        l->datum[datum].reduced = true;
    return datum;
}

static tgs_status write_xent(tgs_lowering *l, const ending *e, int32_t loss, int32_t gradient)
{
    const tgs_tensor *t = &l->m->tensor[e->tensor];
    const int64_t dim[2] = {e->rows, e->columns};
    const bool direct = t->rank == 2;
    const int32_t labels = add_datum(l, "labels", TGS_I32, 1, dim, TGS_CLASS_INPUT, 0);
    const int32_t logits = tgs_low_tensor(l, e->tensor);
    int32_t matrix = logits, slope = gradient;
    writing w = {l, TGS_OK};

    if (!direct) {
        matrix = add_datum(l, "logits", t->dtype, 2, dim, TGS_CLASS_ACTIVATION, NAN);
        slope = add_datum(l, "logits.grad", t->dtype, 2, dim, TGS_CLASS_GRADIENT, NAN);
        add_task(&w, "logits", "reshape", 0, 0, TGS_PHASE_FORWARD);
        touch(&w, logits, TGS_R);
        touch(&w, matrix, TGS_W);
    }
    add_task(&w, "loss", "softmax_xent", (double)e->rows, 12 * tgs_elements(t), TGS_PHASE_FORWARD);
    touch(&w, matrix, TGS_R);
    touch(&w, labels, TGS_R);
    touch(&w, loss, TGS_W);
    touch(&w, slope, TGS_W);
    if (!direct) {
        add_task(&w, "logits.bwd", "reshape", 0, 0, TGS_PHASE_BACKWARD);
        touch(&w, slope, TGS_R);
        touch(&w, gradient, TGS_W);
    }
    return w.status;
}

static tgs_status write_other(tgs_lowering *l, const ending *e, bool mse, int32_t loss,
                              int32_t gradient)
{
    const tgs_tensor *t = &l->m->tensor[e->tensor];
    const double samples = t->rank > 0 ? (double)t->dim[0] : 1;
    writing w = {l, TGS_OK};

    add_task(&w, "loss", mse ? "mse" : "sum_loss", samples, (mse ? 4 : 1) * tgs_elements(t),
             TGS_PHASE_FORWARD);
    touch(&w, tgs_low_tensor(l, e->tensor), TGS_R);
    if (mse)
        touch(&w, add_datum(l, "target", t->dtype, t->rank, t->dim, TGS_CLASS_INPUT, 1), TGS_R);
    touch(&w, loss, TGS_W);
    touch(&w, gradient, TGS_W);
    return w.status;
}

/* a Softmax that only feeds the loss is not computed */
static void fuse_softmax(tgs_lowering *l, ending *e)
{
    if (l->m->tensor[e->tensor].uses == 1)
        for (int64_t i = 0; i < l->tasks; i++)
            l->task[i].dropped |= l->task[i].op == e->softmax;
    e->tensor = l->m->op[e->softmax].input[0];
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const char *kind = tgs_arg_text(a, "kind");
    ending e = {.softmax = -1};
    int32_t loss, gradient;
    const tgs_tensor *t;
    tgs_status status = find_output(l, tgs_arg_int(a, "output"), &e, err);

    if (status)
        return status;
    measure(l, &e);
    find_softmax(l, &e);
    if (!strcmp(kind, "auto") && l->m->tensor[e.tensor].dtype == TGS_BYTES)
        kind = "sum"; /* its values are not known */
    if (!strcmp(kind, "auto"))
        kind = e.softmax >= 0 || (e.flat && e.columns > 1) ? "xent" : "mse";
    if (strcmp(kind, "xent") && strcmp(kind, "mse") && strcmp(kind, "sum"))
        return tgs_fail(err, TGS_EINVAL, "loss: no '%s' (there are: xent, mse, sum)", kind);
    if (!strcmp(kind, "xent")) {
        if (e.columns < 1 || e.rows < 1)
            return tgs_fail(err, TGS_ENOTAPPLICABLE, "loss: output '%s' has no classes",
                            l->m->tensor[e.tensor].name);
        if (e.softmax >= 0)
            fuse_softmax(l, &e);
    }
    t = &l->m->tensor[e.tensor];
    loss = add_loss(l, t->dtype == TGS_BYTES ? TGS_F32 : t->dtype);
    gradient = add_datum(l, tgs_low_text(l, "%s.grad", t->name), t->dtype, t->rank, t->dim,
                         TGS_CLASS_GRADIENT, NAN);
    status = strcmp(kind, "xent") ? write_other(l, &e, *kind == 'm', loss, gradient)
                                  : write_xent(l, &e, loss, gradient);
    if (!status)
        status = tgs_low_contribute(l, e.tensor, gradient);
    l->loss_tensor = e.tensor;
    return status ? tgs_fail(err, status, "loss: out of memory") : TGS_OK;
}

static const tgs_param params[] = {
    {"kind", "auto", TGS_PARAM_TEXT, 0, 0,
     "xent, mse or sum; auto: xent for classes, sum for layers of a profile, else mse"},
    {"output", "0", TGS_PARAM_INT, 0, 1e6, "which output of the model"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_loss = {
    .base = {TGS_PLUGIN_ABI, "loss", "the loss and the gradient of the output", NULL, params},
    .stage = 20,
    .apply = apply,
};
