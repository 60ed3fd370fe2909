/* omnilearn.c -- batches that follow the workers' speeds.
 *
 * S. Tyagi, P. Sharma, "OmniLearn: a framework for distributed deep learning over heterogeneous
 * clusters", IEEE TPDS, 2025 (10.1109/TPDS.2025.3553066).  A round, from the batches b_i and the
 * measured step times t_i, mean tbar, of n workers with B samples in all:
 *
 *     candidate_i = b_i tbar / t_i      b_i where |candidate - b_i| / candidate is in the dead band
 *     clamped to [min_i, max_i], each excess spread equally over all workers
 *     less (sum b - B) / n from each, rounded up
 *
 * The times of the next round are batch / rate, or the next ones that the file has.  Gradients are
 * weighted b_i / sum b.  rule=exact is the split of B by the rates (split.c) in one round.
 *
 *   worker NAME [rate=SAMPLES/S] [times=t,t,...] [begin=B] [min=B] [max=B] */
#include <string.h>
#include "tgsched/planner.h"
#include "../core.h"
#include "../instance.h"

enum { RATE, TIMES, BEGIN, MIN, MAX };
static const tgs_i_column worker[] = {
    {"rate", TGS_I_REAL, false, 1e-12, 1e15, 0, 0}, {"times", TGS_I_REAL, true, 1e-12, 1e12, 0, 0},
    {"begin", TGS_I_WHOLE, false, 1, 1e9, 32, 0},   {"min", TGS_I_WHOLE, false, 1, 1e9, 1, 0},
    {"max", TGS_I_WHOLE, false, 1, 1e9, 1e9, 0},    {.key = NULL},
};
static const tgs_i_table tables[] = {{"worker", 1, 100000, worker}, {.record = NULL}};

typedef struct controller {
    tgs_i_instance *file;
    int32_t workers;
    double all;    /* samples of a step */
    double *batch; /* [workers] */
    double *time;  /* [workers] of the step before */
} controller;

static double of(const controller *x, int32_t i, int32_t column)
{
    return tgs_i_real(x->file, 0, i, column);
}

/* times of a step of round r; the longest.  Worker i has a rate or that many times. */
static double measure(controller *x, int32_t r)
{
    double longest = 0;

    for (int32_t i = 0; i < x->workers; i++) {
        const double *times;
        const int32_t n = tgs_i_list(x->file, 0, i, TIMES, &times);

        x->time[i] = r < n ? times[r] : x->batch[i] / of(x, i, RATE);
        longest = fmax(longest, x->time[i]);
    }
    return longest;
}

static void adjust(controller *x, double band)
{
    double mean = 0, excess = 0, over = -x->all;

    for (int32_t i = 0; i < x->workers; i++)
        mean += x->time[i] / x->workers;
    for (int32_t i = 0; i < x->workers; i++) {
        const double candidate = x->batch[i] * mean / x->time[i];
        const double wanted =
            fabs(candidate - x->batch[i]) / candidate < band ? x->batch[i] : candidate;

        x->batch[i] = fmin(fmax(wanted, of(x, i, MIN)), of(x, i, MAX));
        excess += wanted - x->batch[i];
    }
    for (int32_t i = 0; i < x->workers; i++) {
        x->batch[i] += excess / x->workers;
        over += x->batch[i];
    }
    for (int32_t i = 0; i < x->workers; i++)
        x->batch[i] =
            fmin(fmax(ceil(x->batch[i] - over / x->workers), of(x, i, MIN)), of(x, i, MAX));
}

/* the best split of the same samples, by the rates */
static tgs_status split_exactly(controller *x, tgs_error *err)
{
    const int64_t batch = (int64_t)x->all;
    double *rate = tgs_mem_alloc((size_t)x->workers, sizeof *rate), longest;
    int64_t *most = tgs_mem_alloc((size_t)x->workers, 2 * sizeof *most), *count;
    tgs_status status = TGS_OK;

    if (!rate || !most) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d workers", x->workers);
        goto done;
    }
    count = most + x->workers;
    for (int32_t i = 0; i < x->workers; i++) {
        rate[i] = of(x, i, RATE);
        most[i] = (int64_t)of(x, i, MAX);
    }
    status = tgs_i_bottleneck(x->workers, rate, most, batch, count, &longest, err);
    for (int32_t i = 0; i < x->workers && !status; i++)
        x->batch[i] = (double)count[i];
