/* micro-heft.c -- the step in equal micro-batches whose tasks HEFT places freely, on any device
 * each: how many of them.
 *
 * After Y. Huang et al., GPipe, NeurIPS 2019 (micro-batches fill the devices) and H. Topcuoglu,
 * S. Hariri, M.-Y. Wu, IEEE TPDS 13(3), 2002 (who does what), but with no stages: a schedule of
 * tasks says what runs where, and parameters are where it puts their updates.
 *
 * Fewer and larger micro-batches leave devices idle, more and smaller ones cost their launches and
 * messages; between them there is a best count.  Counts are simulated upwards, from the one whole
 * batch on, until FURTHER in a row bring nothing; what does not fit in memory is counted as nothing
 * only beside one that does, since smaller micro-batches take less.  Where no count fits, the same
 * again with recomputation. */
#include "../step.h"

enum { FURTHER = 2 };

typedef struct choice {
    const tgs_planner_ctx *c;
    bool recompute;
    int64_t size; /* samples of the best micro-batch so far, 0 none */
    tgs_evaluation best;
} choice;

static void describe(const choice *x, int64_t size, bool recompute, char *text, size_t room)
{
    const size_t used = recompute ? (size_t)snprintf(text, room, "recompute; ") : 0;

    tgs_i_plan_put_batches(x->c, size, text + used, room - used);
}

static tgs_status try_size(choice *x, int64_t size, bool recompute, tgs_proposal *out, bool *better,
                           tgs_error *err)
{
    char strategy[120], item[60];
    tgs_evaluation e;
    tgs_status status;

    *better = false;
    describe(x, size, recompute, strategy, sizeof strategy);
    status = tgs_planner_evaluate(x->c, strategy, &e, err);
    if (status == TGS_ENOTAPPLICABLE) /* too many tasks */
        return TGS_OK;
    if (status)
        return status;
    e.peak = NULL;
    *better = !x->size || tgs_planner_better(x->c, &e, &x->best);
    if (*better) {
        x->size = size;
        x->recompute = recompute;
        x->best = e;
    }
    snprintf(item, sizeof item, "%lld of %lld samples%s", (long long)(x->c->batch / size),
             (long long)size, recompute ? ", recomputed" : "");
    return tgs_proposal_row(out, item, e.missing > 0 ? "does not fit" : "fits", e.step, NAN);
}

/* sizes are ascending: the last one is the whole batch */
static tgs_status search(choice *x, const int64_t *size, int32_t sizes, bool recompute,
                         tgs_proposal *out, tgs_error *err)
{
    int32_t worse = 0;
    tgs_status status = TGS_OK;

    for (int32_t i = sizes; i-- > 0 && worse < FURTHER && !status;) {
        bool better;

        if (x->size && x->c->stop && x->c->stop(x->c->user))
            break;
        status = try_size(x, size[i], recompute, out, &better, err);
        worse = better ? 0 : worse + (x->size && x->best.missing <= 0);
    }
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    choice x = {.c = c};
    int64_t size[PLAN_SIZES];
    const int32_t sizes = tgs_i_plan_sizes(c, tgs_arg_int(c->args, "micro"), size, err);
    char strategy[120];
    tgs_status status = sizes < 0 ? (tgs_status)sizes : search(&x, size, sizes, false, out, err);

    if (!status && x.size && x.best.missing > 0)
        status = search(&x, size, sizes, true, out, err);
    if (!status && !x.size)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "a step has too many tasks to be simulated");
    if (!status) {
        describe(&x, x.size, x.recompute, strategy, sizeof strategy);
        status = tgs_proposal_directive(out, "%s", strategy);
    }
    return status ? status : tgs_proposal_figure(out, "micro_batches", (double)c->batch / x.size);
}

static const tgs_param params[] = {
    {"micro", "0", TGS_PARAM_INT, 0, 1e9, "samples of a micro-batch; 0: whatever is best"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_planner tgs_planner_micro_heft = {
    .base = {TGS_PLUGIN_ABI, "micro-heft", "micro-batches whose tasks HEFT places freely",
             "after Huang et al., GPipe, NeurIPS 2019, and Topcuoglu et al., HEFT, 2002", params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "",
    .plan = plan,
};
