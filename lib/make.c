/* make.c -- run a heuristic on a problem and let nothing out that breaks a constraint. */
#include <string.h>
#include "watch.h"

/* the limit in seconds that a heuristic declares and the spec sets; 0 none */
static double limit_of(const tgs_plugin *p, const tgs_args *args)
{
    for (int32_t i = 0; p->params && p->params[i].key; i++)
        if (!strcmp(p->params[i].key, "seconds") && p->params[i].type != TGS_PARAM_TEXT)
            return tgs_arg_real(args, "seconds");
    return 0;
}

static tgs_status run_limited(const tgs_heuristic *h, const tgs_ctx *c, double seconds,
                              tgs_plan *plan, tgs_error *err)
{
    tgs_ctx inner = *c;
    tgs_i_limit limit;
    tgs_status status;
    char why[64];

    tgs_i_limit_open(&limit, &inner, c, seconds);
    status = h->run(&inner, plan, err);
    snprintf(why, sizeof why, "ended by the limit of %.6g s", seconds);
    if (!status && atomic_load(&limit.reached))
        tgs_i_note_stop(plan, why);
    return status;
}

/* what the checker says of a heuristic's schedule: infeasible, or the heuristic is wrong */
static tgs_status verdict(const tgs_schedule *s, const tgs_problem *pb, const char *heuristic,
                          tgs_error *err)
{
    tgs_error why = {0};
    bool feasibility = false;
    const tgs_status status = tgs_i_check(s, pb, &feasibility, &why);

    if (status != TGS_ECHECK)
        return status ? tgs_fail(err, status, "%s", why.text) : TGS_OK;
    if (feasibility)
        return tgs_fail(err, TGS_EINFEASIBLE, "%s found no feasible schedule: %s", heuristic,
                        why.text);
    return tgs_fail(err, TGS_ECHECK, "%s made an invalid schedule: %s", heuristic, why.text);
}

/* any heuristic by its spec, of the tree or from outside, on a plan without places */
static tgs_status run(const tgs_ctx *c, const char *spec, uint64_t seed, tgs_plan *plan,
                      tgs_error *err)
{
    const tgs_heuristic *h = NULL;
    const tgs_plugin *found = NULL;
    const tgs_args *args = NULL;
    tgs_args *own = NULL; /* of a heuristic of the tree */
    tgs_i_external *external = NULL;
    tgs_rng rng;
    tgs_ctx inner = *c;
    tgs_status status;
    double seconds;

    if (tgs_i_external_is(spec)) {
        status = tgs_i_external_open(&external, &h, &args, spec, err);
    } else {
        status = tgs_i_resolve(&found, &own, "heuristic", spec, err);
        h = (const tgs_heuristic *)found;
        args = own;
    }
    if (!status) {
        tgs_rng_seed(&rng, seed);
        inner.args = args;
        inner.rng = &rng;
        seconds = limit_of(&h->base, args);
        status =
            seconds > 0 ? run_limited(h, &inner, seconds, plan, err) : h->run(&inner, plan, err);
    }
    tgs_i_args_free(own);
    tgs_i_external_close(external);
    return status;
}

tgs_status tgs_plan_make(const tgs_ctx *c, const char *spec, uint64_t seed, tgs_plan *plan,
                         tgs_error *err)
{
    tgs_ctx inner = *c;

    if (++inner.depth > TGS_PLAN_DEPTH)
        return tgs_fail(err, TGS_EINVAL, "%s: heuristics call each other more than %d deep", spec,
                        TGS_PLAN_DEPTH);
    tgs_i_plan_clear(plan, c->v->n);
    return run(&inner, spec, seed, plan, err);
}

/* the view of a heuristic that calls another may be of no problem there is (backward) */
static tgs_status build(tgs_schedule **out, const tgs_ctx *c, const tgs_plan *plan, tgs_error *err)
{
    *out = NULL;
    if (!c->problem)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "a plan of a view alone is not checked or played");
    return tgs_i_schedule_build(out, c->problem, plan, "the plan", err);
}

tgs_status tgs_plan_check(const tgs_ctx *c, const tgs_plan *plan, tgs_error *err)
{
    tgs_schedule *s;
    tgs_status status = build(&s, c, plan, err);

    if (!status)
        status = verdict(s, c->problem, "the plan", err);
    tgs_schedule_free(s);
    return status;
}

