/* watch.c -- the caller's watch behind a lock, and limits in seconds: the one clock of planning. */
#include "watch.h"
#include <string.h>
#include <time.h>

double tgs_i_seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the caller's watch ------------------------------------------------------------------------
 */
static bool guarded_stop(void *user)
{
    tgs_i_guard *g = user;

    if (!atomic_load(&g->stopped) && g->watch.stop) {
        pthread_mutex_lock(&g->lock);
        if (g->watch.stop(g->watch.user))
            atomic_store(&g->stopped, true);
        pthread_mutex_unlock(&g->lock);
    }
    return atomic_load(&g->stopped);
}

static void guarded_progress(void *user, double done)
{
    tgs_i_guard *g = user;

    if (!g->watch.progress)
        return;
    atomic_store(&g->told, (int)(1e4 * done));
    pthread_mutex_lock(&g->lock);
    g->watch.progress(g->watch.user, done);
    pthread_mutex_unlock(&g->lock);
}

void tgs_i_guard_open(tgs_i_guard *g, tgs_ctx *c, const tgs_watch *watch)
{
    g->watch = watch ? *watch : (tgs_watch){NULL, NULL, NULL};
    pthread_mutex_init(&g->lock, NULL);
    atomic_init(&g->stopped, false);
    atomic_init(&g->told, 0);
    c->stop = guarded_stop;
    c->progress = guarded_progress;
    c->user = g;
}

void tgs_i_guard_beat(tgs_i_guard *g)
{
    guarded_progress(g, 1e-4 * atomic_load(&g->told));
}

void tgs_i_guard_close(tgs_i_guard *g)
{
    pthread_mutex_destroy(&g->lock);
}

/* ---- limits ------------------------------------------------------------------------------------
 */
static bool limited_stop(void *user)
{
    tgs_i_limit *l = user;

    if (!atomic_load(&l->reached) && tgs_i_seconds_now() >= l->end)
        atomic_store(&l->reached, true);
    return atomic_load(&l->reached) || l->outer->stop(l->outer->user);
}

static void limited_progress(void *user, double done)
{
    tgs_i_limit *l = user;
    const double passed = 1 - (l->end - tgs_i_seconds_now()) / l->seconds;

    l->outer->progress(l->outer->user, passed > done && passed < 1 ? passed : done);
}

void tgs_i_limit_open(tgs_i_limit *l, tgs_ctx *inner, const tgs_ctx *outer, double seconds)
{
    l->outer = outer;
    l->seconds = seconds;
    l->end = tgs_i_seconds_now() + seconds;
    atomic_init(&l->reached, false);
    inner->stop = limited_stop;
    inner->progress = limited_progress;
    inner->user = l;
}

void tgs_i_note_stop(tgs_plan *plan, const char *why)
{
    const size_t used = strlen(plan->note);

    snprintf(plan->note + used, sizeof plan->note - used, "%s%s: not the same again",
             used ? "; " : "", why);
}
