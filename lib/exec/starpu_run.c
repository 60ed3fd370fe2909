/* starpu_run.c -- the backend's calls: open validates everything, step replays the schedule, read
 * and close bring values back. */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include "starpu_core.h"

void tgs_i_spu_run_free(spu_run *r)
{
    if (!r)
        return;
    if (r->model.state) /* a policy has asked it */
        starpu_perfmodel_unload_model(&r->model);
    tgs_i_spu_plan_free(&r->plan);
    tgs_mem_free(r->worker_of);
    tgs_mem_free(r->node_of);
    tgs_mem_free(r->datum);
    tgs_mem_free(r->task);
    tgs_mem_free(r->buffer);
    tgs_mem_free(r->handle);
    tgs_mem_free(r->prepared);
    tgs_mem_free(r->ready);
    tgs_mem_free(r->where);
    tgs_mem_free(r->priority);
    tgs_mem_free(r->compute);
    tgs_mem_free(r->transfer);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->finished);
    tgs_mem_free(r);
}

static spu_run *run_alloc(void)
{
    spu_run *r = tgs_mem_alloc(1, sizeof *r);
    pthread_condattr_t attr;

    if (!r)
        return NULL;
    pthread_mutex_init(&r->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&r->finished, &attr);
    pthread_condattr_destroy(&attr);
    return r;
}

static tgs_status allocate(spu_run *r, tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    const size_t n = (size_t)g->tasks, m = (size_t)r->v->m, places = r->placed ? n : n * m;

    r->worker_of = tgs_mem_alloc(m, sizeof *r->worker_of);
    r->node_of = tgs_mem_alloc((size_t)r->v->memories, sizeof *r->node_of);
    r->datum = tgs_mem_alloc((size_t)g->data, sizeof *r->datum);
    r->task = tgs_mem_alloc(n, sizeof *r->task);
    r->buffer = tgs_mem_alloc((size_t)g->accesses, sizeof *r->buffer);
    r->handle = tgs_mem_alloc((size_t)g->accesses, sizeof *r->handle);
    r->prepared = tgs_mem_alloc(places, sizeof *r->prepared);
    r->ready = tgs_mem_alloc(places, sizeof *r->ready);
    r->where = tgs_mem_alloc(n, sizeof *r->where);
    r->priority = tgs_mem_alloc(n, sizeof *r->priority);
    if (!r->worker_of || !r->node_of || !r->datum || !r->task || !r->buffer || !r->handle
        || !r->prepared || !r->ready || !r->where || !r->priority)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    return TGS_OK;
}

static void describe_data(spu_run *r)
{
    const tgs_graph_view *g = r->v->g;

    for (int32_t k = 0; k < g->accesses; k++) {
        spu_datum *d = &r->datum[g->access[k].datum];

        d->read_first |= (g->access[k].mode & TGS_R) && g->access[k].version < 0;
        d->written |= (g->access[k].mode & TGS_W) != 0;
    }
    for (int32_t d = 0; d < g->data; d++)
        r->datum[d].persistent = g->datum[d].extra >= 0 && g->extra[g->datum[d].extra].persistent;
}

/* where StarPU may put a task: where it has a kernel, or anywhere allowed when it has none */
static int32_t where_of(const spu_run *r, int32_t t)
{
    static const int32_t bit[SPU_ARCHS] = {STARPU_CPU, STARPU_OPENCL, STARPU_CUDA};
    const tgs_platform_view *p = r->v->p;
    const spu_task *task = &r->task[t];
    const bool any = task->kernel[SPU_CPU] || task->kernel[SPU_OPENCL] || task->kernel[SPU_CUDA];
    int32_t where = 0;

    for (int32_t i = 0; i < p->procs; i++) {
        const int a = tgs_i_spu_arch(p->kind[p->proc[i].kind].arch);

        if (tgs_allowed(r->v, t, i) && (task->kernel[a] || !any))
            where |= bit[a];
    }
    return where;
}

static void describe_tasks(spu_run *r)
{
    static const char *const arch[SPU_ARCHS] = {"cpu", "opencl", "cuda"};
    const tgs_graph_view *g = r->v->g;

    for (int32_t t = 0; t < g->tasks; t++) {
        spu_task *task = &r->task[t];

        task->run = r;
        task->task = t;
        task->attrs = tgs_text(g, g->task[t].attrs);
        task->buffer = r->buffer + g->access_at[t];
        task->buffers = g->access_at[t + 1] - g->access_at[t];
        tgs_task_buffers(g, t, task->buffer);
        for (int a = 0; a < SPU_ARCHS; a++)
            task->kernel[a] = tgs_task_kernel(r->codelets, g, t, arch[a]);
        r->where[t] = where_of(r, t);
    }
}

/* for policies that ask what a task costs: our own predictions, in microseconds */
static double predicted(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned impl)
{
    const spu_task *t = task->cl_arg;
    const spu_run *r = t->run;

    (void)impl;
    for (int32_t p = 0; p < r->v->m; p++) {
        const int w = r->worker_of[p];

        if (starpu_worker_get_type(w) == arch->devices[0].type
            && (arch->devices[0].type == STARPU_CPU_WORKER
                || starpu_worker_get_devid(w) == arch->devices[0].devid)
            && tgs_allowed(r->v, t->task, p))
            return tgs_w(r->v, t->task, p) * 1e6;
    }
    return NAN;
}

