/* starpu_calibrate.c -- kernels and links measured where they will run: each kind of task alone on
 * a worker of each kind, and copies of growing size timed through the log.
 *
 * Everything is measured in several rounds, so that a busy moment of the machine spoils some times
 * of many measurements, which are then rejected, and not all of one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "starpu_core.h"

enum { WARM_UPS = 2, SIZES = 5, ROUNDS = 3 };

/* the part of repeat repetitions that a round has: [first, end) */
static int32_t first_of_round(int32_t repeat, int round)
{
    return (int32_t)((int64_t)repeat * round / ROUNDS);
}

static int32_t first_of_kind(const tgs_platform_view *p, int32_t kind)
{
    for (int32_t i = 0; i < p->procs; i++)
        if (p->proc[i].kind == kind)
            return i;
    return -1;
}

static tgs_status device_failed(tgs_error *err)
{
    return tgs_fail(err, TGS_EBACKEND, "a device has failed (OpenCL error %d)",
                    tgs_i_spu_loss()->error);
}

static tgs_status kernel_failed(const spu_run *r, int32_t proc, tgs_error *err)
{
    const int32_t t = atomic_load(&r->failed) - 1;
    char name[TGS_NAME_ROOM];

    if (t >= r->v->n) /* not at a kernel */
        return device_failed(err);
    return tgs_fail(err, atomic_load(&r->failure), "task %s: codelet %s failed on processor %s: %s",
                    tgs_i_spu_task_name(r->v->g, t, name, sizeof name),
                    tgs_task_codelet(r->v->g, t), r->v->p->proc[proc].name,
                    tgs_status_text(atomic_load(&r->failure)));
}

/* there is a kernel, and it may run there */
static bool may_run(const spu_run *r, int32_t t, int32_t kind)
{
    const tgs_view *v = r->v;

    return first_of_kind(v->p, kind) >= 0
           && r->task[t].kernel[tgs_i_spu_arch(v->p->kind[kind].arch)]
           && v->time[(int64_t)t * v->kinds + kind] < INFINITY;
}

/* and its data fit */
static bool measurable(const spu_run *r, int32_t t, int32_t kind)
{
    const tgs_platform_view *p = r->v->p;

    return may_run(r, t, kind)
           && tgs_i_spu_working_set(r->v->g, t) <= tgs_i_spu_capacity(
                  (unsigned)r->node_of[p->proc[first_of_kind(p, kind)].memory]);
}

/* one round: the times from seconds[0] on, count of them; room for WARM_UPS more behind */
static tgs_status measure(spu_run *r, int32_t t, int32_t kind, double *seconds, int32_t count,
                          tgs_error *err)
{
    const tgs_view *v = r->v;
    const int32_t proc = first_of_kind(v->p, kind), times = count ? WARM_UPS + count : 0;
    tgs_status status = tgs_i_spu_try(r, t, proc, times, seconds, err);

    if (!status && atomic_load(&r->failed))
        status = kernel_failed(r, proc, err);
    for (int32_t i = 0; i < count && !status; i++)
        seconds[i] =
            seconds[WARM_UPS + i] * v->p->proc[proc].speed; /* costs are those of speed 1 */
    return status;
}

static tgs_status keep(const spu_run *r, int32_t t, int32_t kind, double *seconds, int32_t repeat,
                       tgs_costs *into, tgs_error *err)
{
    tgs_sample sample;
    tgs_status status;

    tgs_measure_sample(r->v->g, t, seconds, repeat, &sample);
    sample.kind = r->v->p->kind[kind].name;
    status = tgs_costs_add(into, &sample);
    return status ? tgs_fail(err, status, "out of memory for measurements") : TGS_OK;
}

