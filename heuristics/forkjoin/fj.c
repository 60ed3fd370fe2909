/* fj.c -- any graph as a chain of fork-joins, with a certificate.
 *
 * Tasks that are comparable with all others cut the graph into blocks (chain.h).  The cuts get the
 * positions of a dynamic program over memories in which each block is solved by itself, as a
 * fork-join of its branches with the scheme of fj-eptas, or task by task (blockplan.c).  What
 * reaches over cuts is then seen to by the list core: tasks by their levels, each into the earliest
 * gap of its processor.  From that schedule, or from that of a list heuristic where it is shorter,
 * a local search moves critical tasks, runs and branches (regroup.c).  Never worse than HEFT.
 *
 * The certificate is the chain bound (fj-chain), or that of fj-eptas when the whole graph is a
 * fork-join.  After K. Jansen, O. Sinnen, H. Wang, "An EPTAS for scheduling fork-join graphs with
 * communication delay", TCS 861 (2021) 66-79, whose problem is one block. */
#include <stdio.h>
#include <string.h>
#include "chain.h"
#include "play.h"
#include "regroup.h"

typedef struct candidates { /* the best schedule so far, and where it came from */
    const tgs_ctx *c;
    tgs_plan *plan; /* room */
    tgs_i_player player;
    tgs_i_layout trial, best;
    const char *from;
    double heft, lower; /* heft INFINITY: it exceeds deadlines */
    int32_t cuts;
    bool improved;
} candidates;

static tgs_status offer(candidates *x, tgs_i_urgency urgency, const char *from)
{
    tgs_status status = tgs_i_play(&x->player, &x->trial, urgency, INFINITY);

    if (!status && tgs_i_layout_better(&x->trial, &x->best)) {
        tgs_i_layout_copy(&x->best, &x->trial, x->c->v->n);
        x->from = from;
    }
    return status;
}

/* a heuristic's schedule, as it is and by the levels of its assignment; one that does not serve
 * this problem is no candidate */
static tgs_status offer_heuristic(candidates *x, const char *spec, double *makespan, tgs_error *err)
{
    const tgs_view *v = x->c->v;
    tgs_error why = {0};
    tgs_status status = tgs_plan_make(x->c, spec, 0, x->plan, &why);

    *makespan = INFINITY;
    if (status == TGS_ENOTAPPLICABLE)
        return TGS_OK;
    if (status)
        return tgs_fail(err, status, "%s", why.text);
    *makespan = tgs_plan_makespan(v, x->plan);
    if (x->plan->lower_bound > x->lower)
        x->lower = x->plan->lower_bound;
    memcpy(x->trial.proc, x->plan->proc, (size_t)v->n * sizeof *x->trial.proc);
    memcpy(x->trial.key, x->plan->start, (size_t)v->n * sizeof *x->trial.key);
    status = offer(x, TGS_I_KEY, spec);
    if (!status && x->trial.late > 0)
        *makespan = INFINITY;
    if (!status)
        status = offer(x, TGS_I_LEVEL, spec);
    return status ? tgs_fail(err, status, "out of memory to play %d tasks", v->n) : TGS_OK;
}

static bool grouped(const tgs_graph_view *g)
{
    for (int32_t i = 0; i < g->constraints; i++)
        if (g->constraint[i].group >= 0)
            return true;
    return false;
}

/* independent tasks with deadlines; *late: some deadline is exceeded by so much in any schedule */
static tgs_status offer_due(candidates *x, const tgs_i_chain *chain, int64_t work, double *late,
                            tgs_error *err)
{
    const tgs_view *v = x->c->v;
    tgs_i_block block;
    bool met = false;
    int32_t *proc = tgs_mem_alloc((size_t)v->n, sizeof *proc);
    double *key = tgs_mem_alloc((size_t)v->n, sizeof *key);
    tgs_status status = tgs_i_block_open(&block, chain, 0, TGS_I_NOWHERE, TGS_I_NOWHERE, 0, err);

    if (!status && (!proc || !key))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d independent tasks", v->n);
    if (!status && block.through < INFINITY)
        status = tgs_i_due(&block, work, proc, key, &met, late, err);
    for (int32_t i = 0; i < v->n && !status && met; i++) {
        x->trial.proc[v->g->topo[i]] = proc[i];
        x->trial.key[v->g->topo[i]] = key[i];
    }
    if (!status && met && offer(x, TGS_I_KEY, "deadlines"))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory to play %d tasks", v->n);
    tgs_i_block_close(&block);
    tgs_mem_free(proc);
    tgs_mem_free(key);
    return status;
}

