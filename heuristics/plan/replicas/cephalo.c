/* cephalo.c -- who computes how much, apart from who stores what.
 *
 * R. B. Guo, U. Anand, A. Chen, K. Daudjee, "Cephalo: harnessing heterogeneous GPU clusters for
 * training transformer models", ICS 2025 (arXiv 2411.01075).  The batch is split by speed, so that
 * the slowest device takes least (split.c); the state (parameters, gradients, optimizer) is then
 * poured into the memory that is left (tgs_i_fill_rooms), which it fits exactly when
 *
 *     sum (M_i - activations_i) >= S
 *
 * Where it does not, the place with least room for it computes less.  Layered accumulation runs all
 * micro-batches of a layer before the next: the parameters of L layers are gathered 2 L times a
 * step, not 2 L times a micro-batch, and the activations of all micro-batches are kept.  Numbers of
 * micro-batches are tried while they double and that helps; the shortest simulated step is taken.
 * What the simulation misses in memory is set aside, as in poplar.c. */
#include <string.h>
#include "fleet.h"

#define MOST_ROUNDS 6

typedef struct cluster {
    tgs_i_fleet f;
    const tgs_planner_ctx *c;
    bool layered;
    double all;         /* bytes of state */
    tgs_i_curve *curve; /* [places], like those below */
    int64_t *cap, *share;
    double *room, *state;
    int64_t *best_share;
    double *best_state;
    int64_t best_micro;
    double simulated; /* what the best one is worth; INFINITY: none fits */
    double estimate;  /* of it */
} cluster;

/* bytes of a share beside the state: a gathered layer and its gradients lie there too */
static double activations(const cluster *x, int64_t share, int64_t micro)
{
    const int64_t b = (share + micro - 1) / micro;

    return share ? x->f.saved[b] * (x->layered ? (double)micro : 1) + 2 * x->f.largest : 0;
}

static double gathers(const cluster *x, int64_t micro)
{
    return 2.0 * x->f.layers * (x->layered ? 1 : (double)micro);
}

static double estimate(const cluster *x, int64_t micro, double longest)
{
    int32_t n = 0;

    for (int32_t k = 0; k < x->f.places; k++)
        n += x->share[k] > 0;
    return (double)micro * longest
           + tgs_i_fleet_ring(&x->f, n, 2 * (x->layered ? 1 : (double)micro) + 1) + x->f.update;
}

/* TGS_EINFEASIBLE: not with so many micro-batches */
static tgs_status split_and_fill(cluster *x, int64_t micro, double *longest, tgs_error *err)
{
    for (int32_t k = 0; k < x->f.places; k++) {
        const double room = tgs_i_fleet_capacity(&x->f, x->c, k) - 2 * x->f.largest;

        x->curve[k] = (tgs_i_curve){x->f.time + k * (x->f.batch + 1), x->f.batch};
        x->cap[k] = x->curve[k].time[1] < INFINITY
                        ? tgs_i_fleet_samples(&x->f, room / (x->layered ? (double)micro : 1))
                        : 0;
    }
    for (;;) {
        double left = -x->all;
        int32_t tight = -1;
        const tgs_status status = tgs_i_scan_shares(x->f.places, x->curve, x->f.batch, x->cap,
                                                    micro, x->share, longest, err);

        if (status)
            return status;
        for (int32_t k = 0; k < x->f.places; k++) {
            x->room[k] = tgs_i_fleet_capacity(&x->f, x->c, k) - activations(x, x->share[k], micro);
            x->room[k] = x->share[k] ? fmin(x->room[k], x->all) : 0;
            left += x->room[k];
            if (x->share[k] > 0 && (tight < 0 || x->room[k] < x->room[tight]))
                tight = k;
        }
        if (left >= 0)
            return tgs_i_fill_rooms(x->f.places, x->room, x->all, x->state, err);
        x->cap[tight] = (x->share[tight] + micro - 1) / micro - 1;
    }
}

/* "shard 3 owners=... layered=1"; the caller frees it */
static char *shard(const cluster *x, const int64_t *share, const double *state)
{
    const size_t room = 64 + 12 * (size_t)x->f.places;
    char *text = tgs_mem_alloc(room, 1);
    size_t used = 0;
    int32_t n = 0;

    for (int32_t k = 0; k < x->f.places; k++)
        n += share[k] > 0;
    if (!text || n < 2)
        return text;
    used = (size_t)snprintf(text, room, "shard 3 owners=");
    for (int32_t k = 0; k < x->f.places; k++)
        if (share[k] > 0)
            used += (size_t)snprintf(text + used, room - used, "%s%.0f",
                                     text[used - 1] == '=' ? "" : ",",
                                     fmax(1, floor(1000 * state[k] / x->all + 0.5)));
    if (x->layered)
        snprintf(text + used, room - used, " layered=1");
    return text;
}

static char *strategy(const cluster *x, int64_t micro, const int64_t *share, const double *state)
{
    char *more = shard(x, share, state);
    char *text = more ? tgs_i_fleet_strategy(&x->f, x->c, share, micro, more) : NULL;

    tgs_mem_free(more);
    return text;
}

