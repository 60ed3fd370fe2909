/* plannereval.c -- what becomes of a strategy: lowered, scheduled, simulated where links are
 * shared, and what it takes in each memory.
 *
 * It is the steady state that counts: a persistent datum begins the step where the last one left
 * it.  A first schedule tells where that is; the second one is played.  Where a strategy leaves the
 * order to the arrival of messages (pipelines of that order, wait-free gradients), a heuristic that
 * plans ahead defers what others wait for, so that one that does not is tried too. */
#include <string.h>
#include "modelimpl.h"
#include "planner.h"
#include "watch.h"

static const char *const ahead = "heft", *const as_it_comes = "message-driven";

static tgs_status make(tgs_schedule **out, const tgs_problem *pb, const tgs_planner_ctx *from,
                       const char *heuristic, tgs_error *err)
{
    const tgs_ctx c = {.v = &pb->v, .problem = pb, .stop = from->stop, .user = from->user};
    tgs_plan *plan;
    tgs_status status = tgs_plan_open(&plan, &pb->v, err);

    *out = NULL;
    if (!status)
        status = tgs_plan_make(&c, heuristic, 0, plan, err);
    if (!status)
        status = tgs_i_schedule_build(out, pb, plan, heuristic, err);
    tgs_plan_free(plan);
    return status;
}

/* the one memory that is allowed to a task; -1: there are several */
static int32_t only_memory(const tgs_view *v, int32_t task)
{
    const uint64_t *mask = v->mem_mask ? v->mem_mask + (int64_t)task * v->mem_words : NULL;
    int32_t found = -1;

    if (v->pin_proc && v->pin_proc[task] >= 0)
        return v->p->proc[v->pin_proc[task]].memory;
    for (int32_t w = 0; mask && w < v->mem_words; w++) {
        if (!mask[w])
            continue;
        if (found >= 0 || mask[w] & (mask[w] - 1))
            return -1;
        for (found = 64 * w; !(mask[w] >> found % 64 & 1);)
            found++;
    }
    return found;
}

/* Where each task runs: as the strategy has placed it, or, where it leaves some free, as a first
 * schedule does. */
static tgs_status locate(const tgs_planner_ctx *c, const tgs_problem *pb, int32_t *memory,
                         tgs_error *err)
{
    tgs_schedule *first;
    bool placed = true;
    tgs_status status;

    for (int32_t i = 0; i < pb->v.n && placed; i++) {
        memory[i] = only_memory(&pb->v, i);
        placed = memory[i] >= 0;
    }
    if (placed)
        return TGS_OK;
    status = make(&first, pb, c, ahead, err);
    for (int32_t i = 0; i < pb->v.n && !status; i++)
        memory[i] = pb->v.p->proc[first->v.place[i].proc].memory;
    tgs_schedule_free(first);
    return status;
}

/* The persistent data that a task uses, or makes, are at home where it runs.  Samples come from the
 * machine that needs them, unless somebody said where they are: all machines read theirs. */
static void stay(tgs_problem *pb, int32_t memory, int32_t task, bool makes)
{
    const tgs_graph_view *g = pb->v.g;

    for (int32_t a = g->access_at[task]; a < g->access_at[task + 1]; a++) {
        const int32_t d = g->access[a].datum, x = g->datum[d].extra;

        if (x < 0 || pb->home[d] < 0 || (makes && g->access[a].mode == TGS_R))
            continue;
        if (g->extra[x].persistent)
            pb->home[d] = memory;
        else if (g->extra[x].class_ == TGS_CLASS_INPUT && !g->extra[x].home)
            pb->home[d] = tgs_i_planning_home(pb->v.p, memory);
    }
}

/* persistent data are at home where their last version is made; those that nobody writes, where
 * they are read first */
