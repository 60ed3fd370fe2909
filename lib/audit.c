/* audit.c -- a run beside its plan: what held up each task, and where along the critical chain of
 * the run its time went. */
#include "audit.h"

void tgs_audit_free(tgs_audit *a)
{
    if (!a)
        return;
    tgs_mem_free(a->task);
    tgs_mem_free(a->chain);
    tgs_mem_free(a->again);
    tgs_mem_free(a);
}

const char *tgs_held_name(tgs_held h)
{
    static const char *const name[] = {"nothing", "processor", "task", "link"};

    return name[h];
}

static tgs_i_step_runs step_of(const tgs_trace_view *t, int32_t step)
{
    tgs_i_step_runs s = {t, t->step_start[step], t->step_end[step], 0, 0, 0, 0};

    while (s.ran_at < t->rans && t->ran[s.ran_at].step < step)
        s.ran_at++;
    for (s.ran_end = s.ran_at; s.ran_end < t->rans && t->ran[s.ran_end].step == step;)
        s.ran_end++;
    while (s.moved_at < t->moveds && t->moved[s.moved_at].step < step)
        s.moved_at++;
    for (s.moved_end = s.moved_at; s.moved_end < t->moveds && t->moved[s.moved_end].step == step;)
        s.moved_end++;
    return s;
}

/* ---- the rows ---- */
/* the planned execution of a task on that processor, else its first */
static const tgs_ran *planned(const tgs_i_runs *x, const tgs_trace_view *plan, const tgs_ran *r)
{
    for (int32_t k = x->at[r->task]; k < x->at[r->task + 1]; k++)
        if (plan->ran[x->run[k]].proc == r->proc)
            return &plan->ran[x->run[k]];
    return &plan->ran[x->run[x->at[r->task]]];
}

/* A run has the times of kernels alone; what a plan has for the runtime behind each is part of the
 * gap, as it is in the run. */
static void fill_rows(tgs_audit *a, tgs_i_examiner *x, const tgs_i_runs *in_plan,
                      const tgs_i_step_runs *plan)
{
    for (int32_t i = x->s.ran_at; i < x->s.ran_end; i++) {
        const tgs_ran *r = &x->s.t->ran[i], *p = planned(in_plan, plan->t, r);
        const tgs_i_holder h = tgs_i_examine(x, i);

        x->held[i - x->s.ran_at] = h.run;
        a->task[i - x->s.ran_at] = (tgs_audit_task){
            .task = r->task,
            .processor = r->proc,
            .planned_processor = p->proc,
            .planned_start = p->start - plan->start,
            .planned_end = p->end - plan->start - tgs_task_overhead(x->v, r->task, p->proc),
            .start = r->start - x->s.start,
            .end = r->end - x->s.start,
            .held = h.held,
            .by = h.by,
            .ready = h.ready,
        };
    }
}

static tgs_status follow_chain(tgs_audit *a, const tgs_i_examiner *x)
{
    const tgs_ran *ran = x->s.t->ran;
    int32_t last = -1;

    a->chain = tgs_mem_alloc((size_t)a->tasks, sizeof *a->chain);
    if (!a->chain)
        return TGS_ENOMEM;
    for (int32_t i = x->s.ran_at; i < x->s.ran_end; i++)
        if (last < 0 || ran[i].end > ran[last].end)
            last = i;
    for (int32_t i = last; i >= 0 && a->chained < a->tasks; i = x->held[i - x->s.ran_at]) {
        a->chain[a->chained++] = i - x->s.ran_at;
        a->task[i - x->s.ran_at].critical = 1;
    }
    for (int32_t i = 0; i < a->chained / 2; i++) {
        const int32_t swap = a->chain[i];

        a->chain[i] = a->chain[a->chained - 1 - i];
        a->chain[a->chained - 1 - i] = swap;
    }
    return TGS_OK;
}

/* sums of differences leave rounding where nothing was lost */
static double without_noise(double loss, double makespan)
{
    return fabs(loss) > 1e-12 * makespan ? loss : 0;
}

/* Between two executions of the chain the run and the plan both have a gap; what the run's gap has
 * more is the link's as far as data was under way, and the worker's from then on. */
static void add_losses(tgs_audit *a)
{
    double end = 0, planned_end = 0; /* of the execution before */

    for (int32_t i = 0; i < a->chained; i++) {
        const tgs_audit_task *t = &a->task[a->chain[i]];
        const double gap = t->start - end, planned_gap = t->planned_start - planned_end;

        if (t->held == TGS_HELD_LINK) {
            a->loss.links += t->ready - end - planned_gap;
            a->loss.waits += t->start - t->ready;
        } else {
            a->loss.waits += gap - planned_gap;
        }
        a->loss.slower += (t->end - t->start) - (t->planned_end - t->planned_start);
        end = t->end;
        planned_end = t->planned_end;
    }
    /* a run may end after its last task: data is written back */
    a->loss.waits += a->makespan.measured - end;
    a->loss.ahead = a->makespan.planned - planned_end;
    a->loss.slower = without_noise(a->loss.slower, a->makespan.measured);
    a->loss.links = without_noise(a->loss.links, a->makespan.measured);
    a->loss.waits = without_noise(a->loss.waits, a->makespan.measured);
    a->loss.ahead = without_noise(a->loss.ahead, a->makespan.measured);
}

