/* study_run.c -- runs the cells of an experiment: threads take them in order, whoever comes first
 * to a group opens it, and each result goes to the file as soon as it is there.  What is computed
 * does not depend on the number of threads; only the time that it takes does. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "study.h"
#include "table.h"

enum { MOST_DRAWN = 400000 }; /* tasks of all Gantt charts together */

typedef struct live { /* a group while it is worked on */
    pthread_mutex_t mutex;
    bool open;
    int64_t left; /* cells to be done */
    input in;
    tgs_status status; /* why there is no problem */
    tgs_error err;
    uint64_t problem;
    double bound;
    const char *bound_by;
} live;

typedef struct pool {
    study *s;
    live *live;       /* [groups] */
    outcomes old;     /* what the file held */
    int64_t *before;  /* [count] index into old, -1 none */
    const bool *mine; /* [count] of this shard */
    pthread_mutex_t mutex, opening;
    pthread_cond_t change;
    int64_t next, done, total, stale, drawn;
    int32_t group, working; /* group of the cell next; threads that run */
    int code;               /* the first failure */
} pool;

/* ---- one cell */
static void refuse(pool *x, int code)
{
    pthread_mutex_lock(&x->mutex);
    if (!x->code)
        x->code = code;
    pthread_mutex_unlock(&x->mutex);
}

static char *names_of(const tgs_graph *g, const tgs_platform *p)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return NULL;
    fputs("{\"task\": [", to);
    for (int32_t t = 0; t < tgs_graph_tasks(g); t++) {
        fputs(t ? "," : "", to);
        tgs_json_text(to, tgs_graph_task_name(g, t));
    }
    fputs("], \"processor\": [", to);
    for (int32_t q = 0; q < tgs_platform_processors(p); q++) {
        fputs(q ? "," : "", to);
        tgs_json_text(to, tgs_platform_processor_name(p, q));
    }
    fputs("]}", to);
    if (!fclose(to))
        return text;
    free(text);
    return NULL;
}

/* the graph, and its problem on the machine of the group; returns an exit code */
static int open_group(const pool *x, const group *g, live *l)
{
    options o = *x->s->o;
    int code;

    o.seed = g->seed;
    o.link = g->link;
    code = open_graph(&l->in.graph, g->graph, x->s->self, &o);
    if (code)
        return code;
    l->in.platform = x->s->machine[g->machine];
    l->in.costs = x->s->costs;
    l->status = input_price(&l->in, &o, &l->err);
    if (l->status == TGS_ENOMEM || (l->status && x->s->groups == 1))
        return fail(l->status, &l->err);
    if (l->status)
        return EXIT_OK; /* a row that says so, for every heuristic */
    l->problem = tgs_problem_fingerprint(l->in.problem);
    return EXIT_OK;
}

static int enter_group(pool *x, group *g, live *l)
{
    int code;

    pthread_mutex_lock(&x->opening);
    code = open_group(x, g, l);
    pthread_mutex_unlock(&x->opening);
    l->bound = NAN;
    if (code || l->status)
        return code;
    if (tgs_bound_best(&l->bound, &l->bound_by, l->in.problem, NULL))
        l->bound = NAN;
    if (x->s->drawn && tgs_graph_tasks(l->in.graph) <= MOST_DRAWN)
        g->names = names_of(l->in.graph, l->in.platform);
    return EXIT_OK;
}

static void leave_group(live *l)
{
    l->in.platform = NULL; /* the study's */
    l->in.costs = NULL;
    input_close(&l->in);
}

static int keep_note(outcome *to, const char *text)
{
    if (!*text)
        return EXIT_OK;
    to->owned = strdup(text);
    if (!to->owned)
        return fail(TGS_ENOMEM, NULL);
    to->note = to->owned;
    return EXIT_OK;
}

static int measure(const pool *x, outcome *to, const live *l, const tgs_schedule *s)
{
    const int32_t memories = tgs_platform_memories(l->in.platform);
    double *peaks = malloc((size_t)memories * sizeof *peaks);

    if (!peaks)
        return fail(TGS_ENOMEM, NULL);
    to->makespan = tgs_schedule_makespan(s);
    to->proven = tgs_schedule_lower_bound(s);
    to->bytes = tgs_schedule_bytes_moved(s, l->in.problem);
    if (!tgs_schedule_peaks(peaks, s, l->in.problem)) {
        to->peak = 0;
        for (int32_t m = 0; m < memories; m++)
            to->peak = fmax(to->peak, peaks[m]);
    }
    if (x->s->groups == 1)
        to->peaks = peaks;
    else
        free(peaks);
    return keep_note(to, tgs_schedule_note(s));
}