/* one copy: from its request to its end as the log has it, seconds */
static tgs_status copy_once(starpu_data_handle_t h, int from, int to, double bytes, double *seconds,
                            tgs_error *err)
{
    double asked, moved = 0, end = 0;
    tgs_status status;

    if (starpu_data_acquire_on_node(h, from, STARPU_W))
        return tgs_fail(err, TGS_EBACKEND, "StarPU cannot allocate %.0f bytes", bytes);
    starpu_data_release_on_node(h, from);
    status = tgs_i_spu_log_settle(err);
    tgs_i_spu_log_clear();
    if (status)
        return status;
    asked = starpu_timing_now();
    if (starpu_data_acquire_on_node(h, to, STARPU_R))
        return tgs_fail(err, TGS_EBACKEND, "StarPU cannot copy %.0f bytes", bytes);
    starpu_data_release_on_node(h, to);
    status = tgs_i_spu_loss() ? device_failed(err) : tgs_i_spu_log_settle(err);
    for (int64_t i = 0; i < tgs_i_spu_log_count(); i++) {
        const spu_event *e = tgs_i_spu_log_at(i);

        if (e->from >= 0 && e->to == to) {
            moved += e->bytes;
            end = fmax(end, atomic_load(&((spu_event *)e)->end));
        }
    }
    tgs_i_spu_log_clear();
    if (!status && moved != bytes)
        status = tgs_fail(err, TGS_EBACKEND, "a copy of %.0f bytes is not in the log", bytes);
    *seconds = (end - asked) * 1e-6;
    return status;
}

/* least squares of t = latency + size / bandwidth, relative errors; both kept positive */
static void fit(const double *size, const double *time, int n, tgs_link_sample *s)
{
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, slope;

    for (int i = 0; i < n; i++) {
        const double u = 1 / (time[i] * time[i]);

        w += u;
        wx += u * size[i];
        wy += u * time[i];
        wxx += u * size[i] * size[i];
        wxy += u * size[i] * time[i];
    }
    slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
    if (!(slope > 0)) /* nothing but noise: the largest copy decides */
        slope = time[n - 1] / size[n - 1];
    s->bandwidth = 1 / slope;
    s->latency = fmax(0, (wy - slope * wx) / w);
    s->misfit = 0;
    for (int i = 0; i < n; i++)
        s->misfit = fmax(s->misfit, fabs(s->latency + slope * size[i] - time[i]) / time[i]);
}

/* one round of copies of a size: the times from seconds[0] on */
static tgs_status measure_size(int from, int to, double bytes, double *seconds, int32_t count,
                               tgs_error *err)
{
    starpu_data_handle_t h;
    tgs_status status = tgs_i_spu_register(&h, -1, NULL, bytes, -1, err);

    if (status)
        return status;
    for (int32_t i = count ? -WARM_UPS : 0; i < count && !status; i++) {
        double once = 0;

        status = copy_once(h, from, to, bytes, &once, err);
        if (i >= 0)
            seconds[i] = once;
    }
    tgs_i_spu_unregister(h, false);
    return status;
}

/* seconds: [SIZES * repeat] */
static tgs_status measure_link(spu_run *r, const tgs_link *link, double *seconds, int32_t repeat,
                               tgs_costs *into, tgs_error *err)
{
    const int from = r->node_of[link->from], to = r->node_of[link->to];
    const double room = fmin(tgs_i_spu_capacity((unsigned)from), tgs_i_spu_capacity((unsigned)to));
    double size[SIZES], median[SIZES];
    int n = 0;
    tgs_link_sample s = {.from = r->v->p->memory[link->from].name,
                         .to = r->v->p->memory[link->to].name};
    tgs_status status = TGS_OK;

    for (double bytes = 4096; n < SIZES && bytes <= room / 2; bytes *= 8)
        size[n++] = bytes;
    if (n < 2) {
        char text[160];

        snprintf(text, sizeof text, "link %.50s to %.50s was not measured: little memory", s.from,
                 s.to);
        return tgs_costs_add_remark(into, text);
    }
    for (int round = 0; round < ROUNDS; round++) {
        const int32_t first = first_of_round(repeat, round);

        for (int i = 0; i < n && !status; i++)
            status = measure_size(from, to, size[i], seconds + (size_t)i * (size_t)repeat + first,
                                  first_of_round(repeat, round + 1) - first, err);
    }
    for (int i = 0; i < n && !status; i++) {
        tgs_sample times;

        tgs_measure_times(seconds + (size_t)i * (size_t)repeat, repeat, &times);
        median[i] = times.median;
        s.count += times.count;
        s.rejected += times.rejected;
        s.spread = i ? s.spread : times.spread;
    }
    if (status)
        return status;
    fit(size, median, n, &s);
    status = tgs_costs_add_link(into, &s);
    return status ? tgs_fail(err, status, "out of memory for measurements") : TGS_OK;
}

