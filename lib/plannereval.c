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

/* the persistent data that a task uses, or makes, are at home where it runs */
static void stay(tgs_problem *pb, const tgs_schedule *s, int32_t task, bool makes)
{
    const tgs_graph_view *g = pb->v.g;
    const int32_t memory = pb->v.p->proc[s->v.place[task].proc].memory;

    for (int32_t a = g->access_at[task]; a < g->access_at[task + 1]; a++) {
        const int32_t d = g->access[a].datum, x = g->datum[d].extra;

        if (x >= 0 && g->extra[x].persistent && pb->home[d] >= 0
            && (!makes || g->access[a].mode != TGS_R))
            pb->home[d] = memory;
    }
}

/* persistent data are at home where their last version is made; those that nobody writes, where
 * they are read first */
static void settle(tgs_problem *pb, const tgs_schedule *s)
{
    const tgs_graph_view *g = pb->v.g;

    for (int32_t i = g->tasks - 1; i >= 0; i--)
        stay(pb, s, g->topo[i], false);
    for (int32_t i = 0; i < g->tasks; i++)
        stay(pb, s, g->topo[i], true);
}

/* joules of processors, busy and idle, and of links; NaN when one of them is not known */
static double energy(const tgs_trace *t, const tgs_platform_view *p, double step)
{
    double sum = 0;

    for (int32_t i = 0; i < p->procs; i++) {
        const tgs_kind *k = &p->kind[p->proc[i].kind];
        const double busy = tgs_trace_busy(t, i);

        sum += busy * k->power_busy + (step - busy) * k->power_idle;
    }
    for (int32_t i = 0; i < p->links; i++) {
        const double bytes = tgs_trace_link_bytes(t, p->link[i].from, p->link[i].to);

        if (bytes > 0)
            sum += bytes * p->link[i].energy;
    }
    return sum;
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

/* bytes by which the fullest memory is exceeded */
static double excess(const tgs_planning *pl, const tgs_trace *t, int32_t *memory)
{
    double most = 0;

    *memory = 0;
    for (int32_t i = 0; i < pl->p->memories; i++) {
        const double over = tgs_trace_peak(t, i) - pl->p->memory[i].capacity;

        if (over > most) {
            most = over;
            *memory = i;
        }
    }
    return most;
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

/* kept when it is better than what was there */
static void look(const tgs_planner_ctx *c, const tgs_problem *pb, const tgs_trace *t,
                 const char *heuristic, tgs_evaluation *out)
{
    const tgs_planning *pl = c->planning;
    tgs_evaluation e = {.step = tgs_trace_makespan(t),
                        .moved = tgs_trace_bytes_moved(t),
                        .tasks = pb->v.n,
                        .peak = pl->peak,
                        .heuristic = heuristic};

    e.missing = excess(pl, t, &e.memory);
    e.energy = energy(t, pl->p, e.step);
    if (out->heuristic && !tgs_planner_better(c, &e, out))
        return;
    *out = e;
    for (int32_t i = 0; i < pl->p->memories; i++)
        pl->peak[i] = tgs_trace_peak(t, i);
}

static tgs_status try(const tgs_planner_ctx *c, const tgs_problem *pb, const char *heuristic,
                      tgs_evaluation *out, tgs_error *err)
{
    tgs_schedule *s;
    tgs_trace *t = NULL;
    tgs_status status = make(&s, pb, c, heuristic, err);

    if (!status)
        status = tgs_i_check(s, pb, NULL, err);
    if (!status)
        status = tgs_simulate(&t, pb, s, err);
    if (!status)
        look(c, pb, t, heuristic, out);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    return status;
}

static tgs_status evaluate(const tgs_planner_ctx *c, const tgs_graph *g, bool arrival,
                           tgs_evaluation *out, tgs_error *err)
{
    const tgs_planning *pl = c->planning;
    tgs_problem *pb;
    tgs_schedule *first = NULL;
    tgs_status status = tgs_problem_new(&pb, g, &pl->roomy, pl->in->costs, "share", err);

    if (!status)
        status = make(&first, pb, c, ahead, err);
    if (!status) {
        settle(pb, first);
        status = try(c, pb, ahead, out, err);
    }
    if (!status && arrival)
        status = try(c, pb, as_it_comes, out, err);
    if (!status)
        status = bound(&out->bound, pb, err);
    tgs_schedule_free(first);
    tgs_problem_free(pb);
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

tgs_status tgs_planner_evaluate(const tgs_planner_ctx *c, const char *strategy, tgs_evaluation *out,
                                tgs_error *err)
{
    tgs_strategy *s;
    tgs_graph *g = NULL;
    tgs_status status = tgs_i_planning_strategy(&s, c->planning, strategy, err);

    memset(out, 0, sizeof *out);
    if (!status)
        status = tgs_model_lower(&g, c->planning->in->model[0], s, err);
    if (!status)
        status = evaluate(c, g, by_arrival(s), out, err);
    tgs_strategy_free(s);
    tgs_graph_free(g);
    return status;
}
