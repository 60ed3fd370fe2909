/* milp.c -- the integer program of disjunctive.c, solved by CBC: the optimum of some 15 tasks, else
 * a schedule and how far from the optimum it can be.
 *
 * It begins with the better one of the schedules of HEFT and of iterated local search, whose
 * makespan also is the horizon: the shorter, the tighter the program.  What CBC proves it proves in
 * floating point, to about 1e-9; so the note says what CBC says, and the bound that is told as
 * proven is that of the relaxation, which rounding cannot make too large.
 *
 * What is proven holds for schedules in which every task runs once and what it reads comes from
 * where it was written.  Capacities of memories are not looked at. */
#include <stdio.h>
#include <string.h>
#include "disjunctive.h"

enum { MOST = 500 }; /* tasks */

static tgs_status check_size(const tgs_view *v, tgs_error *err)
{
    if (v->n > MOST)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "%d tasks, more than the %d that milp is for",
                        v->n, MOST);
    return TGS_OK;
}

/* ---- the schedule to begin with ----------------------------------------------------------------
 */
static bool meets_deadlines(const tgs_view *v, const tgs_plan *plan)
{
    for (int32_t j = 0; j < v->n; j++) {
        const int32_t k = v->g->task[j].constraint;

        if (k >= 0 && plan->start[j] + tgs_w(v, j, plan->proc[j]) > v->g->constraint[k].deadline)
            return false;
    }
    return true;
}

/* plan gets the schedule of a heuristic if that is shorter than longest */
static tgs_status try_plan(const tgs_ctx *c, const char *spec, tgs_plan *plan, double *longest,
                           tgs_error *err)
{
    tgs_plan *other;
    tgs_error why = {TGS_OK, "out of memory"};
    tgs_status status = tgs_plan_open(&other, c->v, err);

    if (status)
        return status;
    status = tgs_plan_make(c, spec, 1, other, &why);
    if (!status && tgs_plan_makespan(c->v, other) < *longest && meets_deadlines(c->v, other)) {
        status = tgs_plan_assign(c->v, plan, other);
        *longest = tgs_plan_makespan(c->v, other);
    } else if (status == TGS_EINFEASIBLE || status == TGS_ENOTAPPLICABLE) {
        status = TGS_OK; /* that it finds none does not mean that there is none */
    }
    tgs_plan_free(other);
    return status ? tgs_fail(err, status, "%s", why.text) : TGS_OK;
}

static tgs_status begin(const tgs_ctx *c, tgs_plan *plan, double *longest, tgs_error *err)
{
    const char *start = tgs_arg_text(c->args, "start");
    tgs_status status = TGS_OK;

    *longest = INFINITY;
    if (strcmp(start, "ils") && strcmp(start, "heft") && strcmp(start, "none"))
        return tgs_fail(err, TGS_EINVAL, "start is ils, heft or none, not '%s'", start);
    if (strcmp(start, "none"))
        status = try_plan(c, "heft", plan, longest, err);
    if (!status && !strcmp(start, "ils"))
        status = try_plan(c, "ils:evals=20000", plan, longest, err);
    plan->lower_bound = NAN;
    *plan->note = 0;
    return status;
}

/* ---- solving -----------------------------------------------------------------------------------
 */
typedef struct result {
    tgs_lp_answer answer;
    double safe; /* bound of the relaxation, seconds */
    double best; /* the makespan of plan; INFINITY: none */
} result;

static void keep(const tgs_view *v, const tgs_plan *found, tgs_plan *plan, double *best)
{
    const double makespan = tgs_plan_makespan(v, found);

    if (!(makespan < *best))
        return;
    *best = makespan;
    memcpy(plan->proc, found->proc, (size_t)v->n * sizeof *plan->proc);
    memcpy(plan->start, found->start, (size_t)v->n * sizeof *plan->start);
}

/* A node is a linear program, which takes longer the more rows there are: by their cube, about,
 * from a hundred to some thousands. */
static int64_t most_nodes(const tgs_ctx *c, const tgs_i_disjunctive *x)
{
    const double rows = fmax(1, tgs_lp_rows(x->lp));
    const double most = tgs_arg_real(c->args, "work") / (rows * rows * rows);

    return (int64_t)fmax(1, fmin((double)tgs_arg_int(c->args, "nodes"), most));
}

