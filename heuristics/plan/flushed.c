/* flushed.c -- pipelines that are empty at the end of every step (GPipe, 1F1B): how many stages,
 * and how many micro-batches pass through them. */
#include "step.h"

typedef struct best {
    tgs_evaluation e;
    int64_t size;
    int32_t stages;
    char text[160];
} best;

static tgs_status attempt(const tgs_planner_ctx *c, const char *order, int32_t stages, int64_t size,
                          best *b, tgs_error *err)
{
    char text[160];
    tgs_evaluation e;
    int n = snprintf(text, sizeof text, "pipeline %d %s; ", (int)stages, order);
    tgs_status status = tgs_i_plan_put_batches(c, size, text + n, sizeof text - (size_t)n);

    if (!status)
        status = tgs_planner_evaluate(c, text, &e, err);
    if (status)
        return status;
    if (!b->stages || (e.missing < b->e.missing)
        || (e.missing == b->e.missing && e.step < b->e.step)) {
        b->e = e;
        b->size = size;
        b->stages = stages;
        snprintf(b->text, sizeof b->text, "%s", text);
    }
    return TGS_OK;
}

tgs_status tgs_i_plan_flushed(const tgs_planner_ctx *c, tgs_proposal *out, const char *order,
                              tgs_error *err)
{
    const int32_t given = (int32_t)tgs_arg_int(c->args, "stages");
    int64_t size[PLAN_SIZES];
    const int32_t sizes = tgs_i_plan_sizes(c, tgs_arg_int(c->args, "micro"), size, err);
    const tgs_layers *l;
    best b = {.stages = 0};
    tgs_status status = sizes < 0 ? (tgs_status)sizes : tgs_planner_layers(c, 0, size[0], &l, err);

    for (int32_t i = 0; i < sizes && !status; i++)
        for (int32_t s = given ? given : 1; s <= (given ? given : c->p->procs) && s <= l->n; s++)
            if (!status && !(b.stages && c->stop && c->stop(c->user)))
                status = attempt(c, order, s, size[i], &b, err);
    if (!status && !b.stages)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "%d stages are more than the model has layers",
                        (int)given);
    if (!status)
        status = tgs_proposal_directive(out, "%s", b.text);
    return status;
}

const tgs_param tgs_i_plan_flushed_params[] = {
    {"stages", "0", TGS_PARAM_INT, 0, 100000, "how many; 0: whatever is best"},
    {"micro", "0", TGS_PARAM_INT, 0, 1e9, "samples of a micro-batch; 0: whatever is best"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};