static void describe_codelets(spu_run *r)
{
    tgs_i_spu_codelet_init(&r->codelet);
    r->model.type = STARPU_PER_ARCH;
    r->model.arch_cost_function = predicted;
    for (int node = 0; node < STARPU_MAXNODES; node++) {
        struct starpu_codelet *c = &r->move_codelet[node];

        starpu_codelet_init(c);
        c->where = STARPU_NOWHERE;
        c->nbuffers = 1;
        c->modes[0] = STARPU_R;
        c->specific_nodes = 1;
        c->nodes[0] = node;
        c->name = "transfer";
    }
    r->evict_codelet = r->move_codelet[STARPU_MAIN_RAM];
    r->evict_codelet.modes[0] = STARPU_RW;
    r->evict_codelet.name = "eviction";
}

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

/* everything that is known without StarPU; placed is set when there is a schedule */
tgs_status tgs_i_spu_run_new(spu_run **out, const tgs_view *v, const tgs_codelets *c, bool placed,
                             tgs_error *err)
{
    spu_run *r = run_alloc();
    tgs_status status = r ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");

    *out = r;
    if (status)
        return status;
    r->v = v;
    r->codelets = c;
    r->placed = placed;
    status = tgs_i_spu_check_platform(v->p, &r->want, &r->host, err);
    if (!status)
        status = allocate(r, err);
    if (status)
        return status;
    describe_data(r);
    describe_tasks(r);
    describe_codelets(r);
    return TGS_OK;
}

static tgs_status validate(spu_run *r, tgs_error *err)
{
    tgs_status status = tgs_i_spu_check_schedule(r->v, r->s, err);

    if (!status)
        status = tgs_i_spu_check_kernels(r, err);
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
    r->compute = tgs_mem_alloc((size_t)r->v->n, sizeof *r->compute);
    r->transfer = tgs_mem_alloc((size_t)r->plan.moves, sizeof *r->transfer);
    return r->compute && r->transfer ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
}

tgs_status tgs_i_spu_open(void **out, const tgs_job *job, tgs_error *err)
{
    const char *policy = tgs_arg_text(job->args, "policy");
    spu_run *r;
    tgs_status status = tgs_i_spu_run_new(&r, job->v, job->codelets, !*policy, err);

    *out = NULL;
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
    if (r && r->machine)
        tgs_i_spu_give();
    tgs_i_spu_run_free(r);
    return status;
}

/* which tasks were the last to run */
static tgs_status canceled(const spu_run *r, tgs_error *err)
{
    int32_t done = 0, last = -1;
    char name[64];

    for (int32_t t = 0; t < r->v->n; t++) {
        if (!r->task[t].ran)
            continue;
        done++;
        if (last < 0 || r->task[t].end > r->task[last].end)
            last = t;
    }
    return tgs_fail(err, TGS_ECANCELED, "canceled after %d of %d tasks%s%s", done, r->v->n,
                    last < 0 ? "" : ", the last is ",
                    last < 0 ? "" : tgs_i_spu_task_name(r->v->g, last, name, sizeof name));
}

tgs_status tgs_i_spu_step(void *run, tgs_trace_log *log, tgs_error *err)
{
    spu_run *r = run;
    double start = 0, end = 0;
    char name[64];
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
    if (failed) {
        tgs_i_spu_trace_part(r, start);
        if (failed == SPU_CANCELED)
            return canceled(r, err);
        return tgs_fail(err, TGS_EBACKEND, "task %s: codelet %s failed on processor %s: %s",
                        tgs_i_spu_task_name(r->v->g, failed - 1, name, sizeof name),
                        tgs_task_codelet(r->v->g, failed - 1),
                        r->v->p->proc[r->task[failed - 1].proc].name,
                        tgs_status_text(atomic_load(&r->failure)));
    }
    if (r->steps == 0)
        r->base = start;
    end = start;
    for (int32_t t = 0; t < r->v->n; t++)
        end = fmax(end, r->task[t].end);
    for (int32_t k = 0; k < r->v->g->accesses; k++)
        if (r->v->g->access[k].mode & TGS_W)
            r->datum[r->v->g->access[k].datum].valid = true;
    for (int32_t i = 0; i < r->plan.dead_at[r->v->n]; i++)
        r->datum[r->plan.dead[i]].valid = r->datum[r->plan.dead[i]].bound != NULL;
    status = tgs_i_spu_trace_step(r, start, end, err);
    if (status)
        return status;
    tgs_i_spu_rewind(r);
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
    /* StarPU still holds tasks and data of a stalled run: they stay as they are */
    if (r->stalled) {
        tgs_i_spu_give();
        return TGS_OK;
    }
    starpu_resume();
    for (int32_t d = 0; d < r->v->g->data && !r->broken && !status && r->steps; d++)
        if (r->datum[d].bound && r->datum[d].written)
            status = tgs_i_spu_fetch(r, d, r->datum[d].bound, err);
    if (!status && !r->broken)
        status = tgs_i_spu_trace_rest(r, err);
    tgs_i_spu_drop(r);
    starpu_pause();
    tgs_i_spu_kernels_close(r);
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
