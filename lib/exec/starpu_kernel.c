/* starpu_kernel.c -- what a worker does: a task's kernel, or the work a task without one stands
 * for. */
#include <math.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include "starpu_core.h"

/* the first failure is kept; tasks that start later return at once, so that the graph drains */
void tgs_i_spu_fail(spu_task *t, tgs_status status)
{
    int32_t none = 0;

    if (atomic_compare_exchange_strong(&t->run->failed, &none, t->task + 1))
        atomic_store(&t->run->failure, status);
}

enum { MOST_ASLEEP = 50 * 1000 }; /* us, until it is looked whether the run has been canceled */

bool tgs_i_spu_given_up(spu_run *r)
{
    int32_t none = 0;

    if (tgs_i_spu_loss())
        atomic_compare_exchange_strong(&r->failed, &none, SPU_LOST);
    none = 0;
    if (!atomic_load(&r->failed) && r->canceled && r->canceled(r->user))
        atomic_compare_exchange_strong(&r->failed, &none, SPU_CANCELED);
    return atomic_load(&r->failed) != 0;
}

/* sleeping leaves the core to others; the last stretch is shorter than a timer is exact */
static void occupy(spu_run *r, double until)
{
    for (double left; (left = until - starpu_timing_now()) > 0;)
        if (left > 200) {
            const double s = fmin(left - 100, MOST_ASLEEP) * 1e-6;
            const struct timespec t = {(time_t)s, (long)((s - floor(s)) * 1e9)};

            nanosleep(&t, NULL);
            if (tgs_i_spu_given_up(r))
                return;
        } else {
            sched_yield();
        }
}

/* No kernel anywhere: the worker is held for the predicted time and the data move.  What the task
 * writes is zero, so that a kernel behind it reads numbers. */
static tgs_status synthetic(const spu_task *t, spu_stamp *s, int arch, void *queue)
{
    const double w = tgs_w(t->run->v, t->task, s->proc)
                     - tgs_task_overhead(t->run->v, t->task, s->proc); /* StarPU takes that */

    s->flags |= TGS_RAN_SYNTHETIC;
    if (!(w < INFINITY))
        return TGS_EINFEASIBLE;
    for (int32_t i = 0; i < t->buffers; i++) {
        const tgs_buffer *b = &t->buffer[i];
        const size_t bytes = (size_t)ceil(b->bytes);

        if (b->mode != TGS_W || !bytes)
            continue;
        if (arch == SPU_CPU)
            memset(b->data, 0, bytes);
#ifdef STARPU_USE_OPENCL
        if (arch == SPU_OPENCL
            && clEnqueueFillBuffer(queue, b->data, "", 1, 0, bytes, 0, NULL, NULL) != CL_SUCCESS)
            return TGS_EBACKEND;
#endif
#ifdef STARPU_USE_CUDA
        if (arch == SPU_CUDA && cudaMemsetAsync(b->data, 0, bytes, queue) != cudaSuccess)
            return TGS_EBACKEND;
#endif
    }
    (void)queue;
    occupy(t->run, s->start + w * t->run->scale * 1e6);
    return TGS_OK;
}

/* Kernels of devices only enqueue; the worker waits, so that start and end are those of the work.
 * lost: the device's answer when it cannot be waited for any more. */
static tgs_status finish(int arch, void *queue, int *lost)
{
    *lost = 0;
#ifdef STARPU_USE_OPENCL
    if (arch == SPU_OPENCL && !tgs_i_spu_loss()) {
        *lost = clFinish(queue);
        return *lost == CL_SUCCESS ? TGS_OK : TGS_EBACKEND;
    }
#endif
#ifdef STARPU_USE_CUDA
    if (arch == SPU_CUDA && cudaStreamSynchronize(queue) != cudaSuccess)
        return TGS_EBACKEND;
#endif
    (void)arch;
    (void)queue;
    return TGS_OK;
}

void **tgs_i_spu_prepared(const spu_run *r, int32_t task, int32_t proc)
{
    return &r->prepared[r->bound ? task : (int64_t)task * r->v->m + proc];
}

