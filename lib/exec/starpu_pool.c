/* starpu_pool.c -- keep=kind: of processors that are alike, whichever is free takes the task that
 * is planned first among those that are ready.
 *
 * A processor that keeps its planned order waits when the next task of it is not ready, although a
 * later one is, or one of its neighbour's.  Between processors of one kind, speed and memory such a
 * plan says more than it means: which of them has a task changes neither what the task takes nor
 * what is copied.  So the plan is kept in the kind of processor, in the memory and in the order in
 * which tasks are taken, and nobody waits while there is something to do.
 *
 * In a memory that is limited the order is what makes everything fit: there it stays. */
#include <pthread.h>
#include "tgsched/heap.h"
#include "starpu_core.h"

/* Workers ask from the start of StarPU to its end, so this outlives every run; a pool without tasks
 * refers to none. */
static struct {
    pthread_mutex_t lock;
    tgs_heap ready;           /* by position in the plan */
    _Atomic int32_t size;     /* the same, to be looked at without the lock */
    struct starpu_task **all; /* of the run, by task */
} pool[STARPU_NMAXWORKERS];
static _Atomic int32_t pool_of_worker[STARPU_NMAXWORKERS]; /* 1 + its pool; 0 none */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locks(void)
{
    for (int i = 0; i < STARPU_NMAXWORKERS; i++)
        pthread_mutex_init(&pool[i].lock, NULL);
}

static bool alike(const tgs_platform_view *p, int32_t a, int32_t b)
{
    return p->proc[a].kind == p->proc[b].kind && p->proc[a].memory == p->proc[b].memory
           && p->proc[a].speed == p->proc[b].speed;
}

void tgs_i_spu_pools_plan(spu_run *r)
{
    const tgs_platform_view *p = r->v->p;

    for (int32_t i = 0; i < p->procs; i++) {
        r->pool_of[i] = -1;
        if (r->bound
            || (p->proc[i].memory != r->host && p->memory[p->proc[i].memory].capacity < INFINITY))
            continue;
        r->pool_of[i] = i; /* named for its first */
        for (int32_t j = i - 1; j >= 0; j--)
            if (r->pool_of[j] == j && alike(p, i, j))
                r->pool_of[i] = j;
    }
    for (int32_t t = 0; t < r->v->n; t++) {
        spu_task *task = &r->task[t];

        task->pool = r->placed ? r->pool_of[r->s->place[t].proc] : -1;
        for (int32_t i = 0; i < p->procs && task->pool >= 0; i++)
            if (r->pool_of[i] == task->pool && !tgs_allowed(r->v, t, i))
                task->pool = -1; /* it is pinned among them */
    }
}

/* StarPU has found a task to be ready */
static bool keep(struct starpu_task *task)
{
    const spu_task *of = task->sched_data;

    if (!of)
        return false;
    pthread_mutex_lock(&pool[of->pool].lock);
    tgs_heap_push(&pool[of->pool].ready, of->run->plan.position[of->task], of->task);
    atomic_store(&pool[of->pool].size, pool[of->pool].ready.size);
    pthread_mutex_unlock(&pool[of->pool].lock);
    starpu_push_task_end(task);
#ifndef STARPU_NON_BLOCKING_DRIVERS
    for (int w = 0; w < STARPU_NMAXWORKERS; w++)
        if (atomic_load(&pool_of_worker[w]) == of->pool + 1 && starpu_wake_worker_relax_light(w))
            break;
#endif
    return true;
}

static struct starpu_task *take(int worker)
{
    const int32_t i = atomic_load_explicit(&pool_of_worker[worker], memory_order_acquire) - 1;
    struct starpu_task *task = NULL;

    if (i < 0 || !atomic_load(&pool[i].size))
        return NULL;
    pthread_mutex_lock(&pool[i].lock);
    if (pool[i].ready.size)
        task = pool[i].all[tgs_heap_pop(&pool[i].ready).id];
    atomic_store(&pool[i].size, pool[i].ready.size);
    pthread_mutex_unlock(&pool[i].lock);
    return task;
}

/* with StarPU, which must know of no task yet */
tgs_status tgs_i_spu_pools_open(spu_run *r, tgs_error *err)
{
    int32_t *tasks = tgs_mem_alloc((size_t)r->v->m, sizeof *tasks);
    tgs_status status = tasks ? TGS_OK : TGS_ENOMEM;

    pthread_once(&once, make_locks);
    for (int32_t t = 0; t < r->v->n && !status; t++)
        if (r->task[t].pool >= 0)
            tasks[r->task[t].pool]++;
    for (int32_t i = 0; i < r->v->m && !status; i++) {
        const int32_t of = r->pool_of[i];

        if (of == i && tasks[i]) {
            pool[i].ready = (tgs_heap){tgs_mem_alloc((size_t)tasks[i], sizeof(tgs_heap_item)), 0};
            pool[i].all = r->compute;
            status = pool[i].ready.item ? TGS_OK : TGS_ENOMEM;
        }
        atomic_store(&pool_of_worker[r->worker_of[i]], 1 + of);
    }
    if (!status)
        tgs_i_spu_serve(keep, take);
    tgs_mem_free(tasks);
    return status ? tgs_fail(err, status, "out of memory") : TGS_OK;
}

/* nothing is ready any more */
void tgs_i_spu_pools_close(void)
{
    tgs_i_spu_serve(NULL, NULL);
    for (int i = 0; i < STARPU_NMAXWORKERS; i++) {
        atomic_store(&pool_of_worker[i], 0);
        tgs_mem_free(pool[i].ready.item);
        pool[i].ready.item = NULL;
    }
}
