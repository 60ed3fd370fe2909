/* calibrate.c -- the serial backend's calibration: each kernel in this thread, warm. */
#include <string.h>
#include <time.h>
#include "serial.h"

double tgs_i_serial_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { WARM_UPS = 2 };

static tgs_status time_kernel(const tgs_kernel *k, tgs_call *c, double *seconds, int32_t repeat)
{
    tgs_status status = k->prepare ? k->prepare(c) : TGS_OK;
    const bool prepared = !status;

    for (int32_t i = -WARM_UPS; i < repeat && !status; i++) {
        const double start = tgs_i_serial_clock();

        status = k->run(c);
        if (i >= 0)
            seconds[i] = tgs_i_serial_clock() - start;
    }
    if (prepared && k->release)
        k->release(c);
    return status;
}

static tgs_status measure(const tgs_view *v, const tgs_codelets *codelets, int32_t t,
                          double *seconds, int32_t repeat, tgs_costs *into, tgs_error *err)
{
    const tgs_graph_view *g = v->g;
    const tgs_kernel *k = tgs_task_kernel(codelets, g, t, "cpu");
    const int32_t first = g->access_at[t], count = g->access_at[t + 1] - first;
    tgs_buffer *buffer;
    tgs_call c = {.buffers = count, .attrs = tgs_text(g, g->task[t].attrs)};
    tgs_status status = TGS_OK;
    tgs_sample sample;

    if (!k)
        return TGS_OK;
    buffer = tgs_mem_alloc((size_t)count, sizeof *buffer);
    if (!buffer)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_task_buffers(g, t, buffer);
    c.buffer = buffer;
    c.user = k->user;
    for (int32_t i = 0; i < count && !status; i++) {
        buffer[i].data = tgs_mem_alloc((size_t)ceil(buffer[i].bytes), 1);
        status = buffer[i].data
                     ? tgs_measure_fill(g, g->access[first + i].datum, buffer[i].data, err)
                     : tgs_fail(err, TGS_ENOMEM, "out of memory for data");
    }
    if (!status) {
        status = time_kernel(k, &c, seconds, repeat);
        if (status)
            tgs_fail(err, status, "task %d %s: kernel %s/%s failed: %s", t,
                     tgs_task_name(g, t, TGS_ROOM), k->codelet, k->impl, tgs_status_text(status));
    }
    if (!status)
        tgs_measure_sample(g, t, seconds, repeat, &sample);
    for (int32_t i = 0; i < v->p->kinds && !status; i++) {
        if (strcmp(v->p->kind[i].arch, "cpu") || !(v->time[(int64_t)t * v->kinds + i] < INFINITY))
            continue;
        sample.kind = v->p->kind[i].name;
        status = tgs_costs_add(into, &sample);
        if (status)
            tgs_fail(err, status, "out of memory for measurements");
    }
    for (int32_t i = 0; i < count; i++)
        tgs_mem_free(buffer[i].data);
    tgs_mem_free(buffer);
    return status;
}

tgs_status tgs_i_serial_calibrate(const tgs_view *v, const tgs_codelets *c, int32_t repeat,
                                  tgs_costs *into, tgs_error *err)
{
    int32_t *task = tgs_mem_alloc((size_t)v->n, sizeof *task), count = 0;
    double *seconds = tgs_mem_alloc((size_t)repeat, sizeof *seconds);
    tgs_status status = TGS_ENOMEM;

    if (task && seconds)
        status = tgs_measure_tasks(v->g, task, &count);
    if (status)
        tgs_fail(err, status, "out of memory");
    for (int32_t i = 0; i < count && !status; i++)
        status = measure(v, c, task[i], seconds, repeat, into, err);
    tgs_mem_free(task);
    tgs_mem_free(seconds);
    return status;
}