/* the bound, and the schedules of the chain; groups reach over blocks */
static tgs_status offer_chain(candidates *x, int64_t work, tgs_error *err)
{
    const tgs_view *v = x->c->v;
    int64_t effort = 20000;
    double bound = 0, late = 0;
    bool possible = false;
    tgs_i_chain chain;
    tgs_status status = tgs_i_chain_open(&chain, v, err);

    if (status)
        return status;
    x->cuts = chain.cuts;
    status = tgs_i_chain_positions(x->c, &chain, tgs_i_block_bound, &effort, NULL, &bound, err);
    if (!status && !grouped(v->g))
        status = tgs_i_chain_plan(x->c, &chain, work, x->trial.proc, x->trial.key, &possible, err);
    x->lower = fmax(x->lower, bound);
    if (!status && possible
        && (offer(x, TGS_I_KEY, "the chain") || offer(x, TGS_I_LEVEL, "the chain")))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory to play %d tasks", v->n);
    if (!status && x->player.due && !v->g->edges && !chain.coarse && !grouped(v->g))
        status = offer_due(x, &chain, work, &late, err);
    if (!status && late > 0)
        status = tgs_fail(err, TGS_EINFEASIBLE,
                          "every schedule exceeds a deadline by %.6g s or more", late);
    tgs_i_chain_close(&chain);
    return status;
}

static tgs_status offer_all(candidates *x, int64_t work, tgs_error *err)
{
    /* the last one, which looks at all successors on all processors, while that is cheap */
    static const char *const specs[] = {"fj-eptas", "peft", "cpop", "lookahead"};
    const tgs_view *v = x->c->v;
    double makespan;
    tgs_status status = offer_heuristic(x, "heft", &x->heft, err);

    for (size_t i = 0; i < 3 + ((int64_t)v->n * v->m <= 400000) && !status; i++)
        status = offer_heuristic(x, specs[i], &makespan, err);
    return status ? status : offer_chain(x, work, err);
}

static tgs_status open(candidates *x, const tgs_ctx *c, tgs_error *err)
{
    const int32_t n = c->v->n;
    tgs_status status = tgs_plan_open(&x->plan, c->v, err);

    x->c = c;
    if (!status)
        status = tgs_i_layout_open(&x->trial, n, err);
    if (!status)
        status = tgs_i_layout_open(&x->best, n, err);
    return status ? status : tgs_i_player_open(&x->player, c->v, err);
}

static void close(candidates *x)
{
    tgs_plan_free(x->plan);
    tgs_i_layout_close(&x->trial);
    tgs_i_layout_close(&x->best);
    tgs_i_player_close(&x->player);
}

static void fill_plan(const candidates *x, tgs_plan *plan)
{
    const size_t n = (size_t)x->c->v->n;
    char of_heft[80] = "heft's schedule", within[50] = "";

    memcpy(plan->proc, x->best.proc, n * sizeof *plan->proc);
    memcpy(plan->start, x->best.start, n * sizeof *plan->start);
    if (x->heft == INFINITY)
        snprintf(of_heft, sizeof of_heft, "from %s%s, heft exceeds deadlines", x->from,
                 x->improved ? " by local search" : "");
    else if (x->best.makespan < x->heft)
        snprintf(of_heft, sizeof of_heft, "%.4g of heft, from %s%s", x->best.makespan / x->heft,
                 x->from, x->improved ? " by local search" : "");
    if (x->lower > 0)
        snprintf(within, sizeof within, "; within %.4g of the optimum",
                 x->best.makespan / x->lower - 1);
    plan->lower_bound = fmin(x->lower, x->best.makespan); /* sums are rounded */
    snprintf(plan->note, sizeof plan->note, "%s%s; %d cuts", of_heft,
             x->best.makespan <= x->lower ? "; optimal: a bound is reached" : within, x->cuts);
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const int64_t work = tgs_arg_int(c->args, "work");
    const double enough = 1 + tgs_arg_real(c->args, "eps");
    candidates x = {.lower = 0};
    tgs_status status = c->v->n ? open(&x, c, err) : TGS_OK;

    if (!status && c->v->n)
        status = offer_all(&x, work / 100, err);
    if (!status && c->v->n) {
        const double before = x.best.makespan;

        status = tgs_i_regroup(c, &x.player, work, x.lower * enough, &x.best, err);
        x.improved = x.best.makespan != before;
    }
    if (!status && c->v->n)
        fill_plan(&x, plan);
    close(&x);
    return status;
}

static const tgs_param params[] = {
    {"eps", "0", TGS_PARAM_REAL, 0, 10, "stop when makespan <= (1 + eps) lower bound"},
    {"work", "4000000", TGS_PARAM_INT, 0, 1e12, "tasks placed by the local search"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_fj = {
    .base = {TGS_PLUGIN_ABI, "fj",
             "any graph as a chain of fork-joins, and local search; never worse than heft, with a "
             "certified ratio",
             "after Jansen, Sinnen, Wang, TCS 861 (2021) 66-79", params},
    .run = run,
};
