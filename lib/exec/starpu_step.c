/* starpu_step.c -- one step: everything is submitted while StarPU is paused, in planned-start
 * order, then let go and waited for with a limit on the time without progress.
 *
 * Dependencies are StarPU's own (sequential consistency over the handles, which agrees with the
 * graph because the submission order does), plus explicit ones where the graph orders two tasks
 * that share no datum, and for the windows of transfers. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include "starpu_core.h"

enum { AHEAD = 1 << 16 }; /* tasks submitted and not completed; the order is not changed by it */

void tgs_i_spu_completed(spu_run *r)
{
    /* the waiter looks every few milliseconds; the last one wakes it */
    if (atomic_fetch_add(&r->done, 1) + 1 == r->target) {
        pthread_mutex_lock(&r->lock);
        pthread_cond_signal(&r->finished);
        pthread_mutex_unlock(&r->lock);
    }
}

tgs_status tgs_i_spu_fill_task(struct starpu_task *t, spu_task *of,
                               const starpu_data_handle_t *handle, tgs_error *err)
{
    static const enum starpu_data_access_mode modes[] = {STARPU_NONE, STARPU_R, STARPU_W,
                                                         STARPU_RW};
    const tgs_graph_view *g = of->run->v->g;
    const tgs_access *access = g->access + g->access_at[of->task];
    starpu_data_handle_t *h = t->handles;
    enum starpu_data_access_mode *m = t->modes;

    if (of->buffers > STARPU_NMAXBUFS) { /* StarPU frees these with the task */
        h = t->dyn_handles = tgs_mem_alloc((size_t)of->buffers, sizeof *h);
        m = t->dyn_modes = tgs_mem_alloc((size_t)of->buffers, sizeof *m);
        if (!h || !m)
            return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    t->nbuffers = of->buffers;
    for (int32_t i = 0; i < of->buffers; i++) {
        h[i] = handle[i];
        m[i] = modes[access[i].mode];
    }
    t->cl_arg = of;
    t->cl_arg_size = sizeof *of;
    return TGS_OK;
}

static void completed(void *run)
{
    tgs_i_spu_completed(run);
}

/* StarPU keeps lists of what waits for it in a task: one that others wait for by name stays */
static struct starpu_task *new_task(bool awaited)
{
    struct starpu_task *t = starpu_task_create();

    t->destroy = !awaited;
    return t;
}

static tgs_status submit(spu_run *r, struct starpu_task *t, int32_t task, tgs_error *err)
{
    char name[TGS_NAME_ROOM];
    const int status = starpu_task_submit(t);

    if (!status)
        return TGS_OK;
    starpu_task_destroy(t);
    return tgs_fail(err, TGS_EBACKEND, "StarPU refuses task %s: %s",
                    tgs_i_spu_task_name(r->v->g, task, name, sizeof name), strerror(-status));
}

static tgs_status submit_task(spu_run *r, int32_t t, tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    spu_task *of = &r->task[t];
    struct starpu_task *c = r->compute[t] = new_task(r->plan.awaited[t]);
    tgs_status status = tgs_i_spu_fill_task(c, of, r->handle + g->access_at[t], err);

    if (status) {
        starpu_task_destroy(c);
        return status;
    }
    c->cl = &r->codelet;
    c->name = r->name[t];
    if (of->pool >= 0) {
        c->where = tgs_i_spu_where(r, of->pool);
        c->sched_data = of;
    } else if (r->placed) {
        const int32_t proc = r->s->place[t].proc;
        const int worker = r->worker_of[proc];

        c->execute_on_a_specific_worker = 1;
        c->workerid = (unsigned)worker;
        if (r->pool_of[proc] < 0) /* where others come as they are ready there is no order */
            c->workerorder = ++r->machine->order[worker];
    } else {
        c->where = r->where[t];
        c->priority = r->priority[t];
    }
    for (int32_t k = r->plan.before_at[t]; k < r->plan.before_at[t + 1]; k++)
        starpu_task_declare_deps_array(c, 1, &r->compute[r->plan.before[k]]);
    return submit(r, c, t, err);
}

static tgs_status submit_moves(spu_run *r, int32_t position, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t k = r->plan.move_at[position + 1]; k < r->plan.move_at[position + 2] && !status;
         k++) {
        const int32_t i = r->plan.by_anchor[k];
        const spu_move *m = &r->plan.move[i];
        struct starpu_task *t = r->transfer[i] = new_task(m->awaited);

        t->cl = m->evict ? &r->evict_codelet : &r->move_codelet[r->node_of[m->memory]];
        t->handles[0] = r->datum[m->datum].handle;
        t->callback_func = completed;
        t->callback_arg = r;
        if (m->wait >= 0)
            starpu_task_declare_deps_array(t, 1, &r->compute[m->wait]);
        if (m->behind >= 0)
            starpu_task_declare_deps_array(t, 1, &r->transfer[m->behind]);
        status = submit(r, t, m->wait >= 0 ? m->wait : r->plan.sequence[0], err);
    }
    return status;
}