static tgs_status solve(const tgs_ctx *c, tgs_i_disjunctive *x, tgs_plan *plan, result *r,
                        tgs_error *err)
{
    double *start = tgs_mem_alloc((size_t)tgs_lp_columns(x->lp), sizeof *start);
    tgs_lp_limits limits = {.nodes = most_nodes(c, x),
                            .seconds = tgs_arg_real(c->args, "seconds"),
                            .gap = tgs_arg_real(c->args, "gap") / 100,
                            .stop = c->stop,
                            .user = c->user};
    tgs_plan *found = NULL;
    tgs_status status = tgs_plan_open(&found, c->v, err);

    if (!status && !start)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d columns", tgs_lp_columns(x->lp));
    if (!status && r->best < INFINITY) {
        status = tgs_i_disjunctive_put(x, plan, start, err);
        limits.start = start;
    }
    if (!status)
        status = tgs_lp_relax(x->lp, &r->answer, err);
    if (!status)
        r->safe = fmax(r->safe, tgs_lp_safe_bound(x->lp, NULL) * x->unit);
    if (!status)
        status = tgs_lp_solve(x->lp, &limits, &r->answer, err);
    if (!status && limits.stop)
        limits.stop(limits.user); /* so that whoever watches knows when CBC's clock ended it */
    if (!status && (r->answer.end == TGS_LP_OPTIMAL || r->answer.end == TGS_LP_FEASIBLE)) {
        status = tgs_i_disjunctive_take(x, found, err);
        if (!status)
            keep(c->v, found, plan, &r->best);
    }
    tgs_plan_free(found);
    tgs_mem_free(start);
    return status;
}

static tgs_status tell(const tgs_i_disjunctive *x, const result *r, tgs_plan *plan, tgs_error *err)
{
    const bool whole = tgs_i_partial_direct(x->v);
    const char *where = whole ? "" : " where data goes its usual way";
    const double bound = fmax(r->answer.bound * x->unit, r->safe);
    const long long nodes = (long long)r->answer.nodes;

    if (!(r->best < INFINITY))
        return tgs_fail(err, TGS_EINFEASIBLE,
                        r->answer.end == TGS_LP_INFEASIBLE
                            ? "there is no schedule (so CBC says after %lld nodes)"
                            : "no schedule found in %lld nodes",
                        nodes);
    if (whole)
        plan->lower_bound = fmin(r->safe, r->best);
    if (r->answer.end == TGS_LP_OPTIMAL && r->best <= bound * (1 + 1e-6))
        snprintf(plan->note, sizeof plan->note, "optimal%s to 1e-6, says CBC after %lld nodes",
                 where, nodes);
    else
        snprintf(plan->note, sizeof plan->note,
                 "not proven optimal in %lld nodes: at most %.3g %% above the optimum%s, says CBC",
                 nodes, 100 * (r->best / bound - 1), where);
    return TGS_OK;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    tgs_i_partial at;
    tgs_i_disjunctive x;
    result r = {.safe = 0};
    tgs_status status = check_size(c->v, err);

    if (!status && !tgs_lp_available())
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "this tgsched was built without CBC");
    if (!status)
        status = begin(c, plan, &r.best, err);
    if (!status)
        status = tgs_i_partial_open(&at, c->v, err);
    if (status)
        return status;
    r.safe = tgs_i_partial_bound(&at, INFINITY) * (1 - 1e-12);
    status = tgs_i_disjunctive_open(&x, &at, r.best, tgs_arg_int(c->args, "rows"), err);
    if (!status) {
        status = solve(c, &x, plan, &r, err);
        if (!status)
            status = tell(&x, &r, plan, err);
        tgs_i_disjunctive_close(&x);
    }
    tgs_i_partial_close(&at);
    return status;
}

static tgs_status program(const tgs_ctx *c, tgs_lp **out, tgs_error *err)
{
    tgs_plan *plan = NULL;
    tgs_i_partial at;
    tgs_i_disjunctive x;
    double longest;
    tgs_status status = check_size(c->v, err);

    *out = NULL;
    if (!status)
        status = tgs_plan_open(&plan, c->v, err);
    if (!status)
        status = begin(c, plan, &longest, err);
    tgs_plan_free(plan);
    if (!status)
        status = tgs_i_partial_open(&at, c->v, err);
    if (status)
        return status;
    status = tgs_i_disjunctive_open(&x, &at, longest, tgs_arg_int(c->args, "rows"), err);
    if (!status) {
        char text[80];

        snprintf(text, sizeof text, "tgsched: T is the makespan in units of %.17g s", x.unit);
        tgs_lp_remark(x.lp, text);
        *out = x.lp;
        x.lp = NULL;
        tgs_i_disjunctive_close(&x);
    }
    tgs_i_partial_close(&at);
    return status;
}

static const tgs_param params[] = {
    {"nodes", "100000", TGS_PARAM_INT, 1, 1e9, "nodes of branch and bound, at most"},
    {"seconds", "0", TGS_PARAM_REAL, 0, 1e9, "seconds, at most; 0: no limit"},
    {"gap", "0", TGS_PARAM_REAL, 0, 100, "per cent above the optimum that are good enough"},
    {"work", "6.4e12", TGS_PARAM_REAL, 1, 1e300, "nodes times the cube of rows, at most"},
    {"rows", "2500", TGS_PARAM_INT, 1, 1e8, "rows of the integer program, at most"},
    {"start", "ils", TGS_PARAM_TEXT, 0, 0, "the schedule to begin with: ils, heft or none"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_milp = {
    .base = {TGS_PLUGIN_ABI, "milp", "an integer program for CBC: the optimum, or how far from it",
             "after Venugopalan, Sinnen, IEEE TPDS 26(1), 2015", params},
    .run = run,
    .program = program,
};
