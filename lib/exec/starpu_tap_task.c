/* starpu_tap_task.c -- submission, dependencies and waits, as the application calls them.
 *
 * A submission counts when the scheduling policy is told of it (starpu_tap_policy.c), which is
 * after what StarPU submits on its behalf.  Of the waits only that they were there matters: what
 * the thread submits next comes after what it has waited for. */
#include "starpu_tap.h"

int _starpu_task_submit_internally(struct starpu_task *task);

TAP_REAL(starpu_task_submit)
TAP_REAL(_starpu_task_submit_internally)
TAP_REAL(starpu_task_create)
TAP_REAL(starpu_task_init)
TAP_REAL(starpu_task_declare_deps_array)
TAP_REAL(starpu_tag_declare_deps_array)
TAP_REAL(starpu_tag_remove)
TAP_REAL(starpu_tag_restart)
TAP_REAL(starpu_tag_wait_array)
TAP_REAL(starpu_task_wait)
TAP_REAL(starpu_task_wait_array)
TAP_REAL(starpu_task_wait_for_all)
TAP_REAL(starpu_task_wait_for_all_in_ctx)
TAP_REAL(starpu_task_wait_for_n_submitted)
TAP_REAL(starpu_task_wait_for_n_submitted_in_ctx)

_Thread_local tap_thread tgs_i_tap_me;

bool tgs_i_tap_enter(void)
{
    if (tgs_i_tap_me.depth++ || !tap_on() || !tgs_i_tap.recording)
        return false;
    pthread_mutex_lock(&tgs_i_tap.lock);
    return true;
}

void tgs_i_tap_leave(void)
{
    pthread_mutex_unlock(&tgs_i_tap.lock);
}

/* ---- submission ---- */
/* where the internal function is not to be stood before, its tasks have a type or a name */
static bool of_starpu(const struct starpu_task *task)
{
    return tgs_i_tap_me.internal || task->type != STARPU_TASK_TYPE_NORMAL
           || (task->name && !strncmp(task->name, "redux_task_", strlen("redux_task_")));
}

/* a context of the application's own has a policy of its own, which we are not */
static void unseen(void)
{
    static _Atomic bool told;

    if (!atomic_exchange(&told, true))
        tgs_i_tap_say("the application submits tasks to scheduling contexts of its own: they are "
                      "neither captured nor placed");
}

int starpu_task_submit(struct starpu_task *task)
{
    const tap_thread before = tgs_i_tap_me;
    const bool waits = task->synchronous;
    int32_t submitted;
    int status;

    if (!tap_on())
        return real_starpu_task_submit()(task);
    tgs_i_tap_me.submitting = of_starpu(task) ? NULL : task;
    tgs_i_tap_me.internal = false; /* what is submitted on its behalf may be the application's */
    tgs_i_tap_me.submitted = -1;
    atomic_fetch_add(&tgs_i_tap_plan.submitting, !waits);
    status = real_starpu_task_submit()(task);
    atomic_fetch_sub(&tgs_i_tap_plan.submitting, !waits);
    submitted = tgs_i_tap_me.submitted;
    if (!status && submitted < 0 && tgs_i_tap_me.submitting)
        unseen();
    tgs_i_tap_me.submitting = before.submitting;
    tgs_i_tap_me.internal = before.internal;
    tgs_i_tap_me.submitted = before.submitted;
    if (waits && submitted >= 0 && tgs_i_tap_enter()) {
        tgs_i_tap_put("wait %d task %d\n", tgs_i_tap_thread(), submitted);
        tgs_i_tap_leave();
    }
    tgs_i_tap_me.depth = before.depth;
    return status;
}

int _starpu_task_submit_internally(struct starpu_task *task)
{
    const bool before = tgs_i_tap_me.internal;
    int status;

    tgs_i_tap_me.internal = true;
    status = real__starpu_task_submit_internally()(task);
    tgs_i_tap_me.internal = before;
    return status;
}

static void begins(const struct starpu_task *task)
{
    if (!tap_on())
        return;
    pthread_mutex_lock(&tgs_i_tap.lock);
    tgs_i_tap_forget_task(task);
    pthread_mutex_unlock(&tgs_i_tap.lock);
}

struct starpu_task *starpu_task_create(void)
{
    struct starpu_task *task = real_starpu_task_create()();

    begins(task);
    return task;
}

void starpu_task_init(struct starpu_task *task)
{
    begins(task);
    real_starpu_task_init()(task);
}

/* ---- dependencies ---- */
void starpu_task_declare_deps_array(struct starpu_task *task, unsigned n, struct starpu_task *on[])
{
    if (tgs_i_tap_enter()) {
        for (unsigned i = 0; i < n; i++)
            tgs_i_tap_put("dep %d %d\n", tgs_i_tap_id(on[i]), tgs_i_tap_id(task));
        tgs_i_tap_leave();
    }
    real_starpu_task_declare_deps_array()(task, n, on);
    tgs_i_tap_me.depth--;
}

