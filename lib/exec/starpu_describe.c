/* starpu_describe.c -- a run as it is known before StarPU is there: its data, its tasks with their
 * kernels, and the codelets that stand for them. */
#include <math.h>
#include <pthread.h>
#include "starpu_core.h"

void tgs_i_spu_run_free(spu_run *r)
{
    if (!r)
        return;
    if (r->model.state) /* a policy has asked it */
        starpu_perfmodel_unload_model(&r->model);
    tgs_i_spu_plan_free(&r->plan);
    tgs_mem_free(r->name);
    tgs_mem_free(r->worker_of);
    tgs_mem_free(r->pool_of);
    tgs_mem_free(r->node_of);
    tgs_mem_free(r->datum);
    tgs_mem_free(r->task);
    tgs_mem_free(r->stamp);
    tgs_mem_free(r->first);
    tgs_mem_free(r->buffer);
    tgs_mem_free(r->handle);
    tgs_mem_free(r->prepared);
    tgs_mem_free(r->ready);
    tgs_mem_free(r->skip);
    tgs_mem_free(r->used);
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
    const size_t n = (size_t)g->tasks, m = (size_t)r->v->m, places = r->bound ? n : n * m;

    r->name = tgs_task_names(r->v->g);
    r->worker_of = tgs_mem_alloc(m, sizeof *r->worker_of);
    r->pool_of = tgs_mem_alloc(m, sizeof *r->pool_of);
    r->node_of = tgs_mem_alloc((size_t)r->v->memories, sizeof *r->node_of);
    r->datum = tgs_mem_alloc((size_t)g->data, sizeof *r->datum);
    r->task = tgs_mem_alloc(n, sizeof *r->task);
    r->stamp = tgs_mem_alloc(n, sizeof *r->stamp);
    r->first = tgs_mem_alloc((size_t)g->data, sizeof *r->first);
    r->buffer = tgs_mem_alloc((size_t)g->accesses, sizeof *r->buffer);
    r->handle = tgs_mem_alloc((size_t)g->accesses, sizeof *r->handle);
    r->prepared = tgs_mem_alloc(places, sizeof *r->prepared);
    r->ready = tgs_mem_alloc(places, sizeof *r->ready);
    r->skip = tgs_mem_alloc(n, sizeof *r->skip);
    r->used = tgs_mem_alloc((size_t)g->accesses, sizeof *r->used);
    r->where = tgs_mem_alloc(n, sizeof *r->where);
    r->priority = tgs_mem_alloc(n, sizeof *r->priority);
    if (!r->name || !r->worker_of || !r->pool_of || !r->node_of || !r->datum || !r->task
        || !r->stamp || !r->first || !r->buffer || !r->handle || !r->prepared || !r->ready
        || !r->skip || !r->used || !r->where || !r->priority)
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
    for (int32_t d = 0; d < g->data; d++)
        if (r->datum[d].read_first)
            r->first[r->firsts++] = d;
}

int32_t tgs_i_spu_where(const spu_run *r, int32_t proc)
{
    static const int32_t bit[SPU_ARCHS] = {STARPU_CPU, STARPU_OPENCL, STARPU_CUDA};

    return bit[tgs_i_spu_arch(r->v->p->kind[r->v->p->proc[proc].kind].arch)];
}

/* where StarPU may put a task: where it has a kernel, or anywhere allowed when it has none */
static int32_t where_of(const spu_run *r, int32_t t)
{
    const tgs_platform_view *p = r->v->p;
    const spu_task *task = &r->task[t];
    const bool any = task->kernel[SPU_CPU] || task->kernel[SPU_OPENCL] || task->kernel[SPU_CUDA];
    int32_t where = 0;

    for (int32_t i = 0; i < p->procs; i++) {
        const int a = tgs_i_spu_arch(p->kind[p->proc[i].kind].arch);

        if (tgs_allowed(r->v, t, i) && (task->kernel[a] || !any))
            where |= tgs_i_spu_where(r, i);
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
        task->pool = task->next = -1;
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

/* everything that is known without StarPU */
tgs_status tgs_i_spu_run_new(spu_run **out, const tgs_view *v, const tgs_codelets *c, bool placed,
                             bool bound, tgs_error *err)
{
    spu_run *r = run_alloc();
    tgs_status status = r ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");

    *out = r;
    if (status)
        return status;
    r->v = v;
    r->codelets = c;
    r->placed = placed;
    r->bound = bound;
    r->round = 1;
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