static void settle(tgs_problem *pb, const int32_t *memory)
{
    const tgs_graph_view *g = pb->v.g;

    for (int32_t i = g->tasks - 1; i >= 0; i--)
        stay(pb, memory[g->topo[i]], g->topo[i], false);
    for (int32_t i = 0; i < g->tasks; i++)
        stay(pb, memory[g->topo[i]], g->topo[i], true);
}

/* bounds that cost no more than the schedule did; 0: there is none */
static tgs_status bound(double *best, const tgs_problem *pb, tgs_error *err)
{
    static const char *const cheap[] = {"critical-path", "area"};

    *best = 0;
    for (size_t i = 0; i < sizeof cheap / sizeof *cheap; i++) {
        double value;
        const tgs_status status = tgs_bound(&value, pb, cheap[i], NULL);

        if (status == TGS_ENOMEM)
            return tgs_fail(err, status, "out of memory");
        if (!status && value > *best)
            *best = value;
    }
    return TGS_OK;
}

double tgs_evaluation_worth(const tgs_evaluation *e, tgs_objective objective)
{
    switch (objective) {
    case TGS_OBJECTIVE_TIME:
        return e->step;
    case TGS_OBJECTIVE_ENERGY:
        return e->energy;
    case TGS_OBJECTIVE_EDP:
        return e->energy * e->step;
    }
    return NAN;
}

double tgs_planner_worth(const tgs_planner_ctx *c, const tgs_evaluation *e)
{
    return tgs_evaluation_worth(e, c->planning->in->objective);
}

bool tgs_planner_better(const tgs_planner_ctx *c, const tgs_evaluation *a, const tgs_evaluation *b)
{
    if (a->missing != b->missing)
        return a->missing < b->missing;
    return tgs_planner_worth(c, a) < tgs_planner_worth(c, b);
}

typedef struct trial { /* of a strategy */
    const tgs_i_fold *f;
    const tgs_problem *pb;
    double *peak; /* [memories] scratch */
} trial;

/* kept when it is better than what was there */
static tgs_status look(const tgs_planner_ctx *c, const trial *x, const tgs_trace *t,
                       const char *heuristic, tgs_evaluation *out, tgs_error *err)
{
    const tgs_planning *pl = c->planning;
    tgs_evaluation e = {.step = tgs_trace_makespan(t), .peak = pl->peak, .heuristic = heuristic};
    const tgs_status status = tgs_i_machine_sum(x->f, pl->p, x->pb, t, x->peak, &e, err);

    if (status || (out->heuristic && !tgs_planner_better(c, &e, out)))
        return status;
    *out = e;
    memcpy(pl->peak, x->peak, (size_t)pl->p->memories * sizeof *pl->peak);
    return TGS_OK;
}

static tgs_status try(const tgs_planner_ctx *c, const trial *x, const char *heuristic,
                      tgs_evaluation *out, tgs_error *err)
{
    tgs_schedule *s;
    tgs_trace *t = NULL;
    tgs_status status = make(&s, x->pb, c, heuristic, err);

    if (!status)
        status = tgs_i_check(s, x->pb, NULL, err);
    if (!status)
        status = tgs_simulate(&t, x->pb, s, err);
    if (!status)
        status = look(c, x, t, heuristic, out, err);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    return status;
}

/* on the machine; in a problem that is of the steady state */
static tgs_status try_all(const tgs_planner_ctx *c, tgs_problem *pb, const tgs_i_fold *f,
                          bool arrival, tgs_evaluation *out, tgs_error *err)
{
    trial x = {f, pb, tgs_mem_alloc((size_t)pb->v.memories, sizeof *x.peak)};
    int32_t *memory = tgs_mem_alloc((size_t)pb->v.n, sizeof *memory);
    tgs_status status =
        x.peak && memory ? locate(c, pb, memory, err) : tgs_fail(err, TGS_ENOMEM, "out of memory");

    if (!status) {
        settle(pb, memory);
        status = try(c, &x, ahead, out, err);
    }
    if (!status && arrival)
        status = try(c, &x, as_it_comes, out, err);
    if (!status)
        status = bound(&out->bound, pb, err);
    tgs_mem_free(memory);
    tgs_mem_free(x.peak);
    return status;
}

