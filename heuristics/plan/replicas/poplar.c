/* poplar.c -- data parallelism over unlike devices, sharded as ZeRO does it.
 *
 * J. Zhang, H. Hu, C. Shi, X. Bai, "Poplar: efficient scaling of distributed DNN training on
 * heterogeneous GPU clusters", AAAI 39(21), 2025 (arXiv 2408.12596).  Each device's time is a curve
 * over its batch; per ZeRO stage the batches of a micro-step are found by a scan over its time
 * (scan.c).  Bytes of a device beside its activations, of n replicas with parameters P, gradients
 * P and optimizer state S, and what is communicated (ring, in passes of P):
 *
 *     stage   bytes              each step   each micro-step
 *     0       P + P + S          2           0
 *     1       P + P + S/n        2           0
 *     2       P + P/n + S/n      0           2
 *     3       (P + P + S)/n      0           3
 *
 * Their curves are cubic splines, ours linear between sizes that double.  Devices that cannot hold
 * one sample are left out.  Of the stages the one whose simulated step is shortest is taken. */
#include "fleet.h"

#define MOST_ROUNDS 8

typedef struct setting {
    int32_t stage, replicas; /* replicas: places that hold a sample */
    int64_t steps;
    double seconds;     /* of a step; INFINITY: nothing fits */
    double simulated;   /* what it is worth */
    int64_t *b, *share; /* [places] */
    bool *idle;         /* [places] that are better left out */
} setting;

static double fixed_bytes(const tgs_i_fleet *f, int32_t stage, int32_t n)
{
    const double p = f->parameters, s = f->state;

    return stage == 0   ? 2 * p + s
           : stage == 1 ? 2 * p + s / n
           : stage == 2 ? p + p / n + s / n
                        : (2 * p + s) / n;
}

static double each_micro_step(const tgs_i_fleet *f, int32_t stage, int32_t n)
{
    return stage < 2 ? 0 : tgs_i_fleet_ring(f, n, stage == 2 ? 2 : 3);
}

static double each_step(const tgs_i_fleet *f, int32_t stage, int32_t n)
{
    return stage < 2 ? tgs_i_fleet_ring(f, n, 2) : 0;
}

/* how many samples fit each place, when as many places take part as can */
static int32_t fit(const tgs_i_fleet *f, const tgs_planner_ctx *c, const setting *s,
                   tgs_i_curve *curve)
{
    int32_t n = f->places, left = -1;

    for (int32_t k = 0; k < f->places; k++)
        n -= s->idle[k];
    while (n > 0 && left != n) {
        n = left < 0 ? n : left;
        left = 0;
        for (int32_t k = 0; k < f->places; k++) {
            const double room =
                tgs_i_fleet_capacity(f, c, k) - (n ? fixed_bytes(f, s->stage, n) : INFINITY);

            curve[k] = (tgs_i_curve){f->time + k * (f->batch + 1), tgs_i_fleet_samples(f, room)};
            if (s->idle[k] || !(curve[k].time[1] < INFINITY))
                curve[k].cap = 0;
            left += curve[k].cap > 0;
        }
    }
    return n;
}

/* the shares of a stage; a place that gets none is left out, and the others hold more of the state
 */
static tgs_status try_stage(const tgs_i_fleet *f, const tgs_planner_ctx *c, tgs_i_curve *curve,
                            setting *s, tgs_error *err)
{
    double longest = 0;
    bool again = true;
    tgs_status status = TGS_OK;

    s->seconds = INFINITY;
    for (int32_t k = 0; k < f->places; k++)
        s->idle[k] = false;
    while (again && !status) {
        again = false;
        s->replicas = fit(f, c, s, curve);
        if (s->replicas == 0)
            return TGS_OK;
        status = tgs_i_scan(f->places, curve, f->batch, each_micro_step(f, s->stage, s->replicas),
                            s->b, &s->steps, &s->seconds, err);
        if (!status)
            status = tgs_i_scan_shares(f->places, curve, f->batch, s->b, s->steps, s->share,
                                       &longest, err);
        for (int32_t k = 0; k < f->places && !status; k++)
            if (curve[k].cap > 0 && s->share[k] == 0)
                again = s->idle[k] = true;
    }
    s->seconds = (double)s->steps * (longest + each_micro_step(f, s->stage, s->replicas))
                 + each_step(f, s->stage, s->replicas) + f->update;
    return status;
}

static void shard(const setting *s, char more[32])
{
    *more = 0;
    if (s->stage > 0 && s->replicas > 1)
        snprintf(more, 32, "shard %d", (int)s->stage);
}

/* The estimate of bytes leaves out what the loss, the inputs and transfers hold: what the
 * simulation misses is set aside in every place, until the plan fits or none does. */
