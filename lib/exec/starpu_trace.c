/* starpu_trace.c -- a step's log of copies becomes the trace: which version of a datum each copy
 * carried, and why.
 *
 * The version is that of the last task that wrote the datum and had ended when the copy began.
 *   demand      a later task reads it there, and its processor had nothing else to do
 *   prefetch    a later task reads it there, and its processor was still at an earlier task
 *   reload      it had been there before in this step
 *   relay       nobody reads it there, but a later copy of it starts from there
 *   write-back  neither */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "starpu_core.h"

typedef struct copy {
    const spu_event *e;
    int32_t version; /* as in tgs_access */
} copy;

typedef struct facts { /* of a step */
    copy *copy;        /* by datum, then start */
    int32_t copies;
    int32_t *access_at, *access; /* CSR by datum */
    int32_t *task;               /* [access] whose it is */
    int32_t *before;             /* [task] the one before on its processor, -1 none */
    uint32_t *initial, *written; /* memories a version has been in */
} facts;

static int by_datum(const void *a, const void *b)
{
    const spu_event *x = ((const copy *)a)->e, *y = ((const copy *)b)->e;

    if (x->datum != y->datum)
        return x->datum < y->datum ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static void facts_free(facts *f)
{
    tgs_mem_free(f->copy);
    tgs_mem_free(f->access_at);
    tgs_mem_free(f->access);
    tgs_mem_free(f->task);
    tgs_mem_free(f->before);
    tgs_mem_free(f->initial);
    tgs_mem_free(f->written);
}

typedef struct stamp {
    double start;
    int32_t proc, task;
} stamp;

static int by_proc(const void *a, const void *b)
{
    const stamp *x = a, *y = b;

    if (x->proc != y->proc)
        return x->proc < y->proc ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

static tgs_status previous(const spu_run *r, int32_t *before)
{
    const int32_t n = r->v->n;
    stamp *s = tgs_mem_alloc((size_t)n, sizeof *s);

    if (!s)
        return TGS_ENOMEM;
    for (int32_t t = 0; t < n; t++)
        s[t] = (stamp){r->stamp[t].start, r->stamp[t].proc, t};
    qsort(s, (size_t)n, sizeof *s, by_proc);
    for (int32_t i = 0; i < n; i++)
        before[s[i].task] = i && s[i - 1].proc == s[i].proc ? s[i - 1].task : -1;
    tgs_mem_free(s);
    return TGS_OK;
}

static tgs_status facts_copies(facts *f)
{
    const int64_t events = tgs_i_spu_log_count();

    f->copy = tgs_mem_alloc((size_t)events, sizeof *f->copy);
    if (!f->copy)
        return TGS_ENOMEM;
    for (int64_t i = 0; i < events; i++) {
        const spu_event *e = tgs_i_spu_log_at(i);

        if (e->from >= 0 && e->to >= 0 && e->datum >= 0)
            f->copy[f->copies++] = (copy){e, -1};
    }
    qsort(f->copy, (size_t)f->copies, sizeof *f->copy, by_datum);
    return TGS_OK;
}

/* what is needed to say what a copy was for; nothing without copies */
static tgs_status facts_make(facts *f, const spu_run *r)
{
    const tgs_graph_view *g = r->v->g;
    int32_t *fill;

    memset(f, 0, sizeof *f);
    if (facts_copies(f))
        return TGS_ENOMEM;
    if (!f->copies)
        return TGS_OK;
    f->access_at = tgs_mem_alloc((size_t)g->data + 2, sizeof *f->access_at);
    f->access = tgs_mem_alloc((size_t)g->accesses, sizeof *f->access);
    f->task = tgs_mem_alloc((size_t)g->accesses, sizeof *f->task);
    f->before = tgs_mem_alloc((size_t)g->tasks, sizeof *f->before);
    f->initial = tgs_mem_alloc((size_t)g->data, sizeof *f->initial);
    f->written = tgs_mem_alloc((size_t)g->accesses, sizeof *f->written);
    if (!f->access_at || !f->access || !f->task || !f->before || !f->initial || !f->written)
        return TGS_ENOMEM;
    fill = f->access_at + 1; /* counted one further, so that filling leaves the offsets */
    for (int32_t k = 0; k < g->accesses; k++)
        fill[g->access[k].datum + 1]++;
    for (int32_t d = 0; d < g->data; d++)
        fill[d + 1] += fill[d];
    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t k = g->access_at[t]; k < g->access_at[t + 1]; k++) {
            f->task[k] = t;
            f->access[fill[g->access[k].datum]++] = k;
        }
    return previous(r, f->before);
}

/* of a task that has not run in this step: never, and in a failed one before everything */
static double end_of(const spu_run *r, int32_t t)
{
    return tgs_i_spu_ended(r, t) ? r->stamp[t].end : INFINITY;
}

static double start_of(const spu_run *r, int32_t t)
{
    return tgs_i_spu_begun(r, t) ? r->stamp[t].start : 0;
}

static int32_t version_of(const facts *f, const spu_run *r, const spu_event *e)
{
    int32_t version = -1;
    double latest = -INFINITY;

    for (int32_t i = f->access_at[e->datum]; i < f->access_at[e->datum + 1]; i++) {
        const int32_t k = f->access[i];
        const double end = end_of(r, f->task[k]);

        if ((r->v->g->access[k].mode & TGS_W) && end <= e->start && end > latest) {
            latest = end;
            version = k;
        }
    }
    return version;
}

/* the first task after the copy that reads what it carried where it came to, or -1 */
static int32_t reader_of(const facts *f, const spu_run *r, const copy *c)
{
    const tgs_graph_view *g = r->v->g;
    int32_t first = -1;

    for (int32_t i = f->access_at[c->e->datum]; i < f->access_at[c->e->datum + 1]; i++) {
        const int32_t k = f->access[i], t = f->task[k];
        const double start = start_of(r, t);

        if ((g->access[k].mode & TGS_R) && g->access[k].version == c->version
            && r->v->p->proc[r->stamp[t].proc].memory == r->memory_of[c->e->to]
            && start >= c->e->start && (first < 0 || start < r->stamp[first].start))
            first = t;
    }
    return first;
}

static int32_t why(facts *f, const spu_run *r, int32_t i)
{
    const copy *c = &f->copy[i];
    const int32_t reader = reader_of(f, r, c);
    uint32_t *been = c->version < 0 ? &f->initial[c->e->datum] : &f->written[c->version];
    const uint32_t to = 1u << c->e->to, from = 1u << c->e->from;
    bool again;

    if (c->version >= 0) /* it was made somewhere */
        *been |= 1u << r->node_of[r->v->p->proc[r->stamp[f->task[c->version]].proc].memory];
    *been |= from;
    again = *been & to;
    *been |= to;
    if (reader >= 0 && again)
        return TGS_WHY_RELOAD;
    if (reader >= 0)
        return f->before[reader] >= 0 && end_of(r, f->before[reader]) > c->e->start
                   ? TGS_WHY_PREFETCH
                   : TGS_WHY_DEMAND;
    for (int32_t j = i + 1; j < f->copies && f->copy[j].e->datum == c->e->datum; j++)
        if (f->copy[j].e->from == c->e->to && f->copy[j].version == c->version)
            return TGS_WHY_RELAY;
    return TGS_WHY_WRITEBACK;
}

static tgs_status log_moved(spu_run *r, const spu_event *e, int32_t step, int32_t reason)
{
    const tgs_moved m = {e->datum,
                         r->memory_of[e->from],
                         r->memory_of[e->to],
                         step,
                         reason,
                         e->bytes,
                         (e->start - r->base) * 1e-6,
                         (atomic_load(&((spu_event *)e)->end) - r->base) * 1e-6};

    return e->bytes > 0 ? tgs_log_moved(r->log, &m) : TGS_OK;
}

static int by_start(const void *a, const void *b)
{
    const double x = (*(const spu_event *const *)a)->start,
                 y = (*(const spu_event *const *)b)->start;

    return (x > y) - (x < y);
}

/* what the memories hold when the step begins, and then after every change */
static tgs_status log_used(spu_run *r, int32_t step, double floor)
{
    const int64_t n = tgs_i_spu_log_count();
    const spu_event **e = tgs_mem_alloc((size_t)n, sizeof *e);
    tgs_status status = e ? TGS_OK : TGS_ENOMEM;
    double used[STARPU_MAXNODES];
    int64_t spaces = 0;

    tgs_i_spu_log_start(used);
    used[STARPU_MAIN_RAM] += r->home;
    for (int64_t i = 0; i < n && e; i++) {
        const spu_event *one = tgs_i_spu_log_at(i);

        if (one->from < 0 || one->to < 0)
            e[spaces++] = one;
    }
    if (e)
        qsort(e, (size_t)spaces, sizeof *e, by_start);
    for (int64_t i = 0; i < spaces && e[i]->start < floor; i++)
        tgs_i_spu_log_used(e[i], used);
    for (int node = 0; node < r->machine->nodes && !status; node++) {
        const tgs_used u = {r->memory_of[node], step, (floor - r->base) * 1e-6, used[node]};

        status = tgs_log_used(r->log, &u);
    }
    for (int64_t i = 0; i < spaces && !status; i++) {
        const int node = e[i]->from < 0 ? e[i]->to : e[i]->from;
        tgs_used u;

        if (e[i]->start < floor)
            continue;
        tgs_i_spu_log_used(e[i], used);
        u = (tgs_used){r->memory_of[node], step, (e[i]->start - r->base) * 1e-6, used[node]};
        status = tgs_log_used(r->log, &u);
    }
    tgs_mem_free(e);
    return status;
}

/* the tasks that have run, and when the last one ended */
static tgs_status log_tasks(spu_run *r, double *end)
{
    tgs_status status = TGS_OK;

    for (int32_t t = 0; t < r->v->n && !status; t++) {
        const spu_stamp *s = &r->stamp[t];

        if (!tgs_i_spu_ran(r, t)) /* of a step that has failed */
            continue;
        *end = fmax(*end, s->end);
        status =
            tgs_log_ran(r->log, &(tgs_ran){t, s->proc, r->steps, s->flags,
                                           (s->start - r->base) * 1e-6, (s->end - r->base) * 1e-6});
    }
    return status;
}

tgs_status tgs_i_spu_trace_step(spu_run *r, double start, tgs_error *err)
{
    const int32_t step = r->steps;
    double end = start;
    facts f;
    tgs_status status = tgs_i_spu_log_settle(err);

    if (status)
        return status;
    status = facts_make(&f, r);
    if (!status)
        status = log_tasks(r, &end);
    for (int32_t i = 0; i < f.copies && !status; i++)
        f.copy[i].version = version_of(&f, r, f.copy[i].e);
    for (int32_t i = 0; i < f.copies && !status; i++)
        status = log_moved(r, f.copy[i].e, step, why(&f, r, i));
    if (!status)
        status = log_used(r, step, start);
    if (!status)
        status = tgs_log_step(r->log, (start - r->base) * 1e-6, (end - r->base) * 1e-6);
    if (status)
        tgs_fail(err, status, "the trace: %s", tgs_status_text(status));
    facts_free(&f);
    tgs_i_spu_log_clear();
    return status;
}

/* Of a stalled step copies may still be under way: then only what has ended is told. */
void tgs_i_spu_trace_part(spu_run *r, double start)
{
    double end = start;

    if (r->steps == 0)
        r->base = start;
    if (!r->stalled)
        tgs_i_spu_trace_step(r, start, NULL);
    else if (!log_tasks(r, &end))
        tgs_log_step(r->log, (start - r->base) * 1e-6, (end - r->base) * 1e-6);
}

/* what was copied since the last step, to be read: reported with that step, after its end */
tgs_status tgs_i_spu_trace_rest(spu_run *r, tgs_error *err)
{
    tgs_status status = tgs_i_spu_log_settle(err);

    for (int64_t i = 0; i < tgs_i_spu_log_count() && !status; i++) {
        const spu_event *e = tgs_i_spu_log_at(i);

        if (e->from >= 0 && e->to >= 0 && r->log && r->steps && e->datum >= 0)
            status = log_moved(r, e, r->steps - 1, TGS_WHY_WRITEBACK);
        if (status)
            tgs_fail(err, status, "the trace: %s", tgs_status_text(status));
    }
    tgs_i_spu_log_clear();
    return status;
}
