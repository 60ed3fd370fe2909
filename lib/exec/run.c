/* run.c -- the public calls of a run: everything that can be refused is refused here, before a
 * backend moves anything. */
#include <string.h>
#include "company.h"
#include "expand.h"
#include "overhead.h"

struct tgs_run {
    const tgs_problem *pb;
    tgs_codelets *own;        /* when the caller gave none */
    tgs_i_expanded *expanded; /* when tasks run more than once; NULL */
    tgs_args *args;
    tgs_job job;
    const tgs_backend *backend;
    void *state; /* the backend's */
    tgs_trace_log *log;
    void **bound; /* [data] */
    int32_t steps;
    tgs_status failed;    /* of a step: only close follows */
    _Atomic int canceled; /* lock-free: a signal handler may set it */
};

static void release(tgs_run *r)
{
    tgs_i_log_free(r->log);
    tgs_i_args_free(r->args);
    tgs_codelets_free(r->own);
    tgs_i_expanded_free(r->expanded);
    tgs_mem_free(r->bound);
    tgs_mem_free(r);
}

static bool canceled(const void *run)
{
    return atomic_load(&((tgs_run *)run)->canceled) != 0;
}

void tgs_run_cancel(tgs_run *r)
{
    atomic_store(&r->canceled, 1);
}

static tgs_status open_log(tgs_run *r, const tgs_schedule *s, const char *backend, tgs_error *err)
{
    char title[256];

    snprintf(title, sizeof title, "%d tasks on %d processors by %s", r->pb->v.n, r->pb->v.m,
             s->v.heuristic ? s->v.heuristic : "hand");
    return tgs_i_log_new(&r->log, r->pb, backend, title, err);
}

tgs_status tgs_run_open(tgs_run **out, const tgs_problem *pb, const tgs_schedule *s,
                        const tgs_codelets *codelets, const char *backend, tgs_error *err)
{
    const tgs_plugin *plugin = NULL;
    tgs_status status = tgs_schedule_check(s, pb, err);
    tgs_run *r;

    *out = NULL;
    if (status)
        return status;
    r = tgs_mem_alloc(1, sizeof *r);
    if (!r)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for a run");
    r->pb = pb;
    r->bound = tgs_mem_alloc((size_t)pb->graph->v.data, sizeof *r->bound);
    status = r->bound ? tgs_i_resolve(&plugin, &r->args, "backend", backend, err)
                      : tgs_fail(err, TGS_ENOMEM, "out of memory for a run");
    r->backend = (const tgs_backend *)plugin;
    if (!status && !codelets)
        status = tgs_codelets_new(&r->own, err);
    r->job = (tgs_job){&pb->v, &s->v, codelets ? codelets : r->own, r->args, canceled, r};
    if (!status && s->v.places > s->v.tasks)
        status = tgs_i_expand(&r->expanded, pb, &s->v, err);
    if (r->expanded) {
        r->job.v = &r->expanded->v;
        r->job.s = &r->expanded->s;
    }
    if (!status)
        status = tgs_i_check_codelets(&r->job, r->backend->arch, err);
    if (!status)
        status = open_log(r, s, backend, err);
    if (!status && r->expanded)
        tgs_i_log_rename(r->log, r->expanded->task, r->expanded->datum);
    if (!status)
        status = r->backend->open(&r->state, &r->job, err);
    if (status)
        release(r);
    else
        *out = r;
    return status;
}

static tgs_status check_datum(const tgs_run *r, int32_t datum, const void *ptr, tgs_error *err)
{
    if (r->failed)
        return tgs_fail(err, r->failed, "the run has failed: it can only be closed");
    if (datum < 0 || datum >= r->pb->graph->v.data)
        return tgs_fail(err, TGS_EINVAL, "no datum %d: there are %d", datum, r->pb->graph->v.data);
    return ptr ? TGS_OK : tgs_fail(err, TGS_EINVAL, "datum %d: the address is NULL", datum);
}

tgs_status tgs_run_bind(tgs_run *r, int32_t datum, void *ptr, tgs_error *err)
{
    tgs_status status = check_datum(r, datum, ptr, err);

    if (!status)
        status = r->backend->bind(r->state, datum, ptr, err);
    if (!status)
        r->bound[datum] = ptr;
    return status;
}

