/* serial.c -- the oracle: every task once, in the canonical topological order, in this thread and
 * one memory.  Nothing moves, so its trace has tasks only.
 *
 * precision=f64 keeps every float32 datum in double and runs the float64 kernels; values are
 * converted when they come in and go out. */
#include <string.h>
#include <time.h>
#include "serial.h"

typedef struct value { /* of a datum that a kernel uses or the caller bound */
    void *data;        /* NULL: no value is kept */
    void *bound;       /* the caller's */
    bool wide;         /* float32 kept as double */
    bool initial;      /* a task reads what is there when the step begins */
    bool written;      /* by some task */
    bool persistent;
    bool fresh; /* bound since the last step */
} value;

typedef struct serial {
    tgs_job job;
    bool wide, sleep;
    value *value;              /* [data] */
    tgs_buffer *buffer;        /* [accesses] */
    const tgs_kernel **kernel; /* [tasks]; NULL synthetic */
    tgs_call *call;            /* [tasks] */
    float *scratch;            /* of the largest datum, for conversions */
    int32_t steps;
    bool failed;
    double zero; /* the clock when the first step began */
} serial;

static void wait_for(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};

    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    while (nanosleep(&t, &t))
        continue; /* interrupted: sleep what is left */
}

/* ---- values ---------------------------------------------------------------------------------- */
static int64_t floats(const tgs_graph_view *g, int32_t datum)
{
    return (int64_t)(g->datum[datum].bytes / sizeof(float));
}

static bool is_f32(const tgs_graph_view *g, int32_t datum)
{
    const int32_t x = g->datum[datum].extra;

    return x < 0 || g->extra[x].rank < 0 || g->extra[x].dtype == TGS_F32;
}

static tgs_status keep(serial *s, int32_t datum)
{
    const tgs_graph_view *g = s->job.v->g;
    value *v = &s->value[datum];

    if (v->data)
        return TGS_OK;
    v->wide = s->wide && is_f32(g, datum);
    v->data = v->wide ? tgs_mem_alloc((size_t)floats(g, datum), sizeof(double))
                      : tgs_mem_alloc((size_t)ceil(g->datum[datum].bytes), 1);
    return v->data ? TGS_OK : TGS_ENOMEM;
}

static void narrow(const tgs_graph_view *g, int32_t datum, const value *v, void *to)
{
    const double *from = v->data;
    float *out = to;

    if (!v->wide) {
        memcpy(to, v->data, (size_t)g->datum[datum].bytes);
        return;
    }
    for (int64_t i = 0, n = floats(g, datum); i < n; i++)
        out[i] = (float)from[i];
}

