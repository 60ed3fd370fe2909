/* est-jobs.c -- GPUs to elastic jobs that share a cluster, for the most work in all (the inter-job
 * rule of Li et al., EasyScale, SC 2023).
 *
 * A job of M equal threads does M / T thread steps a second on its GPUs, T the longest of them when
 * threads are dealt exactly (bottleneck.c).  In rounds, in each of which a job changes once:
 *
 *   1. jobs that hold nothing get one GPU, the one that is fastest for them
 *   2. the others ask for k more of one type, for the most gain per GPU; who gains most is served
 *      first, ties to the first job, and asks again in the next round when too few are left
 *
 * until nobody gains.  A job's speed differs with the type in its own way.
 *
 *   gpu TYPE count=N
 *   job NAME threads=M speed=S,S,...        thread steps a second on each type, in their order; 0:
 *                                           it does not run there */
#include <string.h>
#include "tgsched/planner.h"
#include "../core.h"
#include "../instance.h"

enum { GPU, JOB };
enum { THREADS, SPEED };
static const tgs_i_column gpu[] = {
    {"count", TGS_I_WHOLE, false, 0, 1024, NAN, 0},
    {.key = NULL},
};
static const tgs_i_column job[] = {
    {"threads", TGS_I_WHOLE, false, 1, 100000, NAN, 0},
    {"speed", TGS_I_REAL, true, 0, 1e9, NAN, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {{"gpu", 1, 16, gpu}, {"job", 1, 1000, job}, {.record = NULL}};

typedef struct wish { /* of a job: k more of a type */
    int32_t type, k;
    double gain; /* per GPU; 0: it wants nothing */
} wish;

typedef struct cluster {
    tgs_i_instance *f;
    int32_t types, jobs, gpus;
    int64_t *free; /* [types] */
    int64_t *held; /* [jobs * types] */
    double *rate;  /* [jobs] */
    double *speed; /* [gpus] of one job's */
    int64_t *on;   /* [gpus] */
    wish *wish;    /* [jobs] */
} cluster;

static double speed_of(const cluster *x, int32_t j, int32_t t)
{
    const double *s;

    return tgs_i_list(x->f, JOB, j, SPEED, &s) > t ? s[t] : 0;
}

/* thread steps a second on what it holds and k more of a type */
static tgs_status rate_with(const cluster *x, int32_t j, int32_t type, int32_t k, double *rate,
                            tgs_error *err)
{
    const int64_t threads = tgs_i_index(x->f, JOB, j, THREADS);
    int32_t n = 0;
    double longest;
    tgs_status status;

    for (int32_t t = 0; t < x->types; t++)
        for (int64_t i = x->held[j * x->types + t] + (t == type ? k : 0); i > 0; i--)
            x->speed[n++] = speed_of(x, j, t);
    *rate = 0;
    if (n == 0)
        return TGS_OK;
    status = tgs_i_bottleneck(n, x->speed, NULL, threads, x->on, &longest, err);
    if (!status)
        *rate = (double)threads / longest;
    return status;
}

/* the most gain per GPU; of a job that holds nothing, of one GPU */
static tgs_status ask(const cluster *x, int32_t j, wish *w, tgs_error *err)
{
    const bool nothing = !(x->rate[j] > 0);
    tgs_status status = TGS_OK;

    *w = (wish){0, 0, 0};
    for (int32_t t = 0; t < x->types && !status; t++)
        for (int32_t k = 1; k <= x->free[t] && speed_of(x, j, t) > 0 && !status; k++) {
            double rate;

            status = rate_with(x, j, t, k, &rate, err);
            /* sums of speeds in another order differ in their last digits */
            if (!status && (rate - x->rate[j]) / k > w->gain + 1e-12 * rate)
                *w = (wish){t, k, (rate - x->rate[j]) / k};
            if (nothing)
                break;
        }
    return status;
}

/* serves the wishes of those that hold nothing, or of the others; how many */
static tgs_status serve(cluster *x, bool newcomers, int32_t *served, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (;;) {
        int32_t best = -1;
        wish *w;

        for (int32_t j = 0; j < x->jobs; j++)
            if (x->wish[j].gain > 0 && !(x->rate[j] > 0) == newcomers
                && (best < 0 || x->wish[j].gain > x->wish[best].gain))
                best = j;
        if (best < 0 || status)
            return status;
        w = &x->wish[best];
        if (x->free[w->type] < w->k) { /* others were faster */
            if (newcomers)
                status = ask(x, best, w, err);
            else
                w->gain = 0;
            continue;
        }
        status = rate_with(x, best, w->type, w->k, &x->rate[best], err);
        x->held[best * x->types + w->type] += w->k;
        x->free[w->type] -= w->k;
        w->gain = 0; /* once in a round */
        ++*served;
    }
}

static tgs_status run_rounds(cluster *x, int32_t *rounds, tgs_error *err)
{
    int32_t served = 1;
    tgs_status status = TGS_OK;

    for (*rounds = 0; served && !status; *rounds += served > 0) {
        served = 0;
        for (int32_t j = 0; j < x->jobs && !status; j++)
            status = ask(x, j, &x->wish[j], err);
        if (!status)
            status = serve(x, true, &served, err);
        if (!status)
            status = serve(x, false, &served, err);
    }
    return status;
}

static tgs_status tell(const cluster *x, int32_t rounds, tgs_proposal *out)
{
    double all = 0;
    int32_t waiting = 0;
    tgs_status status = TGS_OK;

    for (int32_t j = 0; j < x->jobs && !status; j++) {
        char choice[16 * 32] = "";
        size_t used = 0;

        for (int32_t t = 0; t < x->types; t++)
            if (x->held[j * x->types + t])
                used += (size_t)snprintf(choice + used, sizeof choice - used, "%s%lld %.20s",
                                         used ? ", " : "", (long long)x->held[j * x->types + t],
                                         tgs_i_row_name(x->f, GPU, t));
        all += x->rate[j];
        waiting += !used;
        status =
            tgs_proposal_row(out, tgs_i_row_name(x->f, JOB, j), used ? choice : "waits",
                             used ? tgs_i_index(x->f, JOB, j, THREADS) / x->rate[j] : NAN, NAN);
    }
    if (!status)
        status = tgs_proposal_figure(out, "thread_steps_per_s", all);
    if (!status)
        status = tgs_proposal_figure(out, "waiting_jobs", waiting);
    return status ? status : tgs_proposal_figure(out, "rounds", rounds);
}

static tgs_status open_cluster(cluster *x, const tgs_planner_ctx *c, tgs_error *err)
{
    tgs_status status = tgs_i_instance_read(&x->f, c->source, tables, err);

    if (status)
        return status;
    x->types = tgs_i_rows(x->f, GPU);
    x->jobs = tgs_i_rows(x->f, JOB);
    x->free = tgs_mem_alloc((size_t)x->types, sizeof *x->free);
    x->held = tgs_mem_alloc((size_t)x->jobs * (size_t)x->types, sizeof *x->held);
    x->rate = tgs_mem_alloc((size_t)x->jobs, sizeof *x->rate);
    x->wish = tgs_mem_alloc((size_t)x->jobs, sizeof *x->wish);
    for (int32_t t = 0; t < x->types && x->free; t++)
        x->gpus += (int32_t)(x->free[t] = tgs_i_index(x->f, GPU, t, 0));
    x->speed = tgs_mem_alloc((size_t)x->gpus + 1, sizeof *x->speed);
    x->on = tgs_mem_alloc((size_t)x->gpus + 1, sizeof *x->on);
    if (!x->free || !x->held || !x->rate || !x->wish || !x->speed || !x->on)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d jobs", (int)x->jobs);
    for (int32_t j = 0; j < x->jobs; j++) {
        const double *s;

        if (tgs_i_list(x->f, JOB, j, SPEED, &s) != x->types)
            return tgs_i_row_fail(x->f, JOB, j, err, "a speed for each of %d types is needed",
                                  (int)x->types);
    }
    return TGS_OK;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    cluster x = {.f = NULL};
    int32_t rounds = 0;
    tgs_status status = open_cluster(&x, c, err);

    if (!status)
        status = run_rounds(&x, &rounds, err);
    if (!status)
        status = tell(&x, rounds, out);
    tgs_mem_free(x.free);
    tgs_mem_free(x.held);
    tgs_mem_free(x.rate);
    tgs_mem_free(x.wish);
    tgs_mem_free(x.speed);
    tgs_mem_free(x.on);
    tgs_i_instance_free(x.f);
    return status;
}

const tgs_planner tgs_planner_est_jobs = {
    .base = {TGS_PLUGIN_ABI, "est-jobs", "unlike GPUs to elastic jobs, by gain per GPU",
             "Li et al., EasyScale, SC 2023", NULL},
    .needs = TGS_PLANS_FILE,
    .systems = "T17",
    .plan = plan,
};