/* What may end the run: a heuristic from outside that is not there.  Those of the tree were tried
 * before (study.c), so that what they refuse here they refuse for this instance. */
static bool ends_run(const char *heuristic, tgs_status status)
{
    const bool outside = strchr(heuristic, '/') || !strncmp(heuristic, "exec:", 5);

    return status == TGS_ENOMEM || (outside && (status == TGS_EINVAL || status == TGS_ENOTFOUND));
}

/* one schedule; what this heuristic cannot do here is a result, too */
static int make(pool *x, outcome *to, const live *l, const outcome *known)
{
    tgs_error err = {TGS_OK, ""};
    const int32_t tasks = tgs_graph_tasks(l->in.graph);
    const double start = now();
    tgs_schedule *s;
    const tgs_status status = tgs_schedule_make(&s, l->in.problem, to->heuristic, to->seed, &err);
    int code = EXIT_OK;
    bool room;

    to->seconds = now() - start;
    if (ends_run(to->heuristic, status))
        return fail_spec(status, &err);
    pthread_mutex_lock(&x->mutex);
    room = x->s->drawn && !status && x->drawn + tasks <= MOST_DRAWN;
    if (room)
        x->drawn += tasks;
    pthread_mutex_unlock(&x->mutex);
    if (room && !(to->gantt = gantt_of(s, tasks)))
        code = fail(TGS_ENOMEM, NULL);
    if (!code && !known) /* else it was only made to be drawn */
        code = status ? keep_note(to, err.text) : measure(x, to, l, s);
    tgs_schedule_free(s);
    return code;
}

/* the figures of a row that was there already, under the texts of the cell */
static int take_known(outcome *to, const outcome *known)
{
    to->makespan = known->makespan;
    to->proven = known->proven;
    to->bytes = known->bytes;
    to->peak = known->peak;
    to->seconds = known->seconds;
    return keep_note(to, known->note);
}

static int fill(pool *x, int64_t cell, const live *l, bool *known)
{
    outcome *to = &x->s->cells.row[cell];
    const outcome *old = x->before[cell] < 0 ? NULL : &x->old.row[x->before[cell]];
    tgs_price_info prices;
    int code = EXIT_OK;

    *known = old && old->problem == l->problem;
    to->problem = l->problem;
    if (l->status) {
        code = keep_note(to, l->err.text);
    } else {
        tgs_problem_prices(l->in.problem, &prices);
        to->tasks = tgs_graph_tasks(l->in.graph);
        to->processors = tgs_platform_processors(l->in.platform);
        to->extrapolated = prices.extrapolated;
        to->bound = l->bound;
        to->bound_by = l->bound_by ? l->bound_by : "";
        if (!*known || x->s->drawn)
            code = make(x, to, l, *known ? old : NULL);
        if (!code && *known)
            code = take_known(to, old);
    }
    to->done = !code;
    return code;
}

/* returns an exit code */
static int do_cell(pool *x, int64_t cell, int32_t at)
{
    group *g = &x->s->group[at];
    live *l = &x->live[at];
    const outcome *row = &x->s->cells.row[cell];
    bool known = false, last;
    int code = EXIT_OK;

    pthread_mutex_lock(&l->mutex);
    if (!l->open)
        code = enter_group(x, g, l);
    l->open = true;
    pthread_mutex_unlock(&l->mutex);
    if (!code)
        code = fill(x, cell, l, &known);
    pthread_mutex_lock(&x->mutex);
    if (!code && !known && !journal_add(&x->s->journal, row)) {
        warn("%s: %s", x->s->journal.path, strerror(errno));
        code = EXIT_FAILED;
    }
    x->stale += !code && !known && x->before[cell] >= 0;
    last = --l->left == 0;
    pthread_mutex_unlock(&x->mutex);
    if (last)
        leave_group(l);
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
        leave_group(&x.live[i]);
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
