/* starpu_tap_stall.c -- what keeps a plan that cannot be kept from hanging.
 *
 * A run stands still when tasks are ready, none of them is the next of its worker, and nothing
 * runs. Then one of two things is true:
 * - what some worker waits for was submitted, but waits itself for something that the plan has
 * later: a lock of a datum that StarPU gave to another task first (commuting accesses, or accesses
 * without sequential consistency that nothing orders), or a dependency that the capture did not
 * see.  The earliest task that is ready is let go before its turn, and the plan goes on.
 * - nothing that workers wait for was submitted: the application may be about to do so, or it waits
 *   for a task that the plan has later.  After some patience the plan is given up. */
#include <time.h>
#include "starpu_tap.h"

enum { LOOK_US = 1000, SETTLED_US = 4000 };

static struct {
    pthread_t thread;
    bool there;
    _Atomic bool stop;
} watch;

/* Someone is between two steps of StarPU's: a worker that ends a task lets others go, a thread that
 * submits one may make it ready.  It only needs a core, which on a crowded machine takes a while.
 */
static bool between_steps(const tap_plan *plan)
{
    bool busy = atomic_load(&plan->submitting) > 0;

    for (int w = 0; w < STARPU_NMAXWORKERS; w++)
        busy |= plan->active[w];
    return busy;
}

/* with the plan's lock: the next task of a worker, -1 when it has had all */
static int32_t next_of(const tap_plan *plan, int worker)
{
    int32_t k = plan->head[worker];

    while (k < plan->count[worker] && plan->task[plan->order[worker][k]].place > PLACE_HELD)
        k++;
    return k < plan->count[worker] ? plan->order[worker][k] : -1;
}

typedef enum standstill {
    MOVES,   /* a worker has something to do, if it only gets a core */
    BLOCKED, /* what some worker waits for was submitted and is not ready */
    AWAITS   /* what they wait for was not submitted */
} standstill;

static standstill state_of(const tap_plan *plan)
{
    standstill state = AWAITS;

    if (plan->held == 0 || plan->running > 0)
        return MOVES;
    for (int w = 0; w < STARPU_NMAXWORKERS; w++) {
        const int32_t next = next_of(plan, w);

        if (plan->early[w] >= 0 || (next >= 0 && plan->task[next].place == PLACE_HELD))
            return MOVES;
        if (next >= 0 && plan->task[next].submitted)
            state = BLOCKED;
    }
    return state;
}

static void let_one_go(tap_plan *plan)
{
    for (int32_t i = 0; i < plan->tasks; i++) {
        const tap_planned *t = &plan->task[i];

        if (t->place == PLACE_HELD && plan->early[t->worker] < 0) {
            plan->early[t->worker] = i;
            plan->swapped++;
            plan->last = starpu_timing_now();
            return;
        }
    }
}

static const tap_planned *awaited(const tap_plan *plan)
{
    for (int w = 0; w < STARPU_NMAXWORKERS; w++)
        if (next_of(plan, w) >= 0)
            return &plan->task[next_of(plan, w)];
    return NULL;
}

static void look(void)
{
    tap_plan *plan = &tgs_i_tap_plan;
    const tap_planned *late = NULL;
    standstill state;
    double idle;

    pthread_mutex_lock(&plan->lock);
    idle = starpu_timing_now() - plan->last;
    state = atomic_load(&plan->broken) ? MOVES : state_of(plan);
    if (state == BLOCKED && idle > (between_steps(plan) ? plan->patience : SETTLED_US))
        let_one_go(plan);
    else if (state == AWAITS && idle > plan->patience)
        late = awaited(plan);
    pthread_mutex_unlock(&plan->lock);
    if (late)
        tgs_i_tap_break("nothing has moved for %.3g s: %s comes next, and the application has not "
                        "submitted it",
                        plan->patience * 1e-6, late->name);
#ifndef STARPU_NON_BLOCKING_DRIVERS
    if (late || (state == BLOCKED && idle > SETTLED_US))
        starpu_wake_all_blocked_workers();
#endif
}

static void *watching(void *unused)
{
    const struct timespec pause = {0, LOOK_US * 1000};

    (void)unused;
    while (!atomic_load(&watch.stop)) {
        nanosleep(&pause, NULL);
        look();
    }
    return NULL;
}

void tgs_i_tap_stall_begin(void)
{
    atomic_store(&watch.stop, false);
    tgs_i_tap_plan.last = starpu_timing_now();
    watch.there = !pthread_create(&watch.thread, NULL, watching, NULL);
    if (!watch.there)
        tgs_i_tap_break("no thread to watch over the plan");
}

void tgs_i_tap_stall_end(void)
{
    atomic_store(&watch.stop, true);
    if (watch.there)
        pthread_join(watch.thread, NULL);
    watch.there = false;
}