/* the value a step begins with */
static tgs_status load(serial *s, int32_t datum, tgs_error *err)
{
    const tgs_graph_view *g = s->job.v->g;
    value *v = &s->value[datum];
    void *to = v->wide ? (void *)s->scratch : v->data;
    const void *from = v->bound ? v->bound : to;
    tgs_status status = TGS_OK;

    if (!v->bound)
        status = tgs_datum_fill(g, datum, to, NULL);
    else if (!v->wide)
        memcpy(to, from, (size_t)g->datum[datum].bytes);
    if (status == TGS_ENOTAPPLICABLE) { /* only a synthetic task reads it */
        memset(to, 0, (size_t)g->datum[datum].bytes);
        status = TGS_OK;
    }
    if (status)
        return tgs_datum_fill(g, datum, to, err); /* once more, for its message */
    for (int64_t i = 0, n = v->wide ? floats(g, datum) : 0; i < n; i++)
        ((double *)v->data)[i] = ((const float *)from)[i];
    return TGS_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */
static void note_access(serial *s, const tgs_access *a)
{
    value *v = &s->value[a->datum];

    v->initial |= (a->mode & TGS_R) && a->version < 0;
    v->written |= (a->mode & TGS_W) != 0;
}

static tgs_status find_kernel(serial *s, int32_t t, tgs_error *err)
{
    const tgs_graph_view *g = s->job.v->g;
    tgs_dtype dtype = tgs_task_dtype(g, t);

    s->kernel[t] = tgs_task_kernel(s->job.codelets, g, t, "cpu");
    if (!s->kernel[t] || !s->wide || dtype != TGS_F32)
        return TGS_OK;
    s->kernel[t] = tgs_kernel_find(s->job.codelets, tgs_task_codelet(g, t), "cpu", TGS_F64);
    if (s->kernel[t])
        return TGS_OK;
    return tgs_fail(err, TGS_EINVAL, "task %d %s: codelet %s has no cpu kernel for f64", t,
                    tgs_task_name(g, t, TGS_ROOM), tgs_task_codelet(g, t));
}

static tgs_status open_task(serial *s, int32_t t, tgs_error *err)
{
    const tgs_graph_view *g = s->job.v->g;
    tgs_buffer *const buffer = s->buffer + g->access_at[t];
    tgs_call *const c = &s->call[t];
    tgs_status status = find_kernel(s, t, err);

    for (int32_t a = g->access_at[t]; a < g->access_at[t + 1]; a++)
        note_access(s, &g->access[a]);
    if (status || !s->kernel[t])
        return status;
    tgs_task_buffers(g, t, buffer);
    *c = (tgs_call){.buffer = buffer,
                    .buffers = g->access_at[t + 1] - g->access_at[t],
                    .attrs = tgs_text(g, g->task[t].attrs),
                    .user = s->kernel[t]->user};
    for (int32_t i = 0; i < c->buffers && s->wide; i++)
        if (buffer[i].dtype == TGS_F32) {
            buffer[i].dtype = TGS_F64;
            buffer[i].bytes = (double)floats(g, g->access[g->access_at[t] + i].datum) * 8;
        }
    if (s->kernel[t]->prepare)
        status = s->kernel[t]->prepare(c);
    if (status) {
        const tgs_kernel *k = s->kernel[t];

        s->kernel[t] = NULL; /* nothing to release */
        return tgs_fail(err, status, "task %d %s: kernel %s/%s cannot be prepared: %s", t,
                        tgs_task_name(g, t, TGS_ROOM), k->codelet, k->impl,
                        tgs_status_text(status));
    }
    for (int32_t i = 0; i < c->buffers && !status; i++) {
        const int32_t datum = g->access[g->access_at[t] + i].datum;

        status = keep(s, datum);
        buffer[i].data = s->value[datum].data;
    }
    return status ? tgs_fail(err, status, "out of memory for data") : TGS_OK;
}

static void release(serial *s)
{
    const tgs_graph_view *g = s->job.v->g;

    for (int32_t t = 0; t < g->tasks && s->kernel && s->call; t++)
        if (s->kernel[t] && s->kernel[t]->release)
            s->kernel[t]->release(&s->call[t]);
    for (int32_t d = 0; d < g->data && s->value; d++)
        tgs_mem_free(s->value[d].data);
    tgs_mem_free(s->value);
    tgs_mem_free(s->buffer);
    tgs_mem_free(s->kernel);
    tgs_mem_free(s->call);
    tgs_mem_free(s->scratch);
    tgs_mem_free(s);
}

/* the choice of an argument that is one of two words */
static tgs_status choose(const tgs_args *a, const char *key, const char *no, const char *yes,
                         bool *out, tgs_error *err)
{
    const char *text = tgs_arg_text(a, key);

    *out = !strcmp(text, yes);
    if (*out || !strcmp(text, no))
        return TGS_OK;
    return tgs_fail(err, TGS_EINVAL, "serial: %s is %s or %s, not %s", key, no, yes, text);
}

static tgs_status serial_open(void **out, const tgs_job *job, tgs_error *err)
{
    const tgs_graph_view *g = job->v->g;
    serial *s = tgs_mem_alloc(1, sizeof *s);
    int64_t largest = 0;
    tgs_status status;

    *out = NULL;
    if (!s)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for a run");
    s->job = *job;
    s->value = tgs_mem_alloc((size_t)g->data, sizeof *s->value);
    s->buffer = tgs_mem_alloc((size_t)g->accesses, sizeof *s->buffer);
    s->kernel = tgs_mem_alloc((size_t)g->tasks, sizeof *s->kernel);
    s->call = tgs_mem_alloc((size_t)g->tasks, sizeof *s->call);
    status = s->value && s->buffer && s->kernel && s->call
                 ? choose(job->args, "precision", "f32", "f64", &s->wide, err)
                 : tgs_fail(err, TGS_ENOMEM, "out of memory for a run");
    if (!status)
        status = choose(job->args, "synthetic", "skip", "sleep", &s->sleep, err);
    for (int32_t t = 0; t < g->tasks && !status; t++)
        status = open_task(s, t, err);
    for (int32_t d = 0; d < g->data && !status; d++) {
        const int32_t x = g->datum[d].extra;

        s->value[d].persistent = x >= 0 && g->extra[x].persistent;
        if (s->value[d].wide && floats(g, d) > largest)
            largest = floats(g, d);
    }
    if (!status && s->wide && !(s->scratch = tgs_mem_alloc((size_t)largest, sizeof *s->scratch)))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for data");
    if (status)
        release(s);
    else
        *out = s;
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */
static tgs_status serial_bind(void *run, int32_t datum, void *ptr, tgs_error *err)
{
    serial *s = run;

    (void)err;
    s->value[datum].bound = ptr;
    s->value[datum].fresh = true;
    return TGS_OK;
}

static tgs_status begin(serial *s, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t d = 0; d < s->job.v->g->data && !status; d++) {
        value *v = &s->value[d];
        /* what no task writes, and only a bind changes, need not be loaded again */
        const bool again = v->persistent ? v->fresh : v->bound || v->written;

        if (v->data && v->initial && (s->steps == 0 || again))
            status = load(s, d, err);
        v->fresh = false;
    }
    return status;
}

static tgs_status run_task(serial *s, int32_t t, tgs_trace_log *log, tgs_error *err)
{
    const tgs_graph_view *g = s->job.v->g;
    const tgs_kernel *k = s->kernel[t];
    const int32_t proc = s->job.s->place[t].proc;
    tgs_ran r = {.task = t, .proc = proc, .step = s->steps};
    tgs_status status = TGS_OK;

    r.start = tgs_i_serial_clock() - s->zero;
    if (k) {
        status = k->run(&s->call[t]);
    } else {
        r.flags = TGS_RAN_SYNTHETIC;
        if (s->sleep)
            wait_for(fmax(0, tgs_w(s->job.v, t, proc) - tgs_task_overhead(s->job.v, t, proc)));
    }
    r.end = tgs_i_serial_clock() - s->zero;
    if (status)
        return tgs_fail(err, status < 0 ? status : TGS_EBACKEND,
                        "step %d: task %d %s: kernel %s/%s failed: %s", s->steps, t,
                        tgs_task_name(g, t, TGS_ROOM), k->codelet, k->impl,
                        tgs_status_text(status));
    status = tgs_log_ran(log, &r);
    return status ? tgs_fail(err, status, "out of memory for the trace") : TGS_OK;
}

static tgs_status serial_step(void *run, tgs_trace_log *log, tgs_error *err)
{
    serial *s = run;
    const tgs_graph_view *g = s->job.v->g;
    double start;
    tgs_status status;

    if (s->steps == 0)
        s->zero = tgs_i_serial_clock();
    start = tgs_i_serial_clock() - s->zero;
    status = begin(s, err);
    for (int32_t i = 0; i < g->tasks && !status; i++)
        status = s->job.canceled && s->job.canceled(s->job.user)
                     ? tgs_fail(err, TGS_ECANCELED, "canceled after %d of %d tasks", i, g->tasks)
                     : run_task(s, g->topo[i], log, err);
    /* what has run is told in any case */
    if (tgs_log_step(log, start, tgs_i_serial_clock() - s->zero) && !status)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the trace");
    s->failed = status != TGS_OK;
    s->steps++;
    return status;
}

static tgs_status find_value(const serial *s, int32_t datum, const value **v, tgs_error *err)
{
    const tgs_graph_view *g = s->job.v->g;

    *v = &s->value[datum];
    if ((*v)->data)
        return TGS_OK;
    return tgs_fail(err, TGS_ENOTAPPLICABLE, "datum %d %s has no values: no kernel uses it", datum,
                    tgs_datum_name(g, datum, TGS_ROOM));
}

static tgs_status serial_read(void *run, int32_t datum, void *to, tgs_error *err)
{
    const serial *s = run;
    const value *v;
    const tgs_status status = find_value(s, datum, &v, err);

    if (!status)
        narrow(s->job.v->g, datum, v, to);
    return status;
}

static tgs_status serial_read_f64(void *run, int32_t datum, double *to, tgs_error *err)
{
    const serial *s = run;
    const int64_t n = floats(s->job.v->g, datum);
    const value *v;
    const tgs_status status = find_value(s, datum, &v, err);

    if (!status && v->wide)
        memcpy(to, v->data, (size_t)n * sizeof *to);
    for (int64_t i = 0; i < n && !status && !v->wide; i++)
        to[i] = ((const float *)v->data)[i];
    return status;
}

static tgs_status serial_close(void *run, tgs_error *err)
{
    serial *s = run;
    const tgs_graph_view *g = s->job.v->g;

    (void)err;
    for (int32_t d = 0; d < g->data && !s->failed && s->steps > 0; d++)
        if (s->value[d].bound && s->value[d].data && s->value[d].written)
            narrow(g, d, &s->value[d], s->value[d].bound);
    release(s);
    return TGS_OK;
}

static const tgs_param params[] = {
    {"precision", "f32", TGS_PARAM_TEXT, 0, 0, "f32, or f64 to compute float32 data in double"},
    {"synthetic", "skip", TGS_PARAM_TEXT, 0, 0, "tasks without a kernel: skip them, or sleep"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_backend tgs_backend_serial = {
    .base = {TGS_PLUGIN_ABI, "serial", "one task after the other, on the host", NULL, params},
    .arch = "cpu",
    .open = serial_open,
    .bind = serial_bind,
    .step = serial_step,
    .read = serial_read,
    .read_f64 = serial_read_f64,
    .close = serial_close,
    .calibrate = tgs_i_serial_calibrate,
};