tgs_status tgs_plan_play(const tgs_ctx *c, const tgs_plan *plan, double *start, double *makespan,
                         tgs_error *err)
{
    tgs_schedule *s;
    double *all = NULL; /* copies too */
    tgs_status status = build(&s, c, plan, err);

    *makespan = INFINITY;
    if (!status) {
        all = tgs_mem_alloc((size_t)s->v.places, sizeof *all);
        status = all ? tgs_i_sim_play(c->problem, &s->v, all, makespan, err)
                     : tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    if (!status && start)
        memcpy(start, all, (size_t)c->v->n * sizeof *start);
    tgs_mem_free(all);
    tgs_schedule_free(s);
    return status;
}

static void note_fitted(char *to, size_t size, const char *before)
{
    static const char fitted[] = "fitted to the memories";

    snprintf(to, size, "%.*s%s%s", (int)(size - sizeof fitted - 2), before, *before ? "; " : "",
             fitted);
}

/* The heuristic has not looked at the memories, and its schedule does not fit: one of the same
 * processors and orders takes its place that does, if there is one. */
static tgs_status fit(tgs_schedule **s, const tgs_problem *pb, const char *heuristic,
                      tgs_error *err)
{
    tgs_schedule *fitted = NULL;
    tgs_error full = {0}, why = {0};
    tgs_plan plan = {0};
    bool feasibility = false, limited = false;
    tgs_status status;

    for (int32_t m = 0; m < pb->v.memories; m++)
        limited |= pb->v.p->memory[m].capacity < INFINITY;
    if (!limited)
        return TGS_OK;
    status = tgs_i_check(*s, pb, &feasibility, &full);
    if (status != TGS_ECHECK || !feasibility)
        return TGS_OK; /* the verdict says what it is */
    status = tgs_i_plan_new(&plan, pb->v.n);
    if (status)
        return tgs_fail(err, status, "out of memory");
    status = tgs_i_fit(&plan, pb, &(*s)->v, &why);
    if (!status) {
        plan.lower_bound = (*s)->lower_bound;
        note_fitted(plan.note, sizeof plan.note, (*s)->note);
        status = tgs_i_schedule_build(&fitted, pb, &plan, heuristic, &why);
    }
    tgs_i_plan_free(&plan);
    if (!status) {
        tgs_schedule_free(*s);
        *s = fitted;
        return TGS_OK;
    }
    return status == TGS_EINFEASIBLE ? tgs_fail(
               err, status, "%s found no feasible schedule: %s; %s", heuristic, full.text, why.text)
                                     : tgs_fail(err, status, "%s", why.text);
}

tgs_status tgs_schedule_make_with(tgs_schedule **out, const tgs_problem *pb, const char *heuristic,
                                  uint64_t seed, const tgs_watch *watch, tgs_error *err)
{
    tgs_ctx c = {.v = &pb->v, .problem = pb};
    tgs_schedule *s = NULL;
    tgs_plan plan = {0};
    tgs_i_guard guard;
    tgs_status status;

    *out = NULL;
    status = tgs_i_plan_new(&plan, pb->v.n);
    if (status)
        return tgs_fail(err, status, "out of memory");
    tgs_i_guard_open(&guard, &c, watch);
    status = run(&c, heuristic, seed, &plan, err);
    if (!status && atomic_load(&guard.stopped))
        tgs_i_note_stop(&plan, "stopped");
    tgs_i_guard_close(&guard);
    if (!status)
        status = tgs_i_schedule_build(&s, pb, &plan, heuristic, err);
    if (!status)
        status = fit(&s, pb, heuristic, err);
    if (!status)
        status = verdict(s, pb, heuristic, err);
    tgs_i_plan_free(&plan);
    if (status)
        tgs_schedule_free(s);
    else
        *out = s;
    return status;
}

tgs_status tgs_schedule_make(tgs_schedule **out, const tgs_problem *pb, const char *heuristic,
                             uint64_t seed, tgs_error *err)
{
    return tgs_schedule_make_with(out, pb, heuristic, seed, NULL, err);
}