static void drop_dead(spu_run *r, int32_t position)
{
    for (int32_t k = r->plan.dead_at[position]; k < r->plan.dead_at[position + 1]; k++)
        if (!r->datum[r->plan.dead[k]].bound) /* close brings that back */
            starpu_data_invalidate_submit(r->datum[r->plan.dead[k]].handle);
}

/* ---- waiting -------------------------------------------------------------------------------- */

static void describe_worker(const spu_run *r, int32_t proc, char *text, size_t size)
{
    const tgs_schedule_view *s = r->s;
    const char *name = r->v->p->proc[proc].name;
    char room[TGS_NAME_ROOM], before[TGS_NAME_ROOM];

    for (int32_t k = s->order_at[proc]; k < s->order_at[proc + 1]; k++) {
        const int32_t t = s->order[k];
        const char *task = tgs_i_spu_task_name(r->v->g, t, room, sizeof room);
        int32_t missing = -1;

        if (tgs_i_spu_ended(r, t))
            continue;
        for (int32_t j = r->v->g->pred_at[t]; j < r->v->g->pred_at[t + 1] && missing < 0; j++)
            if (!tgs_i_spu_ended(r, r->v->g->pred[j]))
                missing = r->v->g->pred[j];
        if (tgs_i_spu_begun(r, t))
            snprintf(text, size, "; %s runs %s since %.3g s", r->v->p->proc[r->stamp[t].proc].name,
                     task, (starpu_timing_now() - r->stamp[t].start) * 1e-6);
        else if (missing >= 0)
            snprintf(text, size, "; %s is at %s, which waits for %s", name, task,
                     tgs_i_spu_task_name(r->v->g, missing, before, sizeof before));
        else
            snprintf(text, size, "; %s is at %s, which waits for its data", name, task);
        return;
    }
}

/* StarPU can neither cancel nor complete what it holds.  Tasks that it lets go after all must not
 * touch what the caller frees: they see a failed run. */
static void give_up(spu_run *r)
{
    atomic_store(&r->failed, SPU_STALLED);
    r->stalled = true;
    tgs_i_spu_poison();
}

/* names the task at which every worker is stuck; StarPU cannot be used after this */
static tgs_status stalled(spu_run *r, int64_t done, tgs_error *err)
{
    char text[400] = "", room[TGS_NAME_ROOM];

    for (int32_t p = 0; p < r->v->m && r->placed && strlen(text) < sizeof text - 2; p++)
        describe_worker(r, p, text + strlen(text), sizeof text - strlen(text));
    for (int32_t i = 0; i < r->v->n && !*text; i++) /* a policy has no order: the first left */
        if (!tgs_i_spu_ended(r, r->plan.sequence[i]))
            snprintf(text, sizeof text, "; the first left is %s",
                     tgs_i_spu_task_name(r->v->g, r->plan.sequence[i], room, sizeof room));
    give_up(r);
    return tgs_fail(err, TGS_EBACKEND, "StarPU stalled: %lld of %lld done, nothing in %.3g s%s%s",
                    (long long)done, (long long)r->target, r->patience,
                    tgs_i_spu_loss() ? "; a device has failed" : "", text);
}

