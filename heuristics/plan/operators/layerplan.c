/* layerplan.c -- a plan from measured times of implementations per layer and batch. */
#include <string.h>
#include "layerplan.h"

typedef struct best { /* over the batches */
    int32_t batch;    /* -1: none has times for every layer */
    double cost;
    int32_t *choice, *now; /* [layers] */
} best;

static tgs_i_layer_times of_batch(const tgs_i_layer_table *t, int32_t batch)
{
    return (tgs_i_layer_times){t->layers, t->choices,
                               t->time + (int64_t)batch * t->layers * t->choices, t->side};
}

static tgs_status tell_batch(const tgs_i_layer_table *t, int32_t batch, double cost,
                             tgs_proposal *out)
{
    char item[40], choice[60] = "predicted";

    snprintf(item, sizeof item, "batch %lld", (long long)t->batch[batch]);
    if (!isnan(t->mixed[batch]))
        snprintf(choice, sizeof choice, "predicted (measured %.6g s)", t->mixed[batch]);
    return tgs_proposal_row(out, item, choice, cost, NAN);
}

static tgs_status try_batches(const tgs_i_layer_table *t, const tgs_planner_ctx *c,
                              tgs_i_layer_rule *rule, best *b, tgs_proposal *out)
{
    const int64_t given = tgs_arg_int(c->args, "batch");
    const double change = tgs_arg_real(c->args, "change");
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < t->batches && !status; k++) {
        const tgs_i_layer_times x = of_batch(t, k);
        double cost;

        if (given && t->batch[k] != given)
            continue;
        status = rule(&x, change, b->now, &cost);
        if (status || isinf(cost))
            continue;
        status = tell_batch(t, k, cost, out);
        if (cost < b->cost) {
            b->cost = cost;
            b->batch = k;
            memcpy(b->choice, b->now, (size_t)t->layers * sizeof *b->choice);
        }
    }
    return status;
}

/* what one implementation for all layers would take, the best of them */
static double best_single(const tgs_i_layer_table *t, int32_t batch, double change, int32_t *all)
{
    const tgs_i_layer_times x = of_batch(t, batch);
    double least = INFINITY;

    for (int32_t k = 0; k < t->choices; k++) {
        for (int32_t i = 0; i < t->layers; i++)
            all[i] = k;
        least = fmin(least, tgs_i_layers_cost(&x, all, change, 0));
    }
    return least;
}

static tgs_status tell(const tgs_i_layer_table *t, const tgs_planner_ctx *c, best *b,
                       tgs_proposal *out)
{
    const double single = best_single(t, b->batch, tgs_arg_real(c->args, "change"), b->now);
    tgs_status status = TGS_OK;
    char item[40];

    for (int32_t i = 0; i < t->layers && !status; i++) {
        const int32_t k = b->choice[i];

        snprintf(item, sizeof item, "layer %d", (int)i);
        status =
            tgs_proposal_row(out, item, t->name[k],
                             t->time[((int64_t)b->batch * t->layers + i) * t->choices + k], NAN);
    }
    if (!status)
        status = tgs_proposal_figure(out, "step_s", b->cost);
    if (!status)
        status = tgs_proposal_figure(out, "batch", (double)t->batch[b->batch]);
    if (!status)
        status = tgs_proposal_figure(out, "best_single_s", single);
    if (!status && !isnan(t->mixed[b->batch]))
        status = tgs_proposal_figure(out, "measured_s", t->mixed[b->batch]);
    return status;
}

tgs_status tgs_i_layer_plan(const tgs_planner_ctx *c, tgs_i_layer_rule *rule, tgs_proposal *out,
                            tgs_error *err)
{
    tgs_i_layer_table t;
    best b = {.batch = -1, .cost = INFINITY};
    tgs_status status =
        tgs_i_layer_table_read(&t, c->source, tgs_arg_text(c->args, "network"),
                               tgs_arg_text(c->args, "host"), tgs_arg_text(c->args, "mixed"), err);

    if (status)
        return status;
    b.choice = tgs_mem_alloc((size_t)t.layers, sizeof *b.choice);
    b.now = tgs_mem_alloc((size_t)t.layers, sizeof *b.now);
    status = b.choice && b.now ? TGS_OK : TGS_ENOMEM;
    if (!status && (!t.layers || !t.choices)) /* a table of mixed runs alone */
        status = tgs_fail(err, TGS_EPARSE, "%s: no implementation has a time for any layer",
                          c->source->path);
    if (!status)
        status = try_batches(&t, c, rule, &b, out);
    if (!status && b.batch < 0)
        status = tgs_fail(err, TGS_ENOTFOUND, "%s: no batch has a time for every layer",
                          c->source->path);
    else if (!status)
        status = tell(&t, c, &b, out);
    if (status == TGS_ENOMEM)
        tgs_fail(err, status, "%s: out of memory", c->source->path);
    tgs_mem_free(b.choice);
    tgs_mem_free(b.now);
    tgs_i_layer_table_close(&t);
    return status;
}
