/* extrapolate.c -- parameters that move on by themselves every so many steps: after the update of
 * such a step, w becomes w + horizon (w - w of the step before) (parameter linear prediction, T9).
 *
 * A task for each parameter after its update, and a copy of the parameters: what the step before
 * has left.  With every > 1 the graph is of a step that moves on; its task counts the steps, and
 * does so at each every-th only.  This changes the mathematics. */
#include <string.h>
#include "tgsched/model.h"

static int32_t tensor_of(const tgs_lowering *l, int32_t datum)
{
    for (int32_t i = 0; i < l->m->tensors; i++)
        if (l->tensor_datum[i] == datum)
            return i;
    return -1;
}

/* state of a parameter that starts as it does, or a counter */
static int32_t add_state(tgs_lowering *l, int32_t parameter, bool counter)
{
    static const int64_t one = 1;
    const int32_t tensor = tensor_of(l, parameter);
    tgs_low_datum d = l->datum[parameter];
    char *init = counter || tensor < 0 ? NULL : tgs_tensor_init(&l->m->tensor[tensor], d.name);

    d.name = tgs_low_text(l, "%s%s", d.name, counter ? ".steps" : ".before");
    d.class_ = TGS_CLASS_STATE;
    d.scale = 0;
    d.init = init ? tgs_low_text(l, "%s", init) : NULL;
    tgs_mem_free(init);
    if (!counter && !d.init)
        return TGS_ENOMEM;
    if (counter) {
        d.rank = 1;
        d.dim = &one;
    }
    return tgs_low_add_datum(l, &d);
}

static tgs_status add_task(tgs_lowering *l, int64_t update, const char *attrs, bool counts)
{
    const int32_t parameter = l->access[l->task[update].at].datum;
    tgs_low_task t = {.name = tgs_low_text(l, "%s.extrapolate", l->datum[parameter].name),
                      .codelet = "extrapolate",
                      .attrs = attrs,
                      .phase = TGS_PHASE_UPDATE,
                      .replica = -1,
                      .batch = -1,
                      .op = -1,
                      .trust = l->task[update].trust,
                      .memory = l->task[update].memory,
                      .flops = 3};
    const int32_t before = add_state(l, parameter, false);
    const int32_t steps = counts ? add_state(l, parameter, true) : -1;
    tgs_status status;

    for (int32_t i = 0; i < l->datum[parameter].rank; i++)
        t.flops *= (double)l->datum[parameter].dim[i];
    if (before < 0 || (counts && steps < 0) || tgs_low_add_task(l, &t) < 0)
        return TGS_ENOMEM;
    status = tgs_low_add_access(l, parameter, TGS_RW);
    if (!status)
        status = tgs_low_add_access(l, before, TGS_RW);
    return status || !counts ? status : tgs_low_add_access(l, steps, TGS_RW);
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const int64_t every = tgs_arg_int(a, "every"), tasks = l->tasks;
    const char *attrs =
        tgs_low_text(l, "every=%lld horizon=%.9g", (long long)every, tgs_arg_real(a, "horizon"));
    tgs_status status = attrs ? TGS_OK : TGS_ENOMEM;

    for (int64_t i = 0; i < tasks && !status; i++)
        if (l->task[i].phase == TGS_PHASE_UPDATE && !l->task[i].dropped && l->task[i].accesses
            && l->access[l->task[i].at].mode == TGS_RW)
            status = add_task(l, i, attrs, every > 1);
    return status ? tgs_fail(err, status, "out of memory") : TGS_OK;
}

static const tgs_param params[] = {
    {"every", "1", TGS_PARAM_INT, 1, 1e6, "steps from one to the next"},
    {"horizon", "1", TGS_PARAM_REAL, 0, 1e6, "steps that the parameters move on by"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_extrapolate = {
    .base = {TGS_PLUGIN_ABI, "extrapolate",
             "parameters that move on as they did (other mathematics)", NULL, params},
    .stage = 38,
    .needs = "train",
    .apply = apply,
};