static tgs_status measure_kernels(spu_run *r, const int32_t *task, int32_t count, double *seconds,
                                  int32_t repeat, tgs_costs *into, tgs_error *err)
{
    const int32_t kinds = r->v->kinds;
    const size_t row = (size_t)repeat + WARM_UPS;
    tgs_status status = TGS_OK;

    for (int round = 0; round < ROUNDS; round++) {
        const int32_t first = first_of_round(repeat, round);

        for (int32_t i = 0; i < count * kinds && !status; i++)
            if (measurable(r, task[i / kinds], i % kinds))
                status = measure(r, task[i / kinds], i % kinds, seconds + (size_t)i * row + first,
                                 first_of_round(repeat, round + 1) - first, err);
    }
    for (int32_t i = 0; i < count * kinds && !status; i++)
        if (may_run(r, task[i / kinds], i % kinds) && !measurable(r, task[i / kinds], i % kinds)) {
            char text[160];

            snprintf(text, sizeof text, "codelet %.50s was not measured on %.50s: it does not fit",
                     tgs_task_codelet(r->v->g, task[i / kinds]), r->v->p->kind[i % kinds].name);
            status = tgs_costs_add_remark(into, text);
        }
    for (int32_t i = 0; i < count * kinds && !status; i++)
        if (measurable(r, task[i / kinds], i % kinds))
            status =
                keep(r, task[i / kinds], i % kinds, seconds + (size_t)i * row, repeat, into, err);
    return status;
}

static tgs_status measure_all(spu_run *r, int32_t repeat, tgs_costs *into, tgs_error *err)
{
    const tgs_view *v = r->v;
    int32_t *task = tgs_mem_alloc((size_t)v->n, sizeof *task), count = 0;
    double *seconds = NULL;
    tgs_status status = task ? tgs_measure_tasks(v->g, task, &count) : TGS_ENOMEM;

    if (!status) /* of every task on every kind, or of every size of a link */
        seconds =
            tgs_mem_alloc(((size_t)count * (size_t)v->kinds + SIZES) * ((size_t)repeat + WARM_UPS),
                          sizeof *seconds);
    if (status || !seconds)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t t = 0; t < v->n; t++)
        r->skip[t] = true;
    for (int32_t i = 0; i < count && !status; i++)
        r->skip[task[i]] = false;
    if (!status)
        status = tgs_i_spu_kernels_open(r, err);
    starpu_resume();
    if (!status)
        status = measure_kernels(r, task, count, seconds, repeat, into, err);
    for (int32_t i = 0; i < v->p->links && !status; i++)
        status = measure_link(r, &v->p->link[i], seconds, repeat, into, err);
    starpu_pause();
    tgs_i_spu_kernels_close(r);
    tgs_mem_free(task);
    tgs_mem_free(seconds);
    return status;
}

tgs_status tgs_i_spu_calibrate(const tgs_view *v, const tgs_codelets *c, int32_t repeat,
                               tgs_costs *into, tgs_error *err)
{
    spu_run *r;
    tgs_status status = tgs_i_spu_run_new(&r, v, c, false, false, err);

    if (!status)
        status = tgs_i_spu_take(&r->machine, &r->want, err);
    if (!status)
        status = tgs_i_spu_map(r, err);
    if (!status)
        status = measure_all(r, repeat, into, err);
    if (r && r->machine) {
        tgs_i_spu_log_settle(NULL);
        tgs_i_spu_log_clear();
        tgs_i_spu_give();
    }
    tgs_i_spu_run_free(r);
    return status;
}
