/* flushed.c -- pipelines that are empty at the end of every step (GPipe, 1F1B): how many stages on
 * which devices, where the model is cut, and how many micro-batches pass through.
 *
 * For each number of stages and each size of a micro-batch: the devices that are fastest, in the
 * order and with the cuts of the smallest longest stage (chain.c) that fit in memory.  A step takes
 * about the time of one micro-batch through all stages and of the others through the longest; the
 * best by that estimate are simulated, and the simulation decides. */
#include <string.h>
#include "../step.h"

enum { MOST_ORDERS = 720, EACH_STAGE = 64, TRIED = 6 };
#define MOST_STEPS 5e9 /* of all cuts of all orders, about */

typedef struct candidate {
    double estimate;
    int64_t size;
    int32_t stages, *order, *cut; /* [most], [most + 1] */
} candidate;

typedef struct planning {
    const tgs_planner_ctx *c;
    const char *order;
    bool any;                  /* what does not fit in memory is a candidate too */
    candidate best[TRIED + 1]; /* the first count ascending; the last one has room for another */
    int32_t count, most;       /* most: stages */
    int32_t *room;             /* of the candidates */
    double orders;             /* steps that may be spent on one setting */
} planning;

static tgs_status open_room(planning *x, int32_t most)
{
    const size_t row = 2 * (size_t)most + 1;

    x->most = most;
    x->room = tgs_mem_alloc(TRIED + 1, row * sizeof *x->room);
    for (int32_t i = 0; x->room && i <= TRIED; i++) {
        x->best[i].order = x->room + i * row;
        x->best[i].cut = x->best[i].order + most;
    }
    return x->room ? TGS_OK : TGS_ENOMEM;
}

static void swap(candidate *a, candidate *b)
{
    const candidate c = *a;

    *a = *b;
    *b = c;
}

/* the last one takes its place among the others; what is left over becomes the last */
static void keep(planning *x)
{
    int32_t at = TRIED;

    if (x->count < TRIED) {
        at = x->count++;
        swap(&x->best[at], &x->best[TRIED]);
    }
    for (; at > 0 && x->best[at].estimate < x->best[at - 1].estimate; at--)
        swap(&x->best[at], &x->best[at - 1]);
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

/* one number of stages; flight: [most] scratch */
static tgs_status consider(planning *x, const tgs_layers *l, const tgs_i_devices *d,
                           tgs_i_chain *chain, int32_t stages, int32_t *flight, tgs_error *err)
{
    const int64_t pieces = x->c->batch / l->batch;
    const double each = 2.0 * l->n * l->n; /* steps of the cuts of one order, about */
    const int64_t orders =
        x->orders / each < MOST_ORDERS ? (int64_t)(x->orders / each) + 1 : MOST_ORDERS;
    candidate *k = &x->best[TRIED];
    double longest = INFINITY, bound = INFINITY;

    k->size = l->batch;
    k->stages = stages;
    for (int32_t p = 0; p < stages; p++) {
        k->order[p] = p;
        flight[p] = *x->order == 'g' || pieces < stages - p ? (int32_t)pieces : stages - p;
    }
    chain->flight = flight;
    if (x->any)
        chain->capacity = NULL;
    if (x->count == TRIED && pieces > 1) /* a longer one is no candidate */
        bound = x->best[TRIED - 1].estimate / (double)(pieces - 1);
    if (tgs_i_chain_order(chain, stages, k->order, k->cut, orders, bound, &longest))
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!(longest < INFINITY))
        return TGS_OK;
    k->estimate = (double)(pieces - 1) * longest + update_time(x->c, l, d, k);
    for (int32_t p = 0; p < stages; p++)
        k->estimate += tgs_i_chain_stage(chain, k->order, stages, p, k->cut[p], k->cut[p + 1]);
    for (int32_t p = 0; p < stages; p++) /* from here on a device is its memory */
        k->order[p] = d->memory[k->order[p]];
    keep(x);
    return TGS_OK;
}

/* each number of stages, or above so many each that is a quarter more */
static int32_t more(int32_t stages)
{
    return stages < EACH_STAGE ? stages + 1 : stages + stages / 4;
}

static tgs_status consider_size(planning *x, const tgs_layers *l, int32_t given, tgs_error *err)
{
    int32_t *flight = tgs_mem_alloc((size_t)x->most, sizeof *flight);
    tgs_i_devices d = {0};
    tgs_i_chain_sums sums = {0};
    tgs_i_chain chain;
    tgs_status status = flight ? tgs_i_devices_open(&d, x->c, l, INFINITY, err)
                               : tgs_fail(err, TGS_ENOMEM, "out of memory");

    if (!status)
        status = tgs_i_sums_open(&sums, &chain, x->c, &d, l, 2, err);
    for (int32_t s = given ? given : 1; s <= (given ? given : x->most) && !status; s = more(s))
        if (s <= l->n && s <= d.n)
            status = consider(x, l, &d, &chain, s, flight, err);
    tgs_i_sums_close(&sums);
    tgs_i_devices_close(&d);
    tgs_mem_free(flight);
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
        if (status == TGS_ENOTAPPLICABLE) { /* too many tasks: others may do */
            status = TGS_OK;
            continue;
        }
        if (!status && tgs_planner_better(x->c, &e, &best)) {
            best = e;
            chosen = i;
        }
    }
    if (!status && chosen < 0)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "a step of %lld samples has too many tasks to be simulated",
                          (long long)x->c->batch);
    if (!status && chosen >= 0)
        status = put(x, &x->best[chosen], out, err);
    if (!status && chosen >= 0)
        status = describe(x, &x->best[chosen], out, err);
    return status;
}

static tgs_status search(planning *x, const int64_t *size, int32_t sizes, int32_t given,
                         tgs_error *err)
{
    int32_t settings = 0;
    tgs_status status = TGS_OK;

    for (int32_t s = given ? given : 1; s <= (given ? given : x->most); s = more(s))
        settings += sizes;
    x->orders = MOST_STEPS / fmax(1, settings);
    for (int32_t i = 0; i < sizes && !status; i++) {
        const tgs_layers *l;

        status = tgs_planner_layers(x->c, 0, size[i], &l, err);
        if (!status)
            status = consider_size(x, l, given, err);
    }
    return status;
}

tgs_status tgs_i_plan_flushed(const tgs_planner_ctx *c, tgs_proposal *out, const char *order,
                              tgs_error *err)
{
    const int32_t given = (int32_t)tgs_arg_int(c->args, "stages");
    int64_t size[PLAN_SIZES];
    const int32_t sizes = tgs_i_plan_sizes(c, tgs_arg_int(c->args, "micro"), size, err);
    planning x = {.c = c, .order = order};
    tgs_status status = sizes < 0 ? (tgs_status)sizes : TGS_OK;

    if (!status && given > c->p->memories)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "%d stages are more than the %d devices",
                        (int)given, (int)c->p->memories);
    if (!status && open_room(&x, c->p->memories))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = search(&x, size, sizes, given, err);
    if (!status && !x.count) { /* by this estimate nothing fits: how much is missing is simulated */
        x.any = true;
        status = search(&x, size, sizes, given, err);
    }
    if (!status && !x.count)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "no pipeline of that many stages");
    if (!status)
        status = decide(&x, out, err);
    tgs_mem_free(x.room);
    return status;
}

const tgs_param tgs_i_plan_flushed_params[] = {
    {"stages", "0", TGS_PARAM_INT, 0, 4096, "how many; 0: whatever is best"},
    {"micro", "0", TGS_PARAM_INT, 0, 1e9, "samples of a micro-batch; 0: whatever is best"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};
