/* fj-exact.c -- fork-join graphs solved to optimality: the polynomial cases at any size, else
 * branch and bound for few inner tasks. */
#include <stdio.h>
#include "solve.h"

static tgs_status solve(void *user, const tgs_i_fj_form *f, double limit, tgs_i_fj_answer *a,
                        tgs_error *err)
{
    int64_t *nodes = user;
    bool known, finished = true;
    tgs_status status = tgs_i_fj_special(f, a, &known);

    if (!status && !known && f->n > TGS_I_FJ_EXACT)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "%d inner tasks that no polynomial case covers, more than %d", f->n,
                        TGS_I_FJ_EXACT);
    if (!status && !known)
        status = tgs_i_fj_branch(f, *nodes, limit, a, &finished);
    return status ? tgs_fail(err, status, "out of memory for %d inner tasks", f->n) : TGS_OK;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    int64_t nodes = tgs_arg_int(c->args, "nodes");
    tgs_i_fj_result r;
    tgs_status status = tgs_i_fj_solve(c, solve, &nodes, 0, plan, &r, err);

    if (status)
        return status;
    if (r.lower >= r.makespan)
        snprintf(plan->note, sizeof plan->note, "optimal: %s; %d cases, %d skipped by their bounds",
                 r.theorem ? r.theorem : "a bound is reached", r.cases, r.skipped);
    else
        snprintf(plan->note, sizeof plan->note,
                 "not proven optimal: the search reached its %lld nodes", (long long)nodes);
    return TGS_OK;
}

static const tgs_param params[] = {
    {"nodes", "2000000", TGS_PARAM_INT, 1000, 1e12, "nodes of the branch and bound, per case"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_fj_exact = {
    .base =
        {TGS_PLUGIN_ABI, "fj-exact",
         "fork-join to optimality: polynomial cases, else branch and bound up to 20 inner tasks",
         NULL, params},
    .run = run,
};
