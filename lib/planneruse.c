/* planneruse.c -- what users ask: a planner's answer, its program, what a strategy comes to. */
#include <string.h>
#include "planner.h"
#include "tgsched/lp.h"
#include "watch.h"

/* the strategy as it came out; what does not fit is no proposal */
static tgs_status conclude(const tgs_planner_ctx *c, tgs_proposal *p, tgs_error *err)
{
    const tgs_platform_view *v = c->planning->p;
    tgs_evaluation e;
    double *peak;
    tgs_status status = tgs_planner_evaluate(c, p->strategy, &e, err);

    if (status)
        return status;
    if (e.missing > 0)
        return tgs_i_planning_refuse(c, p->planner, p->strategy, &e, err);
    peak = tgs_mem_alloc((size_t)v->memories, sizeof *peak);
    if (!peak)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    memcpy(peak, e.peak, (size_t)v->memories * sizeof *peak);
    p->evaluation = e;
    p->evaluation.peak = peak; /* of the proposal from here on */
    p->evaluated = true;
    return TGS_OK;
}

/* joules cannot be minimised where the platform does not tell them */
static tgs_status tells_energy(const tgs_plan_input *in, tgs_error *err)
{
    const tgs_platform_view *p = in->platform ? &in->platform->v : NULL;

    if (in->objective == TGS_OBJECTIVE_TIME || !p)
        return TGS_OK;
    for (int32_t i = 0; i < p->procs; i++) {
        const tgs_kind *k = &p->kind[p->proc[i].kind];

        if (isnan(k->power_busy) || isnan(k->power_idle))
            return tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "joules cannot be minimised: kind '%.60s' of the platform has no "
                            "power_busy and power_idle",
                            k->name);
    }
    for (int32_t i = 0; i < p->links; i++)
        if (isnan(p->link[i].energy))
            return tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "joules cannot be minimised: the link from '%.60s' to '%.60s' has no "
                            "energy",
                            p->memory[p->link[i].from].name, p->memory[p->link[i].to].name);
    return TGS_OK;
}

/* the context of an input, watched */
tgs_status tgs_i_planning_begin(tgs_planner_ctx *c, tgs_planning *pl, tgs_i_guard *guard,
                                const tgs_plan_input *in, tgs_error *err)
{
    tgs_ctx watched = {0};
    tgs_status status = tells_energy(in, err);

    if (!status)
        status = tgs_i_planning_open(pl, in, err);

    if (status)
        return status;
    tgs_i_guard_open(guard, &watched, in->watch);
    *c = (tgs_planner_ctx){
        .stop = watched.stop, .progress = watched.progress, .user = watched.user, .planning = pl};
    c->bound = in->models ? tgs_i_planning_bound(in->model[0]) : 0;
    pl->guard = guard;
    return TGS_OK;
}

void tgs_i_planning_end(tgs_planning *pl, tgs_i_guard *guard)
{
    tgs_i_guard_close(guard);
    tgs_i_planning_close(pl);
}

/* A planner of one model answers with a strategy, be it the empty one; others with rows. */
static tgs_status decides_strategy(const char *spec, bool *decides, tgs_error *err)
{
    const uint32_t needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM;
    const tgs_plugin *found;
    tgs_args *args;
    const tgs_status status = tgs_i_resolve(&found, &args, "planner", spec, err);

    *decides = !status && (((const tgs_planner *)found)->needs & needs) == needs;
    if (!status)
        tgs_i_args_free(args);
    return status;
}

tgs_status tgs_i_planning_answer(const tgs_planner_ctx *c, const char *planner, tgs_proposal **out,
                                 tgs_error *err)
{
    tgs_proposal *p = NULL;
    bool decides;
    tgs_status status = tgs_i_planner_run(c, planner, &p, err);

    *out = NULL;
    if (!status)
        status = decides_strategy(planner, &decides, err);
    if (!status && decides)
        status = conclude(c, p, err);
    if (status)
        tgs_proposal_free(p);
    else
        *out = p;
    return status;
}

tgs_status tgs_planner_make(tgs_proposal **out, const tgs_plan_input *in, const char *planner,
                            tgs_error *err)
{
    tgs_planner_ctx c;
    tgs_planning pl;
    tgs_i_guard guard;
    tgs_status status = tgs_i_planning_begin(&c, &pl, &guard, in, err);

    *out = NULL;
    if (status)
        return status;
    status = tgs_i_planning_answer(&c, planner, out, err);
    tgs_i_planning_end(&pl, &guard);
    return status;
}

tgs_status tgs_planner_program_write(const tgs_plan_input *in, const char *planner,
                                     const char *path, tgs_error *err)
{
    tgs_planner_ctx c;
    tgs_planning pl;
    tgs_i_guard guard;
    tgs_proposal *none = NULL;
    tgs_lp *program = NULL;
    tgs_status status = tgs_i_planning_begin(&c, &pl, &guard, in, err);

    if (status)
        return status;
    pl.program = &program;
    status = tgs_i_planner_run(&c, planner, &none, err);
    if (!status)
        status = tgs_i_program_write(program, path, err);
    tgs_lp_free(program);
    tgs_proposal_free(none);
    tgs_i_planning_end(&pl, &guard);
    return status;
}

tgs_status tgs_planner_check(const tgs_plan_input *in, const char *planner, tgs_error *err)
{
    const tgs_plugin *found;
    tgs_args *args;
    tgs_status status = tgs_i_resolve(&found, &args, "planner", planner, err);

    if (!status)
        status = tgs_i_planner_suits(in, (const tgs_planner *)found, err);
    tgs_i_args_free(args);
    return status;
}

const char *tgs_planner_systems(const char *planner)
{
    const tgs_plugin *p;

    return tgs_i_find(&p, "planner", planner, NULL) ? NULL : ((const tgs_planner *)p)->systems;
}

tgs_status tgs_strategy_fits(const tgs_plan_input *in, const char *strategy, tgs_error *err)
{
    tgs_planner_ctx c;
    tgs_planning pl;
    tgs_i_guard guard;
    tgs_evaluation e;
    tgs_status status;

    if (in->models != 1 || !in->platform)
        return tgs_fail(err, TGS_EINVAL, "a strategy is of one model on a platform");
    status = tgs_i_planning_begin(&c, &pl, &guard, in, err);
    if (status)
        return status;
    status = tgs_planner_evaluate(&c, strategy, &e, err);
    if (!status && e.missing > 0)
        status = tgs_i_planning_refuse(&c, "the strategy", strategy, &e, err);
    tgs_i_planning_end(&pl, &guard);
    return status;
}

tgs_status tgs_strategy_evaluate(tgs_evaluation *out, double *peak, const tgs_plan_input *in,
                                 const char *strategy, tgs_error *err)
{
    tgs_planner_ctx c;
    tgs_planning pl;
    tgs_i_guard guard;
    tgs_status status;

    memset(out, 0, sizeof *out);
    if (in->models != 1 || !in->platform)
        return tgs_fail(err, TGS_EINVAL, "a strategy is of one model on a platform");
    status = tgs_i_planning_begin(&c, &pl, &guard, in, err);
    if (status)
        return status;
    status = tgs_planner_evaluate(&c, strategy, out, err);
    if (!status && peak)
        memcpy(peak, out->peak, (size_t)pl.p->memories * sizeof *peak);
    out->peak = peak;
    tgs_i_planning_end(&pl, &guard);
    return status;
}