done:
    tgs_mem_free(rate);
    tgs_mem_free(most);
    return status;
}

static tgs_status tell_round(const controller *x, int32_t round, double step, tgs_proposal *out)
{
    char item[40], text[200] = "";
    size_t used = 0;

    snprintf(item, sizeof item, "round %d", round);
    for (int32_t i = 0; i < x->workers && used < sizeof text - 16; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%.0f", i ? " " : "", x->batch[i]);
    return tgs_proposal_row(out, item, text, step, NAN);
}

static tgs_status tell(const controller *x, double step, tgs_proposal *out)
{
    double sum = 0, rates = 0;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->workers; i++) {
        sum += x->batch[i];
        rates += of(x, i, RATE);
    }
    for (int32_t i = 0; i < x->workers && !status; i++) {
        char choice[80];

        snprintf(choice, sizeof choice, "batch %.0f, gradient weight %.6f", x->batch[i],
                 x->batch[i] / sum);
        status = tgs_proposal_row(out, tgs_i_row_name(x->file, 0, i), choice, x->time[i], NAN);
    }
    if (!status)
        status = tgs_proposal_figure(out, "step_s", step);
    if (!status)
        status = tgs_proposal_figure(out, "samples", sum);
    return status ? status : tgs_proposal_figure(out, "ideal_step_s", x->all / rates);
}

static tgs_status control(controller *x, const tgs_args *args, tgs_proposal *out, tgs_error *err)
{
    const char *rule = tgs_arg_text(args, "rule");
    const bool exact = !strcmp(rule, "exact");
    const int32_t rounds = exact ? 1 : (int32_t)tgs_arg_int(args, "rounds");
    double step;
    tgs_status status = TGS_OK;

    if (!exact && strcmp(rule, "proportional"))
        return tgs_fail(err, TGS_EINVAL, "rule=%.40s: it is proportional or exact", rule);
    for (int32_t i = 0; i < x->workers; i++) {
        const double *times;

        if (of(x, i, RATE) == 0 && tgs_i_list(x->file, 0, i, TIMES, &times) <= rounds)
            return tgs_i_row_fail(x->file, 0, i, err, "rate= or %d times= are needed", rounds + 1);
        if (of(x, i, MIN) > of(x, i, MAX))
            return tgs_i_row_fail(x->file, 0, i, err, "min is above max");
        x->batch[i] = of(x, i, BEGIN);
        x->all += x->batch[i];
    }
    step = measure(x, 0);
    status = tell_round(x, 0, step, out);
    for (int32_t r = 1; r <= rounds && !status; r++) {
        if (exact)
            status = split_exactly(x, err);
        else
            adjust(x, tgs_arg_real(args, "band"));
        step = measure(x, r);
        if (!status)
            status = tell_round(x, r, step, out);
    }
    return status ? status : tell(x, step, out);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    controller x = {.file = NULL};
    tgs_status status = tgs_i_instance_read(&x.file, c->source, tables, err);

    if (status)
        return status;
    x.workers = tgs_i_rows(x.file, 0);
    x.batch = tgs_mem_alloc((size_t)x.workers, sizeof *x.batch);
    x.time = tgs_mem_alloc((size_t)x.workers, sizeof *x.time);
    status = x.batch && x.time
                 ? control(&x, c->args, out, err)
                 : tgs_fail(err, TGS_ENOMEM, "out of memory for %d workers", x.workers);
    tgs_mem_free(x.batch);
    tgs_mem_free(x.time);
    tgs_i_instance_free(x.file);
    return status;
}

static const tgs_param params[] = {
    {"rule", "proportional", TGS_PARAM_TEXT, 0, 0, "proportional, or exact (by the rates)"},
    {"rounds", "4", TGS_PARAM_INT, 0, 100000, "rounds of the controller"},
    {"band", "0.01", TGS_PARAM_REAL, 0, 1, "relative change that is not worth making"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_omnilearn = {
    .base = {TGS_PLUGIN_ABI, "omnilearn", "batches that follow the workers' speeds",
             "Tyagi, Sharma, OmniLearn, IEEE TPDS, 2025", params},
    .needs = TGS_PLANS_FILE,
    .systems = "S13",
    .plan = plan,
};
