/* starpu_prepare.c -- what is done before time 0, so that no compilation is measured: each kernel's
 * prepare for each task and processor, in the worker, and a first execution of each class of task
 * where that one differs. */
#include <math.h>
#include <string.h>
#include "starpu_core.h"

static bool runs_here(const spu_run *r, int32_t task, int32_t proc)
{
    const int32_t pool = r->task[task].pool;

    if (r->skip[task])
        return false;
    if (pool >= 0)
        return r->pool_of[proc] == pool;
    return !r->placed || r->s->place[task].proc == proc;
}

static void *queue_here(int arch)
{
#ifdef STARPU_USE_OPENCL
    if (arch == SPU_OPENCL) {
        cl_command_queue queue;

        starpu_opencl_get_current_queue(&queue);
        return queue;
    }
#endif
#ifdef STARPU_USE_CUDA
    if (arch == SPU_CUDA)
        return starpu_cuda_get_local_stream();
#endif
    (void)arch;
    return NULL;
}

/* in the worker: prepare, or release, every kernel that it will run */
static void visit(spu_run *r, bool prepare)
{
    const int32_t proc = r->proc_of[starpu_worker_get_id()];
    const int arch = tgs_i_spu_arch(r->v->p->kind[r->v->p->proc[proc].kind].arch);
    void *queue = queue_here(arch);

    for (int32_t t = 0; t < r->v->n; t++) {
        const tgs_kernel *k = r->task[t].kernel[arch];
        const int64_t at = tgs_i_spu_prepared(r, t, proc) - r->prepared;
        tgs_call call;
        tgs_status status;

        if (!k || !runs_here(r, t, proc) || (prepare ? !k->prepare : !r->ready[at]))
            continue;
        call = tgs_i_spu_call(&r->task[t], k, proc, queue);
        if (!prepare) {
            if (k->release)
                k->release(&call);
            r->ready[at] = false;
            continue;
        }
        status = atomic_load(&r->failed) ? TGS_OK : k->prepare(&call);
        if (status)
            tgs_i_spu_fail(&r->task[t], status);
        else if (!atomic_load(&r->failed)) {
            r->prepared[at] = call.prepared;
            r->ready[at] = true;
        }
    }
}

static void prepare_here(void *run)
{
    visit(run, true);
}

static void release_here(void *run)
{
    visit(run, false);
}

static void on_workers(spu_run *r, void (*what)(void *), const char *name)
{
    unsigned worker[STARPU_NMAXWORKERS];

    for (int32_t p = 0; p < r->v->m; p++)
        worker[p] = (unsigned)r->worker_of[p];
    starpu_execute_on_specific_workers(what, r, (unsigned)r->v->m, worker, name);
}

/* what is compiled once: codelet, attributes and shapes */
static uint64_t class_of(const tgs_graph_view *g, const spu_task *t)
{
    const char *const text[] = {tgs_task_codelet(g, t->task), tgs_text(g, g->task[t->task].attrs)};
    uint64_t h = 1469598103934665603ull;

    for (int i = 0; i < 2; i++)
        for (const char *c = text[i]; *c; c++)
            h = (h ^ (unsigned char)*c) * 1099511628211ull;
    for (int32_t i = 0; i < t->buffers; i++) {
        h = (h ^ (uint64_t)t->buffer[i].dtype) * 1099511628211ull;
        h = (h ^ (uint64_t)t->buffer[i].bytes) * 1099511628211ull;
        for (int32_t d = 0; d < t->buffer[i].rank && t->buffer[i].dims; d++)
            h = (h ^ (uint64_t)t->buffer[i].dims[d]) * 1099511628211ull;
    }
    return h ? h : 1;
}

