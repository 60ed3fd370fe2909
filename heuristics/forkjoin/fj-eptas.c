/* fj-eptas.c -- fork-join graphs with a certificate, in the manner of the approximation schemes.
 *
 * After the EPTAS for P|fork-join,c_ij|Cmax of K. Jansen, O. Sinnen, H. Wang, "An EPTAS for
 * scheduling fork-join graphs with communication delay", TCS 861 (2021) 66-79: guess the length by
 * bisection, let a relaxation of the rounded problem place the work, schedule along it.  It departs
 * from the paper where that cannot be run: the relaxation is a flow over quantile intervals, and
 * for few tasks per processor a program over configurations that are generated as they are needed,
 * or over the numbers of big tasks (scheme.c, configs.c, counts.c).  So eps is a target, not a
 * promise; what is promised is the certificate afterwards: makespan, lower bound, and "proven" when
 * they are within 1 + eps.
 *
 * Every pair of memories for source and sink is a case (solve.c).  O(n log n) and some flows over
 * at most a few thousand groups, for each. */
#include <stdio.h>
#include "scheme.h"
#include "solve.h"

static tgs_status solve(void *user, const tgs_i_fj_form *f, double limit, tgs_i_fj_answer *a,
                        tgs_error *err)
{
    tgs_i_fj_effort effort = *(const tgs_i_fj_effort *)user;
    tgs_status status;

    effort.err = err;
    status = tgs_i_fj_scheme(f, &effort, limit, a);
    return status == TGS_ENOMEM ? tgs_fail(err, status, "out of memory for %d inner tasks", f->n)
                                : status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    tgs_i_fj_effort effort = {tgs_arg_real(c->args, "eps"), tgs_arg_int(c->args, "nodes"),
                              tgs_arg_int(c->args, "work"), 6 * tgs_arg_int(c->args, "nodes"),
                              NULL};
    tgs_i_fj_result r;
    tgs_status status = tgs_i_fj_solve(c, solve, &effort, effort.eps, plan, &r, err);

    if (status)
        return status;
    if (r.makespan <= r.lower)
        snprintf(plan->note, sizeof plan->note, "optimal: %s; %d cases, %d skipped",
                 r.theorem ? r.theorem : "a bound is reached", r.cases, r.skipped);
    else
        snprintf(plan->note, sizeof plan->note,
                 "%s within %.6g of the optimum; %d cases, %d skipped",
                 r.makespan <= (1 + effort.eps) * r.lower ? "proven" : "not proven to eps, but",
                 r.makespan / r.lower - 1, r.cases, r.skipped);
    return TGS_OK;
}

static const tgs_param params[] = {
    {"eps", "0.01", TGS_PARAM_REAL, 0, 10, "stop when makespan <= (1 + eps) lower bound"},
    {"nodes", "100000", TGS_PARAM_INT, 0, 1e12,
     "nodes of the branch and bound, of the search for sets of tasks; per case"},
    {"work", "4000000", TGS_PARAM_INT, 0, 1e12, "tasks sequenced by the local search, per case"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_fj_eptas = {
    .base = {TGS_PLUGIN_ABI, "fj-eptas",
             "fork-join by dual approximation, with a certified ratio; eps is its target",
             "Jansen, Sinnen, Wang, TCS 861 (2021) 66-79", params},
    .run = run,
};
