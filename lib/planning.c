/* planning.c -- what planners are given, and running them. */
#include <string.h>
#include "modelimpl.h"
#include "planner.h"
#include "tgsched/lp.h"
#include "watch.h"

int64_t tgs_i_planning_bound(const tgs_model *m)
{
    const tgs_tensor *t = m->v.inputs ? &m->v.tensor[m->v.input[0]] : NULL;

    return t && t->rank > 0 && t->dim[0] > 0 ? t->dim[0] : 1; /* a profile is of one batch */
}

/* the platform with memories that hold everything: what is missing is told afterwards */
static tgs_status make_room(tgs_planning *pl, tgs_error *err)
{
    const tgs_platform *p = pl->in->platform;
    const tgs_costs *costs = pl->in->costs ? pl->in->costs : p->costs;
    tgs_status status = TGS_OK;

    if (costs && costs->v.links)
        status = tgs_i_platform_relink(&pl->measured, p, costs->v.link, costs->v.links, err);
    if (status)
        return status;
    pl->p = pl->measured ? &pl->measured->v : &p->v;
    pl->roomy = pl->measured ? *pl->measured : *p;
    pl->roomy.costs = p->costs;
    pl->memory = tgs_mem_alloc((size_t)pl->p->memories, sizeof *pl->memory);
    pl->peak = tgs_mem_alloc((size_t)pl->p->memories, sizeof *pl->peak);
    if (!pl->memory || !pl->peak)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < pl->p->memories; i++) {
        pl->memory[i] = pl->p->memory[i];
        pl->memory[i].capacity = INFINITY;
    }
    pl->roomy.v.memory = pl->memory;
    return TGS_OK;
}

tgs_status tgs_i_planning_join(tgs_planning *pl, const tgs_plan_input *in, tgs_i_shared *shared,
                               tgs_error *err)
{
    tgs_status status;

    *pl = (tgs_planning){.in = in,
                         .training = in->training ? in->training : "train sgd",
                         .shared = shared,
                         .joined = true};
    status = in->platform ? make_room(pl, err) : TGS_OK;
    if (status)
        tgs_i_planning_close(pl);
    return status;
}

tgs_status tgs_i_planning_open(tgs_planning *pl, const tgs_plan_input *in, tgs_error *err)
{
    tgs_i_shared *shared;
    tgs_status status = tgs_i_shared_new(&shared, err);

    memset(pl, 0, sizeof *pl);
    if (!status)
        status = tgs_i_planning_join(pl, in, shared, err);
    if (status)
        tgs_i_shared_free(shared);
    else
        pl->joined = false;
    return status;
}

void tgs_i_planning_close(tgs_planning *pl)
{
    if (!pl->joined)
        tgs_i_shared_free(pl->shared);
    tgs_platform_free(pl->measured);
    tgs_mem_free(pl->memory);
    tgs_mem_free(pl->peak);
    memset(pl, 0, sizeof *pl);
}

tgs_status tgs_i_planning_strategy(tgs_strategy **out, const tgs_planning *pl, const char *more,
                                   tgs_error *err)
{
    const size_t size = strlen(pl->training) + strlen(more) + 2;
    char *text;
    tgs_status status;

    *out = NULL;
    if (!*pl->training && !*more)
        return TGS_OK;
    text = tgs_mem_alloc(size, 1);
    if (!text)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    snprintf(text, size, "%s\n%s", pl->training, more);
    status = tgs_strategy_parse(out, text, err);
    tgs_mem_free(text);
    return status;
}

/* ---- one planner ---- */
tgs_status tgs_i_planner_suits(const tgs_plan_input *in, const tgs_planner *p, tgs_error *err)
{
    static const char *const what[] = {"one model", "models", "a graph", "a file of its own kind",
                                       "a platform"};
    const bool there[] = {in->models == 1, in->models > 0, in->graph != NULL, in->file != NULL,
                          in->platform != NULL};

    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        if (p->needs >> i & 1 && !there[i])
            return tgs_fail(err, TGS_ENOTAPPLICABLE, "planner %s plans for %s", p->base.name,
                            what[i]);
    return TGS_OK;
}

typedef struct call { /* what a context borrows */
    tgs_problem *problem;
    tgs_source source;
    bool opened;
    tgs_rng rng;
} call;

