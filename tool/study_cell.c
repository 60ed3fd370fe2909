/* study_cell.c -- one result of an experiment: its problem, its schedule, its figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study_pool.h"

enum { MOST_DRAWN = 400000 }; /* tasks of all Gantt charts together */

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

int group_enter(pool *x, group *g, live *l)
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

void group_leave(live *l)
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

/* as planned; where messages wait for each other, which not every heuristic plans with, as played
 */
static int makespan_of(outcome *to, const live *l, const tgs_schedule *s)
{
    tgs_error err = {TGS_OK, ""};
    tgs_trace *t = NULL;
    tgs_status status = TGS_OK;

    to->makespan = tgs_schedule_makespan(s);
    if (!strcmp(to->link, "latbw") || !strcmp(to->link, "zero"))
        return EXIT_OK;
    status = tgs_simulate(&t, l->in.problem, s, &err);
    if (!status)
        to->makespan = tgs_trace_makespan(t);
    tgs_trace_free(t);
    return status ? fail(status, &err) : EXIT_OK;
}

static int measure(const pool *x, outcome *to, const live *l, const tgs_schedule *s)
{
    const int32_t memories = tgs_platform_memories(l->in.platform);
    double *peaks = malloc((size_t)memories * sizeof *peaks);
    int code;

    if (!peaks)
        return fail(TGS_ENOMEM, NULL);
    code = makespan_of(to, l, s);
    if (code) {
        free(peaks);
        return code;
    }
    to->proven = tgs_schedule_lower_bound(s);
    if (tgs_schedule_copies(s)
        && tgs_schedule_bound(&to->bound, &to->bound_by, s, l->in.problem, NULL))
        to->bound = NAN;
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

int cell_fill(pool *x, int64_t cell, const live *l, bool *known)
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
