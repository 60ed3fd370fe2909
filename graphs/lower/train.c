/* train.c -- the backward pass and the update: reverse-mode differentiation, operator by operator
 * from the loss, then one update task per parameter. */
#include <string.h>
#include "tgsched/model.h"

/* which tensors depend on a parameter through slots that pass gradients */
static void mark_wanted(const tgs_model_view *m, bool *wanted)
{
    for (int32_t i = 0; i < m->tensors; i++)
        wanted[i] = m->tensor[i].role == TGS_ROLE_PARAMETER;
    for (int32_t i = 0; i < m->ops; i++) {
        const tgs_op *op = &m->op[m->order[i]];
        bool any = op->rule->opaque;

        for (int32_t j = 0; j < op->inputs && !op->folded; j++)
            any |= op->input[j] >= 0 && wanted[op->input[j]]
                   && op->rule->differentiable >> (j < 31 ? j : 31) & 1;
        for (int32_t j = 0; j < op->outputs && any; j++)
            if (op->output[j] >= 0) {
                const tgs_dtype t = m->tensor[op->output[j]].dtype;

                wanted[op->output[j]] =
                    t == TGS_F32 || t == TGS_F64 || t == TGS_F16 || t == TGS_BF16 || t == TGS_BYTES;
            }
    }
}

static tgs_status backward(tgs_lowering *l, const bool *wanted, tgs_error *err)
{
    const tgs_model_view *m = l->m;
    tgs_status status = TGS_OK;

    for (int32_t i = m->ops - 1; i >= 0 && !status; i--) {
        const tgs_op *op = &m->op[m->order[i]];
        bool reached = false;

        for (int32_t j = 0; j < op->outputs && !op->folded; j++)
            if (op->output[j] >= 0 && wanted[op->output[j]]) {
                const int32_t g = tgs_low_gradient(l, op->output[j]);

                if (g < 0 && g != TGS_LOW_NONE)
                    return tgs_fail(err, (tgs_status)g, "out of memory");
                reached |= g >= 0;
            }
        if (reached)
            status = tgs_low_backward(l, m->order[i], wanted, err);
    }
    return status;
}

/* optimizer state of a parameter: like it, or one number */
static int32_t add_state(tgs_lowering *l, int32_t parameter, const char *tail, bool scalar)
{
    static const int64_t one = 1;
    tgs_low_datum d = l->datum[parameter];

    d.name = tgs_low_text(l, "%s%s", d.name, tail);
    d.class_ = TGS_CLASS_STATE;
    d.scale = 0;
    d.init = NULL;
    if (scalar) {
        d.rank = 1;
        d.dim = &one;
    }
    return tgs_low_add_datum(l, &d);
}

typedef struct optimizer {
    const char *name, *attrs;
    int32_t states; /* like the parameter */
    bool counts;    /* and the number of steps */
    double flops;   /* per element */
} optimizer;

static tgs_status choose(tgs_lowering *l, const tgs_args *a, optimizer *o, tgs_error *err)
{
    const char *name = tgs_arg_text(a, "optimizer");
    const double lr = tgs_arg_real(a, "lr");

    if (!strcmp(name, "sgd"))
        *o = (optimizer){"sgd", tgs_low_text(l, "lr=%.9g", lr), 0, false, 2};
    else if (!strcmp(name, "momentum"))
        *o = (optimizer){"momentum", tgs_low_text(l, "lr=%.9g mu=%.9g", lr, tgs_arg_real(a, "mu")),
                         1, false, 4};
    else if (!strcmp(name, "adam"))
        *o = (optimizer){"adam",
                         tgs_low_text(l, "lr=%.9g beta1=%.9g beta2=%.9g eps=%.9g", lr,
                                      tgs_arg_real(a, "beta1"), tgs_arg_real(a, "beta2"),
                                      tgs_arg_real(a, "eps")),
                         2, true, 12};
    else
        return tgs_fail(err, TGS_EINVAL,
                        "train: no optimizer '%s' (there are: sgd, momentum, adam)", name);
    return TGS_OK;
}