/* only what the planner asks for */
static tgs_status give(tgs_planner_ctx *c, call *x, const tgs_planner *p, tgs_planning *pl,
                       tgs_error *err)
{
    const tgs_plan_input *in = pl->in;
    tgs_status status = TGS_OK;

    tgs_rng_seed(&x->rng, in->seed);
    c->rng = &x->rng;
    c->planning = pl;
    c->models = in->models;
    c->bound = in->models ? tgs_i_planning_bound(in->model[0]) : 0;
    c->batch = in->batch ? in->batch : c->bound;
    c->p = in->platform ? pl->p : NULL;
    if (p->needs & TGS_PLANS_GRAPH)
        status = tgs_problem_new(&x->problem, in->graph, in->platform, in->costs, "latbw", err);
    if (!status && p->needs & TGS_PLANS_FILE) {
        status = tgs_i_source_open(&x->source, in->file, err);
        x->opened = !status;
    }
    c->v = x->problem ? &x->problem->v : NULL;
    c->source = x->opened ? &x->source : NULL;
    return status;
}

static tgs_status run_anew(const tgs_planner_ctx *outer, tgs_planning *pl, const char *spec,
                           tgs_proposal **out, tgs_error *err)
{
    const tgs_plan_input *in = pl->in;
    const char *model = in->models ? in->model[0]->v.name : in->file ? in->file : "a graph";
    const tgs_plugin *found;
    tgs_planner_ctx c = *outer;
    tgs_args *args = NULL;
    call x = {0};
    tgs_status status = tgs_i_resolve(&found, &args, "planner", spec, err);
    const tgs_planner *p = (const tgs_planner *)found;

    *out = NULL;
    if (!status)
        status = tgs_i_planner_suits(in, p, err);
    if (!status)
        status = give(&c, &x, p, pl, err);
    c.args = args;
    if (!status)
        status = tgs_i_proposal_new(out, spec, pl->training, model,
                                    in->graph ? tgs_graph_tasks(in->graph) : 0, err);
    if (!status && pl->program)
        status = p->program ? p->program(&c, pl->program, err)
                            : tgs_fail(err, TGS_ENOTAPPLICABLE, "%s solves no linear program",
                                       p->base.name);
    else if (!status)
        status = p->plan(&c, *out, err);
    if (status == TGS_ENOMEM)
        tgs_fail(err, status, "out of memory");
    if (status) {
        tgs_proposal_free(*out);
        *out = NULL;
    }
    if (x.opened)
        tgs_i_source_close(&x.source);
    tgs_problem_free(x.problem);
    tgs_i_args_free(args);
    return status;
}

/* asked twice, a planner answers once */
tgs_status tgs_i_planner_run(const tgs_planner_ctx *outer, const char *spec, tgs_proposal **out,
                             tgs_error *err)
{
    tgs_planning *pl = outer->planning;
    tgs_error why = {TGS_OK, ""};
    tgs_status status;

    if (!pl->program && tgs_i_answer_known(pl, spec, out, &status, err))
        return status;
    status = run_anew(outer, pl, spec, out, &why);
    if (!pl->program && tgs_i_answer_keep(pl, spec, *out, status, &why)) {
        tgs_proposal_free(*out);
        *out = NULL;
        status = why.status;
    }
    return status ? tgs_fail(err, status, "%s", why.text) : TGS_OK;
}

tgs_status tgs_proposal_open(tgs_proposal **out, const tgs_planner_ctx *c, tgs_error *err)
{
    const tgs_planning *pl = c->planning;

    return tgs_i_proposal_new(out, "", pl->training, "",
                              pl->in->graph ? tgs_graph_tasks(pl->in->graph) : 0, err);
}

tgs_status tgs_planner_call(const tgs_planner_ctx *c, const char *spec, tgs_proposal **out,
                            tgs_error *err)
{
    tgs_status status;

    *out = NULL;
    if (c->planning->depth >= TGS_PLAN_DEPTH)
        return tgs_fail(err, TGS_EINVAL, "%s: planners call each other more than %d deep", spec,
                        TGS_PLAN_DEPTH);
    c->planning->depth++;
    status = tgs_i_planner_run(c, spec, out, err);
    c->planning->depth--;
    return status;
}