tgs_status tgs_i_spu_try(spu_run *r, int32_t task, int32_t proc, int32_t times, double *seconds,
                         tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    const int32_t first = g->access_at[task], n = g->access_at[task + 1] - first;
    starpu_data_handle_t *handle = tgs_mem_alloc((size_t)n, sizeof *handle);
    void **memory = tgs_mem_alloc((size_t)n, sizeof *memory);
    tgs_status status = handle && memory ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");

    for (int32_t i = 0; i < n && !status; i++) {
        const int32_t datum = g->access[first + i].datum;

        for (int32_t j = 0; j < i && !handle[i]; j++)
            if (g->access[first + j].datum == (uint32_t)datum)
                handle[i] = handle[j];
        if (handle[i])
            continue;
        memory[i] = tgs_mem_alloc((size_t)fmax(1, ceil(g->datum[datum].bytes)), 1);
        status = memory[i] ? tgs_measure_fill(g, datum, memory[i], err)
                           : tgs_fail(err, TGS_ENOMEM, "out of memory");
        if (!status)
            status = tgs_i_spu_register(&handle[i], STARPU_MAIN_RAM, memory[i],
                                        g->datum[datum].bytes, -1, err);
    }
    for (int32_t k = 0; k < times && !status; k++) {
        struct starpu_task *t = starpu_task_create();

        status = tgs_i_spu_fill_task(t, &r->task[task], handle, err);
        t->cl = &r->codelet;
        t->execute_on_a_specific_worker = 1;
        t->workerid = (unsigned)r->worker_of[proc];
        t->synchronous = 1;
        if (status || starpu_task_submit(t)) {
            starpu_task_destroy(t);
            status = status ? status : tgs_fail(err, TGS_EBACKEND, "StarPU refuses a warm-up task");
        } else if (seconds) {
            seconds[k] = (r->stamp[task].end - r->stamp[task].start) * 1e-6;
        }
    }
    for (int32_t i = 0; i < n && handle && memory; i++)
        if (memory[i]) {
            tgs_i_spu_unregister(handle[i], false);
            tgs_mem_free(memory[i]);
        }
    tgs_mem_free(handle);
    tgs_mem_free(memory);
    return status;
}

/* true when h is new; the table is never more than half full: classes beyond are not warmed up */
static bool first_of(uint64_t *seen, int32_t slots, int32_t *used, uint64_t h)
{
    int32_t i = (int32_t)(h % (uint64_t)slots);

    while (seen[i] && seen[i] != h)
        i = (i + 1) % slots;
    if (seen[i] || *used * 2 >= slots)
        return false;
    seen[i] = h;
    (*used)++;
    return true;
}

/* the first execution differs from the next ones: on a device, and on a CPU where there is
 * something to prepare */
static bool compiles(const tgs_kernel *k, int arch)
{
    return k && (arch != SPU_CPU || k->prepare);
}

/* once per class and worker, outside the order; a failure is left for the step to find */
static tgs_status warm_up(spu_run *r, tgs_error *err)
{
    const int32_t slots = 1 << 12;
    uint64_t *seen = tgs_mem_alloc((size_t)slots, sizeof *seen);
    tgs_status status = seen ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");

    for (int32_t p = 0; p < r->v->m && !status; p++) {
        const int arch = tgs_i_spu_arch(r->v->p->kind[r->v->p->proc[p].kind].arch);
        int32_t used = 0;

        memset(seen, 0, (size_t)slots * sizeof *seen);
        for (int32_t t = 0; t < r->v->n && !status; t++)
            if (compiles(r->task[t].kernel[arch], arch) && runs_here(r, t, p)
                && first_of(seen, slots, &used, class_of(r->v->g, &r->task[t]))) {
                status = tgs_i_spu_try(r, t, p, 1, NULL, err);
                atomic_store(&r->failed, 0);
            }
    }
    tgs_mem_free(seen);
    return status;
}

tgs_status tgs_i_spu_kernels_open(spu_run *r, tgs_error *err)
{
    char name[TGS_NAME_ROOM];
    tgs_status status = TGS_OK;
    int32_t failed;

    starpu_resume();
    on_workers(r, prepare_here, "prepare");
    failed = atomic_load(&r->failed);
    if (failed)
        status = tgs_fail(
            err, atomic_load(&r->failure), "task %s: codelet %s could not be prepared: %s",
            tgs_i_spu_task_name(r->v->g, failed - 1, name, sizeof name),
            tgs_task_codelet(r->v->g, failed - 1), tgs_status_text(atomic_load(&r->failure)));
    if (!status && r->warm)
        status = warm_up(r, err);
    starpu_pause();
    if (!status)
        status = tgs_i_spu_log_settle(err);
    tgs_i_spu_log_clear();
    r->round++;
    return status;
}

void tgs_i_spu_kernels_close(spu_run *r)
{
    if (!r->ready)
        return;
    starpu_resume();
    on_workers(r, release_here, "release");
    starpu_pause();
}