static tgs_status add_update(tgs_lowering *l, int32_t tensor, int32_t gradient, const optimizer *o)
{
    static const char *const tails[] = {".momentum", ".variance"};
    const int32_t parameter = tgs_low_tensor(l, tensor);
    int32_t state[3], states = 0;
    tgs_low_task t = {.codelet = o->name,
                      .attrs = o->attrs,
                      .phase = TGS_PHASE_UPDATE,
                      .replica = -1,
                      .batch = -1,
                      .op = -1};
    tgs_status status;

    if (parameter < 0)
        return (tgs_status)parameter;
    l->datum[gradient].reduced = true;
    t.name = tgs_low_text(l, "%s.update", l->m->tensor[tensor].name);
    t.flops = o->flops * tgs_elements(&l->m->tensor[tensor]);
    if (l->m->tensor[tensor].dtype == TGS_BYTES) /* of a profile, which counts bytes of floats */
        t.flops /= 4;
    for (; states < o->states; states++)
        if ((state[states] = add_state(l, parameter, tails[states], false)) < 0)
            return (tgs_status)state[states];
    if (o->counts && (state[states++] = add_state(l, parameter, ".steps", true)) < 0)
        return TGS_ENOMEM;
    if (tgs_low_add_task(l, &t) < 0)
        return TGS_ENOMEM;
    status = tgs_low_add_access(l, parameter, TGS_RW);
    for (int32_t i = 0; i < states && !status; i++)
        status = tgs_low_add_access(l, state[i], TGS_RW);
    return status ? status : tgs_low_add_access(l, gradient, TGS_R);
}

/* a profile may have times alone: then there is a backward pass, and nothing to update */
static bool unsized(const tgs_model_view *m)
{
    for (int32_t i = 0; i < m->ops; i++)
        if (m->op[i].rule->opaque)
            return true;
    return false;
}

/* every parameter the loss depends on */
static tgs_status update(tgs_lowering *l, const optimizer *o, tgs_error *err)
{
    int32_t updates = 0;

    for (int32_t i = 0; i < l->m->tensors; i++) {
        int32_t g;

        if (l->m->tensor[i].role != TGS_ROLE_PARAMETER)
            continue;
        g = tgs_low_gradient(l, i);
        if (g == TGS_LOW_NONE)
            continue;
        if (g < 0 || add_update(l, i, g, o))
            return tgs_fail(err, TGS_ENOMEM, "out of memory");
        updates++;
    }
    return updates || unsized(l->m)
               ? TGS_OK
               : tgs_fail(err, TGS_ENOTAPPLICABLE, "train: the loss depends on no parameter");
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    bool *wanted = tgs_mem_alloc((size_t)l->m->tensors, sizeof *wanted);
    optimizer o = {0};
    tgs_status status;

    if (!wanted)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    status = choose(l, a, &o, err);
    if (!status && !o.attrs)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status) {
        mark_wanted(l->m, wanted);
        status = backward(l, wanted, err);
    }
    if (!status)
        status = update(l, &o, err);
    tgs_mem_free(wanted);
    return status;
}

static const tgs_param params[] = {
    {"optimizer", "sgd", TGS_PARAM_TEXT, 0, 0, "sgd, momentum or adam"},
    {"lr", "0.01", TGS_PARAM_REAL, 0, 1e6, "learning rate"},
    {"mu", "0.9", TGS_PARAM_REAL, 0, 1, "of momentum"},
    {"beta1", "0.9", TGS_PARAM_REAL, 0, 1, "of adam, for the mean"},
    {"beta2", "0.999", TGS_PARAM_REAL, 0, 1, "of adam, for the variance"},
    {"eps", "1e-8", TGS_PARAM_REAL, 0, 1, "of adam"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_train = {
    .base = {TGS_PLUGIN_ABI, "train", "the backward pass and the update of every parameter", NULL,
             params},
    .stage = 30,
    .needs = "loss",
    .apply = apply,
};
