/* trust.c -- operators whose tasks, forward and backward, run only in memories of a trust label; so
 * do the updates of the parameters that nobody else uses; or all that gets no label.
 * O(accesses x names of the list). */
#include <string.h>
#include "tgsched/model.h"

/* a datum that only tasks of the label touch, besides updates */
static void look(const tgs_lowering *l, const char *label, bool *inside, bool *outside)
{
    for (int64_t i = 0; i < l->tasks; i++) {
        const tgs_low_task *t = &l->task[i];
        bool *side = t->trust == label ? inside : outside;

        for (int32_t a = t->at; a < t->at + t->accesses && !t->dropped; a++)
            if (t->phase != TGS_PHASE_UPDATE)
                side[l->access[a].datum] = true;
    }
}

static void mark_updates(tgs_lowering *l, const char *label, const bool *inside,
                         const bool *outside)
{
    for (int64_t i = 0; i < l->tasks; i++) {
        tgs_low_task *t = &l->task[i];
        bool all = t->phase == TGS_PHASE_UPDATE, any = false;

        for (int32_t a = t->at; a < t->at + t->accesses; a++) {
            all &= !outside[l->access[a].datum];
            any |= inside[l->access[a].datum];
        }
        if (all && any && !t->trust)
            t->trust = label;
    }
}

static int64_t mark_tasks(tgs_lowering *l, const char *ops, const char *label)
{
    int64_t found = 0;

    for (int64_t i = 0; i < l->tasks; i++) {
        tgs_low_task *t = &l->task[i];

        if (t->op >= 0 && !t->dropped && tgs_op_listed(ops, l->m->op[t->op].name)) {
            t->trust = label;
            found++;
        }
    }
    return found;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const char *label = tgs_low_text(l, "%s", tgs_arg_text(a, "label"));
    const char *ops = tgs_arg_text(a, "ops");
    bool *inside, *outside;
    tgs_status status = TGS_OK;

    if (!label)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!*label)
        return tgs_fail(err, TGS_EINVAL, "trust: a label is needed");
    if (tgs_arg_int(a, "rest")) {
        l->trust = label;
        return TGS_OK;
    }
    if (!mark_tasks(l, ops, label))
        return tgs_fail(err, TGS_EINVAL, "trust: ops=%s: no operator is called so", ops);
    inside = tgs_mem_alloc((size_t)l->data, sizeof *inside);
    outside = tgs_mem_alloc((size_t)l->data, sizeof *outside);
    if (inside && outside) {
        look(l, label, inside, outside);
        mark_updates(l, label, inside, outside);
    } else
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_mem_free(inside);
    tgs_mem_free(outside);
    return status;
}

static const tgs_param params[] = {
    {"label", "", TGS_PARAM_TEXT, 0, 0, "of the memories"},
    {"ops", "*", TGS_PARAM_TEXT, 0, 0, "operators, a comma list; NAME*: all that begin so"},
    {"rest", "0", TGS_PARAM_INT, 0, 1,
     "1: every task instead that gets no label, the loss and updates too"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_trust = {
    .base = {TGS_PLUGIN_ABI, "trust", "operators that run only in memories of a trust label", NULL,
             params},
    .stage = 36,
    .apply = apply,
    .repeats = true,
};