/* the datum has a value when a step begins */
static bool has_value(const tgs_run *r, int32_t datum)
{
    return r->bound[datum] || tgs_i_has_initial(r->job.v->g, datum);
}

/* What a kernel reads before any task has written it must have a value.  A synthetic task computes
 * nothing, so what only such tasks read need not. */
static tgs_status check_values(const tgs_run *r, tgs_error *err)
{
    const tgs_graph_view *g = r->job.v->g;

    for (int32_t t = 0; t < g->tasks; t++) {
        if (!tgs_i_codelet_known(r->job.codelets, tgs_task_codelet(g, t), tgs_task_dtype(g, t)))
            continue;
        for (int32_t a = g->access_at[t]; a < g->access_at[t + 1]; a++) {
            const int32_t d = g->access[a].datum;

            if ((g->access[a].mode & TGS_R) && g->access[a].version < 0 && !has_value(r, d))
                return tgs_fail(err, TGS_EINVAL,
                                "datum %d %s is read by task %d %s before it is written: it needs "
                                "an initial value, or to be bound",
                                d, tgs_datum_name(g, d, TGS_ROOM), t,
                                tgs_task_name(g, t, TGS_ROOM));
        }
    }
    return TGS_OK;
}

tgs_status tgs_run_step(tgs_run *r, tgs_error *err)
{
    tgs_status status;

    if (r->failed)
        return tgs_fail(err, r->failed, "the run has failed: it can only be closed");
    status = r->steps ? TGS_OK : check_values(r, err);
    if (status)
        return status;
    r->failed = r->backend->step(r->state, r->log, err);
    if (!r->failed)
        r->steps++;
    return r->failed;
}

tgs_status tgs_run_read(tgs_run *r, int32_t datum, void *to, tgs_error *err)
{
    const tgs_status status = check_datum(r, datum, to, err);

    if (status)
        return status;
    if (r->steps)
        return r->backend->read(r->state, datum, to, err);
    if (!r->bound[datum])
        return tgs_datum_fill(r->job.v->g, datum, to, err);
    memcpy(to, r->bound[datum], (size_t)r->job.v->g->datum[datum].bytes);
    return TGS_OK;
}

tgs_status tgs_run_read_f64(tgs_run *r, int32_t datum, double *to, tgs_error *err)
{
    tgs_status status = check_datum(r, datum, to, err);
    const tgs_graph_view *g = r->job.v->g;
    int64_t n;
    int32_t x;
    float *narrow;

    if (status)
        return status;
    x = g->datum[datum].extra;
    if (x >= 0 && g->extra[x].rank >= 0 && g->extra[x].dtype != TGS_F32) {
        if (g->extra[x].dtype == TGS_F64)
            return tgs_run_read(r, datum, to, err);
        return tgs_fail(err, TGS_EINVAL, "datum %d %s is %s, not real numbers", datum,
                        tgs_datum_name(g, datum, TGS_ROOM),
                        tgs_dtype_name((tgs_dtype)g->extra[x].dtype));
    }
    if (r->steps && r->backend->read_f64)
        return r->backend->read_f64(r->state, datum, to, err);
    n = (int64_t)(g->datum[datum].bytes / sizeof *narrow);
    narrow = tgs_mem_alloc((size_t)n, sizeof *narrow);
    status = narrow ? tgs_run_read(r, datum, narrow, err)
                    : tgs_fail(err, TGS_ENOMEM, "out of memory for a datum");
    for (int64_t i = 0; i < n && !status; i++)
        to[i] = narrow[i];
    tgs_mem_free(narrow);
    return status;
}

tgs_status tgs_run_close(tgs_run *r, tgs_trace **out, tgs_error *err)
{
    tgs_status status;

    if (out)
        *out = NULL;
    if (!r)
        return TGS_OK;
    status = r->backend->close(r->state, r->failed ? NULL : err);
    if (r->failed) {
        status = tgs_fail(err, r->failed, "a step of the run has failed");
        if (out && tgs_i_log_steps(r->log)) { /* what had run */
            tgs_i_log_finish(out, r->log, NULL);
            r->log = NULL; /* consumed */
        }
    } else if (!status && out) {
        status = tgs_i_log_finish(out, r->log, err);
        r->log = NULL; /* consumed */
    }
    release(r);
    return status;
}