/* ---- from outside ---- */
static tgs_status check_trace(const tgs_problem *pb, const tgs_trace_view *t, int32_t step,
                              tgs_error *err)
{
    if (t->data != pb->v.g->data || t->memories != pb->v.memories)
        return tgs_fail(err, TGS_EINVAL,
                        "the trace has %d data in %d memories, the problem %d in %d", t->data,
                        t->memories, pb->v.g->data, pb->v.memories);
    if (step < 0 || step >= t->steps)
        return tgs_fail(err, TGS_EINVAL, "the trace has %d steps, there is no step %d", t->steps,
                        step);
    return TGS_OK;
}

static tgs_status check_runs(const tgs_i_examiner *x, tgs_error *err)
{
    for (int32_t t = 0; t < x->v->n; t++)
        if (x->by_task.at[t] == x->by_task.at[t + 1])
            return tgs_fail(err, TGS_EINVAL, "task %d %s did not run in that step of the trace", t,
                            tgs_task_name(x->v->g, t, TGS_ROOM));
    return TGS_OK;
}

static tgs_status audit(tgs_audit *a, const tgs_problem *pb, const tgs_trace *run,
                        const tgs_trace *plan, int32_t step, tgs_error *err)
{
    const tgs_i_step_runs s = step_of(&run->v, step), p = step_of(&plan->v, 0);
    tgs_i_runs in_plan = {NULL, NULL};
    tgs_i_examiner x;
    tgs_status status = tgs_i_examiner_open(&x, &pb->v, &s);

    a->tasks = s.ran_end - s.ran_at;
    a->task = tgs_mem_alloc((size_t)a->tasks, sizeof *a->task);
    a->makespan.measured = s.end - s.start;
    if (!status)
        status = tgs_i_runs_of(&in_plan, &p);
    if (status || !a->task) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for an audit");
        goto done;
    }
    status = check_runs(&x, err);
    if (status)
        goto done;
    fill_rows(a, &x, &in_plan, &p);
    status = follow_chain(a, &x) ? tgs_fail(err, TGS_ENOMEM, "out of memory for an audit") : TGS_OK;
    if (!status)
        status = tgs_i_audit_bytes(a, pb, &s, &x.arrival, step == 0, err);
    if (!status)
        add_losses(a);
done:
    tgs_i_runs_free(&in_plan);
    tgs_i_examiner_close(&x);
    return status;
}

tgs_status tgs_audit_new(tgs_audit **out, const tgs_problem *pb, const tgs_schedule *s,
                         const tgs_trace *run, int32_t step, tgs_error *err)
{
    tgs_audit *a = tgs_mem_alloc(1, sizeof *a);
    tgs_problem *measured = NULL;
    tgs_trace *plan = NULL, *again = NULL;
    tgs_status status;

    *out = NULL;
    if (!a)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for an audit");
    if (step == -1)
        step = run->v.steps - 1;
    status = tgs_problem_reprice(&measured, pb, NULL, run, err); /* looks at tasks, processors */
    if (!status)
        status = check_trace(pb, &run->v, step, err);
    if (!status)
        status = tgs_simulate(&plan, pb, s, err);
    if (!status)
        status = tgs_simulate(&again, measured, s, err);
    if (!status) {
        a->makespan.planned = tgs_trace_makespan(plan);
        a->makespan.resimulated = tgs_trace_makespan(again);
        status = audit(a, pb, run, plan, step, err);
    }
    tgs_trace_free(plan);
    tgs_trace_free(again);
    tgs_problem_free(measured);
    if (status)
        tgs_audit_free(a);
    else
        *out = a;
    return status;
}

/* ---- questions ---- */
void tgs_audit_makespan(const tgs_audit *a, tgs_audit_makespans *out)
{
    *out = a->makespan;
}

int32_t tgs_audit_tasks(const tgs_audit *a)
{
    return a->tasks;
}

void tgs_audit_task_at(const tgs_audit *a, int32_t i, tgs_audit_task *out)
{
    *out = a->task[i];
}

const int32_t *tgs_audit_chain(const tgs_audit *a, int32_t *count)
{
    *count = a->chained;
    return a->chain;
}

void tgs_audit_losses(const tgs_audit *a, tgs_audit_loss *out)
{
    *out = a->loss;
}

void tgs_audit_moved(const tgs_audit *a, tgs_audit_bytes *out)
{
    *out = a->bytes;
}

int32_t tgs_audit_agains(const tgs_audit *a)
{
    return a->agains;
}

void tgs_audit_again_at(const tgs_audit *a, int32_t i, tgs_audit_again *out)
{
    *out = a->again[i];
}
