/* starpu_pool.c -- keep=kind: of processors that are alike, whichever is free takes the task that
 * is planned first among those that are ready.
 *
 * A processor that keeps its planned order waits when the next task of it is not ready, although a
 * later one is, or one of its neighbour's.  Between processors of one kind, speed and memory such a
 * plan says more than it means: which of them has a task changes neither what the task takes nor
 * what is copied.  So the plan is kept in the kind of processor, in the memory and in the order in
 * which tasks are taken, and nobody waits while there is something to do.
 *
 * A plan knows nothing of caches.  A CPU that takes a task may pass over those planned before it,
 * for the one whose data were used last, as long as none that is ready would then begin later than
 * the plan allows it: its latest start, from which its successors still end with the plan.
 *
 * In a memory that is limited the order is what makes everything fit: there it stays. */
#include <math.h>
#include <pthread.h>
#include <unistd.h>
#include "tgsched/heap.h"
#include "starpu_core.h"

enum {
    LOOKED_AT = 32,  /* ready tasks at most, of the first of the heap */
    MOST = 32 << 20, /* bytes of a cache */
};

/* Workers ask from the start of StarPU to its end, so this outlives every run; a pool without tasks
 * refers to none. */
static struct {
    pthread_mutex_t lock;
    tgs_heap ready;       /* by position in the plan */
    _Atomic int32_t size; /* the same, to be looked at without the lock */
    spu_run *run;
    double touched;   /* bytes that its tasks have used so far */
    double *used;     /* [data] when that datum was, by touched; NULL: no caches are looked after */
    double *deadline; /* [n] the latest start, us from the step's; with used */
} pool[STARPU_NMAXWORKERS];
static double cache; /* bytes that tasks use until a datum has left the caches */
static _Atomic int32_t pool_of_worker[STARPU_NMAXWORKERS]; /* 1 + its pool; 0 none */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locks(void)
{
    const long last = sysconf(_SC_LEVEL3_CACHE_SIZE);

    /* a machine may say more than is there for us: others share it */
    cache = last > 0 && last < MOST ? (double)last : MOST;
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

/* bytes that a task reads and that are still in the caches, more or less */
static double cached(int32_t of, int32_t task)
{
    const tgs_graph_view *g = pool[of].run->v->g;
    double sum = 0;

    for (int32_t k = g->access_at[task]; k < g->access_at[task + 1]; k++) {
        const double age = pool[of].touched - pool[of].used[g->access[k].datum];

        if ((g->access[k].mode & TGS_R) && age < cache)
            sum += g->datum[g->access[k].datum].bytes * (1 - age / cache);
    }
    return sum;
}

static void touch(int32_t of, int32_t task)
{
    const tgs_graph_view *g = pool[of].run->v->g;

    for (int32_t k = g->access_at[task]; k < g->access_at[task + 1]; k++)
        pool[of].touched += g->datum[g->access[k].datum].bytes;
    for (int32_t k = g->access_at[task]; k < g->access_at[task + 1]; k++)
        pool[of].used[g->access[k].datum] = pool[of].touched;
}

/* where in the heap the task is that comes next: the first, or one that may pass it */
static int32_t choose(int32_t of)
{
    const spu_run *r = pool[of].run;
    const tgs_heap *ready = &pool[of].ready;
    const int32_t n = ready->size < LOOKED_AT ? ready->size : LOOKED_AT;
    const double now = starpu_timing_now() - atomic_load(&r->began);
    double until = INFINITY, most = -1;
    int32_t best = 0;

    if (!pool[of].used)
        return 0;
    for (int32_t i = 0; i < n; i++)
        until = fmin(until, pool[of].deadline[ready->item[i].id]);
    for (int32_t i = 0; i < n; i++) {
        const int32_t t = ready->item[i].id;
        const double w = 1e6 * tgs_w(r->v, t, r->s->place[t].proc), bytes = cached(of, t);

        if (i
            && (now + w > until || bytes < most
                || (bytes == most && !tgs_heap_before(ready->item[i], ready->item[best]))))
            continue;
        most = bytes;
        best = i;
    }
    return best;
}

/* the rest is a heap again */
static int32_t remove_at(tgs_heap *h, int32_t i)
{
    const int32_t id = h->item[i].id;

    for (; i; i = (i - 1) / TGS_HEAP_FAN)
        h->item[i] = h->item[(i - 1) / TGS_HEAP_FAN];
    tgs_heap_pop(h); /* its item is what has come down instead */
    return id;
}

static int32_t next_of(int32_t of)
{
    const int32_t task = remove_at(&pool[of].ready, choose(of));

    if (pool[of].used)
        touch(of, task);
    return task;
}

static struct starpu_task *take(int worker)
{
    const int32_t i = atomic_load_explicit(&pool_of_worker[worker], memory_order_acquire) - 1;
    struct starpu_task *task = NULL;

    if (i < 0 || !atomic_load(&pool[i].size))
        return NULL;
    pthread_mutex_lock(&pool[i].lock);
    if (pool[i].ready.size)
        task = pool[i].run->compute[next_of(i)];
    atomic_store(&pool[i].size, pool[i].ready.size);
    pthread_mutex_unlock(&pool[i].lock);
    return task;
}

/* when a task must begin so that nothing behind it ends after the plan */
static void find_deadlines(const spu_run *r, double *deadline)
{
    const tgs_view *v = r->v;
    const tgs_graph_view *g = v->g;
    const tgs_place *place = r->s->place;
    double end = 0;

    for (int32_t t = 0; t < v->n; t++)
        end = fmax(end, place[t].end);
    for (int32_t t = 0; t < v->n; t++)
        deadline[t] = end - tgs_w(v, t, place[t].proc);
    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t t = g->topo[i], memory = v->p->proc[place[t].proc].memory;

        for (int32_t k = g->pred_at[t]; k < g->pred_at[t + 1]; k++) {
            const int32_t before = g->pred[k], from = v->p->proc[place[before].proc].memory;
            const double copy = g->pred_datum[k] < 0 ? 0 : tgs_c(v, g->pred_datum[k], from, memory);

            deadline[before] =
                fmin(deadline[before], deadline[t] - copy - tgs_w(v, before, place[before].proc));
        }
    }
    for (int32_t t = 0; t < v->n; t++)
        deadline[t] *= 1e6;
}

static tgs_status open_pool(spu_run *r, int32_t of, int32_t tasks)
{
    const bool cpu = tgs_i_spu_where(r, of) == STARPU_CPU;

    pool[of].run = r;
    pool[of].touched = cache; /* nothing is in the caches at first */
    pool[of].ready = (tgs_heap){tgs_mem_alloc((size_t)tasks, sizeof(tgs_heap_item)), 0};
    if (!cpu)
        return pool[of].ready.item ? TGS_OK : TGS_ENOMEM;
    pool[of].used = tgs_mem_alloc((size_t)r->v->g->data, sizeof *pool[of].used);
    pool[of].deadline = tgs_mem_alloc((size_t)r->v->n, sizeof *pool[of].deadline);
    if (!pool[of].ready.item || !pool[of].used || !pool[of].deadline)
        return TGS_ENOMEM;
    find_deadlines(r, pool[of].deadline);
    return TGS_OK;
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

        if (of == i && tasks[i])
            status = open_pool(r, i, tasks[i]);
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
        tgs_mem_free(pool[i].used);
        tgs_mem_free(pool[i].deadline);
        pool[i].ready.item = NULL;
        pool[i].used = pool[i].deadline = NULL;
    }
}