static tgs_status evaluate(const tgs_planner_ctx *c, const tgs_graph *g, const tgs_i_fold *f,
                           bool arrival, tgs_evaluation *out, tgs_error *err)
{
    tgs_problem *pb = NULL;
    tgs_i_machine m;
    tgs_status status = tgs_i_machine_open(&m, &c->planning->roomy, f, err);

    if (status)
        return status;
    status = tgs_problem_new(&pb, g, &m.p, c->planning->in->costs, "share", err);
    if (!status) {
        tgs_i_machine_price(&m, f, pb);
        status = try_all(c, pb, f, arrival, out, err);
    }
    tgs_problem_free(pb);
    tgs_i_machine_close(&m);
    return status;
}

/* an order of pipeline or merge by which what is there first goes first */
static bool by_arrival(const tgs_strategy *s)
{
    for (int64_t i = 0; s && i < s->directives; i++) {
        const char *name = s->directive[i].transform->base.name;
        const bool pipeline = !strcmp(name, "pipeline");

        if ((pipeline || !strcmp(name, "merge"))
            && !strcmp(tgs_arg_text(s->directive[i].args, "order"),
                       pipeline ? "message" : "wait-free"))
            return true;
    }
    return false;
}

/* lowering a step that nobody can simulate takes as long as simulating it would */
static tgs_status check_size(const tgs_planning *pl, const tgs_strategy *s, const tgs_i_fold *f,
                             tgs_error *err)
{
    const tgs_model_view *m = &pl->in->model[0]->v;
    double tasks = 0;

    for (int32_t i = 0; i < m->ops; i++)
        tasks += 3 * !m->op[i].folded;
    tasks *= f->memory ? f->kept : f->replicas;
    for (int64_t i = 0; s && i < s->directives; i++)
        if (!strcmp(s->directive[i].transform->base.name, "micro-batches"))
            tasks *= (double)tgs_arg_int(s->directive[i].args, "count");
    if (tasks <= TGS_I_SIMULATED)
        return TGS_OK;
    return tgs_fail(err, TGS_ENOTAPPLICABLE,
                    "a step of about %.0f tasks is not simulated: more than %.0f", tasks,
                    TGS_I_SIMULATED);
}

static tgs_status evaluate_anew(const tgs_planner_ctx *c, const char *strategy, tgs_evaluation *out,
                                tgs_error *err)
{
    const tgs_planning *pl = c->planning;
    tgs_strategy *s;
    tgs_graph *g = NULL;
    tgs_i_fold f = {0};
    tgs_status status = tgs_i_planning_strategy(&s, pl, strategy, err);

    memset(out, 0, sizeof *out);
    if (!status)
        status = tgs_i_fold_open(&f, pl->p, s, pl->whole, err);
    if (!status)
        status = check_size(pl, s, &f, err);
    if (!status)
        status = tgs_model_lower(&g, pl->in->model[0], s, err);
    if (!status)
        status = evaluate(c, g, &f, by_arrival(s), out, err);
    tgs_i_fold_close(&f);
    tgs_strategy_free(s);
    tgs_graph_free(g);
    return status;
}

tgs_status tgs_planner_evaluate(const tgs_planner_ctx *c, const char *strategy, tgs_evaluation *out,
                                tgs_error *err)
{
    tgs_error why = {TGS_OK, ""};
    tgs_status status;

    memset(out, 0, sizeof *out);
    if (tgs_i_fate_known(c->planning, strategy, out, &status, err))
        return status;
    if (c->planning->guard) /* each takes its time: whoever watches sees that it goes on */
        tgs_i_guard_beat(c->planning->guard);
    status = evaluate_anew(c, strategy, out, &why);
    status = tgs_i_fate_keep(c->planning, strategy, out, status, &why);
    return status ? tgs_fail(err, status, "%s", why.text) : TGS_OK;
}