static tgs_status try_micro(cluster *x, int64_t micro, tgs_error *err)
{
    x->f.reserve = 0;
    for (int32_t round = 0; round < MOST_ROUNDS; round++) {
        double longest;
        tgs_evaluation e;
        char *text;
        tgs_status status = split_and_fill(x, micro, &longest, err);

        if (status)
            return status == TGS_EINFEASIBLE ? TGS_OK : status;
        text = strategy(x, micro, x->share, x->state);
        status = text ? tgs_planner_evaluate(x->c, text, &e, err)
                      : tgs_fail(err, TGS_ENOMEM, "out of memory for a strategy");
        tgs_mem_free(text);
        if (status)
            return status;
        if (e.missing > 0) {
            x->f.reserve += e.missing;
            continue;
        }
        if (tgs_planner_worth(x->c, &e) < x->simulated) {
            x->simulated = tgs_planner_worth(x->c, &e);
            x->estimate = estimate(x, micro, longest);
            x->best_micro = micro;
            memcpy(x->best_share, x->share, (size_t)x->f.places * sizeof *x->share);
            memcpy(x->best_state, x->state, (size_t)x->f.places * sizeof *x->state);
        }
        return TGS_OK;
    }
    return TGS_OK;
}

static tgs_status tell(const cluster *x, tgs_proposal *out)
{
    char *text = strategy(x, x->best_micro, x->best_share, x->best_state);
    tgs_status status = text ? tgs_proposal_directive(out, "%s", text) : TGS_ENOMEM;

    tgs_mem_free(text);
    for (int32_t k = 0; k < x->f.places && !status; k++) {
        const int64_t b = (x->best_share[k] + x->best_micro - 1) / x->best_micro;
        char choice[120];

        snprintf(choice, sizeof choice, "%lld samples, %.4g of the state",
                 (long long)x->best_share[k], x->best_state[k] / x->all);
        status =
            tgs_proposal_row(out, x->c->p->memory[x->f.memory[k]].name, choice,
                             (double)x->best_micro * x->f.time[k * (x->f.batch + 1) + b],
                             activations(x, x->best_share[k], x->best_micro) + x->best_state[k]);
    }
    if (!status)
        status = tgs_proposal_figure(out, "step_s", x->estimate);
    return status ? status : tgs_proposal_figure(out, "gathers", gathers(x, x->best_micro));
}

static tgs_status choose(cluster *x, tgs_proposal *out, tgs_error *err)
{
    const int64_t given = tgs_arg_int(x->c->args, "micro");
    int32_t worse = 0; /* in a row: more micro-batches would only be more */
    tgs_status status = TGS_OK;

    x->all = 2 * x->f.parameters + x->f.state;
    for (int64_t k = given ? given : 1; k <= (given ? given : x->f.batch) && !status; k *= 2) {
        const double was = x->simulated;

        status = try_micro(x, k, err);
        worse = x->simulated < was || !(was < INFINITY) ? 0 : worse + 1;
        if (worse == 2 || x->c->stop(x->c->user))
            break;
    }
    if (status)
        return status;
    if (!(x->simulated < INFINITY))
        return tgs_i_fleet_least(&x->f, x->c, 3, out, err);
    return tell(x, out);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    cluster x = {.c = c, .layered = tgs_arg_int(c->args, "layered"), .simulated = INFINITY};
    tgs_status status = tgs_i_fleet_open(&x.f, c, err);
    const size_t n = status ? 0 : (size_t)x.f.places;

    if (status)
        return status;
    if (x.f.places > PLAN_FEW) {
        tgs_i_fleet_close(&x.f);
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "%zu places share out every layer, each piece of which would go to all of "
                        "them: for more than %d that is not lowered",
                        n, PLAN_FEW);
    }
    x.curve = tgs_mem_alloc(n, sizeof *x.curve);
    x.cap = tgs_mem_alloc(n, 3 * sizeof *x.cap);
    x.room = tgs_mem_alloc(n, 3 * sizeof *x.room);
    if (x.curve && x.cap && x.room) {
        x.share = x.cap + n;
        x.best_share = x.share + n;
        x.state = x.room + n;
        x.best_state = x.state + n;
        status = choose(&x, out, err);
    } else {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %zu places", n);
    }
    tgs_mem_free(x.curve);
    tgs_mem_free(x.cap);
    tgs_mem_free(x.room);
    tgs_i_fleet_close(&x.f);
    return status;
}

static const tgs_param params[] = {
    {"layered", "1", TGS_PARAM_INT, 0, 1, "1: all micro-batches of a layer before the next"},
    {"micro", "0", TGS_PARAM_INT, 0, 100000, "micro-batches; 0: whatever is best"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_cephalo = {
    .base = {TGS_PLUGIN_ABI, "cephalo", "batch by speed, state by free memory, gathered by layer",
             "Guo, Anand, Chen, Daudjee, Cephalo, ICS 2025", params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "S19",
    .plan = plan,
};
