/* study_run.c -- runs the cells of an experiment: threads take them in order, whoever comes first
 * to a group opens it, and each result goes to the file as soon as it is there.  What is computed
 * does not depend on the number of threads; only the time that it takes does. */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "study_pool.h"
#include "table.h"

static void refuse(pool *x, int code)
{
    pthread_mutex_lock(&x->mutex);
    if (!x->code)
        x->code = code;
    pthread_mutex_unlock(&x->mutex);
}

/* returns an exit code */
static int do_cell(pool *x, int64_t cell, int32_t at)
{
    group *g = &x->s->group[at];
    live *l = &x->live[at];
    const outcome *row = &x->s->cells.row[cell];
    bool known = false, last;
    int code;

    pthread_mutex_lock(&l->mutex);
    if (!l->open)
        l->code = group_enter(x, g, l);
    l->open = true;
    code = l->code; /* the others who wait here do not try again */
    pthread_mutex_unlock(&l->mutex);
    if (!code)
        code = cell_fill(x, cell, l, &known);
    pthread_mutex_lock(&x->mutex);
    if (!code && !known && !journal_add(&x->s->journal, row)) {
        warn("%s: %s", x->s->journal.path, strerror(errno));
        code = EXIT_FAILED;
    }
    x->stale += !code && !known && x->before[cell] >= 0;
    last = --l->left == 0;
    pthread_mutex_unlock(&x->mutex);
    if (last)
        group_leave(l);
    return code;
}

/* ---- many */
static void *work(void *arg)
{
    pool *x = arg;

    pthread_mutex_lock(&x->mutex);
    while (!x->code && x->next < x->s->count) {
        const int64_t cell = x->next++;
        int code;

        while (x->group + 1 < x->s->groups && x->s->group[x->group + 1].cell <= cell)
            x->group++;
        if (!x->mine[cell])
            continue;
        const int32_t at = x->group;

        pthread_mutex_unlock(&x->mutex);
        code = do_cell(x, cell, at);
        if (code)
            refuse(x, code);
        pthread_mutex_lock(&x->mutex);
        x->done++;
        pthread_cond_signal(&x->change);
    }
    x->working--;
    pthread_cond_signal(&x->change);
    pthread_mutex_unlock(&x->mutex);
    return NULL;
}

static void show(pool *x, double begun)
{
    char bar[31];
    const double part = x->total ? (double)x->done / (double)x->total : 1;
    const double left = part > 0 ? (now() - begun) * (1 - part) / part : NAN;
    char text[32];

    if (pthread_mutex_trylock(&x->opening))
        return; /* a failure may be being told */
    for (int i = 0; i < 30; i++)
        bar[i] = i < 30 * part ? '#' : '-';
    bar[30] = 0;
    human(text, sizeof text, CELL_SECONDS, round(left));
    progress("[%s] %lld of %lld%s%s", bar, (long long)x->done, (long long)x->total,
             x->done > 1 ? ", left: " : "", x->done > 1 ? text : "");
    pthread_mutex_unlock(&x->opening);
}

static void watch(pool *x)
{
    const double begun = now();

    pthread_mutex_lock(&x->mutex);
    while (x->working) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 200000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&x->change, &x->mutex, &until);
        if (!x->code)
            show(x, begun);
    }
    pthread_mutex_unlock(&x->mutex);
    progress(NULL);
}

/* --jobs, else OMP_NUM_THREADS, else the processors that this process may use */
static int32_t threads(const pool *x)
{
    const char *wish = getenv("OMP_NUM_THREADS");
    cpu_set_t set;
    int64_t count = x->s->o->jobs;

    if (!count && wish)
        count = strtol(wish, NULL, 10);
    if (count < 1)
        count = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return (int32_t)(count < x->total ? count : x->total ? x->total : 1);
}

static int run_threads(pool *x)
{
    const int32_t count = threads(x);
    pthread_t *id = calloc((size_t)count, sizeof *id);
    int32_t made = 0;

    if (!id)
        return fail(TGS_ENOMEM, NULL);
    pthread_mutex_lock(&x->mutex);
    while (made < count && !pthread_create(&id[made], NULL, work, x))
        made++;
    x->working = made;
    pthread_mutex_unlock(&x->mutex);
    watch(x);
    for (int32_t i = 0; i < made; i++)
        pthread_join(id[i], NULL);
    free(id);
    if (!made && !x->code)
        return fail(TGS_ENOMEM, NULL);
    return x->code;
}

int study_run(study *s)
{
    pool x = {.s = s,
              .mutex = PTHREAD_MUTEX_INITIALIZER,
              .opening = PTHREAD_MUTEX_INITIALIZER,
              .change = PTHREAD_COND_INITIALIZER};
    bool *mine = calloc((size_t)s->count + 1, sizeof *mine);
    int code = mine ? study_shard(s, mine) : fail(TGS_ENOMEM, NULL);

    x.mine = mine;
    x.live = calloc((size_t)s->groups + 1, sizeof *x.live);
    x.before = calloc((size_t)s->count + 1, sizeof *x.before);
    if (!code && (!x.live || !x.before))
        code = fail(TGS_ENOMEM, NULL);
    if (!code)
        code = study_resume(s, &x.old, mine, x.before);
    for (int32_t i = 0; i < s->groups && !code; i++) {
        const int64_t end = i + 1 < s->groups ? s->group[i + 1].cell : s->count;

        pthread_mutex_init(&x.live[i].mutex, NULL);
        for (int64_t k = s->group[i].cell; k < end; k++)
            x.live[i].left += mine[k];
        x.total += x.live[i].left;
    }
    if (!code)
        code = run_threads(&x);
    for (int32_t i = 0; x.live && i < s->groups; i++)
        group_leave(&x.live[i]);
    if (x.stale)
        warn("%s: %lld of its rows were of another state of their graph or machine, and are new",
             s->journal.path, (long long)x.stale);
    if (!code)
        code = study_keep(s, &x.old);
    outcomes_free(&x.old);
    free(x.before);
    free(x.live);
    free(mine);
    return code;
}
