/* flushed.c -- pipelines that are empty at the end of every step (GPipe, 1F1B): how many stages on
 * which devices, where the model is cut, and how many micro-batches pass through.
 *
 * For each number of stages and each size of a micro-batch: the devices that are fastest, in the
 * order and with the cuts of the smallest longest stage (chain.c) that fit in memory.  A step takes
 * about the time of one micro-batch through all stages and of the others through the longest; the
 * best by that estimate are simulated, and the simulation decides. */
#include <string.h>
#include "step.h"

enum { MOST_ORDERS = 720, MOST_STAGES = 64, TRIED = 6 };

typedef struct candidate {
    double estimate;
    int64_t size;
    int32_t stages, order[MOST_STAGES], cut[MOST_STAGES + 1];
} candidate;

typedef struct planning {
    const tgs_planner_ctx *c;
    const char *order;
    bool any;              /* what does not fit in memory is a candidate too */
    candidate best[TRIED]; /* ascending */
    int32_t count;
} planning;

static void keep(planning *x, const candidate *new)
{
    int32_t at = x->count < TRIED ? x->count++ : TRIED;

    for (; at > 0 && new->estimate < x->best[at - 1].estimate; at--)
        if (at < TRIED)
            x->best[at] = x->best[at - 1];
    if (at < TRIED)
        x->best[at] = *new;
}

static double update_time(const tgs_planner_ctx *c, const tgs_layers *l, const tgs_i_devices *d,
                          const candidate *k)
{
    double longest = 0;

    for (int32_t s = 0; s < k->stages; s++) {
        const tgs_proc *p = &c->p->proc[d->proc[k->order[s]]];
        double sum = 0;

        for (int32_t i = k->cut[s]; i < k->cut[s + 1]; i++)
            sum += l->update[(int64_t)i * l->kinds + p->kind] / p->speed;
        longest = fmax(longest, sum);
    }
    return longest;
}

static tgs_status consider(planning *x, const tgs_layers *l, int32_t stages, int64_t size,
                           tgs_error *err)
{
    const int64_t pieces = x->c->batch / size;
    int32_t flight[MOST_STAGES];
    candidate k = {.size = size, .stages = stages};
    tgs_i_devices d;
    tgs_i_chain_sums sums = {0};
    tgs_i_chain chain;
    double longest = INFINITY;
    tgs_status status = tgs_i_devices_open(&d, x->c, l, INFINITY, err);

    if (!status && stages > d.n)
        goto done;
    if (!status)
        status = tgs_i_sums_open(&sums, &chain, x->c, &d, l, 2, err);
    if (status)
        goto done;
    for (int32_t p = 0; p < stages; p++) {
        k.order[p] = p;
        flight[p] = *x->order == 'g' || pieces < stages - p ? (int32_t)pieces : stages - p;
    }
    chain.flight = flight;
    if (x->any)
        chain.capacity = NULL;
    status = tgs_i_chain_order(&chain, stages, k.order, k.cut, MOST_ORDERS, &longest);
    if (status)
        tgs_fail(err, status, "out of memory");
    else if (longest < INFINITY) {
        k.estimate = (double)(pieces - 1) * longest + update_time(x->c, l, &d, &k);
        for (int32_t p = 0; p < stages; p++)
            k.estimate += tgs_i_chain_stage(&chain, k.order, stages, p, k.cut[p], k.cut[p + 1]);
        for (int32_t p = 0; p < stages; p++) /* from here on a device is its memory */
            k.order[p] = d.memory[k.order[p]];
        keep(x, &k);
    }
done:
    tgs_i_sums_close(&sums);
    tgs_i_devices_close(&d);
    return status;
}

/* the directives of a candidate, for a proposal or for evaluation */
static tgs_status put(const planning *x, const candidate *k, tgs_proposal *out, tgs_error *err)
{
    const tgs_layers *l;
    tgs_i_text cuts = {0}, places = {0};
    char batches[80];
    tgs_status status = tgs_planner_layers(x->c, 0, k->size, &l, err);

    for (int32_t s = 0; s < k->stages && !status; s++) {
        status = tgs_i_list_name(&places, x->c->p->memory[k->order[s]].name);
        if (!status && s + 1 < k->stages)
            status = tgs_i_list_name(&cuts, l->layer[k->cut[s + 1] - 1].name);
    }
    if (!status && k->stages > 1)
        status = tgs_proposal_directive(out, "pipeline %d %s cuts=%s", (int)k->stages, x->order,
                                        cuts.text);
    if (!status)
        status = tgs_i_plan_put_batches(x->c, k->size, batches, sizeof batches);
    if (!status)
        status = tgs_proposal_directive(out, "%s", batches);
    if (!status)
        status = tgs_proposal_directive(out, "place %s", places.text);
    tgs_mem_free(cuts.text);
    tgs_mem_free(places.text);
    return status;
}