tgs_call tgs_i_spu_call(const spu_task *t, const tgs_kernel *k, int32_t proc, void *queue)
{
    return (tgs_call){.buffer = t->buffer,
                      .buffers = t->buffers,
                      .attrs = t->attrs,
                      .queue = queue,
                      .user = k->user,
                      .prepared = *tgs_i_spu_prepared(t->run, t->task, proc)};
}

/* What is read first of the task that the plan has next here is asked for while StarPU ends this
 * one, since a step is larger than a core's cache and small tasks would wait for memory; of those
 * behind it what tells where that is. */
static void end_task(const spu_run *r, const spu_task *t, spu_stamp *s)
{
    const spu_task *next = t->next < 0 ? NULL : &r->task[t->next];
    const spu_task *second = !next || next->next < 0 ? NULL : &r->task[next->next];

    s->end = starpu_timing_now();
    atomic_store_explicit(&s->ended, r->round, memory_order_release);
    for (int32_t i = 0; next && i < next->buffers && i < STARPU_NMAXBUFS; i++) {
        __builtin_prefetch(r->used[next->buffer - r->buffer + i]);
        __builtin_prefetch(r->handle[next->buffer - r->buffer + i]);
    }
    if (!second)
        return;
    __builtin_prefetch(second->buffer, 1);
    __builtin_prefetch(&r->stamp[second->task], 1);
    __builtin_prefetch(&r->prepared[second->task]);
    __builtin_prefetch(&r->used[second->buffer - r->buffer]);
    __builtin_prefetch(&r->handle[second->buffer - r->buffer]);
    if (second->next >= 0)
        __builtin_prefetch(&r->task[second->next]);
}

static void work(int arch, void *buffers[], spu_task *t, void *queue)
{
    const tgs_kernel *k = t->kernel[arch];
    spu_stamp *s = &t->run->stamp[t->task];
    tgs_status status = TGS_OK, waited;
    int lost;

    s->start = starpu_timing_now();
    s->proc = t->run->proc_of[starpu_worker_get_id()];
    s->flags = 0;
    atomic_store_explicit(&s->begun, t->run->round, memory_order_release);
    s->idle = tgs_i_spu_given_up(t->run);
    if (!s->idle) {
        for (int32_t i = 0; i < t->buffers; i++)
            t->buffer[i].data = (void *)((const spu_buffer *)buffers[i])->ptr;
        if (k) {
            const tgs_call call = tgs_i_spu_call(t, k, s->proc, queue);

            status = k->run(&call);
        } else {
            status = synthetic(t, s, arch, queue);
        }
        waited = finish(arch, queue, &lost); /* in any case: the buffers are given back */
        if (!status)
            status = waited;
        if (status)
            tgs_i_spu_fail(t, status < 0 ? status : TGS_EBACKEND);
        if (lost) /* after the task has been named */
            tgs_i_spu_lose(starpu_worker_get_local_memory_node(), lost);
    }
    end_task(t->run, t, s);
    tgs_i_spu_completed(t->run);
}

static void on_cpu(void *buffers[], void *arg)
{
    work(SPU_CPU, buffers, arg, NULL);
}

#ifdef STARPU_USE_OPENCL
static void on_opencl(void *buffers[], void *arg)
{
    cl_command_queue queue;

    starpu_opencl_get_current_queue(&queue);
    work(SPU_OPENCL, buffers, arg, queue);
}
#endif

#ifdef STARPU_USE_CUDA
static void on_cuda(void *buffers[], void *arg)
{
    work(SPU_CUDA, buffers, arg, starpu_cuda_get_local_stream());
}
#endif

void tgs_i_spu_codelet_init(struct starpu_codelet *c)
{
    starpu_codelet_init(c);
    c->where = STARPU_CPU;
    c->cpu_funcs[0] = on_cpu;
#ifdef STARPU_USE_OPENCL
    c->where |= STARPU_OPENCL;
    c->opencl_funcs[0] = on_opencl;
#endif
#ifdef STARPU_USE_CUDA
    c->where |= STARPU_CUDA;
    c->cuda_funcs[0] = on_cuda;
#endif
    c->nbuffers = STARPU_VARIABLE_NBUFFERS;
    c->name = "tgsched";
}