static tgs_status try_until_it_fits(tgs_i_fleet *f, const tgs_planner_ctx *c, tgs_i_curve *curve,
                                    setting *s, tgs_error *err)
{
    tgs_status status;

    f->reserve = 0;
    for (int32_t round = 0; round < MOST_ROUNDS; round++) {
        tgs_evaluation e;
        char more[32], *text;

        status = try_stage(f, c, curve, s, err);
        if (status || !(s->seconds < INFINITY))
            return status;
        if (s->stage > 0 && s->replicas > PLAN_FEW) { /* each piece would go to every replica */
            s->seconds = INFINITY;
            return TGS_OK;
        }
        shard(s, more);
        text = tgs_i_fleet_strategy(f, c, s->share, s->steps, more);
        status = text ? tgs_planner_evaluate(c, text, &e, err)
                      : tgs_fail(err, TGS_ENOMEM, "out of memory for a strategy");
        tgs_mem_free(text);
        if (status)
            return status;
        s->simulated = tgs_planner_worth(c, &e);
        if (e.missing == 0)
            return TGS_OK;
        f->reserve += e.missing;
    }
    s->seconds = INFINITY;
    return TGS_OK;
}

static tgs_status tell(const tgs_i_fleet *f, const tgs_planner_ctx *c, const tgs_i_curve *curve,
                       const setting *s, tgs_proposal *out)
{
    char more[32], *text;
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < f->places && !status; k++) {
        const int64_t b = (s->share[k] + s->steps - 1) / s->steps;
        char choice[80];

        snprintf(choice, sizeof choice, "%lld samples in %lld micro-batches",
                 (long long)s->share[k], (long long)(b ? s->steps : 0));
        status = tgs_proposal_row(out, c->p->memory[f->memory[k]].name, choice,
                                  (double)s->steps * curve[k].time[b],
                                  b ? fixed_bytes(f, s->stage, s->replicas) + f->saved[b] : 0);
    }
    shard(s, more);
    text = status ? NULL : tgs_i_fleet_strategy(f, c, s->share, s->steps, more);
    if (!status)
        status = text ? tgs_proposal_directive(out, "%s", text) : TGS_ENOMEM;
    tgs_mem_free(text);
    if (!status)
        status = tgs_proposal_figure(out, "zero_stage", s->stage);
    return status ? status : tgs_proposal_figure(out, "step_s", s->seconds);
}

static tgs_status choose(tgs_i_fleet *f, const tgs_planner_ctx *c, tgs_i_curve *curve,
                         const setting *work, tgs_proposal *out, tgs_error *err)
{
    const int32_t given = (int32_t)tgs_arg_int(c->args, "stage");
    setting best = {.seconds = INFINITY, .simulated = INFINITY};
    tgs_status status = TGS_OK;

    for (int32_t stage = given < 0 ? 0 : given; stage <= (given < 0 ? 3 : given) && !status;
         stage++) {
        setting s = *work;

        s.stage = stage;

        status = try_until_it_fits(f, c, curve, &s, err);
        if (!status && s.seconds < INFINITY && s.simulated < best.simulated)
            best = s;
    }
    if (status)
        return status;
    if (!(best.seconds < INFINITY))
        return tgs_i_fleet_least(f, c, given < 0 ? 3 : given, out, err);
    status =
        try_until_it_fits(f, c, curve, &best, err); /* curve and b are those of the last stage */
    return status ? status : tell(f, c, curve, &best, out);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    tgs_i_curve *curve = NULL;
    setting work = {.stage = 0};
    tgs_i_fleet f;
    tgs_status status = tgs_i_fleet_open(&f, c, err);

    if (status)
        return status;
    curve = tgs_mem_alloc((size_t)f.places, sizeof *curve);
    work.b = tgs_mem_alloc((size_t)f.places, sizeof *work.b);
    work.share = tgs_mem_alloc((size_t)f.places, sizeof *work.share);
    work.idle = tgs_mem_alloc((size_t)f.places, sizeof *work.idle);
    status = curve && work.b && work.share && work.idle
                 ? choose(&f, c, curve, &work, out, err)
                 : tgs_fail(err, TGS_ENOMEM, "out of memory for %d places", f.places);
    tgs_mem_free(curve);
    tgs_mem_free(work.b);
    tgs_mem_free(work.share);
    tgs_mem_free(work.idle);
    tgs_i_fleet_close(&f);
    return status;
}

static const tgs_param params[] = {
    {"stage", "-1", TGS_PARAM_INT, -1, 3, "ZeRO stage; -1: the fastest that fits"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_poplar = {
    .base = {TGS_PLUGIN_ABI, "poplar", "data parallelism over unlike devices, sharded as by ZeRO",
             "Zhang, Hu, Shi, Bai, Poplar, AAAI 2025", params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "S9",
    .plan = plan,
};