tgs_status tgs_execute(tgs_trace **out, const tgs_problem *pb, const tgs_schedule *s,
                       const tgs_codelets *codelets, const char *backend, int32_t steps,
                       tgs_error *err)
{
    tgs_run *r = NULL;
    tgs_status status, closed;

    *out = NULL;
    if (steps < 1)
        return tgs_fail(err, TGS_EINVAL, "%d steps cannot be executed", steps);
    status = tgs_run_open(&r, pb, s, codelets, backend, err);
    for (int32_t i = 0; i < steps && !status; i++)
        status = tgs_run_step(r, err);
    closed = tgs_run_close(r, out, status ? NULL : err);
    if (status && *out && !tgs_trace_steps(*out)) { /* refused before anything ran */
        tgs_trace_free(*out);
        *out = NULL;
    }
    return status ? status : closed;
}

/* time[task * kinds + kind]: 0 where the task may run, else INFINITY */
static void fill_allowed(const tgs_graph_view *g, const tgs_platform_view *p, double *time)
{
    for (int32_t t = 0; t < g->tasks; t++) {
        const int32_t c = g->task[t].constraint;
        const uint64_t mask = c < 0 ? UINT64_MAX : g->constraint[c].kinds;

        for (int32_t k = 0; k < p->kinds; k++) {
            bool allowed = mask == UINT64_MAX;

            for (int32_t j = 0; j < g->kinds && !allowed; j++)
                allowed = (mask >> j & 1) && !strcmp(g->kind_name[j], p->kind[k].name);
            time[(int64_t)t * p->kinds + k] = allowed ? 0 : INFINITY;
        }
    }
}

tgs_status tgs_calibrate(tgs_costs **out, const tgs_graph *g, const tgs_platform *p,
                         const tgs_codelets *codelets, const char *backend, int32_t repeat,
                         tgs_error *err)
{
    tgs_view v = {.g = &g->v,
                  .p = &p->v,
                  .n = g->v.tasks,
                  .m = p->v.procs,
                  .kinds = p->v.kinds,
                  .memories = p->v.memories,
                  .lat = p->v.lat,
                  .inv = p->v.inv,
                  .relay_lat = p->v.relay_lat,
                  .relay_inv = p->v.relay_inv,
                  .link_model = "latbw"};
    double *time = tgs_mem_alloc((size_t)v.n * (size_t)v.kinds, sizeof *time);
    const tgs_plugin *plugin = NULL;
    const tgs_backend *b;
    tgs_codelets *own = NULL;
    tgs_costs *costs = NULL;
    tgs_args *args = NULL;
    tgs_job job;
    tgs_status status;

    *out = NULL;
    if (!time)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    fill_allowed(v.g, v.p, time);
    v.time = time;
    status = tgs_i_resolve(&plugin, &args, "backend", backend, err);
    b = (const tgs_backend *)plugin;
    if (!status && repeat < 1)
        status = tgs_fail(err, TGS_EINVAL, "calibration needs at least 1 repetition");
    if (!status && !b->calibrate)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "backend %s cannot calibrate", b->base.name);
    if (!status && !codelets)
        status = tgs_codelets_new(&own, err);
    job = (tgs_job){.v = &v, .codelets = codelets ? codelets : own, .args = args};
    if (!status)
        status = tgs_i_check_codelets(&job, NULL, err);
    if (!status)
        status = tgs_i_costs_new(&costs, err);
    if (!status)
        status = b->calibrate(&v, job.codelets, repeat, costs, err);
    if (!status)
        status = tgs_i_overhead_measure(costs, p, backend, repeat, err);
    if (!status && b->at_once)
        status = tgs_i_company_measure(&costs, g, p, job.codelets, backend, repeat, err);
    if (status)
        tgs_costs_free(costs);
    else
        *out = costs;
    tgs_codelets_free(own);
    tgs_i_args_free(args);
    tgs_mem_free(time);
    return status;
}
