/* starpu_run.c -- the backend's calls: open validates everything, step replays the schedule, read
 * and close bring values back. */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include "starpu_core.h"

/* a kernel that takes far longer than planned is waited for; one that never ends is not */
static double patience_of(const spu_run *r, double seconds)
{
    for (int32_t t = 0; t < r->v->n; t++) {
        const double w = r->s->place[t].end - r->s->place[t].start;

        if (w < INFINITY && 10 * w > seconds)
            seconds = 10 * w;
    }
    return seconds;
}

static tgs_status validate(spu_run *r, tgs_error *err)
{
    tgs_status status = tgs_i_spu_check_schedule(r->v, r->s, err);

    if (!status) { /* its processors are there */
        tgs_i_spu_pools_plan(r);
        status = tgs_i_spu_check_kernels(r, err);
    }
    if (!status)
        status = tgs_i_spu_plan_order(r, err);
    if (!status)
        status = tgs_i_spu_check_conflicts(r, err);
    return status;
}

/* with StarPU: what its memories allow, and what is to be moved and dropped when */
static tgs_status plan(spu_run *r, tgs_error *err)
{
    tgs_status status = tgs_i_spu_map(r, err);

    if (!status)
        status = tgs_i_spu_check_memory(r, err);
    if (!status)
        status = tgs_i_spu_plan_dead(r, err);
    if (!status)
        status = tgs_i_spu_plan_moves(r, err);
    if (!status)
        status = tgs_i_spu_plan_waits(r, err);
    if (!status && !r->placed)
        status = tgs_i_spu_priorities(r, err);
    if (status)
        return status;
    for (int32_t p = 0; p < r->v->m && r->bound; p++)
        for (int32_t k = r->s->order_at[p]; k + 1 < r->s->order_at[p + 1]; k++)
            r->task[r->s->order[k]].next = r->s->order[k + 1];
    r->compute = tgs_mem_alloc((size_t)r->v->n, sizeof *r->compute);
    r->transfer = tgs_mem_alloc((size_t)r->plan.moves, sizeof *r->transfer);
    return r->compute && r->transfer ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
}

/* of the plan: with a policy of StarPU nothing, else the order of every processor, or the kinds */
static tgs_status what_to_keep(const tgs_args *args, bool *bound, tgs_error *err)
{
    const char *keep = tgs_arg_text(args, "keep");
    const bool unplaced = *tgs_arg_text(args, "policy") != 0, kind = !strcmp(keep, "kind");

    *bound = !unplaced && !kind;
    if (!kind && strcmp(keep, "order"))
        return tgs_fail(err, TGS_EINVAL, "keep is order or kind, not '%s'", keep);
    if (unplaced && kind)
        return tgs_fail(err, TGS_EINVAL, "a policy of StarPU's own keeps nothing of a plan");
    return TGS_OK;
}

tgs_status tgs_i_spu_open(void **out, const tgs_job *job, tgs_error *err)
{
    const char *policy = tgs_arg_text(job->args, "policy");
    spu_run *r = NULL;
    bool bound;
    tgs_status status = what_to_keep(job->args, &bound, err);

    *out = NULL;
    if (!status)
        status = tgs_i_spu_run_new(&r, job->v, job->codelets, !*policy, bound, err);
    if (status)
        goto done;
    r->s = job->s;
    r->canceled = job->canceled;
    r->user = job->user;
    snprintf(r->want.policy, sizeof r->want.policy, "%s", policy);
    if (!r->placed)
        r->codelet.model = &r->model;
    r->window = (int32_t)tgs_arg_int(job->args, "window");
    r->warm = tgs_arg_int(job->args, "warmup") != 0;
    r->scale = tgs_arg_real(job->args, "scale");
    r->patience = patience_of(r, tgs_arg_real(job->args, "watchdog"));
    status = validate(r, err);
    if (!status)
        status = tgs_i_spu_take(&r->machine, &r->want, err);
    if (!status)
        status = plan(r, err);
    if (!status && r->placed && !r->bound)
        status = tgs_i_spu_pools_open(r, err);
    if (!status) {
        status = tgs_i_spu_kernels_open(r, err);
        if (status)
            tgs_i_spu_kernels_close(r);
    }
done:
    if (!status) {
        *out = r;
        return TGS_OK;
    }
    if (r && r->machine) {
        tgs_i_spu_pools_close();
        tgs_i_spu_give();
    }
    tgs_i_spu_run_free(r);
    return status;
}

/* which tasks were the last to run */
static tgs_status canceled(const spu_run *r, tgs_error *err)
{
    int32_t done = 0, last = -1;
    char name[TGS_NAME_ROOM];

    for (int32_t t = 0; t < r->v->n; t++) {
        if (!tgs_i_spu_ran(r, t))
            continue;
        done++;
        if (last < 0 || r->stamp[t].end > r->stamp[last].end)
            last = t;
    }
    return tgs_fail(err, TGS_ECANCELED, "canceled after %d of %d tasks%s%s", done, r->v->n,
                    last < 0 ? "" : ", the last is ",
                    last < 0 ? "" : tgs_i_spu_task_name(r->v->g, last, name, sizeof name));
}

