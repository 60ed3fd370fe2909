/* starpu_tap_policy.c -- the policy that the application would have had, listened to: what is
 * submitted, and where and when each task runs. */
#include <stdlib.h>
#include "starpu_tap.h"

static struct starpu_sched_policy own; /* the application's */
static struct starpu_sched_policy listening;

/* ---- what every policy of ours hears ---- */
void tgs_i_tap_submitted(struct starpu_task *task)
{
    int32_t index, parent;

    /* the application's own submission, or one that StarPU repeats for it */
    if (tgs_i_tap_me.submitting != task && !task->regenerate)
        return;
    pthread_mutex_lock(&tgs_i_tap.lock);
    parent = tgs_i_tap_me.submitting == task ? tgs_i_tap_current() : tgs_i_tap_index(task);
    index = tgs_i_tap_submit(task, parent);
    if (index >= 0) {
        tgs_i_tap_me.submitted = tgs_i_tap_task(index)->id;
        if (tgs_i_tap.recording)
            tgs_i_tap_put_task(task, index, parent);
    }
    if (atomic_load(&tgs_i_tap.mode) == TAP_REPLAY)
        tgs_i_tap_match(task, index);
    pthread_mutex_unlock(&tgs_i_tap.lock);
}

void tgs_i_tap_started(struct starpu_task *task)
{
    int32_t index;

    pthread_mutex_lock(&tgs_i_tap.lock);
    index = tgs_i_tap_index(task);
    if (index >= 0) {
        tap_task *t = tgs_i_tap_task(index);

        t->worker = starpu_worker_get_id();
        t->start = starpu_timing_now();
    }
    pthread_mutex_unlock(&tgs_i_tap.lock);
}

int32_t tgs_i_tap_ended(struct starpu_task *task)
{
    const double now = starpu_timing_now();
    int32_t index;

    pthread_mutex_lock(&tgs_i_tap.lock);
    index = tgs_i_tap_index(task);
    if (index >= 0)
        tgs_i_tap_task(index)->end = now;
    pthread_mutex_unlock(&tgs_i_tap.lock);
    return index;
}

/* ---- listening ---- */
static void submit_hook(struct starpu_task *task)
{
    tgs_i_tap_submitted(task);
    if (own.submit_hook)
        own.submit_hook(task);
}

static void pre_exec_hook(struct starpu_task *task, unsigned ctx)
{
    if (own.pre_exec_hook)
        own.pre_exec_hook(task, ctx);
    tgs_i_tap_started(task);
}

static void post_exec_hook(struct starpu_task *task, unsigned ctx)
{
    tgs_i_tap_ended(task);
    if (own.post_exec_hook)
        own.post_exec_hook(task, ctx);
}

/* StarPU's own choice: a policy that is given, else the name in the environment, else one that is
 * given, else lws */
static const struct starpu_sched_policy *choose(const struct starpu_conf *conf)
{
    const char *name = getenv("STARPU_SCHED");
    const struct starpu_sched_policy *policy = conf->sched_policy;

    if (!name)
        name = conf->sched_policy_name;
    if (!policy && name && *name)
        policy = tgs_i_spu_policy(name, tgs_i_tap_crowded());
    if (!policy && name && *name)
        tgs_i_tap_say("StarPU has no scheduling policy '%s'; lws takes its place", name);
    return policy ? policy : tgs_i_spu_policy("lws", tgs_i_tap_crowded());
}

struct starpu_sched_policy *tgs_i_tap_listen(const struct starpu_conf *conf)
{
    const struct starpu_sched_policy *policy = choose(conf);

    if (!policy)
        return NULL;
    own = listening = *policy;
    listening.submit_hook = submit_hook;
    listening.pre_exec_hook = pre_exec_hook;
    listening.post_exec_hook = post_exec_hook;
    return &listening;
}