static void wait_a_little(spu_run *r, int64_t until)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += 5 * 1000 * 1000;
    if (t.tv_nsec >= 1000 * 1000 * 1000) {
        t.tv_sec++;
        t.tv_nsec -= 1000 * 1000 * 1000;
    }
    pthread_mutex_lock(&r->lock);
    if (atomic_load(&r->done) < until)
        pthread_cond_timedwait(&r->finished, &r->lock, &t);
    pthread_mutex_unlock(&r->lock);
}

/* until so many are done, or nothing has happened for too long.  What takes longer than ten times
 * the longest planned task is not waited for either, unless the limit is longer. */
static tgs_status wait_for(spu_run *r, int64_t until, tgs_error *err)
{
    double last = starpu_timing_now();
    int64_t seen = -1, done;

    while ((done = atomic_load(&r->done)) < until) {
        if (done != seen) {
            seen = done;
            last = starpu_timing_now();
        } else if (starpu_timing_now() - last > r->patience * 1e6) {
            return stalled(r, done, err);
        }
        wait_a_little(r, until);
    }
    return TGS_OK;
}

/* The last kernel comes before StarPU's own end of its task, which is certain to follow; whether a
 * datum can be dropped is not, so that is waited for with a limit. */
static tgs_status wait_for_starpu(spu_run *r, tgs_error *err)
{
    const double start = starpu_timing_now();

    while (r->plan.dead_at[r->v->n] && starpu_task_nsubmitted() > 0) {
        const struct timespec t = {0, 20 * 1000};
        const double waited = starpu_timing_now() - start;

        if (waited > r->patience * 1e6)
            return stalled(r, r->target, err);
        if (waited < 200) /* the usual case: a worker is just behind */
            sched_yield();
        else
            nanosleep(&t, NULL);
    }
    starpu_task_wait_for_all();
    return TGS_OK;
}

/* time 0 of the step */
static double let_go(spu_run *r)
{
    const double start = starpu_timing_now();

    atomic_store(&r->began, start);
    starpu_resume();
    return start;
}

tgs_status tgs_i_spu_submit_and_wait(spu_run *r, double *start, tgs_error *err)
{
    const int32_t n = r->v->n;
    int64_t submitted = 0;
    bool going = false;
    tgs_status status;

    atomic_store(&r->done, 0);
    r->target = (int64_t)n + r->plan.moves;
    status = submit_moves(r, -1, err);
    submitted = r->plan.move_at[1];
    for (int32_t i = 0; i < n && !status; i++) {
        status = submit_task(r, r->plan.sequence[i], err);
        if (!status && r->plan.moves)
            status = submit_moves(r, i, err);
        if (!status)
            drop_dead(r, i);
        submitted = i + 1 + r->plan.move_at[i + 2];
        if (!status && submitted - atomic_load(&r->done) > AHEAD) {
            if (!going) {
                *start = let_go(r);
                going = true;
            }
            status = wait_for(r, submitted - AHEAD / 2, err);
        }
    }
    if (!going) {
        *start = let_go(r);
    }
    if (status && !r->stalled) { /* a gap in an order: what was submitted can never end */
        give_up(r);
    }
    if (!status)
        status = wait_for(r, r->target, err);
    if (!status)
        status = wait_for_starpu(r, err);
    if (status)
        return status;
    starpu_pause(); /* idle workers would spin meanwhile */
    for (int32_t t = 0; t < n; t++)
        if (r->plan.awaited[t])
            starpu_task_destroy(r->compute[t]);
    for (int32_t i = 0; i < r->plan.moves; i++)
        if (r->plan.move[i].awaited)
            starpu_task_destroy(r->transfer[i]);
    return TGS_OK;
}