/* The first task left that needs the datum whose copy failed, or the first left at all. */
static tgs_status lost(const spu_run *r, const spu_loss *loss, tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    char name[TGS_NAME_ROOM], datum[TGS_NAME_ROOM];
    int32_t task = -1, needs = -1;

    for (int32_t i = 0; i < r->v->n && needs < 0; i++) {
        const int32_t t = r->plan.sequence[i];

        if (tgs_i_spu_ran(r, t))
            continue;
        task = task < 0 ? t : task;
        for (int32_t k = g->access_at[t]; k < g->access_at[t + 1]; k++)
            if (loss->datum >= 0 && (int32_t)g->access[k].datum == loss->datum)
                needs = t;
    }
    task = needs >= 0 ? needs : task;
    return tgs_fail(err, TGS_EBACKEND,
                    "the device of memory %s has failed (OpenCL error %d)%s%s; the first task left "
                    "is %s",
                    r->v->p->memory[r->memory_of[loss->node]].name, loss->error,
                    loss->datum < 0 ? "" : " at a copy of datum ",
                    loss->datum < 0 ? ""
                                    : tgs_i_spu_datum_name(g, loss->datum, datum, sizeof datum),
                    task < 0 ? "none" : tgs_i_spu_task_name(g, task, name, sizeof name));
}

/* what a step that has come to its end says of its failure; what had run goes into the trace */
static tgs_status tell_failure(spu_run *r, int32_t failed, double start, tgs_error *err)
{
    const spu_loss *loss = tgs_i_spu_loss();
    const char *codelet = failed <= r->v->n ? tgs_task_codelet(r->v->g, failed - 1) : "";
    char name[TGS_NAME_ROOM], device[64] = "";

    tgs_i_spu_trace_part(r, start);
    if (loss) { /* StarPU would ask the device again, and abort */
        r->stalled = true;
        tgs_i_spu_poison();
        snprintf(device, sizeof device, ", whose device has failed (OpenCL error %d)", loss->error);
    }
    if (failed == SPU_CANCELED)
        return canceled(r, err);
    if (failed == SPU_LOST)
        return lost(r, loss, err);
    return tgs_fail(err, TGS_EBACKEND, "task %s: %s%s failed on processor %s%s: %s",
                    tgs_i_spu_task_name(r->v->g, failed - 1, name, sizeof name),
                    *codelet ? "codelet " : "what stands for it", codelet,
                    r->v->p->proc[r->stamp[failed - 1].proc].name, device,
                    tgs_status_text(atomic_load(&r->failure)));
}

tgs_status tgs_i_spu_step(void *run, tgs_trace_log *log, tgs_error *err)
{
    spu_run *r = run;
    double start = 0;
    int32_t failed;
    tgs_status status = TGS_OK;

    if (r->broken)
        return tgs_fail(err, TGS_EBACKEND, "an earlier step of this run has failed");
    r->broken = true; /* until the end is reached */
    r->log = log;
    status = tgs_i_spu_begin(r, err);
    if (!status)
        status = tgs_i_spu_trace_rest(r, err);
    if (!status)
        status = tgs_i_spu_submit_and_wait(r, &start, err);
    if (status) {
        if (r->stalled)
            tgs_i_spu_trace_part(r, start);
        return status;
    }
    failed = atomic_load(&r->failed);
    if (!failed && tgs_i_spu_loss()) /* at a copy that no task waited for */
        failed = SPU_LOST;
    if (failed)
        return tell_failure(r, failed, start, err);
    if (r->steps == 0)
        r->base = start;
    for (int32_t k = 0; k < r->v->g->accesses && r->steps == 0; k++)
        if (r->v->g->access[k].mode & TGS_W)
            r->datum[r->v->g->access[k].datum].valid = true;
    for (int32_t i = 0; i < r->plan.dead_at[r->v->n]; i++)
        r->datum[r->plan.dead[i]].valid = r->datum[r->plan.dead[i]].bound != NULL;
    status = tgs_i_spu_trace_step(r, start, err);
    if (status)
        return status;
    r->round++;
    r->steps++;
    r->broken = false;
    return TGS_OK;
}

tgs_status tgs_i_spu_read(void *run, int32_t datum, void *to, tgs_error *err)
{
    spu_run *r = run;
    tgs_status status;

    if (r->broken)
        return tgs_fail(err, TGS_EBACKEND, "a step of this run has failed");
    starpu_resume();
    status = tgs_i_spu_fetch(r, datum, to, err);
    starpu_pause();
    if (!status)
        status = tgs_i_spu_trace_rest(r, err);
    return status;
}

tgs_status tgs_i_spu_close(void *run, tgs_error *err)
{
    spu_run *r = run;
    tgs_status status = TGS_OK;

    if (!r)
        return TGS_OK;
    if (!r->stalled)
        starpu_resume();
    for (int32_t d = 0; d < r->v->g->data && !r->broken && !status && r->steps; d++)
        if (r->datum[d].bound && r->datum[d].written)
            status = tgs_i_spu_fetch(r, d, r->datum[d].bound, err);
    /* StarPU still holds tasks and data of a stalled run, and cannot free those of a lost device:
     * they stay as they are */
    if (r->stalled || tgs_i_spu_loss()) {
        tgs_i_spu_poison();
        tgs_i_spu_give();
        return status;
    }
    if (!status && !r->broken)
        status = tgs_i_spu_trace_rest(r, err);
    tgs_i_spu_drop(r);
    starpu_pause();
    tgs_i_spu_kernels_close(r);
    tgs_i_spu_pools_close();
    tgs_i_spu_log_settle(NULL); /* nothing is under way; the counters begin anew */
    tgs_i_spu_log_clear();
    tgs_i_spu_give();
    tgs_i_spu_run_free(r);
    return status;
}

extern const tgs_backend tgs_i_starpu_backend;
const tgs_backend tgs_i_starpu_backend = {
    .base = {TGS_PLUGIN_ABI, "starpu", "the module behind the backend", NULL, NULL},
    .open = tgs_i_spu_open,
    .bind = tgs_i_spu_bind,
    .step = tgs_i_spu_step,
    .read = tgs_i_spu_read,
    .close = tgs_i_spu_close,
    .calibrate = tgs_i_spu_calibrate,
};
