/* adversary.c -- the instance on which one heuristic does worst against another: simulated
 * annealing over instances, after J. R. Coleman and B. Krishnamachari, "Comparing task graph
 * scheduling algorithms: an adversarial approach" (PISA), arXiv 2403.07120, 2024.
 *
 * As there, the objective is the ratio of the makespans and a neighbour differs in one weight, edge
 * or task.  We depart from it in that processors are unrelated, links and memories are changed too,
 * the search begins anew a few times, and the result is made smaller (adversaryshrink.c).
 * O(evals) schedules of both heuristics. */
#include <string.h>
#include "adversary.h"

static const double hot = 0.1, cold = 0.002; /* temperatures, of a difference of ratios */
enum { STARTS = 4, LONGEST = 2500, TASKS = 10, PROCS = 3, EVALS = 10000 };

/* ---- one instance --------------------------------------------------------------------------- */
/* a heuristic that has nothing to offer is no failure of the search */
static bool serious(tgs_status status)
{
    return status
           && (status == TGS_ENOMEM || status == TGS_EINVAL || status == TGS_ENOTFOUND
               || status == TGS_EPARSE);
}

static tgs_status play(const tgs_problem *pb, const tgs_schedule *s, double *makespan,
                       tgs_error *err)
{
    tgs_trace *t;
    const tgs_status status = tgs_simulate(&t, pb, s, err);

    *makespan = status ? -1 : tgs_trace_makespan(t);
    tgs_trace_free(t);
    return status;
}

static tgs_status makespan_of(tgs_i_search *x, const tgs_problem *pb, const char *heuristic,
                              double *makespan)
{
    const char *link = x->duel->link_model;
    tgs_error why = {TGS_OK, ""};
    tgs_schedule *s;
    tgs_status status = tgs_schedule_make(&s, pb, heuristic, x->duel->seed, &why);

    *makespan = -1;
    if (!status && link && strcmp(link, "latbw") != 0 && strcmp(link, "zero") != 0)
        status = play(pb, s, makespan, &why);
    else if (!status)
        *makespan = tgs_schedule_makespan(s);
    tgs_schedule_free(s);
    return serious(status) ? tgs_fail(x->err, status, "%s", why.text) : TGS_OK;
}

static tgs_status ratio_on(tgs_i_search *x, const tgs_problem *pb, double *ratio)
{
    double a, b = -1;
    tgs_status status = makespan_of(x, pb, x->duel->a, &a);

    if (!status && a >= 0)
        status = makespan_of(x, pb, x->duel->b, &b);
    *ratio = status || a < 0 || b < 0 ? -1 : a == b ? 1 : a / b;
    return status;
}

tgs_status tgs_i_world_ratio(tgs_i_search *x, const tgs_i_world *w, double *ratio)
{
    tgs_graph *g = NULL;
    tgs_platform *p = NULL;
    tgs_problem *pb = NULL;
    tgs_error why = {TGS_OK, ""};
    tgs_status status = tgs_i_world_build(w, &g, &p, x->err);

    *ratio = -1;
    x->evals++;
    if (!status) {
        status = tgs_problem_new(&pb, g, p, NULL, x->duel->link_model, &why);
        if (!status)
            status = ratio_on(x, pb, ratio);
        else
            status = status == TGS_ENOMEM || status == TGS_ENOTFOUND
                         ? tgs_fail(x->err, status, "%s", why.text)
                         : TGS_OK; /* a memory too small for anything */
    }
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    return status;
}

/* ---- the search ----------------------------------------------------------------------------- */
typedef struct best {
    tgs_i_world world;
    double ratio; /* -1: none yet */
} best;

static int32_t limit(int32_t wish, int32_t otherwise)
{
    return wish ? wish : otherwise;
}

static bool stopped(const tgs_i_search *x)
{
    return x->duel->stop && x->duel->stop(x->duel->user);
}

/* one annealing, of evals instances */
static tgs_status anneal(tgs_i_search *x, best *b, int64_t evals, int64_t all)
{
    const int32_t tasks = limit(x->duel->tasks, TASKS), procs = limit(x->duel->processors, PROCS);
    tgs_i_world here, next;
    double ratio = -1, other;
    tgs_status status = TGS_OK;

    tgs_i_world_random(&here, tasks, procs, &x->rng);
    for (int64_t i = 0; i < evals && !status && (!i || !stopped(x)); i++) {
        const double heat = hot * tgs_exp(tgs_log(cold / hot) * (double)i / (double)evals);

        next = here;
        if (i)
            tgs_i_world_move(&next, tasks, procs, &x->rng);
        status = tgs_i_world_ratio(x, &next, &other);
        if (status)
            break;
        if (other >= ratio || tgs_rng_real(&x->rng) < tgs_exp((other - ratio) / heat)) {
            here = next;
            ratio = other;
        }
        if (other > b->ratio) {
            b->ratio = other;
            b->world = next;
        }
        if (x->duel->progress && x->evals % 64 == 0)
            x->duel->progress(x->duel->user, (double)x->evals / (double)all, b->ratio);
    }
    return status;
}

static tgs_status check_duel(const tgs_duel *d, tgs_error *err)
{
    if (d->tasks < 0 || d->tasks > TGS_I_ADVERSARY_TASKS || d->tasks == 1)
        return tgs_fail(err, TGS_EINVAL, "an adversary has 2 to %d tasks, not %d",
                        TGS_I_ADVERSARY_TASKS, (int)d->tasks);
    if (d->processors < 0 || d->processors > TGS_I_ADVERSARY_PROCS)
        return tgs_fail(err, TGS_EINVAL, "an adversary has 1 to %d processors, not %d",
                        TGS_I_ADVERSARY_PROCS, (int)d->processors);
    if (d->evals < 0)
        return tgs_fail(err, TGS_EINVAL, "the number of instances is negative");
    return TGS_OK;
}

/* a few annealings; where there is time for many, more of them rather than longer ones */
static tgs_status search(tgs_i_search *x, best *b)
{
    const int64_t all = x->duel->evals ? x->duel->evals : EVALS, part = all / STARTS;
    const int64_t length = part < 1 ? 1 : part > LONGEST ? LONGEST : part;
    tgs_status status = TGS_OK;

    b->ratio = -1;
    for (int64_t done = 0; done < all && !status && (!done || !stopped(x)); done += length)
        status = anneal(x, b, all - done < length ? all - done : length, all);
    if (!status && b->ratio < 0)
        status =
            tgs_fail(x->err, TGS_EINFEASIBLE, "no instance on which both %s and %s find a schedule",
                     x->duel->a, x->duel->b);
    return status;
}

tgs_status tgs_adversary(tgs_graph **graph, tgs_platform **platform, double *ratio,
                         const tgs_duel *duel, tgs_error *err)
{
    tgs_i_search x = {.duel = duel, .err = err};
    best *b = NULL;
    tgs_status status = check_duel(duel, err);

    *graph = NULL;
    *platform = NULL;
    *ratio = NAN;
    if (status)
        return status;
    b = tgs_mem_alloc(1, sizeof *b);
    if (!b)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_rng_seed(&x.rng, duel->seed);
    status = search(&x, b);
    if (!status)
        status = tgs_i_world_shrink(&x, &b->world, &b->ratio, 0.99 * b->ratio);
    if (!status)
        status = tgs_i_world_build(&b->world, graph, platform, err);
    if (status) {
        tgs_graph_free(*graph);
        *graph = NULL;
    } else
        *ratio = b->ratio;
    tgs_mem_free(b);
    return status;
}