void starpu_task_declare_deps(struct starpu_task *task, unsigned n, ...)
{
    struct starpu_task **on = tgs_mem_alloc(n, sizeof *on);
    va_list args;

    va_start(args, n);
    for (unsigned i = 0; i < n && on; i++)
        on[i] = va_arg(args, struct starpu_task *);
    va_end(args);
    if (on)
        starpu_task_declare_deps_array(task, n, on);
    else
        tgs_i_tap_say("out of memory: dependencies are lost");
    tgs_mem_free(on);
}

void starpu_tag_declare_deps_array(starpu_tag_t id, unsigned n, starpu_tag_t *on)
{
    if (tgs_i_tap_enter()) {
        for (unsigned i = 0; i < n; i++)
            tgs_i_tap_put("tag %llx %llx\n", (unsigned long long)on[i], (unsigned long long)id);
        tgs_i_tap_leave();
    }
    real_starpu_tag_declare_deps_array()(id, n, on);
    tgs_i_tap_me.depth--;
}

void starpu_tag_declare_deps(starpu_tag_t id, unsigned n, ...)
{
    starpu_tag_t *on = tgs_mem_alloc(n, sizeof *on);
    va_list args;

    va_start(args, n);
    for (unsigned i = 0; i < n && on; i++)
        on[i] = va_arg(args, starpu_tag_t);
    va_end(args);
    if (on)
        starpu_tag_declare_deps_array(id, n, on);
    else
        tgs_i_tap_say("out of memory: dependencies are lost");
    tgs_mem_free(on);
}

static void tag_begins(starpu_tag_t id, const char *how)
{
    if (tgs_i_tap_enter()) {
        tgs_i_tap_put("%s %llx\n", how, (unsigned long long)id);
        tgs_i_tap_leave();
    }
}

void starpu_tag_remove(starpu_tag_t id)
{
    tag_begins(id, "untag");
    real_starpu_tag_remove()(id);
    tgs_i_tap_me.depth--;
}

void starpu_tag_restart(starpu_tag_t id)
{
    tag_begins(id, "retag");
    real_starpu_tag_restart()(id);
    tgs_i_tap_me.depth--;
}

/* ---- waits ---- */
int starpu_tag_wait_array(unsigned n, starpu_tag_t *id)
{
    int status;

    if (tgs_i_tap_enter()) {
        for (unsigned i = 0; i < n; i++)
            tgs_i_tap_put("wait %d tag %llx\n", tgs_i_tap_thread(), (unsigned long long)id[i]);
        tgs_i_tap_leave();
    }
    status = real_starpu_tag_wait_array()(n, id);
    tgs_i_tap_me.depth--;
    return status;
}

int starpu_tag_wait(starpu_tag_t id)
{
    return starpu_tag_wait_array(1, &id);
}

static void waits_for(struct starpu_task *const *task, unsigned n)
{
    if (tgs_i_tap_enter()) {
        for (unsigned i = 0; i < n; i++)
            tgs_i_tap_put("wait %d task %d\n", tgs_i_tap_thread(), tgs_i_tap_id(task[i]));
        tgs_i_tap_leave();
    }
}

int starpu_task_wait(struct starpu_task *task)
{
    int status;

    waits_for(&task, 1);
    status = real_starpu_task_wait()(task);
    tgs_i_tap_me.depth--;
    return status;
}

int starpu_task_wait_array(struct starpu_task **task, unsigned n)
{
    int status;

    waits_for(task, n);
    status = real_starpu_task_wait_array()(task, n);
    tgs_i_tap_me.depth--;
    return status;
}

/* written down when it is over: what callbacks have submitted meanwhile was waited for too */
static int waited(int status, bool for_all)
{
    tgs_i_tap_me.depth--;
    if (!for_all)
        return status;
    if (tgs_i_tap_enter()) {
        tgs_i_tap_put("wait %d all\n", tgs_i_tap_thread());
        tgs_i_tap_leave();
    }
    tgs_i_tap_me.depth--;
    return status;
}

int starpu_task_wait_for_all(void)
{
    tgs_i_tap_me.depth++;
    return waited(real_starpu_task_wait_for_all()(), true);
}

int starpu_task_wait_for_all_in_ctx(unsigned ctx)
{
    tgs_i_tap_me.depth++;
    return waited(real_starpu_task_wait_for_all_in_ctx()(ctx), true);
}

/* which are left is a matter of chance: only "none" orders anything */
int starpu_task_wait_for_n_submitted(unsigned n)
{
    tgs_i_tap_me.depth++;
    return waited(real_starpu_task_wait_for_n_submitted()(n), n == 0);
}

int starpu_task_wait_for_n_submitted_in_ctx(unsigned ctx, unsigned n)
{
    tgs_i_tap_me.depth++;
    return waited(real_starpu_task_wait_for_n_submitted_in_ctx()(ctx, n), n == 0);
}
