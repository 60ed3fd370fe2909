/* starpu_calibrate.c -- kernels and links measured where they will run: each kind of task alone on
 * a worker of each kind, and copies of growing size timed through the log. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "starpu_core.h"

enum { WARM_UPS = 2, SIZES = 5 };

static int32_t first_of_kind(const tgs_platform_view *p, int32_t kind)
{
    for (int32_t i = 0; i < p->procs; i++)
        if (p->proc[i].kind == kind)
            return i;
    return -1;
}

static tgs_status kernel_failed(const spu_run *r, int32_t proc, tgs_error *err)
{
    const int32_t t = atomic_load(&r->failed) - 1;
    char name[64];

    return tgs_fail(err, atomic_load(&r->failure), "task %s: codelet %s failed on processor %s: %s",
                    tgs_i_spu_task_name(r->v->g, t, name, sizeof name),
                    tgs_task_codelet(r->v->g, t), r->v->p->proc[proc].name,
                    tgs_status_text(atomic_load(&r->failure)));
}

static tgs_status measure(spu_run *r, int32_t t, int32_t kind, double *seconds, int32_t repeat,
                          tgs_costs *into, tgs_error *err)
{
    const tgs_view *v = r->v;
    const int32_t proc = first_of_kind(v->p, kind);
    tgs_sample sample;
    tgs_status status;

    if (proc < 0 || !r->task[t].kernel[tgs_i_spu_arch(v->p->kind[kind].arch)]
        || !(v->time[(int64_t)t * v->kinds + kind] < INFINITY))
        return TGS_OK;
    if (tgs_i_spu_working_set(v->g, t)
        > tgs_i_spu_capacity((unsigned)r->node_of[v->p->proc[proc].memory]))
        return TGS_OK; /* it will not run there either */
    status = tgs_i_spu_try(r, t, proc, WARM_UPS + repeat, seconds, err);
    if (!status && atomic_load(&r->failed))
        status = kernel_failed(r, proc, err);
    if (status)
        return status;
    for (int32_t i = 0; i < repeat; i++)
        seconds[WARM_UPS + i] *= v->p->proc[proc].speed; /* costs are those of speed 1 */
    tgs_measure_sample(v->g, t, seconds + WARM_UPS, repeat, &sample);
    sample.kind = v->p->kind[kind].name;
    status = tgs_costs_add(into, &sample);
    return status ? tgs_fail(err, status, "out of memory for measurements") : TGS_OK;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
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
    status = tgs_i_spu_log_settle(err);
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
}

static tgs_status measure_link(spu_run *r, const tgs_link *link, double *seconds, int32_t repeat,
                               tgs_costs *into, tgs_error *err)
{
    const int from = r->node_of[link->from], to = r->node_of[link->to];
    const double room = fmin(tgs_i_spu_capacity((unsigned)from), tgs_i_spu_capacity((unsigned)to));
    double size[SIZES], least[SIZES];
    int n = 0;
    tgs_link_sample s = {.from = r->v->p->memory[link->from].name,
                         .to = r->v->p->memory[link->to].name,
                         .count = repeat};
    tgs_status status = TGS_OK;

    for (double bytes = 4096; n < SIZES && bytes <= room / 2 && !status; bytes *= 8) {
        starpu_data_handle_t h;

        status = tgs_i_spu_register(&h, -1, NULL, bytes, -1, err);
        for (int32_t i = -WARM_UPS; i < repeat && !status; i++) {
            double once = 0;

            status = copy_once(h, from, to, bytes, &once, err);
            if (i >= 0)
                seconds[i] = once;
        }
        tgs_i_spu_unregister(h, false);
        qsort(seconds, (size_t)repeat, sizeof *seconds, by_value);
        size[n] = bytes;
        least[n] = seconds[0];
        if (n++ == 0) { /* the spread of the latency: median distance from the median */
            const double median = seconds[repeat / 2];

            for (int32_t i = 0; i < repeat; i++)
                seconds[i] = fabs(seconds[i] - median);
            qsort(seconds, (size_t)repeat, sizeof *seconds, by_value);
            s.spread = seconds[repeat / 2];
        }
    }
    if (status || n < 2)
        return status;
    fit(size, least, n, &s);
    status = tgs_costs_add_link(into, &s);
    return status ? tgs_fail(err, status, "out of memory for measurements") : TGS_OK;
}

static tgs_status measure_all(spu_run *r, int32_t repeat, tgs_costs *into, tgs_error *err)
{
    const tgs_view *v = r->v;
    int32_t *task = tgs_mem_alloc((size_t)v->n, sizeof *task), count = 0;
    double *seconds = tgs_mem_alloc((size_t)repeat + WARM_UPS, sizeof *seconds);
    tgs_status status = task && seconds ? tgs_measure_tasks(v->g, task, &count) : TGS_ENOMEM;

    if (status)
        tgs_fail(err, status, "out of memory");
    for (int32_t t = 0; t < v->n; t++)
        r->task[t].skip = true;
    for (int32_t i = 0; i < count && !status; i++)
        r->task[task[i]].skip = false;
    if (!status)
        status = tgs_i_spu_kernels_open(r, err);
    starpu_resume();
    for (int32_t i = 0; i < count && !status; i++)
        for (int32_t k = 0; k < v->kinds && !status; k++)
            status = measure(r, task[i], k, seconds, repeat, into, err);
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
    tgs_status status = tgs_i_spu_run_new(&r, v, c, false, err);

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
