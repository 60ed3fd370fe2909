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
 * one sample are left out. */
#include "fleet.h"

typedef struct setting {
    int32_t stage, replicas; /* replicas: places that hold a sample */
    int64_t steps;
    double seconds, missing; /* missing: bytes, when nothing fits */
    int64_t *b;              /* [places] */
} setting;

static double fixed_bytes(const tgs_i_fleet *f, int32_t stage, int32_t n)
{
    const double p = f->parameters, s = f->state;

    return stage == 0 ? 2 * p + s
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
static int32_t fit(const tgs_i_fleet *f, const tgs_planner_ctx *c, int32_t stage,
                   tgs_i_curve *curve, double *missing)
{
    int32_t n = f->places, left = -1;

    *missing = INFINITY;
    while (left != n) {
        n = left < 0 ? n : left;
        left = 0;
        for (int32_t k = 0; k < f->places; k++) {
            const double room =
                tgs_i_fleet_capacity(f, c, k) - (n ? fixed_bytes(f, stage, n) : INFINITY);

            curve[k] = (tgs_i_curve){f->time + k * (f->batch + 1), tgs_i_fleet_samples(f, room)};
            if (!(curve[k].time[1] < INFINITY))
                curve[k].cap = 0;
            left += curve[k].cap > 0;
            if (n == f->places && curve[k].time[1] < INFINITY)
                *missing = fmin(*missing, f->saved[1] - room);
        }
        if (n == 0)
            return 0;
    }
    return n;
}

static tgs_status try_stage(const tgs_i_fleet *f, const tgs_planner_ctx *c, tgs_i_curve *curve,
                            setting *s, tgs_error *err)
{
    tgs_status status;

    s->seconds = INFINITY;
    s->replicas = fit(f, c, s->stage, curve, &s->missing);
    if (s->replicas == 0)
        return TGS_OK;
    status = tgs_i_scan(f->places, curve, f->batch, each_micro_step(f, s->stage, s->replicas), s->b,
                        &s->steps, &s->seconds, err);
    s->seconds += each_step(f, s->stage, s->replicas) + f->update;
    return status;
}

static tgs_status tell(const tgs_i_fleet *f, const tgs_planner_ctx *c, const tgs_i_curve *curve,
                       const setting *s, tgs_proposal *out, tgs_error *err)
{
    int64_t *share = tgs_mem_alloc((size_t)f->places, sizeof *share);
    double longest;
    char more[16] = "";
    tgs_status status = share ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory for shares");

    if (!status)
        status = tgs_i_scan_shares(f->places, curve, f->batch, s->b, s->steps, share, &longest, err);
    for (int32_t k = 0; k < f->places && !status; k++) {
        const int64_t b = share ? (share[k] + s->steps - 1) / s->steps : 0;
        char choice[80];

        snprintf(choice, sizeof choice, "%lld samples in %lld micro-batches", (long long)share[k],
                 (long long)(share[k] ? s->steps : 0));
        status = tgs_proposal_row(out, c->p->memory[f->memory[k]].name, choice,
                                  (double)s->steps * curve[k].time[b],
                                  b ? fixed_bytes(f, s->stage, s->replicas) + f->saved[b] : 0);
    }
    if (s->stage > 0)
        snprintf(more, sizeof more, "shard %d", s->stage);
    if (!status)
        status = tgs_i_fleet_propose(f, c, share, s->steps, more, out, err);
    if (!status)
        status = tgs_proposal_figure(out, "zero_stage", s->stage);
    if (!status)
        status = tgs_proposal_figure(
            out, "step_s",
            (double)s->steps * (longest + each_micro_step(f, s->stage, s->replicas))
                + each_step(f, s->stage, s->replicas) + f->update);
    tgs_mem_free(share);
    return status;
}

static tgs_status choose(const tgs_i_fleet *f, const tgs_planner_ctx *c, tgs_i_curve *curve,
                         int64_t *b, tgs_proposal *out, tgs_error *err)
{
    const int32_t given = (int32_t)tgs_arg_int(c->args, "stage");
    setting best = {.seconds = INFINITY, .missing = INFINITY};
    tgs_status status = TGS_OK;

    for (int32_t stage = given < 0 ? 0 : given; stage <= (given < 0 ? 3 : given) && !status;
         stage++) {
        setting s = {.stage = stage, .b = b};

        status = try_stage(f, c, curve, &s, err);
        if (!status && s.seconds < best.seconds)
            best = s;
        else if (s.missing < best.missing && !(best.seconds < INFINITY))
            best.missing = s.missing;
    }
    if (status)
        return status;
    if (!(best.seconds < INFINITY))
        return tgs_fail(err, TGS_EINFEASIBLE,
                        "%.17g bytes are missing for one sample on the roomiest device%s",
                        best.missing, given >= 0 && given < 3 ? "; stage=3 needs least" : "");
    status = try_stage(f, c, curve, &best, err); /* curve and b are those of the last stage */
    return status ? status : tell(f, c, curve, &best, out, err);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    tgs_i_curve *curve = NULL;
    int64_t *b = NULL;
    tgs_i_fleet f;
    tgs_status status = tgs_i_fleet_open(&f, c, err);

    if (status)
        return status;
    curve = tgs_mem_alloc((size_t)f.places, sizeof *curve);
    b = tgs_mem_alloc((size_t)f.places, sizeof *b);
    status = curve && b ? choose(&f, c, curve, b, out, err)
                        : tgs_fail(err, TGS_ENOMEM, "out of memory for %d places", f.places);
    tgs_mem_free(curve);
    tgs_mem_free(b);
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
