/* est-round.c -- logical workers to unlike GPUs, as EasyScale's released planner does it.
 *
 * M. Li et al., "EasyScale: Elastic Training with Consistent Accuracy and Improved Utilization on
 * GPUs", SC 2023.  For each multiplier m = 1 .. maxP the threads of a GPU of type i are p_i m,
 * rounded down or up; every set of GPUs whose threads are at least maxP is a placement, with
 *
 *     std   = max_i threads_i / p_i
 *     waste = (sum (p_i - threads_i / std) + (allocated - maxP) / std) / sum p_i
 *     speed = sum p_i (1 - waste)           (sums over the GPUs of the placement)
 *
 * where a placement of one type has waste 0.  The fastest wins, ties to the first in the order of
 * m, roundings, sets.  est-map is never slower than what a placement really does.  Sets are taken
 * by the counts per type: O(maxP 2^types prod (count_i + 1)), up to `evals` placements. */
#include "../core.h"
#include "est.h"

typedef struct best {
    double speed, waste;
    int64_t threads[64]; /* per GPU of a type */
    int32_t used[64];    /* GPUs of a type */
} best;

/* the placement's speed by their formula; waste 0 is what they give to one type alone */
static double rate(const tgs_i_est *x, const int64_t *threads, const int32_t *used, double *waste)
{
    double std = 0, theory = 0, lost = 0, allocated = 0;
    int32_t types = 0;

    for (int32_t i = 0; i < x->types; i++) {
        if (used[i] == 0)
            continue;
        types++;
        std = fmax(std, (double)threads[i] / x->speed[i]);
    }
    for (int32_t i = 0; i < x->types; i++) {
        if (used[i] == 0)
            continue;
        theory += x->speed[i] * used[i];
        lost += (x->speed[i] - (double)threads[i] / std) * used[i];
        allocated += (double)threads[i] * used[i];
    }
    *waste = 0;
    if (allocated < (double)x->threads)
        return -1;
    *waste = types == 1 ? 0 : (lost + (allocated - (double)x->threads) / std) / theory;
    return theory * (1 - *waste);
}

/* all sets of GPUs with these threads; false: evals are spent */
static bool look_at_sets(const tgs_i_est *x, const int64_t *threads, int64_t *evals, best *b)
{
    int32_t used[64] = {0}, i;

    for (;;) {
        double waste;
        double speed;

        for (i = 0; i < x->types && used[i] == x->count[i]; i++)
            used[i] = 0;
        if (i == x->types)
            return true;
        used[i]++;
        if ((*evals)-- <= 0)
            return false;
        speed = rate(x, threads, used, &waste);
        if (speed > b->speed) {
            b->speed = speed;
            b->waste = waste;
            for (int32_t k = 0; k < x->types; k++) {
                b->used[k] = used[k];
                b->threads[k] = threads[k];
            }
        }
    }
}

/* every way to round p_i m; false: evals are spent */
static bool look_at_roundings(const tgs_i_est *x, int64_t m, int64_t *evals, best *b)
{
    int64_t low[64], threads[64];
    bool up[64] = {false};
    int32_t i;

    for (i = 0; i < x->types; i++)
        threads[i] = low[i] = (int64_t)floor(x->speed[i] * (double)m);
    for (;;) {
        if (!look_at_sets(x, threads, evals, b))
            return false;
        for (i = 0; i < x->types; i++) { /* the next rounding; a whole number has one */
            const bool whole = (double)low[i] == x->speed[i] * (double)m;

            up[i] = !up[i] && !whole;
            threads[i] = low[i] + up[i];
            if (up[i])
                break;
        }
        if (i == x->types)
            return true;
    }
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    int64_t evals = tgs_arg_int(c->args, "evals"), left;
    best b = {.speed = -1, .waste = 0};
    bool all = true;
    tgs_i_est x;
    tgs_status status = tgs_i_est_open(&x, c, err);

    if (status)
        return status;
    for (int64_t m = 1; m <= x.threads && all && !c->stop(c->user); m++)
        all = look_at_roundings(&x, m, &evals, &b);
    if (b.speed <= 0) {
        status = tgs_fail(err, TGS_EINFEASIBLE,
                          "no placement among those looked at holds %lld "
                          "threads",
                          (long long)x.threads);
        goto done;
    }
    left = x.threads;
    for (int32_t i = 0, k = 0; i < x.gpus; i++) {
        const int32_t t = x.type[i];
        int64_t mine;

        k = i > 0 && x.type[i] == x.type[i - 1] ? k + 1 : 0;
        mine = k < b.used[t] ? b.threads[t] : 0;
        x.on[i] = mine < left ? mine : left;
        left -= x.on[i];
    }
    status = tgs_i_est_tell(&x, b.speed, b.waste, out);
    if (!status && !all)
        status = tgs_proposal_note(out, "the search ended with its evals");
done:
    tgs_i_est_close(&x);
    return status;
}

static const tgs_param params[] = {
    {"evals", "20000000", TGS_PARAM_INT, 1, 1e12, "placements to look at"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_est_round = {
    .base = {TGS_PLUGIN_ABI, "est-round", "logical workers to unlike GPUs, by rounded multiples",
             "Li et al., EasyScale, SC 2023", params},
    .needs = TGS_PLANS_FILE,
    .systems = "T17",
    .plan = plan,
};
