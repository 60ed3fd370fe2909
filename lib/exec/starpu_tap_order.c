/* starpu_tap_order.c -- the policy that keeps to a plan: each worker takes its tasks in the order
 * of the plan, as they become ready; what is not in the plan goes through StarPU's eager policy.
 *
 * Dependencies are StarPU's own.  The plan keeps those that the capture has seen, so every head of
 * an order comes in the end; what the capture could not see is for starpu_tap_stall.c. */
#include "starpu_tap.h"

static struct starpu_sched_policy eager, keeping;
static bool crowded;

void tgs_i_tap_release(struct starpu_task *task)
{
    eager.push_task(task);
}

static int32_t planned(const struct starpu_task *task)
{
    int32_t index, p = -1;

    pthread_mutex_lock(&tgs_i_tap.lock);
    index = tgs_i_tap_index(task);
    if (index >= 0)
        p = tgs_i_tap_task(index)->plan;
    pthread_mutex_unlock(&tgs_i_tap.lock);
    return p;
}

/* StarPU may hang when a prefetch takes the room that a task needs: only where there is plenty */
static void prefetch(struct starpu_task *task, int worker)
{
    const unsigned node = starpu_worker_get_memory_node((unsigned)worker);
    const starpu_ssize_t total = starpu_memory_get_total(node);
    const unsigned buffers = (unsigned)STARPU_TASK_GET_NBUFFERS(task);
    starpu_ssize_t need = 0;

    for (unsigned i = 0; i < buffers; i++)
        need += (starpu_ssize_t)starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i));
    if (starpu_get_prefetch_flag() && starpu_memory_nodes_get_count() > 1
        && (total < 0 || starpu_memory_get_available(node) - need > total / 4))
        starpu_prefetch_task_input_on_node(task, node);
}

static int push(struct starpu_task *task)
{
    tap_plan *plan = &tgs_i_tap_plan;
    const int32_t p = planned(task);
    unsigned implementation;
    bool kept;

    if (p < 0 || atomic_load(&plan->broken))
        return eager.push_task(task);
    if (!starpu_worker_can_execute_task_first_impl((unsigned)plan->task[p].worker, task,
                                                   &implementation)) {
        tgs_i_tap_break("the plan places %s where it cannot run", plan->task[p].name);
        return eager.push_task(task);
    }
    starpu_task_set_implementation(task, implementation);
    prefetch(task, plan->task[p].worker);
    starpu_push_task_end(task); /* as soon as it is held it may run, end and be gone */
    pthread_mutex_lock(&plan->lock);
    kept = !atomic_load(&plan->broken);
    if (kept) {
        plan->task[p].task = task;
        plan->task[p].place = PLACE_HELD;
        plan->held++;
        plan->last = starpu_timing_now();
    }
    pthread_mutex_unlock(&plan->lock);
    if (!kept)
        return eager.push_task(task);
#ifndef STARPU_NON_BLOCKING_DRIVERS
    starpu_wake_worker_relax_light(plan->task[p].worker);
#endif
    return 0;
}

/* plan->lock is held */
static struct starpu_task *run(tap_plan *plan, int32_t p)
{
    struct starpu_task *task = plan->task[p].task;

    plan->task[p].task = NULL;
    plan->task[p].place = PLACE_RUNNING;
    plan->held--;
    plan->running++;
    plan->last = starpu_timing_now();
    return task;
}

static void is_active(int worker)
{
    pthread_mutex_lock(&tgs_i_tap_plan.lock);
    tgs_i_tap_plan.active[worker] = true;
    pthread_mutex_unlock(&tgs_i_tap_plan.lock);
}

static struct starpu_task *next_of(int worker)
{
    tap_plan *plan = &tgs_i_tap_plan;
    struct starpu_task *task = NULL;

    pthread_mutex_lock(&plan->lock);
    while (plan->head[worker] < plan->count[worker]
           && plan->task[plan->order[worker][plan->head[worker]]].place > PLACE_HELD)
        plan->head[worker]++;
    if (plan->early[worker] >= 0) {
        if (plan->task[plan->early[worker]].place == PLACE_HELD)
            task = run(plan, plan->early[worker]);
        plan->early[worker] = -1;
    } else if (plan->head[worker] < plan->count[worker]
               && plan->task[plan->order[worker][plan->head[worker]]].place == PLACE_HELD) {
        task = run(plan, plan->order[worker][plan->head[worker]++]);
    }
    plan->active[worker] = task != NULL;
    pthread_mutex_unlock(&plan->lock);
    return task;
}

static struct starpu_task *pop(unsigned ctx)
{
    const int worker = starpu_worker_get_id();
    struct starpu_task *task = next_of(worker);

    if (!task && (task = eager.pop_task(ctx)))
        is_active(worker);
    if (task)
        tgs_i_spu_worked();
    else if (crowded)
        tgs_i_spu_idle();
    return task;
}

/* ---- what the policy hears ---- */
static void post_exec_hook(struct starpu_task *task, unsigned ctx)
{
    tap_plan *plan = &tgs_i_tap_plan;
    const int32_t index = tgs_i_tap_ended(task);
    const int worker = starpu_worker_get_id();
    int32_t p = -1;

    (void)ctx;
    if (index >= 0) {
        pthread_mutex_lock(&tgs_i_tap.lock);
        p = tgs_i_tap_task(index)->plan;
        pthread_mutex_unlock(&tgs_i_tap.lock);
    }
    pthread_mutex_lock(&plan->lock);
    if (p >= 0 && plan->task[p].place == PLACE_RUNNING) {
        plan->task[p].place = PLACE_PASSED;
        plan->running--;
        plan->done++;
    }
    if (worker >= 0)
        plan->active[worker] = true; /* what waited for it is let go after this */
    plan->last = starpu_timing_now();
    pthread_mutex_unlock(&plan->lock);
    tgs_i_spu_worked();
}

static void pre_exec_hook(struct starpu_task *task, unsigned ctx)
{
    (void)ctx;
    tgs_i_tap_started(task);
}

static void submit_hook(struct starpu_task *task)
{
    tgs_i_tap_submitted(task);
}

static void init(unsigned ctx)
{
    eager.init_sched(ctx);
    tgs_i_tap_stall_begin();
}

static void deinit(unsigned ctx)
{
    tgs_i_tap_stall_end();
    eager.deinit_sched(ctx);
}

struct starpu_sched_policy *tgs_i_tap_keep(void)
{
    const struct starpu_sched_policy *found = tgs_i_spu_policy("eager", false);

    if (!found)
        return NULL;
    eager = keeping = *found;
    crowded = tgs_i_tap_crowded();
    keeping.init_sched = init;
    keeping.deinit_sched = deinit;
    keeping.push_task = push;
    keeping.pop_task = pop;
    keeping.pop_every_task = NULL;
    keeping.submit_hook = submit_hook;
    keeping.pre_exec_hook = pre_exec_hook;
    keeping.post_exec_hook = post_exec_hook;
    keeping.policy_name = "tgsched";
    keeping.policy_description = "keeps to a plan";
    return &keeping;
}