static tgs_status describe(const planning *x, const candidate *k, tgs_proposal *out, tgs_error *err)
{
    const tgs_layers *l;
    tgs_status status = tgs_planner_layers(x->c, 0, k->size, &l, err);

    for (int32_t s = 0; s < k->stages && !status; s++) {
        char choice[200];
        double bytes = 0;

        for (int32_t i = k->cut[s]; i < k->cut[s + 1]; i++)
            bytes += l->layer[i].parameters;
        snprintf(choice, sizeof choice, "stage %d: %.80s to %.80s", (int)s + 1,
                 l->layer[k->cut[s]].name, l->layer[k->cut[s + 1] - 1].name);
        status = tgs_proposal_row(out, x->c->p->memory[k->order[s]].name, choice, NAN, bytes);
    }
    return status ? status : tgs_proposal_figure(out, "step_s", k->estimate);
}

/* the best of the candidates once simulated: first those that fit */
static tgs_status decide(planning *x, tgs_proposal *out, tgs_error *err)
{
    tgs_evaluation best = {.missing = INFINITY};
    int32_t chosen = -1;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->count && !status; i++) {
        tgs_proposal *trial;
        tgs_evaluation e;

        if (chosen >= 0 && x->c->stop && x->c->stop(x->c->user))
            break;
        status = tgs_proposal_open(&trial, x->c, err);
        if (!status)
            status = put(x, &x->best[i], trial, err);
        if (!status)
            status = tgs_planner_evaluate(x->c, tgs_proposal_strategy(trial), &e, err);
        tgs_proposal_free(trial);
        if (!status && tgs_planner_better(x->c, &e, &best)) {
            best = e;
            chosen = i;
        }
    }
    if (!status && chosen >= 0)
        status = put(x, &x->best[chosen], out, err);
    if (!status && chosen >= 0)
        status = describe(x, &x->best[chosen], out, err);
    return status;
}

static tgs_status consider_all(planning *x, int32_t least, int32_t most, const int64_t *size,
                               int32_t sizes, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < sizes && !status; i++) {
        const tgs_layers *l;

        status = tgs_planner_layers(x->c, 0, size[i], &l, err);
        for (int32_t s = least; s <= most && !status; s++)
            if (s <= l->n && s <= MOST_STAGES)
                status = consider(x, l, s, size[i], err);
    }
    return status;
}

tgs_status tgs_i_plan_flushed(const tgs_planner_ctx *c, tgs_proposal *out, const char *order,
                              tgs_error *err)
{
    const int32_t given = (int32_t)tgs_arg_int(c->args, "stages");
    const int32_t most = c->p->memories < MOST_STAGES ? c->p->memories : MOST_STAGES;
    int64_t size[PLAN_SIZES];
    const int32_t sizes = tgs_i_plan_sizes(c, tgs_arg_int(c->args, "micro"), size, err);
    planning x = {.c = c, .order = order};
    tgs_status status = sizes < 0 ? (tgs_status)sizes : TGS_OK;

    if (!status && given > most)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "%d stages are more than the %d devices",
                        (int)given, (int)most);
    if (!status)
        status = consider_all(&x, given ? given : 1, given ? given : most, size, sizes, err);
    if (!status && !x.count) { /* by this estimate nothing fits: how much is missing is simulated */
        x.any = true;
        status = consider_all(&x, given ? given : 1, given ? given : most, size, sizes, err);
    }
    if (!status && !x.count)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "no pipeline of that many stages");
    return status ? status : decide(&x, out, err);
}

const tgs_param tgs_i_plan_flushed_params[] = {
    {"stages", "0", TGS_PARAM_INT, 0, MOST_STAGES, "how many; 0: whatever is best"},
    {"micro", "0", TGS_PARAM_INT, 0, 1e9, "samples of a micro-batch; 0: whatever is best"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};
