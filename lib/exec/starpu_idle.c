/* starpu_idle.c -- scheduling policies that let others run while a worker has nothing to do.
 *
 * StarPU's workers spin when idle.  With more threads than cores each hand-over then costs a
 * scheduler quantum.  Ordered tasks bypass the policy, so its pop is only called by idle workers:
 * that is where to yield.  A yield may come back at once while the thread that matters waits for a
 * core, so a worker that stays idle sleeps for a moment. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include "starpu_core.h"

static struct starpu_task *(*wrapped_pop)(unsigned ctx);

enum { YIELDS = 50, SLEEP_NS = 20000 };
static _Thread_local int idle_calls; /* calls of a worker since it last had a task */

void tgs_i_spu_idle(void)
{
    const struct timespec moment = {0, SLEEP_NS};

    if (idle_calls == YIELDS)
        prctl(PR_SET_TIMERSLACK, 1); /* else the kernel adds 50 us */
    starpu_worker_relax_on();        /* let those in who want to push */
    if (idle_calls < YIELDS)
        sched_yield();
    else
        nanosleep(&moment, NULL);
    starpu_worker_relax_off();
    if (idle_calls <= YIELDS)
        idle_calls++;
}

void tgs_i_spu_worked(void)
{
    idle_calls = 0;
}

static void had_a_task(struct starpu_task *task, unsigned ctx)
{
    (void)task;
    (void)ctx;
    tgs_i_spu_worked();
}

/* Set while no task of the kind is about; a worker may still be in an old one, so both are asked
 * only for what they know. */
static _Atomic spu_keep keeper;
static _Atomic spu_take taker;

void tgs_i_spu_serve(spu_keep keep, spu_take take)
{
    atomic_store(&keeper, keep);
    atomic_store(&taker, take);
}

static struct starpu_task *served(void)
{
    const spu_take take = atomic_load(&taker);

    return take ? take(starpu_worker_get_id()) : NULL;
}

static void init(unsigned ctx)
{
    (void)ctx;
}

static void deinit(unsigned ctx)
{
    (void)ctx;
}

/* a task without a worker and without a keeper goes to the first worker that can run it */
static int push(struct starpu_task *task)
{
    const spu_keep keep = atomic_load(&keeper);

    if (keep && keep(task))
        return 0;
    for (unsigned worker = 0; worker < starpu_worker_get_count(); worker++)
        if (starpu_worker_can_execute_task_first_impl(worker, task, NULL))
            return starpu_push_local_task((int)worker, task, 0);
    return -ENODEV;
}

static struct starpu_task *pop_spinning(unsigned ctx)
{
    (void)ctx;
    return served();
}

static struct starpu_task *pop_yielding(unsigned ctx)
{
    struct starpu_task *task = served();

    (void)ctx;
    if (!task)
        tgs_i_spu_idle();
    return task;
}

static struct starpu_task *pop_wrapped(unsigned ctx)
{
    struct starpu_task *task = wrapped_pop(ctx);

    if (!task)
        tgs_i_spu_idle();
    else
        tgs_i_spu_worked();
    return task;
}

static struct starpu_sched_policy ours = {
    .init_sched = init,
    .deinit_sched = deinit,
    .push_task = push,
    .post_exec_hook = had_a_task,
    .policy_name = "tgsched",
    .policy_description = "replays a schedule; yields when idle",
    .worker_type = STARPU_WORKER_LIST,
};
static struct starpu_sched_policy wrapped;

struct starpu_sched_policy *tgs_i_spu_policy(const char *name, bool yield)
{
    struct starpu_sched_policy **all = starpu_sched_get_predefined_policies();

    if (!*name) {
        ours.pop_task = yield ? pop_yielding : pop_spinning;
        return &ours;
    }
    for (; *all; all++)
        if ((*all)->policy_name && !strcmp((*all)->policy_name, name)) {
            wrapped = **all;
            if (yield && wrapped.pop_task) {
                wrapped_pop = wrapped.pop_task;
                wrapped.pop_task = pop_wrapped;
            }
            return &wrapped;
        }
    return NULL;
}
